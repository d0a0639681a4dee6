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

namespace {

std::string problem(std::string_view text) {
  llvm::Expected<Definition> parsed = parseDefinition(text);
  return parsed ? "" : llvm::toString(parsed.takeError());
}

} // namespace

TEST_CASE("a definition is a name, or a name and its value") {
  CHECK(llvm::cantFail(parseDefinition("FAST")) == Definition{"FAST", "1"});
  CHECK(llvm::cantFail(parseDefinition("ROWS=64")) == Definition{"ROWS", "64"});
  CHECK(llvm::cantFail(parseDefinition("EMPTY=")) == Definition{"EMPTY", ""});
  CHECK(llvm::cantFail(parseDefinition("_A1=b == c")) == Definition{"_A1", "b == c"});
}

TEST_CASE("what is none is refused") {
  for (std::string_view text : {"", "=1", "1A", "A B", "A-B=2", "A=1\nB"})
    CHECK(problem(text) == "expected NAME or NAME=VALUE");
  CHECK(problem("F(x)=x").find("parameters") != std::string::npos);
  CHECK(problem("__DAV_VEC__").find("both cores") != std::string::npos);
  CHECK(problem("__DAV_CUBE__=1").find("both cores") != std::string::npos);
}

TEST_CASE("a macro is defined or it is not") {
  auto both = [](std::vector<std::string> defined, std::vector<std::string> undefined) {
    llvm::Expected<std::vector<Definition>> parsed = parseDefinitions(defined, undefined);
    if (!parsed)
      return llvm::toString(parsed.takeError());
    std::string text;
    for (const Definition &definition : *parsed)
      text += definition.name + (definition.value ? "=" + *definition.value : "") + " ";
    return text;
  };
  CHECK(both({"A", "A=2"}, {"B"}) == "A=1 A=2 B ");
  CHECK(both({"A B"}, {}) == "-D A B: expected NAME or NAME=VALUE");
  CHECK(both({}, {"A=1"}) == "-U A=1: expected NAME");
  CHECK(both({}, {"1"}) == "-U 1: expected NAME or NAME=VALUE");
  CHECK(both({"A"}, {"A"}) == "-U A: -D defines it");
}
