#include "synthesis/variations.h"

#include <algorithm>
#include <array>

namespace ptosync::synthesis {
namespace {

const std::array<Variation, 6> kVariations = {{{Preference::Fewest, 0.0005, false},
                                               {Preference::Input, 0.005, false, false},
                                               {Preference::Proposed, 0.0005, false},
                                               {Preference::Input, 0.0005, false},
                                               {Preference::Fewest, 0.01, false},
                                               {Preference::Input, 0.03, false}}};
const std::array<Variation, 6> kSlotVariations = {{{Preference::Fewest, 0.01, true},
                                                   {Preference::Input, 0.03, true, false},
                                                   {Preference::Fewest, 0.0005, true},
                                                   {Preference::Proposed, 0.01, true},
                                                   {Preference::Input, 0.005, true},
                                                   {Preference::Fewest, 0.1, true}}};

// Proposals times events, and times words, of one way for each unit of effort.
constexpr std::size_t kManyTrials = 500'000, kManyWords = 130'000'000;

} // namespace

llvm::ArrayRef<Variation> variationsFor(bool slots) {
  return slots ? llvm::ArrayRef<Variation>(kSlotVariations) : llvm::ArrayRef<Variation>(kVariations);
}

std::size_t waysWithin(unsigned effort, const ReductionSize &size) {
  const std::size_t share = std::max<std::size_t>(size.proposals * size.events / kManyTrials, 1);
  const std::size_t words = std::max<std::size_t>(size.proposals * size.words, 1);
  return std::min(std::max<std::size_t>(effort / share, 1), effort * kManyWords / words);
}

} // namespace ptosync::synthesis
