#include "frontend/read/conditions.h"
#include "frontend/tokens_of.h"
#include <catch2/catch.hpp>
#include <string>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const BuildMacros kOne = {{"CHIP", "220"},
                          {"NUMBER", "0x10u"},
                          {"WORD", "float"},
                          {"EMPTY", ""},
                          {"HOST", {}},
                          {"LIB", "", Section::Both, true},
                          {"VEC", "1", Section::Vec}};

KnownMacros one() { return knownMacros({kOne}, {{"GIVEN", "3"}}, Section::Vec, true); }

std::string decided(const std::string &asked, const KnownMacros &known = one()) {
  return isDecided("if", asked, known) ? "yes" : "no";
}

} // namespace

TEST_CASE("a condition on what every build answers is decided") {
  for (const char *asked :
       {"CHIP == 220", "defined CHIP", "defined ( CHIP )", "!defined(HOST)", "HOST", "GIVEN > 2 && NUMBER == 16",
        "(CHIP + 1) * 2 == 442", "CHIP ? HOST : 1", "~0 == -1", "1 << 3 == 8", "WORD == 1", "EMPTY + 1", "true",
        "1'0 == 10", "defined(__DAV_VEC__) && !defined(__DAV_CUBE__)", "VEC", "LIB", "CHIP % 7 != 3 || 5 / 2 == 2",
        "+1 >= 1 ^ 0 | 2 & 3"}) {
    CAPTURE(asked);
    CHECK(decided(asked) == "yes");
  }
  CHECK(isDecided("ifdef", " HOST ", one()));
  CHECK(isDecided("ifndef", " GIVEN", one()));
  CHECK(isDecided("elif", "CHIP", one()));
}

TEST_CASE("a condition on anything else is open, but for what decides it") {
  for (const char *asked : {"FAST", "defined(FAST)", "CHIP == FAST", "CHIP == 220 && FAST", "HOST || FAST", "!FAST",
                            "FAST ? 1 : 0", "CHIP ? FAST : 0", "5 / FAST"}) {
    CAPTURE(asked);
    CHECK(decided(asked) == "no");
  }
  for (const char *asked :
       {"HOST && FAST", "FAST && HOST", "CHIP || FAST", "FAST || CHIP == 220", "CHIP ? 1 : FAST", "!(HOST && FAST)"}) {
    CAPTURE(asked);
    CHECK(decided(asked) == "yes");
  }
  CHECK_FALSE(isDecided("ifdef", "FAST", one()));
}

TEST_CASE("a condition that is not understood is open") {
  for (const char *asked :
       {"", "(CHIP", "CHIP)", "CHIP CHIP", "__has_include(<a>)", "CHIP(1)", "defined(", "defined(1)", "'a' == 97",
        "1.5 > 1", "CHIP ?", "CHIP ? 1", "220 == \"a\"", "HOST && #", "1 / 0", "1 << 99", "0x"}) {
    CAPTURE(asked);
    CHECK(decided(asked) == "no");
  }
  CHECK_FALSE(isDecided("ifdef", "CHIP HOST", one()));
  CHECK_FALSE(isDecided("elifdef", "CHIP", one()));
  CHECK(decided(std::string(5000, '(') + "1" + std::string(5000, ')')) == "no");
}

TEST_CASE("builds must give the same answer") {
  const KnownMacros two = knownMacros({{{"CHIP", "220"}, {"NUMBER", "2201"}, {"WORD", "float"}},
                                       {{"CHIP", "310"}, {"NUMBER", "3510"}, {"WORD", "half"}}},
                                      {}, Section::Vec, true);
  CHECK(decided("CHIP == 220", two) == "no");
  CHECK(decided("CHIP", two) == "yes");
  CHECK(decided("CHIP == 220 || NUMBER == 3510", two) == "yes");
  CHECK(decided("CHIP == 220 && NUMBER == 3510", two) == "yes");
  CHECK(decided("CHIP == 100", two) == "yes");
  CHECK(decided("WORD == 0", two) == "no"); // whatever the words mean
  CHECK(isUncertain("CHIP", two));
  CHECK_FALSE(isUncertain("FAST", two));
  // Said by the kernel's own build, it is one value.
  CHECK(decided("CHIP == 220",
                knownMacros({{{"CHIP", "220"}}, {{"CHIP", "310"}}}, {{"CHIP", "310"}}, Section::Vec, true)) == "yes");
}

TEST_CASE("the value of a macro that the text defines itself is not taken from the build") {
  KnownMacros known = one();
  addRedefined(
      tokensOf("#define HOST 1\n# undef CHIP\n#pragma pop_macro(\"NUMBER\")\n#de\\\nfine GIV\\\nEN\n// #define WORD\n"),
      known.redefined);
  CHECK(known.redefined == RedefinedMacros{{"CHIP", true}, {"GIVEN", true}, {"HOST", true}, {"NUMBER", true}});
  CHECK(decided("HOST", known) == "yes"); // the same in every build
  CHECK(decided("HOST && FAST", known) == "no");
  CHECK(decided("CHIP || FAST", known) == "no");
  CHECK(decided("EMPTY + 1 || FAST", known) == "no");
  addRedefined(tokensOf("#define HOST DEBUG\n#define EMPTY \\\n  defined(DEBUG)\n#define CHIP 2\nint x;\n"),
               known.redefined);
  CHECK(known.redefined ==
        RedefinedMacros{{"CHIP", true}, {"EMPTY", false}, {"GIVEN", true}, {"HOST", false}, {"NUMBER", true}});
  CHECK(decided("HOST", known) == "no"); // as DEBUG is
  CHECK(decided("EMPTY", known) == "no");
  CHECK(decided("defined(HOST)", known) == "yes"); // whatever it stands for
  KnownMacros two = knownMacros({{{"CHIP", "220"}}, {{"CHIP", "310"}}}, {}, Section::Vec, true);
  CHECK(decided("CHIP > 1", two) == "yes");
  two.redefined.emplace("CHIP", true);
  CHECK(decided("CHIP > 1", two) == "no");
}

TEST_CASE("the macros of one core are answered where the cores are read apart") {
  auto answers = [](Section section, bool apart) { return knownMacros({kOne}, {}, section, apart).builds.front(); };
  CHECK(answers(Section::Vec, true).at("VEC") == "1");
  CHECK_FALSE(answers(Section::Cube, true).at("VEC").has_value());
  CHECK_FALSE(answers(Section::Vec, true).at("__DAV_CUBE__").has_value());
  CHECK(answers(Section::Cube, true).at("__DAV_CUBE__").has_value());
  CHECK(answers(Section::Vec, false).count("VEC") == 0);
  CHECK(answers(Section::Vec, false).count("__DAV_VEC__") == 0);
  CHECK(macrosOfOneCore({kOne}) == std::set<std::string>{"VEC", "__DAV_CUBE__", "__DAV_VEC__"});
}

TEST_CASE("the library's header defines what the first build says of it") {
  std::vector<Definition> macros = libraryMacros({kOne, {{"MORE", "", Section::Both, true}}});
  REQUIRE(macros.size() == 1);
  CHECK(macros[0].name == "LIB");
  CHECK(openNames("defined(CHIP) && FAST == 2 || SLOW && FAST", one()) == std::vector<std::string>{"FAST", "SLOW"});
}

namespace {

const BuildMacros kChip = {{"__CCE_AICORE__", "220"},
                           {"__DAV_C220_CUBE__", "1", Section::Cube},
                           {"__DAV_C220_VEC__", "1", Section::Vec},
                           {"__CPU_SIM", std::nullopt}};

KnownMacros macros(bool core, bool chip) {
  return knownMacros(chip ? std::vector<BuildMacros>{kChip} : std::vector<BuildMacros>{}, {}, Section::Vec, core);
}

const KnownMacros kCoreAlone = macros(true, false);

std::string regions(const std::string &text, const KnownMacros &known = kCoreAlone) {
  std::string found;
  for (const ForeignRegion &region : foreignRegions(tokensOf(text, "h.hpp"), known))
    found += std::to_string(region.first) + "-" + std::to_string(region.last) + " ";
  return found;
}

} // namespace

TEST_CASE("a condition on the core alone is not foreign, one on anything else is") {
  CHECK_FALSE(isForeignCondition("#if defined(__DAV_CUBE__) && !defined(__DAV_VEC__)", kCoreAlone));
  CHECK_FALSE(isForeignCondition("  #  ifdef __DAV_VEC__ // a comment", kCoreAlone));
  CHECK(isForeignCondition("#ifdef __DAV_VEC__", macros(false, false)));
  CHECK(isForeignCondition("#if defined(__DAV_C220_CUBE__)", macros(false, true)));
  CHECK(isForeignCondition("#ifdef FAST", kCoreAlone));
  CHECK(isForeignCondition("#elif FAST", kCoreAlone));
  CHECK(isForeignCondition("#if __CCE_AICORE__ == 220", kCoreAlone));
  CHECK_FALSE(isForeignCondition("#if __CCE_AICORE__ == 220", macros(true, true)));
  CHECK_FALSE(isForeignCondition("#else", kCoreAlone));
  CHECK_FALSE(isForeignCondition("#define FAST", kCoreAlone));
}

TEST_CASE("a text that names a macro of one core tells the cores apart") {
  CHECK(tellsCoresApart("#ifdef __DAV_VEC__\n", macrosOfOneCore({})));
  CHECK(tellsCoresApart("#define IS_CUBE __DAV_CUBE__\n", macrosOfOneCore({kChip})));
  CHECK(tellsCoresApart("#ifdef __DAV_C220_VEC__\n", macrosOfOneCore({kChip})));
  CHECK_FALSE(tellsCoresApart("#ifdef __DAV_C220_VEC__\n", macrosOfOneCore({}))); // of no build here: another condition
  CHECK_FALSE(tellsCoresApart("#if __CCE_AICORE__ == 220\n", macrosOfOneCore({kChip})));
}

TEST_CASE("a foreign region goes from the condition to its end, and a guard is none") {
  CHECK(regions("#ifdef A\nint a;\n#endif\nint b;\n#ifdef __DAV_VEC__\n#if B\n#endif\n#endif\n") == "1-3 6-7 ");
  CHECK(regions("#ifdef __DAV_VEC__\n#elif FAST\n#endif\n") == "1-3 ");
  CHECK(regions("// text\n#ifndef G_H\n#define G_H\n#include \"x\"\n#ifdef A\n#endif\n#endif // G_H\n") == "5-6 ");
  // These look like one.
  CHECK(regions("#ifndef G_H\n#define OTHER\n#endif\n") == "1-3 ");
  CHECK(regions("#ifndef G_H\n#define G_H\n#else\n#endif\n") == "1-4 ");
  CHECK(regions("#ifndef G_H\n#define G_H\n#endif\n#define MORE\n") == "1-3 ");
  CHECK(regions("#pragma once\n#ifndef ROWS\n#define ROWS 64\n#endif\n") == "2-4 ");
  CHECK(regions("#ifndef G_H\n#define G_H() 1\n#endif\n") == "1-3 ");
  CHECK(regions("#ifndef G_H\n#define G_H2\n#endif\n") == "1-3 ");
  CHECK(regions("#ifndef G_H\n#define G_H 1\nint a;\n#endif\n") == "");
}

TEST_CASE("a condition ends with its own end, whichever arm is foreign") {
  CHECK(regions("#if A\n#ifdef B\n#endif\n#elif C\n# if D\n#endif\n #endif\nint a;") == "2-3 5-6 1-7 ");
  CHECK(regions("#ifdef __DAV_VEC__\n#ifdef B\n#endif\n#elif C\n#endif\nint a;") == "2-3 1-5 ");
}

TEST_CASE("conditions that do not nest make everything foreign") {
  CHECK(regions("int a;\n#endif\n") == "1-3 ");
  CHECK(regions("#ifdef __DAV_VEC__\nint a;\n") == "1-3 ");
}

TEST_CASE("what a condition asks behind a comment, or in a name that begins with a known one, is asked") {
  const KnownMacros both = macros(true, true);
  CHECK_FALSE(isForeignCondition("#if __CPU_SIM /* a comment */", both));
  CHECK_FALSE(isForeignCondition("#if __CPU_SIM /* a */ || defined(__DAV_VEC__) // b /* c", both));
  CHECK(isForeignCondition("#if __CPU_SIM /* a comment */ || FAST", both));
  CHECK(isForeignCondition("#if __CPU_SIM /* goes on", both));
  CHECK(isForeignCondition("#if __CPU_SIM__DAV_VEC__", both));
  CHECK(isForeignCondition("#ifdef __DAV_VEC__2", both));
  CHECK_FALSE(isForeignCondition("#if __CPU_SIM && FAST", both)); // no build has it
  CHECK_FALSE(isForeignCondition("#if __CCE_AICORE__ >= 220 || FAST", both));
  CHECK_FALSE(isForeignCondition("#if defined(__CPU_SIM)||__CCE_AICORE__==220", both));
  CHECK(regions("#ifdef /* the fast\n build */ FAST\nint a;\n#endif\n") == "1-4 ");
  CHECK(regions("#if defined(__DAV_VEC__) /*\n*/ && FAST\nint a;\n#endif\n") == "1-4 ");
}

TEST_CASE("a condition that goes on in the next line is one") {
  CHECK(regions("#if defined(__DAV_VEC__) || \\\n  (defined(__DAV_CUBE__))\nint a;\n#endif\n") == "");
  CHECK(regions("#if defined(__DAV_VEC__) && \\\r\n  FAST\r\nint a;\r\n#endif\r\n") == "1-4 ");
  CHECK(regions("#if defined(__DAV_CUBE__) && \\\n  FAST\nint a;\n#endif\n") == "");
  CHECK(regions("#if defined(__DAV_V\\\nEC__)\nint a;\n#endif\n") == "");
  CHECK(foreignConditionals(SourceText("k.cpp", "#if \\\n  FAST\n#endif\n"), kCoreAlone) == std::set<std::uint32_t>{1});
}

TEST_CASE("a file that says itself whether it is a simulator's build decides it") {
  CHECK(decidesSimulator(tokensOf("#define __CPU_SIM\n")));
  CHECK(decidesSimulator(tokensOf("int a;\n#  undef /* */ __CPU_SIM_FAST\n")));
  CHECK(decidesSimulator(tokensOf("#define \\\n__CPU_SIM 1\n")));
  CHECK(decidesSimulator(tokensOf("#define __CPU_\\\nSIM 1\n")));
  CHECK_FALSE(decidesSimulator(tokensOf("#ifdef __CPU_SIM\n#endif\n#define ROWS 64\n// #define __CPU_SIM\n")));
}

TEST_CASE("directives that no search by line finds are odd") {
  CHECK(oddDirective(tokensOf("int a;\n %:ifdef FAST\n%:endif\n")) == 2);
  CHECK(oddDirective(tokensOf("int a;\n# /* */ ifdef FAST\n#endif\n")) == 2);
  CHECK(oddDirective(tokensOf("/* a\n */ #ifdef FAST\n#endif\n")) == 2);
  CHECK(oddDirective(tokensOf("#\\\nifdef FAST\n#endif\n")) == 1);
  CHECK(oddDirective(tokensOf("#if\\\ndef FAST\n#endif\n")) == 1);
  CHECK(oddDirective(tokensOf("#ifdef __DAV_VEC__\n#el\\\nse\n#endif\n")) == 2);
  CHECK(oddDirective(tokensOf("%\\\n:ifdef FAST\n#endif\n")) == 1);
  CHECK(oddDirective(tokensOf("int a;\n#ifdef FAST\rint b;\n#endif\n")) == 2);
  CHECK(oddDirective(tokensOf("int a;\n#pragma GCC system_header\n")) ==
        2); // it would be no header of the kernel's own
  CHECK(oddDirective(tokensOf("# 12 \"file\" 3\n")) == 1);
}

TEST_CASE("directives as they are written everywhere are not") {
  CHECK(oddDirective(tokensOf("  #  ifdef FAST // #\r\n# endif\n#\n# 12 \"file\"\n#pragma once\n")) == 0);
  CHECK(oddDirective(tokensOf("#define S(x) #x\n#define C(x, y) x##y\n#define D(x) \\\n  #x\n")) == 0);
  CHECK(oddDirective(tokensOf(
            "// # /* */ ifdef\nchar a[] = \"%: #\", b = '#';\nint c = a %::d;\n#if A \\\n  || B\n#endif\n")) == 0);
}

TEST_CASE("what only looks like a directive ends no condition") {
  CHECK(regions("#ifdef A\n/*\n#endif\n*/\n#endif\nint a;\n") == "1-5 ");
  CHECK(oddDirective(tokensOf("#ifdef A\n/*\n#endif\n*/\n#endif\n")) == 0);
  CHECK(oddDirective(tokensOf("#ifdef A\n#define X \\\n#endif\n#endif\n")) == 3);
  CHECK(oddDirective(tokensOf("#ifdef A\nauto x = R\"(\n#endif\n)\";\n#endif\n")) == 3);
  CHECK(oddDirective(tokensOf("#ifdef A\nauto x = R\\\n\"(\n#endif\n)\";\n#endif\n")) == 4);
  CHECK(oddDirective(tokensOf("#define X(y) \\\n  #y\n")) == 0);
}
