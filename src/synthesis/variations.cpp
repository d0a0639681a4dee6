#include "synthesis/variations.h"

#include <array>

namespace ptosync::synthesis {
namespace {

const std::array<Variation, 6> kVariations = {{{Preference::Fewest, 0.0005, {}, false},
                                               {Preference::Input, 0.005, {}, false, false},
                                               {Preference::Proposed, 0.0005, {}, false},
                                               {Preference::Input, 0.0005, {}, false},
                                               {Preference::Fewest, 0.01, {}, false},
                                               {Preference::Input, 0.03, {}, false}}};
const std::array<Variation, 6> kSlotVariations = {{{Preference::Fewest, 0.01, {}, true},
                                                   {Preference::Input, 0.03, {}, true, false},
                                                   {Preference::Fewest, 0.0005, {}, true},
                                                   {Preference::Proposed, 0.01, {}, true},
                                                   {Preference::Input, 0.005, {}, true},
                                                   {Preference::Fewest, 0.1, {}, true}}};

} // namespace

llvm::ArrayRef<Variation> variationsFor(bool slots) {
  return slots ? llvm::ArrayRef<Variation>(kSlotVariations) : llvm::ArrayRef<Variation>(kVariations);
}

} // namespace ptosync::synthesis
