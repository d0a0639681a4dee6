// The text of one input file, and what its build and its comments say of it.
//
//   SourceText: bytes as they are, with lookup of lines and columns; SourceRange: what an edit refers to
//   Definition: a macro that the kernel's build defines, or does not: -D NAME[=VALUE], -U NAME
//   Directive:  // ptosync: keep(reason)                         the sync here stays
//               // ptosync: arch a5                              the file is for this architecture
//               /* ptosync: removed pipe_barrier(PIPE_V) [gu] */ written by the tool
//
// Nothing is decoded and CRLF line ends stay. Columns count bytes from 1. Comments are read by
// src/frontend/directives.h, which refuses what it does not know.
// Tested by tests/kernel/source_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <optional>
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
  /// Returns the line's text without its line end; empty outside [1, lineCount()].
  std::string_view line(std::uint32_t number) const;
  std::string_view slice(SourceRange range) const;

private:
  std::string fileName;
  std::string content;
  std::vector<std::uint32_t> lineStarts;
};

struct Definition {
  std::string name;
  std::optional<std::string> value; // nothing: it is not defined
  bool operator==(const Definition &) const = default;
};

/// Reads "NAME" (which is 1), "NAME=" (which is nothing) or "NAME=VALUE". The error says what is wrong, without the
/// text: no name, a macro with parameters, or one that tells the cores apart, which are both read.
llvm::Expected<Definition> parseDefinition(std::string_view text);

/// Reads the values of -D and -U: of several of one name the last counts. The error names the text that is wrong, and a
/// name that is in both.
llvm::Expected<std::vector<Definition>> parseDefinitions(const std::vector<std::string> &defined,
                                                         const std::vector<std::string> &undefined);

struct Directive {
  enum class Kind : std::uint8_t {
    Keep,    // `argument`: the reason, may be empty
    Arch,    // `argument`: "a3" or "a5"
    Assume,  // `argument`: comparisons, as readAssumptions reads them
    Removed, // `argument`: the sync that stood here
    Note,    // another comment of the tool's own
  };
  Kind kind = Kind::Note;
  std::string argument;
  std::uint32_t line = 0, column = 0;        // of "ptosync", both from 1
  std::uint32_t firstLine = 0, lastLine = 0; // of the comment
  /// The line of code below a comment that stands alone on its lines, with nothing but comments between; 0: none.
  std::uint32_t lineBelow = 0;
  std::uint32_t offset = 0; // of "ptosync", bytes
};

/// Returns the first keep comment that holds a statement on these lines; null if none does.
inline const Directive *keepOf(const std::vector<Directive> &directives, std::uint32_t first, std::uint32_t last) {
  for (const Directive &directive : directives) {
    bool beside = directive.firstLine <= last && directive.lastLine >= first;
    bool above = directive.lineBelow >= first && directive.lineBelow <= last;
    if (directive.kind == Directive::Kind::Keep && (beside || above))
      return &directive;
  }
  return nullptr;
}

} // namespace ptosync
