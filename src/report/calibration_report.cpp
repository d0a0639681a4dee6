#include "report/calibration_report.h"

#include "report/wording.h"

#include <cmath>
#include <cstdio>

namespace ptosync {
namespace {

std::string percentOf(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

std::string parameterLine(const timing::FittedParameter &parameter) {
  char text[128];
  std::snprintf(text, sizeof text, "%.5g -> %.5g +- %.2g", parameter.before, parameter.after, parameter.error);
  return "    " + parameter.name + " " + text + "\n";
}

} // namespace

std::string calibrationReport(const timing::Calibration &calibration) {
  std::string text = "calibration: " + std::to_string(std::llround(calibration.calls)) +
                     " calls with their instructions, " + std::to_string(std::llround(calibration.unmatched)) +
                     " of which it is not known which are theirs\n";
  for (Pipe pipe : calibration.disordered)
    text +=
        "  " + std::string(pipeName(pipe)) + ": its syncs stand in another order than in the run, nothing is fitted\n";
  for (const timing::FittedEntry &entry : calibration.entries) {
    bool scalar = entry.shape.group == timing::CostShape::Group::Other;
    text += "  " + printable(timing::entryName(entry)) + ": " + (scalar ? "from the starts of " : "") +
            std::to_string(std::llround(entry.executions)) +
            (scalar ? " calls"
                    : " executions of " + std::to_string(entry.sizes) + (entry.sizes == 1 ? " size" : " sizes")) +
            ", residual " + percentOf(entry.residualBefore) + " -> " + percentOf(entry.residualAfter) + "\n";
    for (const timing::FittedParameter &parameter : entry.parameters)
      if (parameter.fitted)
        text += parameterLine(parameter);
    if (!entry.reason.empty())
      text += "    stays: " + printable(entry.reason) + "\n";
  }
  return text;
}

} // namespace ptosync
