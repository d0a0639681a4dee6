#include "frontend/prelude.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

using Names = std::set<std::string>;

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("known names are found by where they stand") {
  Names known = {"TADD", "TSUB", "TPUT", "TGET", "TMUL", "TMOV", "ul"};
  MentionedNames names =
      mentionedNames("TADD(v1, _TMUL); pto::TSUB<3u>(a.b); pto::comm::TPUT(c); comm ::TGET 0x1fTMUL 12ul TMOV \n <T>()", known);
  CHECK(names.functions == Names{"TADD", "TGET", "TMOV", "TSUB"});
  CHECK(names.commFunctions == Names{"TPUT"});
  CHECK(names.explicitArguments == Names{"TMOV", "TSUB"});
}

TEST_CASE("an empty text mentions nothing") {
  MentionedNames names = mentionedNames("", {"TADD"});
  CHECK(names.functions.empty());
  CHECK(names.commFunctions.empty());
}

TEST_CASE("only names that are asked for are declared") {
  std::string text = preludeText({{"TADD"}, {"TPUT"}, {}}, {});
  CHECK(contains(text, "ptosync_any TADD(...);"));
  CHECK(contains(text, "using ::TADD;"));
  CHECK(contains(text, "ptosync_any TPUT(...);"));
  CHECK_FALSE(contains(text, "TSUB"));
  CHECK_FALSE(contains(text, "using ::TPUT;")); // it stays in pto::comm
  CHECK(preludeFor("TADD(a); pto::comm::TPUT(b); TSUB;", {"TADD", "TPUT"}, {}) == text);
}

TEST_CASE("what the prelude declares itself is not declared again") {
  for (const char *name : {"set_flag", "wait_flag", "pipe_barrier", "get_block_idx", "Tile", "GlobalTensor", "TPipe",
                           "Shape", "Stride"})
    CHECK(preludeDeclares(name));
  CHECK_FALSE(preludeDeclares("TADD"));
  CHECK_FALSE(contains(preludeText({{"set_flag"}, {}, {}}, {}), "ptosync_any set_flag"));
}

TEST_CASE("additions are declared in their place") {
  PreludeAdditions additions;
  CHECK(additions.empty());
  additions.functions.insert("TFROBNICATE");
  additions.commFunctions.insert("TZAP");
  additions.enumerators["RoundMode"].insert("CAST_WOW");
  additions.enumerators["Speed"] = {"Fast", "Slow"};
  CHECK_FALSE(additions.empty());
  std::string text = preludeText({}, additions);
  CHECK(contains(text, "using ::TFROBNICATE;"));
  CHECK(contains(text, "ptosync_any TZAP(...);"));
  CHECK(contains(text, "CAST_ODD, CAST_WOW };"));
  CHECK(contains(text, "enum class Speed : int { Fast, Slow, };"));
}

TEST_CASE("template overloads are declared only where template arguments are written") {
  CHECK_FALSE(contains(preludeText({{"TADD"}, {}, {}}, {}), "template <typename...> ptosync_any TADD"));
  CHECK(contains(preludeText({{"TADD"}, {}, {"TADD"}}, {}), "template <typename...> ptosync_any TADD"));
}
