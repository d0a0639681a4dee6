#include "patterns/case_source.h"

namespace ptosync {

std::string wrapCase(const PatternCase &patternCase) {
  // The tail helper's body is not the kernel's; what matters is its name.
  std::string text = R"(#include "pto/pto-inst.hpp"
using namespace pto;

enum class PTOAutoSyncTailMode : int { kBarrierAll = 0, kSetWaitMte3ToSEvent0 = 1 };

static AICORE inline void ptoas_auto_sync_tail(
    PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
  pipe_barrier(PIPE_ALL);
}

extern "C" __global__ AICORE void pattern_case(__gm__ float* v_in, __gm__ float* v_out, int32_t v_n) {
)";
  for (const std::string &line : patternCase.kernel)
    text += "  " + line + "\n";
  text += "  ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);\n  return;\n}\n";
  return text;
}

} // namespace ptosync
