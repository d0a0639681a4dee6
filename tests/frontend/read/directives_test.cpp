#include "frontend/read/directives.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

/// "keep(reason)@line" and so on, one a line; the error's text if there is one.
std::string read(const std::string &text) {
  llvm::Expected<std::vector<Directive>> directives = readDirectives(SourceText("k.cpp", text));
  if (!directives)
    return llvm::toString(directives.takeError());
  std::string list;
  for (const Directive &directive : *directives) {
    const char *names[] = {"keep", "arch", "assume", "removed", "note"};
    list += std::string(names[static_cast<int>(directive.kind)]) + "(" + directive.argument + ")@" +
            std::to_string(directive.line) + "\n";
  }
  return list;
}

} // namespace

TEST_CASE("directives: the spellings of keep") {
  for (const char *text :
       {"// ptosync: keep(why)", "// ptosync:keep(why)", "//ptosync : keep (why)", "/* ptosync: keep: why */",
        "// PtoSync: KEEP why", "/// ptosync: keep(why", "// so: ptosync: keep(why)", "// ptosync keep(why)"}) {
    CAPTURE(text);
    CHECK(read(text) == "keep(why)@1\n");
  }
  CHECK(read("// ptosync: keep") == "keep()@1\n");
  CHECK(read("/* ptosync: keep */ x;") == "keep()@1\n");
  CHECK(read("/*/ ptosync: keep */ x;") == "keep()@1\n"); // the comment does not end where it begins
  CHECK(read("/*\n * ptosync: keep(why)\n */") == "keep(why)@2\n");
  CHECK(read("// ptosync: keep(why)\r\nint x;\r\n") == "keep(why)@1\n");
}

TEST_CASE("directives: what is not understood is an error with its place") {
  for (const char *text : {"// ptosync: kepp(x)", "// ptosync:keeps", "// ptosync: kep", "// see ptosync: kepp",
                           "// ptosync kep", "// ptosnyc: keep(x)", "// pto-sync: keep"}) {
    CAPTURE(text);
    CHECK(read(text).find("k.cpp:1:") == 0);
    CHECK(read(text).find("did you mean") != std::string::npos);
  }
  CHECK(
      read("int x; // ptosync: remove this\n") ==
      "k.cpp:1:11: error: unknown directive 'ptosync: remove this'; known are keep, keep(reason), arch a3, arch a5, assume(n >= 0 && n < 48)\n");
  CHECK(read("// ptosync:\n").find("unknown directive") != std::string::npos);
}

TEST_CASE("directives: prose and strings are none") {
  CHECK(read("// as ptosync says: nothing") == "");
  CHECK(read("// the report of ptosync: a page") == "");
  CHECK(read("// ptosync::keep, libptosync: keep, /opt/ptosync/keep") == "");
  CHECK(read("const char *s = \"// ptosync: kepp\"; char c = '\"'; // \"\n") == "");
  CHECK(read("R\"x(// ptosync: kepp)x\"") == "");
}

TEST_CASE("directives: the tool's own comments") {
  CHECK(read("/* ptosync: removed pipe_barrier(PIPE_V) [gu] */") == "removed(pipe_barrier(PIPE_V))@1\n");
  CHECK(read("wait_flag(); // ptosync: moved from line 48 [sink-wait]") == "note(moved from line 48 [sink-wait])@1\n");
  CHECK(read("/* ptosync: moved to line 504: wait_flag() [sink-wait] */").find("note(moved to line 504") == 0);
  CHECK(read("/* ptosync: moved to lines 5 and 7: wait_flag() [sink-into-arms] */").find("note(") == 0);
  CHECK(read("2 /* ptosync: 2 local slots, were 8 [fifo-local-slots] */").find("note(2 local slots") == 0);
  CHECK(read("// ptosync: 2 slots").find("error") != std::string::npos);
}

TEST_CASE("directives: the architecture") {
  for (const char *text :
       {"// ptosync: arch a5", "// ptosync: arch=a5", "/* PTOSYNC: ARCH A5 */", "// ptosync: arch(a5)"})
    CHECK(read(text) == "arch(a5)@1\n");
  CHECK(read("// ptosync: arch a4") ==
        "k.cpp:1:4: error: 'ptosync: arch a4' is no architecture; write arch a3 or arch a5\n");
  CHECK(read("// ptosync: arch a5\n// ptosync: arch a5\n") == "arch(a5)@1\narch(a5)@2\n");
  CHECK(read("// ptosync: arch a5\n// ptosync: arch a3\n") ==
        "k.cpp:2:4: error: 'ptosync: arch a3', but line 1 says a5\n");
}

TEST_CASE("directives: a comment alone holds for the next line of code") {
  auto below = [](const std::string &text) {
    llvm::Expected<std::vector<Directive>> directives = readDirectives(SourceText("k.cpp", text));
    REQUIRE(static_cast<bool>(directives));
    REQUIRE(directives->size() == 1);
    return directives->front().lineBelow;
  };
  CHECK(below("// ptosync: keep\nx;\n") == 2);
  CHECK(below("// ptosync: keep\n// more\n/* and\n more */\nx;\n") == 5);
  CHECK(below("/* ptosync: keep\n the end */\nx;\n") == 3);
  CHECK(below("// ptosync: keep\n\nx;\n") == 0); // a blank line parts them
  CHECK(below("y; // ptosync: keep\nx;\n") == 0);
  CHECK(below("// ptosync: keep\n") == 0);
}

TEST_CASE("directives: an assumption is what its parentheses hold") {
  auto read = [](const std::string &line) { return readDirectives(SourceText("k.cpp", line + "\nint x;\n")); };
  for (const char *line : {"// ptosync: assume(n >= 0 && n < 48)", "/* ptosync: assume (n >= 0 && n < 48) */",
                           "// ptosync: assume n >= 0 && n < 48", "// PTOSYNC: Assume(n >= 0 && n < 48)"}) {
    INFO(line);
    llvm::Expected<std::vector<Directive>> directives = read(line);
    REQUIRE(static_cast<bool>(directives));
    REQUIRE(directives->size() == 1);
    CHECK(directives->front().kind == Directive::Kind::Assume);
    CHECK(directives->front().argument == "n >= 0 && n < 48");
  }
  for (const char *line : {"// ptosync: asume(n >= 0)", "// ptosync: assume(n >= 0", "// ptosync: assume(n)",
                           "// ptosync: assume(n >= 0) since it counts"}) {
    INFO(line);
    llvm::Expected<std::vector<Directive>> directives = read(line);
    CHECK_FALSE(static_cast<bool>(directives));
    llvm::consumeError(directives.takeError());
  }
}
