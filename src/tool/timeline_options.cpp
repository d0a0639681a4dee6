#include "tool/timeline_options.h"

namespace ptosync {

namespace cl = llvm::cl;

TimelineDefinitions::TimelineDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : input(cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(command), cl::cat(category), cl::Required),
      trace("trace", cl::desc("write the timeline here as trace JSON, for Perfetto and the vendor's viewer"),
            cl::value_desc("T.json"), cl::sub(command), cl::cat(category)),
      limit("limit", cl::desc("without any sync, in the order that the data demands: the data-flow limit"),
            cl::sub(command), cl::cat(category)) {}

std::string TimelineDefinitions::read(TimelineCommandOptions &options) const {
  options = {input, trace, limit};
  if (options.trace == "-")
    return "timeline: --trace needs a file name, standard output holds the summary";
  return {};
}

} // namespace ptosync
