// How a text looks on a terminal: colours, the line of the source that a message speaks of, and a diff with its lines
// told apart by colour.
//
//   k.cpp:12:3: error: nothing orders this [missing-sync]
//      12 |   TADDS(b, a, 1.0f);
//         |   ^~~~~~~~~~~~~~~~~
//
// The colours are those of clang's messages and of git's diffs, out of the eight that every terminal has. Who asks for
// them decides whether there is a terminal (src/tool/session.h); nothing here looks.
// Tested by tests/base/terminal_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptosync {

/// What a text for a person is given beside its words. Without either it has the same bytes wherever it goes.
struct Look {
  bool colour = false;
  bool snippets = false; // the source's line below each message
};

enum class Paint : std::uint8_t { Place, Error, Warning, Note, Message, Caret, Removed, Added, Hunk };

/// Returns the text in the paint's colour; as it is if `colour` is false or the text is empty.
std::string painted(std::string_view text, Paint paint, bool colour);

/// Returns the line of a source, and a line that points at its bytes [begin, end); each ends with a newline. Columns
/// are counted in characters of UTF-8; a tab is one blank, and so is every other control character.
std::string sourceSnippet(std::uint32_t number, std::string_view line, std::size_t begin, std::size_t end, bool colour);

/// Returns a unified diff in colours.
std::string paintedDiff(std::string_view diff);

} // namespace ptosync
