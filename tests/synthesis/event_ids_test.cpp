#include "synthesis/event_ids.h"
#include "synthesis/proposals.h"
#include "synthesis/synthesised.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

std::string flagText(SyncKind kind, Pipe from, Pipe to, int id) {
  return "  " + statementText(kind, from, to, id) + "\n";
}
std::string set(Pipe from, Pipe to, int id) { return flagText(SyncKind::SetFlag, from, to, id); }
std::string wait(Pipe from, Pipe to, int id) { return flagText(SyncKind::WaitFlag, from, to, id); }

/// Ids for the flags of a kernel whose id is 64 or more, in the order of their ids.
std::optional<std::vector<std::int64_t>> idsOf(const std::string &text, unsigned ids,
                                               const std::set<std::int64_t> &reserved = {}) {
  Module module = lift(text);
  Machine machine = machineOf("a3").withEndlessIds();
  Program program = llvm::cantFail(buildProgram(module.kernels.front(), machine, {}));
  Pending pending(program);
  std::map<std::int64_t, std::set<SiteId>> proposed;
  for (const auto &events : program.steps)
    for (const Event &event : events)
      for (std::uint32_t lane : event.lanes)
        if (event.site != kNone && program.flags[lane].id >= kFirstProposedId)
          proposed[program.flags[lane].id].insert(event.site);
  std::vector<std::set<SiteId>> flags;
  for (const auto &[id, sites] : proposed)
    flags.push_back(sites);
  IdAssignment assigned = assignIds(program, pending, flags, ids, reserved);
  if (assigned.shortage.empty())
    return assigned.ids;
  CHECK(assigned.shortage == std::set<std::pair<Pipe, Pipe>>{{Pipe::MTE2, Pipe::V}});
  return std::nullopt;
}

const std::string kTiles = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0");

/// Two loads and two additions; `between` stands between the two pairs.
std::string twoPairs(int first, int second, const std::string &between) {
  return vectorKernel(kTiles + "  TLOAD(v1, g);\n" + set(Pipe::MTE2, Pipe::V, first) +
                      wait(Pipe::MTE2, Pipe::V, first) + "  TADDS(v1, v1, 1.0f);\n" + between + "  TLOAD(v2, g);\n" +
                      set(Pipe::MTE2, Pipe::V, second) + wait(Pipe::MTE2, Pipe::V, second) +
                      "  TADDS(v2, v2, 1.0f);\n");
}

} // namespace

TEST_CASE("flags get ids that nobody has, as long as there are some") {
  CHECK(idsOf(twoPairs(64, 65, ""), 8) == std::vector<std::int64_t>{0, 1});
  CHECK(idsOf(twoPairs(0, 64, ""), 8) == std::vector<std::int64_t>{1});
  CHECK(idsOf(twoPairs(64, 65, ""), 8, {0, 1, 2}) == std::vector<std::int64_t>{3, 4});
}

TEST_CASE("two flags share an id only if the second set is known to come behind the first wait") {
  CHECK(idsOf(twoPairs(64, 65, ""), 1) == std::nullopt); // the wait may still be on its way
  std::string answer = set(Pipe::V, Pipe::MTE2, 0) + wait(Pipe::V, Pipe::MTE2, 0);
  CHECK(idsOf(twoPairs(64, 65, answer), 1) == std::vector<std::int64_t>{0, 0});
  CHECK(idsOf(twoPairs(0, 64, answer), 1) == std::vector<std::int64_t>{0});
  CHECK(idsOf(twoPairs(64, 65, answer), 1, {0}) == std::nullopt);
}

TEST_CASE("flags that are set at once never share an id") {
  std::string body = kTiles + "  TLOAD(v1, g);\n" + set(Pipe::MTE2, Pipe::V, 64) + "  TLOAD(v2, g);\n" +
                     set(Pipe::MTE2, Pipe::V, 65) + wait(Pipe::MTE2, Pipe::V, 64) + "  TADDS(v1, v1, 1.0f);\n" +
                     wait(Pipe::MTE2, Pipe::V, 65) + "  TADDS(v2, v2, 1.0f);\n";
  CHECK(idsOf(vectorKernel(body), 1) == std::nullopt);
  CHECK(idsOf(vectorKernel(body), 2) == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("a flag with several ids gets as many in a row") {
  auto loop = [&](int other) {
    std::string id = ", PIPE_V, (event_t) (64 + i % 2));\n";
    return vectorKernel(kTiles + "  TLOAD(v2, g);\n" + set(Pipe::MTE2, Pipe::V, other) +
                        "  for (int32_t i = 0; i < n; ++i) {\n    TLOAD(v1, g);\n    set_flag(PIPE_MTE2" + id +
                        "    wait_flag(PIPE_MTE2" + id +
                        "    TADDS(v1, v1, 1.0f);\n    pipe_barrier(PIPE_ALL);\n  }\n" +
                        wait(Pipe::MTE2, Pipe::V, other) + "  TADDS(v2, v2, 1.0f);\n");
  };
  auto together = [&](int other, unsigned ids, const std::set<std::int64_t> &reserved = {}) {
    Module module = lift(loop(other));
    Machine machine = machineOf("a3").withEndlessIds();
    Program program = llvm::cantFail(buildProgram(module.kernels.front(), machine, {}));
    Pending pending(program);
    std::set<SiteId> sites;
    for (const auto &events : program.steps)
      for (const Event &event : events)
        for (std::uint32_t of : event.lanes)
          if (event.site != kNone && program.flags[of].id >= kFirstProposedId)
            sites.insert(event.site);
    CHECK(sites.size() == 2);
    return assignIds(program, pending, {sites}, ids, reserved);
  };
  CHECK(together(0, 8).ids == std::vector<std::int64_t>{1});
  CHECK(together(1, 8).ids == std::vector<std::int64_t>{2});
  CHECK(together(1, 8, {3}).ids == std::vector<std::int64_t>{4});
  CHECK(together(1, 3).shortage.size() == 1); // ids 0 and 2 are no pair
}
