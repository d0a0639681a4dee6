#include "frontend/library/library_text.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

LibraryText textOf(const std::string &header) {
  LibraryText text;
  addLibraryText(header, text);
  return text;
}

const std::string &only(const LibraryText &text, const std::string &name) {
  REQUIRE(text.count(name) == 1);
  REQUIRE(text.at(name).size() == 1);
  return *text.at(name).begin();
}

} // namespace

TEST_CASE("library text: functions, classes, variables, aliases and macros by name") {
  LibraryText text = textOf(R"(
    namespace pto {
    constexpr int WIDTH = 8;
    using Mask = unsigned;
    enum class Mode { A, B };
    struct Op { static void run() { step(); } };
    template <typename T, std::enable_if_t<(sizeof(T) > 2), int> = 0> inline void TADD_IMPL(T &d) { Op::run(); }
    #define CALL(x) x##_IMPL
    }
    inline void after() {}
  )");
  CHECK(only(text, "WIDTH") == "constexpr int WIDTH = 8 ; ");
  CHECK(text.count("Mask") == 1);
  CHECK(text.count("Mode") == 1);
  CHECK(only(text, "Op").find("step ( )") != std::string::npos);
  CHECK(only(text, "TADD_IMPL").find("Op :: run ( )") != std::string::npos);
  CHECK(only(text, "CALL") == "# define CALL ( x ) x ## _IMPL ");
  CHECK(text.count("after") == 1);
}

TEST_CASE("library text: a template's default argument begins no initialiser") {
  LibraryText text =
      textOf("template <typename T, int N = 4, int M = (N > 2) ? 1 : 2> void f(T t) { g(); }\nvoid h() {}\n");
  CHECK(text.count("f") == 1);
  CHECK(only(text, "h") == "void h ( ) { } ");
}

TEST_CASE("library text: layout and comments are no part of it") {
  CHECK(textOf("void f() { g( 1 ); } // why") == textOf("/* so */ void\nf()\n{\n  g(1);\n}\n"));
}

TEST_CASE("library text: overloads share a name, conditions are part of a text") {
  LibraryText text =
      textOf("#if A\nvoid f(int) {}\n#else\nvoid f(long) {}\n#endif\nvoid g() {\n#if B\nh();\n#endif\n}\n");
  REQUIRE(text["f"].size() == 2);
  CHECK(text["f"] == std::set<std::string>{"# if A # else  void f ( long ) { } ", "# if A  void f ( int ) { } "});
  CHECK(text["g"] == std::set<std::string>{"void g ( ) { # if B h ( ) ; # endif } "});
}

TEST_CASE("library text: a folder without the library is an error") {
  llvm::Expected<LibraryText> text = readLibraryText("/nonexistent", "a3");
  REQUIRE_FALSE(bool(text));
  CHECK(llvm::toString(text.takeError()).find("holds no pto/common") != std::string::npos);
}
