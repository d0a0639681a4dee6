// Prints a calibration as text: for each entry of the table what was fitted, how well it fits before and after, and
// what stays.
//
// Tested by tests/report/calibration_report_test.cpp.
#pragma once

#include "timing/calibration.h"

#include <string>

namespace ptosync {

std::string calibrationReport(const timing::Calibration &calibration);

} // namespace ptosync
