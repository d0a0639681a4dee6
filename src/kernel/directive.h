// What the comments of a kernel file say to the tool, and what the tool's own comments say.
//
//   // ptosync: keep(reason)                         the sync here stays
//   // ptosync: arch a5                              the file is for this architecture
//   /* ptosync: removed pipe_barrier(PIPE_V) [gu] */ written by the tool
//
// Plain data; read by src/frontend/read/directives.h, which refuses what it does not know.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptosync {

struct Directive {
  enum class Kind : std::uint8_t {
    Keep,    // `argument`: the reason, may be empty
    Arch,    // `argument`: "a3" or "a5"
    Removed, // `argument`: the sync that stood here
    Note,    // another comment of the tool's own
  };
  Kind kind = Kind::Note;
  std::string argument;
  std::uint32_t line = 0, column = 0;        // of "ptosync", both from 1
  std::uint32_t firstLine = 0, lastLine = 0; // of the comment
  /// The line of code below a comment that stands alone on its lines, with nothing but comments between; 0: none.
  std::uint32_t lineBelow = 0;
};

/// The keep comment that holds a statement on these lines, the first of several; null if none does.
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
