// ptosync_frontend_fuzz: libFuzzer on the text frontend, with a mutator that knows lines and tokens.
//
//   ptosync_frontend_fuzz [libFuzzer options] FOUND_DIR SEED_DIR      (README.md, scripts/fuzz-frontend)
//
// PTOSYNC_FUZZ_DEPTH=optimise goes on to the edits and their replay, =audit to the rules of the audit. Built with
// -DPTOSYNC_FRONTEND_FUZZ=ON only.
#include "fuzz/frontend/frontend_target.h"
#include "fuzz/frontend/kernel_mutator.h"

#include <cstdlib>
#include <cstring>
#include <string_view>

using namespace ptosync::fuzz;

namespace {

Depth chosenDepth() {
  const char *chosen = std::getenv("PTOSYNC_FUZZ_DEPTH");
  return parseDepth(chosen ? chosen : "").value_or(Depth::Lift);
}

std::string_view view(const std::uint8_t *data, std::size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

std::size_t store(const std::string &text, std::uint8_t *data) {
  std::memcpy(data, text.data(), text.size());
  return text.size();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const Depth depth = chosenDepth();
  takeText(std::string(view(data, size)), depth);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t *data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  RandomSource random(RandomSource::mix(seed));
  return store(mutateKernel(view(data, size), random, largest), data);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t *first, std::size_t firstSize,
                                                 const std::uint8_t *second, std::size_t secondSize, std::uint8_t *out,
                                                 std::size_t largest, unsigned seed) {
  RandomSource random(RandomSource::mix(seed));
  return store(spliceKernels(view(first, firstSize), view(second, secondSize), random, largest), out);
}
