#include "tool/timeline_options.h"

#include "tool/files.h"

namespace ptosync {

namespace cl = llvm::cl;

TimelineDefinitions::TimelineDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : input(cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(command), cl::cat(category), cl::Required),
      trace("trace", cl::desc("write the timeline here as trace JSON, for Perfetto and the vendor's viewer"),
            cl::value_desc("T.json"), cl::sub(command), cl::cat(category)),
      limit("limit", cl::desc("without any sync, in the order that the data demands: the data-flow limit"),
            cl::sub(command), cl::cat(category)),
      profile("profile", cl::desc("lay this simulator run over the estimate: raw logs, instr_exe csv or trace.json"),
              cl::value_desc("FOLDER"), cl::sub(command), cl::cat(category)),
      profileCores("profile-core", cl::desc("cores of the profile, one of a kind (default: those of lowest number)"),
                   cl::value_desc("CORE,..."), cl::CommaSeparated, cl::sub(command), cl::cat(category)),
      calibrate("calibrate", cl::desc("fit the durations to the profile and write them here, for --timing"),
                cl::value_desc("F.json"), cl::sub(command), cl::cat(category)) {}

std::string TimelineDefinitions::read(TimelineCommandOptions &options) const {
  options = {input, trace, limit, profile, {profileCores.begin(), profileCores.end()}, calibrate};
  if (options.profile.empty() && (!options.profileCores.empty() || !options.calibrate.empty()))
    return "timeline: --profile-core and --calibrate are for --profile=FOLDER; add it";
  if (options.calibrate == "-" || namesStandardOutput(options.calibrate))
    return "timeline: --calibrate needs a file name, standard output holds the summary";
  if (options.trace == "-")
    return "timeline: --trace needs a file name, standard output holds the summary";
  return {};
}

} // namespace ptosync
