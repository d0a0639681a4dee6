#include "profile/line_reader.h"

#include <catch2/catch.hpp>

#include <sstream>

using ptosync::timing::LineReader;

TEST_CASE("line reader: lines, with and without an end") {
  std::istringstream stream("one\r\n\nthree");
  LineReader lines(stream, "f");
  std::string_view line;
  REQUIRE(lines.next(line));
  CHECK(line == "one");
  REQUIRE(lines.next(line));
  CHECK(line.empty());
  CHECK(lines.complete());
  REQUIRE(lines.next(line));
  CHECK(line == "three");
  CHECK(lines.number() == 3);
  CHECK_FALSE(lines.complete());
  CHECK_FALSE(lines.next(line));
  CHECK_FALSE(lines.tooLong());
}

TEST_CASE("line reader: many more bytes than it holds") {
  std::string text;
  for (int i = 0; i < 50000; ++i)
    text += "line " + std::to_string(i) + std::string(static_cast<std::size_t>(i % 90), 'x') + "\n";
  std::istringstream stream(text);
  LineReader lines(stream, "f");
  std::string_view line;
  int count = 0;
  while (lines.next(line)) {
    if (line != "line " + std::to_string(count) + std::string(static_cast<std::size_t>(count % 90), 'x'))
      break;
    ++count;
  }
  CHECK(count == 50000);
}

TEST_CASE("line reader: a line that does not end") {
  std::istringstream stream("short\n" + std::string(10 * LineReader::kLongestLine, 'x'));
  LineReader lines(stream, "f");
  std::string_view line;
  CHECK(lines.next(line));
  CHECK_FALSE(lines.next(line));
  CHECK(lines.tooLong());
  CHECK(lines.number() == 2);
  CHECK(llvm::toString(lines.error(LineReader::tooLongText())) == "f:2: expected lines of at most 65536 bytes");
}
