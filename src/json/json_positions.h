// Lines of the values of a JSON text, found by JSON pointer (RFC 6901).
//
//   text --scan--> { "" : 1, "/match" : 9, "/match/pipe" : 10, "/cases/0" : 14, ... }
//
// nlohmann::json keeps no positions for a text that parses, but a message about a wrong value has to
// name its line. This is a second, lenient pass over the same text that records where things stand:
// a member stands where its key does, an element where its value begins. It judges nothing: on a text
// that is no JSON it stops recording where it no longer understands, and it records nothing below
// `kMaximumDepth` levels, so that a hostile text costs no more than its length.
// Tested by tests/json/json_positions_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ptosync {

class JsonPositions {
public:
  static constexpr std::size_t kMaximumDepth = 64;

  static JsonPositions scan(std::string_view text);

  /// Line, from 1, of the value that `pointer` names; empty if there is none. Of a key that is
  /// written twice in one object, the later one.
  std::optional<unsigned> line(std::string_view pointer) const;

  /// Pointer of the first key, by position, that its object already has. JSON parsers take the last
  /// of the two without a word.
  const std::optional<std::string> &duplicateKey() const { return duplicate; }

private:
  friend class JsonScanner;
  std::map<std::string, unsigned, std::less<>> lines;
  std::optional<std::string> duplicate;
};

/// `key` as one token of a JSON pointer: "~" becomes "~0", "/" becomes "~1".
std::string escapePointerToken(std::string_view key);

} // namespace ptosync
