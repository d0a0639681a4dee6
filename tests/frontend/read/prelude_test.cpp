#include "frontend/read/prelude.h"

#include <catch2/catch.hpp>

using namespace ptosync;

namespace {

using Names = std::set<std::string>;

bool mentions(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("known names are found by where they stand") {
  Names known = {"TADD", "TSUB", "TPUT", "TGET", "TMUL", "TMOV", "ul"};
  MentionedNames names = mentionedNames(
      "TADD(v1, _TMUL); pto::TSUB<3u>(a.b); pto::comm::TPUT(c); comm ::TGET 0x1fTMUL 12ul TMOV \n <T>()", known);
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
  CHECK(mentions(text, "ptosync_any TADD(...);"));
  CHECK(mentions(text, "using ::TADD;"));
  CHECK(mentions(text, "ptosync_any TPUT(...);"));
  CHECK_FALSE(mentions(text, "TSUB"));
  CHECK_FALSE(mentions(text, "using ::TPUT;")); // it stays in pto::comm
  CHECK(preludeFor("TADD(a); pto::comm::TPUT(b); TSUB;", {"TADD", "TPUT"}, {}) == text);
}

TEST_CASE("what the prelude declares itself is not declared again") {
  for (const char *name :
       {"set_flag", "wait_flag", "pipe_barrier", "get_block_idx", "Tile", "GlobalTensor", "TPipe", "Shape", "Stride"})
    CHECK(preludeDeclares(name));
  CHECK_FALSE(preludeDeclares("TADD"));
  CHECK_FALSE(mentions(preludeText({{"set_flag"}, {}, {}}, {}), "ptosync_any set_flag"));
}

TEST_CASE("additions are declared in their place") {
  PreludeAdditions additions;
  CHECK(additions.empty());
  additions.scopes[""].functions.insert("TFROBNICATE");
  additions.scopes["comm"].functions.insert("TZAP");
  additions.scopes[""].enumerators["RoundMode"].insert("CAST_WOW");
  additions.scopes[""].enumerators["Speed"] = {"Fast", "Slow"};
  additions.scopes["comm"].enumerators["NotifyOp"] = {"Shout"};
  CHECK_FALSE(additions.empty());
  CHECK(additions.functions() == Names{"TFROBNICATE", "TZAP"});
  std::string text = preludeText({}, additions);
  CHECK(mentions(text, "using ::TFROBNICATE;"));
  CHECK(mentions(text, "namespace comm {\nptosync_any TZAP(...);"));
  CHECK(mentions(text, "CAST_ODD, CAST_WOW };"));
  CHECK(mentions(text, "enum class Speed : int { Fast, Slow, };"));
  CHECK(mentions(text, "enum class NotifyOp : int { AtomicAdd, Set, Shout, };"));
}

TEST_CASE("unknown types, templates, constants and members are declared without a meaning") {
  PreludeAdditions additions;
  additions.scopes[""].types = {"Wow"};
  additions.scopes["Wow"].functions = {"Make"};
  additions.scopes["Wow"].constants = {"kSize"};
  additions.scopes["far::off"].types = {"Thing"};
  additions.scopes[""].classTemplates["Box"] = "TV";
  additions.scopes[""].constants = {"LIMIT"};
  additions.memberFunctions = {"Poke"};
  additions.memberValues = {"colour"};
  std::string text = preludeText({}, additions);
  CHECK(mentions(text, "struct Wow : ptosync_unknown"));
  CHECK(mentions(text, "static const int kSize;"));
  CHECK(mentions(text, "static ptosync_any Make(...);"));
  CHECK_FALSE(mentions(text, "namespace Wow"));
  CHECK(mentions(text, "namespace far::off {\nstruct Thing : ptosync_unknown"));
  CHECK(mentions(text, "template <typename = void, auto = 0> struct Box"));
  CHECK(mentions(text, "extern const int LIMIT;"));
  CHECK(mentions(text, "static ptosync_any Poke(...);"));
  CHECK(mentions(text, "static ptosync_any colour;"));
  additions.argumentKinds["Box"] = {{0, 'V'}};
  CHECK(mentions(preludeText({}, additions), "template <auto = 0, auto = 0> struct Box"));
}

TEST_CASE("merging says whether there was anything new") {
  PreludeAdditions additions, more;
  more.scopes["comm"].types = {"Wow"};
  more.signatures["TADD"] = {"TV"};
  CHECK(additions.merge(more));
  CHECK_FALSE(additions.merge(more));
  more.signatures["TADD"] = {"VT"};
  CHECK(additions.merge(more));
  CHECK(additions.signatures["TADD"] == Names{"TV", "VT"});
}

TEST_CASE("calls written with a mix of template arguments get an overload of that mix alone") {
  PreludeAdditions additions;
  additions.signatures["TADD"] = {"VTTTT"};
  std::string text = preludeText({{"TADD"}, {}, {"TADD"}}, additions);
  CHECK(mentions(text, "template <auto, typename, typename, typename, typename> ptosync_any TADD(...);"));
  CHECK_FALSE(mentions(text, "template <typename...> ptosync_any TADD"));
}

TEST_CASE("template overloads are declared only where template arguments are written") {
  CHECK_FALSE(mentions(preludeText({{"TADD"}, {}, {}}, {}), "template <typename...> ptosync_any TADD"));
  CHECK(mentions(preludeText({{"TADD"}, {}, {"TADD"}}, {}), "template <typename...> ptosync_any TADD"));
}
