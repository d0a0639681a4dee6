#include "frontend/read/build_macros.h"

#include <catch2/catch.hpp>

using namespace ptosync;

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
  addRedefined("#define HOST 1\n# undef CHIP\n#pragma pop_macro(\"NUMBER\")\n#de\\\nfine GIV\\\nEN\n// #define WORD\n",
               known.redefined);
  CHECK(known.redefined == RedefinedMacros{{"CHIP", true}, {"GIVEN", true}, {"HOST", true}, {"NUMBER", true}});
  CHECK(decided("HOST", known) == "yes"); // the same in every build
  CHECK(decided("HOST && FAST", known) == "no");
  CHECK(decided("CHIP || FAST", known) == "no");
  CHECK(decided("EMPTY + 1 || FAST", known) == "no");
  addRedefined("#define HOST DEBUG\n#define EMPTY \\\n  defined(DEBUG)\n#define CHIP 2\nint x;\n", known.redefined);
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
