#include "replay/trace.h"

#include <algorithm>

namespace ptosync::replay {
namespace {

/// The visits around, outermost first.
std::vector<std::uint32_t> chainOf(const Trace &trace, std::uint32_t iteration) {
  std::vector<std::uint32_t> chain;
  for (; iteration != kNone; iteration = trace.iterations[iteration].parent)
    chain.push_back(iteration);
  std::reverse(chain.begin(), chain.end());
  return chain;
}

} // namespace

const Instruction &instructionOf(const Trace &trace, std::uint32_t instance) {
  return std::get<Instruction>(trace.instances[instance].statement->action);
}

bool loopCarried(const Trace &trace, std::uint32_t earlier, std::uint32_t later) {
  if (earlier == later)
    return false;
  std::vector<std::uint32_t> a = chainOf(trace, earlier), b = chainOf(trace, later);
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i] == b[i])
      continue;
    return trace.iterations[a[i]].loop == trace.iterations[b[i]].loop;
  }
  return false;
}

std::string describeIteration(const Trace &trace, const LoopNest &nest, std::uint32_t iteration) {
  std::string text;
  for (; iteration != kNone; iteration = trace.iterations[iteration].parent) {
    const Iteration &visit = trace.iterations[iteration];
    text += (text.empty() ? "iteration " : ", iteration ") + std::to_string(visit.number) + " of the loop at line " +
            std::to_string(nest.loops()[visit.loop].line);
  }
  return text;
}

} // namespace ptosync::replay
