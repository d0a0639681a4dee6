// Reads the files of a simulator run into profiles: the csv of instructions, the raw logs, and the trace.
//
// None of the readers opens a file or holds one whole in memory.
#pragma once

#include "profile/profile.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <functional>
#include <istream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync::timing {

// Reads the lines of a long text, one after the other, in memory that does not grow with it.
//
// Opens nothing: the stream is the caller's, the name is for messages. A line longer than kLongestLine is no line of a
// recording, and ends it. Tested by tests/profile/readers_test.cpp.

class LineReader {
public:
  static constexpr std::size_t kLongestLine = std::size_t(1) << 16;

  LineReader(std::istream &stream, std::string file)
      : stream(stream), file(std::move(file)), buffer(4 * kLongestLine) {}

  /// Reads the next line, without its end, into `line`, which is valid until the next call. Returns false if there is
  /// none or if it is too long.
  bool next(std::string_view &line);
  /// Returns the number of the last line, counted from 1; 0 before the first.
  std::uint64_t number() const { return lines; }
  /// Returns false if the last line was the end of the text and had no line end of its own.
  bool complete() const { return ended; }
  bool tooLong() const { return overlong; }
  /// Returns the error "FILE:LINE: MESSAGE" for the last line.
  llvm::Error error(const std::string &message) const;
  /// Returns the message for a line that is too long.
  static std::string tooLongText();

private:
  std::istream &stream;
  std::string file;
  std::vector<char> buffer;
  std::size_t begin = 0, end = 0; // of what was read and not yet handed out
  std::uint64_t lines = 0;
  bool ended = true, overlong = false;
};

// Reads `*_instr_exe*.csv` of a simulator run, which says how often each instruction of a core ran, and for how many
// cycles altogether.
//
// A row stands for one address. There are no single executions in it, and an id that a register decides is that of one
// call for all of them, so ids are left out. Tested by tests/profile/readers_test.cpp.

/// Reads the profile of one core. Errors name the file, the line and what was expected.
llvm::Expected<CoreProfile> readInstrExe(std::istream &stream, const std::string &file, const std::string &core,
                                         const ProfileNames &names);

// Reads the raw logs of a simulator run. `*.instr_popped_log.dump` has a line for each start, and `*.instr_log.dump`
// one for each end.
//
//   [info] [00011416] (PC: 0x10f86088) SCALAR : (Binary: 0x..) WAIT_FLAG PIPE:MTE2, TRIGGER PIPE:SCALAR, FLAG ID:0,
//
// Both are read side by side, by tick; an end belongs to the oldest start of its program counter (and ID, where there
// is one) that has none. Memory grows with what runs at one time and with kMostProfileEvents, not with the files. Lines
// without a program counter are no instructions. Tested by tests/profile/readers_test.cpp.

/// Reads both logs of one core. Fails if a file is cut short; the error names the file, the line and what was expected
/// there. Instructions of the scalar unit may lack their end.
llvm::Expected<CoreProfile> readInstrLogs(std::istream &starts, const std::string &startsFile, std::istream &ends,
                                          const std::string &endsFile, const std::string &core,
                                          const ProfileNames &names);

// Reads `trace.json` of a simulator run, of one core or of all, which says what ran when, in microseconds.
//
// Read event by event; nothing of the file is kept beside what the wanted cores did. In these files a barrier and a
// SET_FLAG are cut down to their last cycle: their times are read and not to be used (CoreProfile::knowsCost). In the
// file of all cores a wait may also begin late. Tested by tests/profile/readers_test.cpp.

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
