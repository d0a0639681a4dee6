#include "tool/compare_options.h"

#include "tool/files.h"

#include <cmath>

namespace ptosync {

namespace cl = llvm::cl;

CompareDefinitions::CompareDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : a(cl::Positional, cl::desc("A.cpp"), cl::sub(command), cl::cat(category), cl::Required),
      b(cl::Positional, cl::desc("B.cpp"), cl::sub(command), cl::cat(category), cl::Required),
      format("format", cl::desc("text (default), csv or json"), cl::value_desc("text|csv|json"), cl::init("text"),
             cl::sub(command), cl::cat(category)),
      output("o", cl::desc("write the comparison here ('-': standard output)"), cl::value_desc("FILE"),
             cl::sub(command), cl::cat(category)),
      failOver("fail-over",
               cl::desc("exit 1 if B's estimated time is more than so many percent above A's in any section"),
               cl::value_desc("PCT"), cl::sub(command), cl::cat(category)) {}

std::string CompareDefinitions::read(CompareCommandOptions &options) const {
  options.a = a;
  options.b = b;
  options.output = output == "-" || namesStandardOutput(output) ? "" : std::string(output);
  if (format == "text")
    options.format = CompareFormat::Text;
  else if (format == "csv")
    options.format = CompareFormat::Csv;
  else if (format == "json")
    options.format = CompareFormat::Json;
  else
    return "--format=" + format + ": expected text or csv or json";
  if (failOver.getNumOccurrences()) {
    double percent = 0;
    llvm::StringRef text(failOver);
    text.consume_back("%");
    if (text.getAsDouble(percent) || !std::isfinite(percent) || percent < 0)
      return "--fail-over=" + failOver + ": expected a number of percent from 0 on";
    options.failOver = percent;
  }
  return {};
}

} // namespace ptosync
