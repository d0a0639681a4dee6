// Reads the lines of a long text, one after the other, in memory that does not grow with it.
//
// Opens nothing: the stream is the caller's, the name is for messages. A line longer than kLongestLine is no line of a
// recording, and ends it. Tested by tests/profile/line_reader_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptosync::timing {

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

} // namespace ptosync::timing
