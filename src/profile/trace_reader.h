// Reads `trace.json` of a simulator run, of one core or of all, which says what ran when, in microseconds.
//
// Read event by event; nothing of the file is kept beside what the wanted cores did. In these files a barrier and a
// SET_FLAG are cut down to their last cycle: their times are read and not to be used (CoreProfile::knowsCost). In the
// file of all cores a wait may also begin late. Tested by tests/profile/trace_reader_test.cpp.
#pragma once

#include "profile/profile_names.h"

#include <functional>
#include <istream>
#include <set>

namespace ptosync::timing {

struct TraceRequest {
  std::string file;                                // used in messages
  std::string core;                                // whose it is if the file does not say; may be empty
  std::function<bool(const std::string &)> wanted; // cores to read
  double clockMHz = 1;
};

struct TraceContent {
  std::vector<CoreProfile> cores; // those wanted, by name
  std::set<std::string> seen;     // all
};

/// Reads the wanted cores of a trace. Fails if the file is no trace, is cut short, or was written by this tool; the
/// error names the file and the place.
llvm::Expected<TraceContent> readTrace(std::istream &stream, const TraceRequest &request, const ProfileNames &names);

} // namespace ptosync::timing
