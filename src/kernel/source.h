// The text of one input file with line and column lookup, and the ranges that edits refer to.
//
// Bytes are kept as they are: no decoding, CRLF line ends stay. Columns count bytes from 1.
// Tested by tests/kernel/source_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// Half-open byte range [begin, end) of a source text.
struct SourceRange {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool operator==(const SourceRange &) const = default;
};

struct LineColumn {
  std::uint32_t line = 0;   // from 1
  std::uint32_t column = 0; // from 1, in bytes
};

class SourceText {
public:
  SourceText() = default;
  SourceText(std::string name, std::string text);

  const std::string &name() const { return fileName; }
  const std::string &text() const { return content; }
  std::uint32_t lineCount() const { return static_cast<std::uint32_t>(lineStarts.size()); }
  LineColumn position(std::uint32_t offset) const;
  /// The line's text without its line end; empty outside [1, lineCount()].
  std::string_view line(std::uint32_t number) const;
  std::string_view slice(SourceRange range) const;

private:
  std::string fileName;
  std::string content;
  std::vector<std::uint32_t> lineStarts;
};

} // namespace ptosync
