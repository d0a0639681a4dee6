#include "support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <random>

using namespace ptosync::check;
using namespace ptosync::check::test;

namespace {

using Json = nlohmann::json;

/// Every value of the document, by its path.
void paths(const Json &at, const Json::json_pointer &here, std::vector<Json::json_pointer> &into) {
  into.push_back(here);
  if (at.is_object())
    for (const auto &[key, value] : at.items())
      paths(value, here / key, into);
  if (at.is_array())
    for (std::size_t i = 0; i < at.size(); ++i)
      paths(at[i], here / i, into);
}

/// Damages one field: another number, another text, one taken out, one doubled, two changed over.
void damage(Json &document, std::mt19937 &random) {
  std::vector<Json::json_pointer> all;
  paths(document, Json::json_pointer(), all);
  Json &field = document[all[random() % all.size()]];
  switch (random() % 4) {
  case 0:
    if (field.is_number_integer()) {
      field = field.get<std::int64_t>() + static_cast<std::int64_t>(random() % 5) - 2;
      return;
    }
    [[fallthrough]];
  case 1:
    if (field.is_string()) {
      std::string text = field;
      if (!text.empty())
        text[random() % text.size()] = static_cast<char>("0123456789,-abV"[random() % 15]);
      field = random() % 3 == 0 ? text.substr(0, text.size() / 2) : text;
      return;
    }
    [[fallthrough]];
  case 2:
    if ((field.is_array() || field.is_object()) && !field.empty()) {
      auto at = field.begin();
      std::advance(at, random() % field.size());
      field.erase(at);
      return;
    }
    [[fallthrough]];
  default:
    if (field.is_array() && !field.empty())
      field.push_back(field[random() % field.size()]);
    else if (field.is_boolean())
      field = !field.get<bool>();
    else
      field = nullptr;
  }
}

std::size_t countOf(std::size_t usual) { return std::getenv("PTOSYNC_SOAK") ? usual * 5 : usual; }

/// A version of the kernel without whatever the checker lets go, one sync after the other.
std::string reduced(const std::string &before, const std::string &arch) {
  std::string after = before;
  for (std::size_t number = 0;;) {
    std::string tried = withoutSync(after, number);
    if (tried.empty())
      return after;
    if (certifies(before, tried, arch).certified())
      after = tried;
    else
      ++number;
  }
}

const char *const kLoop = "set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n"
                          "for (int64_t i = 0; i < n; i += 1) {\n"
                          "  Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, "
                          "PadValue::Null, CompactMode::Null> t; TASSIGN(t, (uint64_t) (i % 2 == 0 ? 0 : 4096));\n"
                          "  event_t e = (event_t) (i % 2 == 0 ? 0 : 1);\n"
                          "  wait_flag(PIPE_V, PIPE_MTE2, e);\n  TLOAD(t, g);\n  set_flag(PIPE_MTE2, PIPE_V, e);\n"
                          "  wait_flag(PIPE_MTE2, PIPE_V, e);\n  pipe_barrier(PIPE_V);\n  TADD(c, c, t);\n"
                          "  pipe_barrier(PIPE_V);\n  set_flag(PIPE_V, PIPE_MTE2, e);\n}\n"
                          "wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);\n"
                          "pipe_barrier(PIPE_ALL);";

} // namespace

TEST_CASE("a damaged certificate of a right pair is refused or still a proof, one of a wrong pair is refused") {
  const std::string before = kernel(kLoop), facts = factsOf("a3");
  const std::string after = reduced(before, "a3");
  REQUIRE(after != before);
  Answer proposal;
  const Json right = Json::parse(propose(before, after, facts, proposal));
  REQUIRE(proposal.certified());
  // Every version with one sync less than that is wrong; the certificate of the right one is what an attacker has.
  std::vector<std::string> wrong;
  for (std::size_t number = 0;; ++number) {
    std::string text = withoutSync(after, number);
    if (text.empty())
      break;
    REQUIRE_FALSE(certifies(before, text, "a3").certified());
    wrong.push_back(text);
  }
  std::mt19937 random(20261128);
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < countOf(2000); ++i) {
    Json document = right;
    for (std::size_t times = 1 + random() % 3; times > 0; --times)
      damage(document, random);
    const std::string text = document.dump(-1, ' ', false, Json::error_handler_t::replace);
    accepted += document != right && checkCertificate(before, after, facts, text).certified();
    const std::string &other = wrong[random() % wrong.size()];
    if (document.is_object())
      document["after"] = hashOf(other); // as if it were for that one
    INFO(i);
    CHECK_FALSE(checkCertificate(before, other, facts, document.dump(-1, ' ', false, Json::error_handler_t::replace))
                    .certified());
  }
  // What is accepted proves the same: a weaker claim that the walk has found true. Few are.
  CHECK(accepted * 10 < countOf(2000));
}

TEST_CASE("every sync of a kernel that is needed is needed for the checker") {
  const std::string before = kernel(kLoop);
  CHECK(reduced(before, "a3") == [&] {
    std::string text = before; // the barrier in front of the addition orders nothing that the one behind it does not
    return text.replace(text.find("  pipe_barrier(PIPE_V);"), std::string("  pipe_barrier(PIPE_V)").size(), "  ");
  }());
}
