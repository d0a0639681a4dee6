#include "ordering/buffers.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string bracketOf(const std::string &pipe, const std::string &id, const std::string &work,
                      const std::string &mode = "0") {
  return "  get_buf(PIPE_" + pipe + ", " + id + ", " + mode + ");\n" + work + "  rls_buf(PIPE_" + pipe + ", " + id +
         ", " + mode + ");\n";
}

const std::string kEarlierLoad = "  TLOAD(a, g); // first\n", kLaterAdd = "  TADDS(b, a, 1.0f); // second\n";

bool orderedByBrackets(const std::string &statements, const std::string &arch = "a5",
                       const OrderingOptions &options = {}) {
  Analysed kernel(smallBody(statements), arch, options);
  const NodeId first = kernel.node("// first"), second = kernel.node("// second");
  for (const OpenObligation &open : kernel.pending->open(ObligationKind::Conflict))
    if (kernel.program->nodeOfBit[open.pair.bit] == first && open.pair.later == second)
      return false;
  return true;
}

std::vector<BufferFault::Kind> bracketFaultsOf(const std::string &statements) {
  Analysed kernel(smallBody(statements), "a5");
  std::vector<BufferFault::Kind> kinds;
  for (const BufferFault &fault : kernel.program->bufferFaults)
    kinds.push_back(fault.kind);
  return kinds;
}

using FaultKind = BufferFault::Kind;
using FaultKinds = std::vector<FaultKind>;

} // namespace

TEST_CASE("buffers: a bracket knows what the brackets of its id in front of it had") {
  CHECK_FALSE(orderedByBrackets(kEarlierLoad + kLaterAdd));
  CHECK(orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("V", "0", kLaterAdd)));
  CHECK_FALSE(orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("V", "1", kLaterAdd)));
  // It says nothing of what is behind the release, and holds back nothing in front of the get.
  CHECK_FALSE(orderedByBrackets(bracketOf("MTE2", "0", "") + kEarlierLoad + bracketOf("V", "0", kLaterAdd)));
  CHECK_FALSE(orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + kLaterAdd + bracketOf("V", "0", "")));
  CHECK(orderedByBrackets(kEarlierLoad + bracketOf("MTE2", "0", "") + bracketOf("V", "0", "") + kLaterAdd));
}

TEST_CASE("buffers: a get waits for the releases of all other pipes, and hands on what they knew") {
  CHECK(orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("MTE3", "0", "") +
                          bracketOf("MTE3", "1", "") + bracketOf("V", "1", kLaterAdd)));
  // The last release of the id is another pipe's, and the load's counts all the same.
  CHECK(orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("S", "0", "") +
                          bracketOf("V", "0", kLaterAdd)));
}

TEST_CASE("buffers: on one pipe a bracket orders nothing") {
  const std::string first = "  TADDS(a, c, 1.0f); // first\n", second = "  TADDS(b, a, 1.0f); // second\n";
  OrderingOptions options;
  const std::string a5 = "a5";
  CHECK_FALSE(orderedByBrackets("  TSTORE(h, a); // first\n" + bracketOf("MTE3", "0", "") +
                                bracketOf("MTE3", "0", "  TSTORE(h, b); // second\n")));
  CHECK(orderedByBrackets("  TSTORE(h, a); // first\n  pipe_barrier(PIPE_MTE3);\n  TSTORE(h, b); // second\n"));
}

TEST_CASE("buffers: the next iteration needs no prime and no drain") {
  const std::string loop = "  for (int i = 0; i < n; ++i) {\n";
  CHECK(orderedByBrackets(loop + bracketOf("MTE2", "0", "  TLOAD(a, g); // second\n") +
                          bracketOf("V", "0", "  TADDS(b, a, 1.0f); // first\n") + "  }\n"));
  CHECK_FALSE(orderedByBrackets(loop + bracketOf("MTE2", "0", "  TLOAD(a, g); // second\n") +
                                bracketOf("V", "1", "  TADDS(b, a, 1.0f); // first\n") + "  }\n"));
}

TEST_CASE("buffers: a release on one arm only says nothing on the other") {
  CHECK_FALSE(orderedByBrackets("  if (n > 3) {\n" + bracketOf("MTE2", "0", kEarlierLoad) +
                                "  } else {\n    TLOAD(a, h);\n  }\n" + "  TLOAD(c, g);\n" +
                                bracketOf("V", "1", kLaterAdd)));
  CHECK(orderedByBrackets("  if (n > 3) {\n" + bracketOf("MTE2", "0", kEarlierLoad) + "  }\n" +
                          bracketOf("V", "0", kLaterAdd)));
}

TEST_CASE("buffers: ids that alternate with the iterations are told apart") {
  const std::string kernel = "  for (int i = 0; i < n; ++i) {\n" + bracketOf("MTE2", "i % 2", kEarlierLoad) +
                             bracketOf("V", "i % 2", kLaterAdd) + "  }\n";
  CHECK(orderedByBrackets(kernel));
  CHECK_FALSE(orderedByBrackets("  for (int i = 0; i < n; ++i) {\n" + bracketOf("MTE2", "i % 2", kEarlierLoad) +
                                bracketOf("V", "(i + 1) % 2", kLaterAdd) + "  }\n"));
}

TEST_CASE("buffers: what it is open to order orders nothing, and in the open reading something") {
  OrderingOptions open;
  open.openBuffersOrder = true;
  const std::string mode = bracketOf("MTE2", "0", kEarlierLoad, "1") + bracketOf("V", "0", kLaterAdd),
                    computed = bracketOf("MTE2", "n", kEarlierLoad) + bracketOf("V", "n", kLaterAdd),
                    nested = "  get_buf(PIPE_MTE2, 0, 0);\n" + bracketOf("S", "0", "") + kEarlierLoad +
                             "  rls_buf(PIPE_MTE2, 0, 0);\n" + bracketOf("V", "0", kLaterAdd);
  for (const std::string &kernel : {mode, computed, nested}) {
    CAPTURE(kernel);
    CHECK_FALSE(orderedByBrackets(kernel));
    CHECK(orderedByBrackets(kernel, "a5", open));
    CHECK(firstOpenBracket(*Analysed(smallBody(kernel), "a5").program).has_value());
  }
  CHECK_FALSE(
      orderedByBrackets(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("V", "0", kLaterAdd), "a3")); // it has none
}

TEST_CASE("buffers: an id that the machine does not have may be any of those that it has") {
  const std::string kernel = bracketOf("MTE2", "256", kEarlierLoad) + bracketOf("V", "0", kLaterAdd);
  OrderingOptions open;
  open.openBuffersOrder = true;
  CHECK_FALSE(orderedByBrackets(kernel));
  CHECK(orderedByBrackets(kernel, "a5", open));
  Analysed analysed(smallBody(kernel), "a5");
  for (const Web &web : findWebs(*analysed.program, {}, analysed.pending->tokens()))
    CHECK_FALSE(web.balanced); // nothing of it is edited
}

TEST_CASE("buffers: what is amiss with brackets") {
  CHECK(bracketFaultsOf(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("V", "0", kLaterAdd)).empty());
  CHECK(bracketFaultsOf("  get_buf(PIPE_MTE2, 0, 0);\n" + bracketOf("V", "1", kEarlierLoad) +
                        "  rls_buf(PIPE_MTE2, 0, 0);\n")
            .empty());
  CHECK(bracketFaultsOf("  get_buf(PIPE_MTE2, 0, 0);\n" + bracketOf("V", "0", "")) == FaultKinds{FaultKind::Nested});
  CHECK(bracketFaultsOf("  rls_buf(PIPE_MTE2, 0, 0);\n") == FaultKinds{FaultKind::NotHeld});
  CHECK(bracketFaultsOf("  get_buf(PIPE_MTE2, 0, 0);\n  rls_buf(PIPE_V, 0, 0);\n") == FaultKinds{FaultKind::OtherPipe});
  CHECK(bracketFaultsOf("  get_buf(PIPE_MTE2, 0, 0);\n  rls_buf(PIPE_MTE2, 0, 1);\n") ==
        FaultKinds{FaultKind::OtherMode});
  CHECK(bracketFaultsOf("  get_buf(PIPE_MTE2, 0, 0);\n") == FaultKinds{FaultKind::OpenAtEnd});
  Analysed arm(smallBody("  if (n > 3) {\n  get_buf(PIPE_MTE2, 0, 0);\n  }\n  rls_buf(PIPE_MTE2, 0, 0);\n"), "a5");
  REQUIRE(arm.program->bufferFaults.size() == 1);
  CHECK(arm.program->bufferFaults[0].kind == FaultKind::NotHeld);
  CHECK_FALSE(arm.program->bufferFaults[0].onEveryPath);
}

TEST_CASE("buffers: brackets are webs of their own kind") {
  Analysed kernel(smallBody(bracketOf("MTE2", "0", kEarlierLoad) + bracketOf("V", "0", kLaterAdd) +
                            bracketOf("MTE2", "0", "  TLOAD(a, g);\n")),
                  "a5");
  const std::vector<Web> webs = findWebs(*kernel.program, {}, kernel.pending->tokens());
  REQUIRE(webs.size() == 3);
  for (const Web &web : webs) {
    CHECK(web.bracket);
    CHECK(web.balanced);
    CHECK(web.waits.size() == 1);
    CHECK(web.sets.size() == 1);
    CHECK(web.ids == std::set<std::int64_t>{0});
  }
  CHECK(webs[0].source == Pipe::MTE2);
  CHECK(webs[1].source == Pipe::V);
}

TEST_CASE("buffers: a trial takes a bracket out only where nothing misses it, and never half of one") {
  Analysed kernel(smallBody(bracketOf("MTE2", "0", bracketOf("MTE2", "1", kEarlierLoad)) +
                            bracketOf("V", "0", bracketOf("V", "1", kLaterAdd)) + "  pipe_barrier(PIPE_ALL);\n"),
                  "a5");
  const std::vector<Web> webs = findWebs(*kernel.program, {}, kernel.pending->tokens());
  REQUIRE(webs.size() == 4);
  const Pending::Trial half = kernel.pending->tryRemoval({webs[0].waits[0]});
  CHECK_FALSE(half.allowed);
  CHECK(half.bracket.has_value());
  CHECK(kernel.pending->tryRemoval(webs[0].sites()).allowed);
  kernel.pending->commit();
  CHECK_FALSE(kernel.pending->tryRemoval(webs[1].sites()).allowed);
  CHECK(kernel.pending->tryRemoval(webs[2].sites()).allowed);
}
