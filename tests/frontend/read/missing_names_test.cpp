#include "frontend/read/missing_names.h"
#include "frontend/read/token_stream.h"
#include "frontend/tokens_of.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Notes `name` where it first stands in `text`.
PreludeAdditions note(const std::string &text, std::string_view name, MissingKind kind = MissingKind::Name) {
  PreludeAdditions missing;
  const std::string plain = tokensOf(text).withoutComments();
  noteMissingName({plain, plain}, text.find(name), kind, missing);
  return missing;
}

using Names = std::set<std::string>;

} // namespace

TEST_CASE("what stands behind a missing name says what it is") {
  CHECK(note("TFROB(in);", "TFROB").scopes[""].functions == Names{"TFROB"});
  CHECK(note("TFROB<float>(in);", "TFROB").scopes[""].functions == Names{"TFROB"});
  CHECK(note("Wow w;", "Wow").scopes[""].types == Names{"Wow"});
  CHECK(note("pto::comm::Wow w;", "Wow").scopes["comm"].types == Names{"Wow"});
  CHECK(note("Box<3> b;", "Box").scopes[""].classTemplates["Box"] == "V");
  CHECK(note("f(LIMIT);", "LIMIT").scopes[""].constants == Names{"LIMIT"});
  CHECK(note("f(Speed::Fast);", "Speed").scopes[""].enumerators["Speed"] == Names{"Fast"});
  CHECK(note("pto::comm::far::Thing t;", "far").scopes["comm::far"].types == Names{"Thing"});
}

TEST_CASE("a name that is used as a type elsewhere is one here") {
  CHECK(note("f(Wow(1)); Wow w;", "Wow").scopes[""].types == Names{"Wow"});
  CHECK(note("x = Box<float>(1); Box<float> b;", "Box").scopes[""].classTemplates["Box"] == "T");
}

TEST_CASE("kinds of template arguments are read from the longest list") {
  CHECK(note("Box<3> a; Box<float, Layout::ND, Tile<Vec, 3>, -1, true, LIMIT> b;", "Box")
            .scopes[""]
            .classTemplates["Box"] == "TVTVVV");
}

TEST_CASE("a wrong guess is corrected at its place") {
  PreludeAdditions missing = note("Box<float, Odd<1, 2>, thing> b;", "thing", MissingKind::MustBeValue);
  CHECK(missing.argumentKinds["Box"] == std::map<std::size_t, char>{{2, 'V'}});
}

TEST_CASE("what is not spelled as the library spells its names is not its") {
  CHECK(note("wow w;", "wow", MissingKind::Type).scopes[""].types.empty());
  CHECK(note("f(limit);", "limit").scopes[""] == MissingInScope{});
  CHECK(note("std::vector<int> v;", "vector").empty());
  CHECK(note("while (x", "while").empty());
  CHECK(note("struct Own; Own o;", "Own o", MissingKind::Type).empty());
}

TEST_CASE("members are noted by use") {
  CHECK(note("a.Poke(1);", "Poke", MissingKind::Member).memberFunctions == Names{"Poke"});
  CHECK(note("a->colour;", "colour", MissingKind::Member).memberValues == Names{"colour"});
  CHECK(note("Box<int>::Inner x;", "Inner", MissingKind::Member).memberTypes == Names{"Inner"});
}

TEST_CASE("types of the library are asked for by name") {
  CHECK(note("pto::comm::sdma::SdmaBaseConfig c;", "sdma").library == Names{"comm::sdma::SdmaBaseConfig"});
  CHECK(note("pto::QuantType::MXFP8", "QuantType").library == Names{"QuantType"});
}

TEST_CASE("text that ends or nests oddly is no template") {
  for (const char *text : {"Box<", "Box<(", "Box<a;", "Box<a}>", "Box", "Box::", "Box:"})
    CHECK_NOTHROW(note(text, "Box"));
}
