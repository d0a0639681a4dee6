#include "frontend/read/parse.h"
#include "frontend/tokens_of.h"

#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string errorOf(const std::string &text, Section section = Section::Vec) {
  llvm::Expected<ParsedSection> parsed =
      parseSection(tokensOf(text, "dir/k.cpp"), section, frontendOptions(machineOf("a3")));
  return parsed ? "no error" : llvm::toString(parsed.takeError());
}

/// Functions that were declared on the fly; the error if there is one.
std::string inventedIn(const std::string &body, const std::string &helpers = "") {
  llvm::Expected<ParsedSection> parsed =
      parseSection(tokensOf(kernelText(body, helpers)), Section::Vec, frontendOptions(machineOf("a3")));
  if (!parsed)
    return llvm::toString(parsed.takeError());
  std::string names;
  for (const std::string &name : parsed->declaredOnTheFly)
    names += (names.empty() ? "" : " ") + name;
  return names;
}

} // namespace

TEST_CASE("known instructions need nothing invented") {
  CHECK(inventedIn("TADD(in); pto::TADDS(in, 2.0f); TMOV<int, RoundMode::CAST_RINT>(in);") == "");
}

TEST_CASE("unknown calls are invented, plain, qualified and in pto::comm") {
  CHECK(inventedIn("TFROB(in); pto::TZAP(in, 3); pto::comm::TWOW(out); float f = TFROB(in);") == "TFROB TWOW TZAP");
}

TEST_CASE("template arguments of unknown calls may be types, then values") {
  CHECK(inventedIn("TFROB<float>(in); TZAP<3>(in); TWOW<float, int, 3, Layout::ND>(in); TYES<>(in);") ==
        "TFROB TWOW TYES TZAP");
}

// Emitted for stores with a phase: a value, two types, a value.
TEST_CASE("template arguments may be a value, then types, then values") {
  CHECK(inventedIn("TSTORE<STPhase::Final, int, float, AtomicType::AtomicAdd>(in, out);") == "");
  CHECK(inventedIn("TFROB<3, float>(in); TZAP<float, 3, int, 4>(in);") == "TFROB TZAP");
}

TEST_CASE("unknown enumerators of options are invented") {
  CHECK(inventedIn("TADD(RoundMode::CAST_WOW); TADD(pto::RoundMode::CAST_WOW, Speed::Fast, pto::Speed::Slow);") == "");
}

TEST_CASE("unknown enumerators of options in pto::comm are invented") {
  CHECK(inventedIn("TADD(pto::comm::NotifyOp::Wow);") == "");
  CHECK(inventedIn("TADD(pto::comm::Speed::Fast);") == "");
}

TEST_CASE("unknown types are invented: plain, qualified, as templates, with members") {
  CHECK(inventedIn("Wow a; pto::Wow b; Wow c = {1, n}; pto::far::Off d; TADD(a, c.colour, d.Size());") == "");
  CHECK(inventedIn("Box<float, 3> a; Box<float, 4> b = Box<float, 4>(in); TADD(a, b);") == "");
  CHECK(inventedIn("pto::far::Box<3, float, Layout::ND> a = pto::far::Box<3, float, Layout::ND>::Make(in); TADD(a);") ==
        "");
  CHECK(inventedIn("using Config = Box<Speed::Fast, float>; TMOV<Config>(in);") == "");
}

TEST_CASE("unknown constants are invented where they are spelled as the library's") {
  CHECK(inventedIn(
            "TADD(in, LIMIT_OF_IT); TADD(in, pto::kLimit); TADD<LIMIT_OF_IT>(in); TADD<LIMIT_OF_IT, float>(in);") ==
        "");
  CHECK(errorOf(kernelText("TADD(in, limit);")) == "dir/k.cpp:4:10: error: use of undeclared identifier 'limit'\n");
  // Nobody knows the value: nothing can be computed from it at compile time.
  CHECK(errorOf(kernelText("int a[LIMIT_OF_IT];\nTile<TileType::Vec, float, LIMIT_OF_IT, 8> t;")) != "no error");
}

TEST_CASE("a member that an object of the library does not have is invented") {
  CHECK(inventedIn("Tile<TileType::Vec, float, 8, 8> t; TADD(t.Colour(), t.size, t.Deep<float>(3));") == "");
}

TEST_CASE("template arguments of calls may be of any mix") {
  CHECK(inventedIn("TADD<3, float, int, float, int>(in); TADD<float, 3, int, 4, float, 5>(in);") == "");
}

TEST_CASE("types of the library that few kernels name are declared where they are named") {
  CHECK(inventedIn("pto::comm::sdma::SdmaBaseConfig a = {1ULL, 2ULL, 3u}; pto::MrgSortExecutedNumList b; "
                   "TADD(b.mrgSortList0, a);") == "");
  // A kernel's own type of that name is its own.
  CHECK(inventedIn("AsyncEvent e; e.mine = 3; TADD(e.mine);", "struct AsyncEvent { int mine; };\n") == "");
}

TEST_CASE("missing headers of the library are served empty") {
  CHECK(inventedIn("TADD(in);", "#include \"pto/comm/pto_comm_inst.hpp\"\n#include \"pto/extra/one.hpp\"\n"
                                "#include <pto/extra/two.hpp>\n") == "");
}

TEST_CASE("any number of missing headers is served") {
  std::string headers;
  for (int i = 0; i < 12; ++i)
    headers += "#include \"pto/extra/h" + std::to_string(i) + ".hpp\"\n";
  CHECK(inventedIn("TADD(in);", headers) == "");
}

TEST_CASE("other missing headers are errors") {
  CHECK(errorOf("#include \"mine.hpp\"\n") ==
        "dir/k.cpp:1:10: error: 'mine.hpp' file not found: put it beside the file that includes it, name its "
        "folder with -I, or give the library's real headers (--pto-include)\n");
}

TEST_CASE("real errors carry Clang's text with file, line and column") {
  std::string head = kHead;
  CHECK(errorOf(head + "AICORE void k() {\n  int x = y;\n}\n") ==
        "dir/k.cpp:4:11: error: use of undeclared identifier 'y'\n");
  CHECK(errorOf(head + "AICORE void k() {\n  int x = 3 int y;\n}\n") ==
        "dir/k.cpp:4:12: error: expected ';' at end of declaration\n");
  CHECK(errorOf(head + "wow x;\n") == "dir/k.cpp:3:1: error: unknown type name 'wow'\n");
  CHECK(errorOf("#if defined(X)\nint x;\n") == "dir/k.cpp:1:2: error: unterminated conditional directive\n");
  CHECK(errorOf("int x;\n#endif\n") == "dir/k.cpp:2:2: error: #endif without #if\n");
  CHECK(errorOf("#error stop here\n") == "dir/k.cpp:1:2: error: stop here\n");
}

TEST_CASE("errors name the user's file, not the prelude") {
  // A keyword in front of a bracket is no function that could be declared.
  CHECK(errorOf(std::string(kHead) + "AICORE void k() {\n  return\n  for (;;) {}\n}\n").find("ptosync-prelude") ==
        std::string::npos);
}

TEST_CASE("a wrong call of the file's own helper is an error") {
  CHECK(inventedIn("f();", "static AICORE void f(int a) { }\n") != "f");
}

TEST_CASE("the section's macro is defined and the other's is not") {
  std::string text = "#if defined(__DAV_CUBE__)\n#error cube\n#endif\n#if defined(__DAV_VEC__)\n#error vec\n#endif\n";
  CHECK(errorOf(text, Section::Cube) == "dir/k.cpp:2:2: error: cube\n");
  CHECK(errorOf(text, Section::Vec) == "dir/k.cpp:5:2: error: vec\n");
}

TEST_CASE("many errors are cut off") {
  std::string text = kHead;
  for (int i = 0; i < 100; ++i)
    text += "int x" + std::to_string(i) + " = y;\n";
  std::string message = errorOf(text);
  CHECK(std::count(message.begin(), message.end(), '\n') == 20);
}

TEST_CASE("a second look is at the sections it is told to look at") {
  const std::set<Section> kBoth = {Section::Both};
  FrontendOptions options = frontendOptions(machineOf("a3"));
  auto problem = [&](const std::string &text, const std::set<Section> &sections) {
    return llvm::toString(liftModule(SourceText("k.cpp", text), options, sections).takeError());
  };
  CHECK(problem(kernelText("TFROB(in);"), kBoth) == "");
  CHECK(problem(kernelText("TADD(in;"), kBoth).rfind("k.cpp:4:8: error: ", 0) == 0);
  std::string cube = kernelText("#if defined(__DAV_CUBE__)\n  oops\n#endif");
  for (const std::set<Section> &sections : {kBoth, std::set<Section>{Section::Cube}})
    CHECK(problem(cube, sections).rfind("k.cpp:5:3: error: ", 0) == 0);
  CHECK(problem(cube, {Section::Vec}) == "");
}
