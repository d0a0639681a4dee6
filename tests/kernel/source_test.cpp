#include "kernel/source.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

std::string place(const SourceText &source, std::uint32_t offset) {
  LineColumn position = source.position(offset);
  return std::to_string(position.line) + ":" + std::to_string(position.column);
}

} // namespace

TEST_CASE("lines and columns count from one, columns in bytes") {
  SourceText source("k.cpp", "ab\n\xc3\xa9x\nlast");
  CHECK(source.name() == "k.cpp");
  CHECK(source.lineCount() == 3);
  CHECK(place(source, 0) == "1:1");
  CHECK(place(source, 2) == "1:3"); // the line end belongs to its line
  CHECK(place(source, 3) == "2:1");
  CHECK(place(source, 5) == "2:3"); // two bytes of one character before it
  CHECK(place(source, 7) == "3:1");
  CHECK(place(source, 11) == "3:5"); // one past the last byte
  CHECK(source.line(1) == "ab");
  CHECK(source.line(2) == "\xc3\xa9x");
}

TEST_CASE("a file without a final line end has its last line all the same") {
  SourceText source("k.cpp", "one\ntwo");
  CHECK(source.lineCount() == 2);
  CHECK(source.line(2) == "two");
}

TEST_CASE("a final line end starts an empty line") {
  SourceText source("k.cpp", "one\n");
  CHECK(source.lineCount() == 2);
  CHECK(source.line(2) == "");
  CHECK(place(source, 4) == "2:1");
}

TEST_CASE("CRLF line ends are kept in the text and left out of lines") {
  SourceText source("k.cpp", "one\r\ntwo\r\n\r\nfour\r");
  CHECK(source.text() == "one\r\ntwo\r\n\r\nfour\r");
  CHECK(source.lineCount() == 4);
  CHECK(source.line(1) == "one");
  CHECK(source.line(3) == "");
  CHECK(source.line(4) == "four");
  CHECK(place(source, 5) == "2:1");
}

TEST_CASE("an empty file has one empty line") {
  SourceText source("k.cpp", "");
  CHECK(source.lineCount() == 1);
  CHECK(source.line(1) == "");
  CHECK(place(source, 0) == "1:1");
}

TEST_CASE("a source that was never filled answers without a line") {
  SourceText source;
  CHECK(source.lineCount() == 0);
  CHECK(source.line(1) == "");
  CHECK(place(source, 0) == "1:1");
}

TEST_CASE("lines outside the file are empty") {
  SourceText source("k.cpp", "one\ntwo\n");
  CHECK(source.line(0) == "");
  CHECK(source.line(4) == "");
}

TEST_CASE("a slice is the bytes of its range") {
  SourceText source("k.cpp", std::string("a\0b\r\nc", 6));
  CHECK(source.slice({0, 3}) == std::string_view("a\0b", 3));
  CHECK(source.slice({2, 5}) == "b\r\n");
  CHECK(source.slice({6, 6}) == "");
}
