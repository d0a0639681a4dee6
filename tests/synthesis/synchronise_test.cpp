// Kernels synchronised from nothing: what is forgotten and what stays, and that nothing is open in what comes out.
#include "synthesis/synchronise.h"

#include "rewrite/sync_edits.h"
#include "synthesis/order_comparison.h"
#include "synthesis/synthesised.h"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

ResyncResult synchronised(const Module &module, ResyncOptions options = {}, const std::string &arch = "a3") {
  return llvm::cantFail(synchronise(module, machineOf(arch), defaultPatterns(), costsOf(arch), options, lifter(arch)));
}

/// The text that comes out, in which every kernel was asked for what is open, by the analysis and by the replay.
std::string wholeText(const Module &module, const ResyncResult &result, const std::string &arch = "a3") {
  std::string text = llvm::cantFail(patchedText(module, result.decisions));
  Module after = llvm::cantFail(lifter(arch)(text));
  for (const Kernel &kernel : after.kernels)
    if (kernel.analysable)
      CHECK(openOrder(kernel, machineOf(arch), {}) == std::nullopt);
  CHECK(llvm::cantFail(lookAtOrder(after, machineOf(arch), {}, {})).missing.empty());
  return text;
}

const std::string kEnd = "pipe_barrier(PIPE_ALL); // ptosync: orders what still runs";

} // namespace

TEST_CASE("sync: a loop without any sync gets those that its data asks for, and an end fence") {
  std::string loop = loopKernel({});
  loop.erase(loop.find("  pipe_barrier(PIPE_ALL);\n  dsb"), std::string("  pipe_barrier(PIPE_ALL);\n").size());
  Module module = lift(loop);
  REQUIRE(openOrder(module.kernels[0], machineOf("a3"), {}) != std::nullopt);
  ResyncResult result = synchronised(module);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].changed);
  CHECK(result.kernels[0].before == 0); // it lacks an order
  CHECK(result.kernels[0].after < result.kernels[0].limit * 1.01);
  std::string text = wholeText(module, result);
  CHECK(occurrences(text, kEnd) == 1);
  for (const AddedSync &added : result.decisions.added) {
    CHECK(added.edit == 1);
    CHECK(added.earlierLine > 0);
  }
}

TEST_CASE("sync: what a kernel has is forgotten, and makes no difference") {
  const auto syncs = [](const std::string &kernel) {
    Module module = lift(kernel);
    ResyncResult result = synchronised(module);
    const std::string text = wholeText(module, result);
    return std::pair(result.kernels[0].after, occurrences(text, "\n    set_flag") + occurrences(text, "\n  set_flag"));
  };
  CHECK(syncs(serialLoop()) == syncs(loopKernel({})));
  CHECK(syncs(overlappedLoop()) == syncs(loopKernel({})));
  LoopSyncs broken; // waits for what nobody sets
  broken.load = waitFlag("MTE3", "MTE2", 0);
  CHECK(syncs(loopKernel(broken)) == syncs(loopKernel({})));
}

TEST_CASE("sync: a kept sync stays, with all of its flag") {
  LoopSyncs syncs;
  syncs.add = "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // ptosync: keep(because)\n" + waitFlag("MTE2", "V", 0) +
              setFlag("MTE2", "V", 1) + waitFlag("MTE2", "V", 1);
  Module module = lift(loopKernel(syncs));
  ResyncResult result = synchronised(module);
  wholeText(module, result);
  std::size_t kept = 0;
  for (const SiteDecision &decision : result.decisions.decisions)
    if (decision.verdict == Verdict::Kept &&
        module.sites[decision.site].kind != SyncKind::Barrier) { // an unused helper's
      ++kept;
      CHECK(decision.reason == KeptReason::Protected);
      CHECK(module.sites[decision.site].text.find("EVENT_ID0") != std::string::npos);
    }
  CHECK(kept == 2);
}

TEST_CASE("sync: in a helper that is called several times everything stays, and is relied on") {
  std::string text = loopKernel({});
  text.insert(text.find("extern"), "static AICORE inline void twice() {\n" + tile("t", "float", 8, 64, 16384) +
                                       "  TADDS(t, t, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(t, t, 1.0f);\n}\n");
  text.insert(text.find("  for (int32_t i"), "  twice();\n  twice();\n");
  Module module = lift(text);
  ResyncResult result = synchronised(module);
  REQUIRE(result.kernels[0].changed);
  std::string after = wholeText(module, result);
  CHECK(occurrences(after, "  pipe_barrier(PIPE_V);\n  TADDS(t, t") == 1);
  // Without it nothing can be put in between, so the kernel is left as it came.
  text.replace(text.find("  pipe_barrier(PIPE_V);\n"), std::string("  pipe_barrier(PIPE_V);\n").size(), "");
  Module open = lift(text);
  ResyncResult left = synchronised(open);
  CHECK_FALSE(left.kernels[0].changed);
  CHECK(left.kernels[0].left);
  CHECK(llvm::cantFail(patchedText(open, left.decisions)) == text);
}

TEST_CASE("sync: a flag whose event is read from memory stays") {
  LoopSyncs syncs;
  syncs.behind = "  set_flag(PIPE_V, PIPE_S, (event_t) ids[0]);\n  wait_flag(PIPE_V, PIPE_S, (event_t) ids[0]);\n";
  std::string text = loopKernel(syncs);
  text.replace(text.find("int32_t n"), std::string("int32_t n").size(), "int32_t n, __gm__ int32_t *ids");
  Module module = lift(text);
  for (const SiteDecision &decision : synchronised(module).decisions.decisions)
    CHECK(decision.verdict == Verdict::Kept);
}

TEST_CASE("sync: what a contested rule orders is ordered") {
  // Two loads into one tile: the rule that says they are in order is contested.
  std::string text = vectorKernel(tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") + tensor("h", "out", "0") +
                                  "  TLOAD(v1, g);\n  TLOAD(v1, h);\n");
  Module module = lift(text);
  ResyncResult result = synchronised(module);
  CHECK(occurrences(wholeText(module, result), "pipe_barrier(PIPE_MTE2)") == 1);
}

TEST_CASE("sync: a pipe without a barrier of its own waits for itself by way of the scalar unit") {
  RequiredOrder order;
  RequiredPair pair;
  pair.earlier = {{0, 0}};
  pair.later = {{0, 1}};
  pair.source = pair.destination = Pipe::V;
  order.pairs = {pair};
  std::vector<Proposal> meeting = meetingsFor(order, machineOf("a5"), Section::Vec);
  REQUIRE(meeting.size() == 2);
  CHECK((meeting[0].source == Pipe::V && meeting[0].destination == Pipe::S));
  CHECK((meeting[1].source == Pipe::S && meeting[1].destination == Pipe::V));
  CHECK(meetingsFor(order, machineOf("a3"), Section::Vec).empty()); // a barrier is proposed
}

TEST_CASE("sync: with a limit the first so many kernels are edited") {
  std::string text = serialLoop();
  std::string second = text.substr(text.find("extern"));
  second.replace(second.find(" k("), 3, " k2(");
  Module module = lift(text + second);
  REQUIRE(module.kernels.size() == 2);
  for (std::size_t most : {0, 1, 2}) {
    ResyncOptions options;
    options.optimize.maxRemovals = most;
    ResyncResult result = synchronised(module, options);
    CHECK(result.kernels[0].changed == (most > 0));
    CHECK(result.kernels[1].changed == (most > 1));
    for (const AddedSync &added : result.decisions.added)
      CHECK(added.edit <= most);
    wholeText(module, result);
  }
}

namespace {

/// Loads, adds and stores a row of the slots of two rings in each iteration of `loops`, which close with `end`;
/// `loaded` stands behind the load.
std::string ringKernel(const std::string &loops, const std::string &slot, const std::string &row,
                       const std::string &end, const std::string &loaded) {
  const std::string place = "(uint64_t) (" + slot + ") * 8192";
  const std::string tensor = "GlobalTensor<float, pto::Shape<1, 1, 1, 32, 64>, pto::Stride<2048, 2048, 2048, 64, 1>, "
                             "pto::Layout::ND> ";
  const std::string tile = "Tile<TileType::Vec, float, 32, 64, BLayout::RowMajor, 32, 64, SLayout::NoneBox, 512, "
                           "PadValue::Null, CompactMode::Null> ";
  return vectorKernel(loops + "    " + tile + "a; TASSIGN(a, " + place + ");\n    " + tile + "b; TASSIGN(b, " + place +
                      " + 65536);\n    " + tensor + "g(in + (" + row + ") * 2048);\n    " + tensor + "h(out + (" + row +
                      ") * 2048);\n    TLOAD(a, g);\n" + loaded + "    TADDS(b, a, 1.0f);\n    TSTORE(h, b);\n" + end);
}

} // namespace

TEST_CASE("sync: rings of several slots run at once, whatever loop steps them") {
  struct Ring {
    std::string loops, slot, row, end, loaded = {};
  };
  const std::string nest = "  for (int64_t i = 0; i < 16; i += 1) {\n  for (int64_t j = 0; j < ";
  const std::string loop48 = "  for (int64_t i = 0; i < 48; i += 1) {\n";
  const std::vector<Ring> rings = {
      {"  for (int64_t i = 0; i < 48; i += 1) {\n", "i % 3", "i", "  }\n"},
      {nest + "3; j += 1) {\n", "(i * 3 + j) % 3", "i * 3 + j", "  }\n  }\n"},
      {nest + "8; j += 1) {\n", "(i * 8 + j) % 2", "i * 8 + j", "  }\n  }\n"},
      {nest + "6; j += 1) {\n", "(i * 6 + j) % 3", "i * 6 + j", "  }\n  }\n"},
      {"  for (int64_t i = 47; i >= 0; i -= 1) {\n", "i % 3", "i", "  }\n"},
      {"  for (int64_t i = 48; i > 0; i -= 1) {\n", "i % 3", "i", "  }\n"},
      {"  for (int64_t i = 0; i < 48; i += 1) {\n    if (i == 5) continue;\n", "i % 3", "i", "  }\n"},
      {"  for (int64_t i = 0; i < 48; i += 1) {\n    if (i == 40) break;\n", "i % 3", "i", "  }\n"},
      {"  for (int64_t i = 0; i < 48; i += 1) {\n    if (i == n) continue;\n", "i % 3", "i", "  }\n"},
      {loop48, "i % 2", "i", "  }\n", "    if (i == n) {\n      continue;\n    }\n"},
      {loop48, "i % 3", "i", "  }\n", "    if (i == n) {\n      continue;\n    }\n"},
      {loop48, "i % 2", "i", "  }\n", "    if (i == n) {\n      return;\n    }\n"},
  };
  for (const Ring &ring : rings) {
    INFO(ring.loops << ring.slot);
    const Module module = lift(ringKernel(ring.loops, ring.slot, ring.row, ring.end, ring.loaded));
    const ResyncResult result = synchronised(module);
    REQUIRE(result.kernels.size() == 1);
    CHECK(result.kernels[0].after < result.kernels[0].limit * 1.03);
    // The end fence, and one that was it; one in front of the return.
    const std::size_t fences = occurrences(ring.loaded, "return") + 2;
    CHECK(occurrences(wholeText(module, result), "pipe_barrier(PIPE_ALL)") <= fences);
  }
}

TEST_CASE("sync: where ids run short the flags that last longest give way") {
  // Twelve tiles that are loaded early and used late: no pair of pipes has as many ids.
  std::string text;
  constexpr unsigned kTiles = 12;
  for (unsigned i = 0; i < kTiles; ++i)
    text += tile("t" + std::to_string(i), "float", 16, 64, i * 8192) +
            tensor("g" + std::to_string(i), "in", std::to_string(i * 2048));
  text += "  for (int64_t k = 0; k < 4; k += 1) {\n";
  for (unsigned i = 0; i < kTiles; ++i)
    text += "    TLOAD(t" + std::to_string(i) + ", g" + std::to_string(i) + ");\n";
  for (unsigned i = 0; i < kTiles; ++i)
    text += "    TADDS(t" + std::to_string(i) + ", t" + std::to_string(i) + ", 1.0f);\n";
  text += "  }\n";
  const Module module = lift(vectorKernel(text));
  const ResyncResult result = synchronised(module);
  REQUIRE(result.kernels.size() == 1);
  CHECK(result.kernels[0].changed);
  CHECK(occurrences(wholeText(module, result), "pipe_barrier(PIPE_ALL)") <= 2);
}

TEST_CASE("sync: at every end of a kernel nothing runs any more") {
  const std::string start = tile("t", "float", 16, 64, 0) + tensor("g", "in", "0") + tensor("h", "out", "0");
  const std::string work = "    TLOAD(t, g);\n    TSTORE(h, t);\n";
  auto kernel = [&](const std::string &body) {
    std::string text = vectorKernel(start + body);
    text.erase(text.find("  pipe_barrier(PIPE_ALL);\n  dsb"),
               std::string("  pipe_barrier(PIPE_ALL);\n  dsb((mem_dsb_t) 0);\n").size());
    return text;
  };
  struct Ends {
    std::string body;
    std::size_t fences;
  };
  for (const Ends &one : std::vector<Ends>{
           {"  if (n) {\n" + work + "    return;\n  }\n" + work, 2},
           {"  if (n) {\n" + work + "    return;\n  } else {\n" + work + "    return;\n  }\n", 2},
           {"  {\n" + work + "    return;\n  }\n", 1},
           {"  for (int32_t i = 0; i < n; ++i) {\n" + work + "    if (i == 3) {\n      return;\n    }\n  }\n", 2},
           {work + "  if (n) return;\n" + work, 2},
           {"  if (n) return;\n" + work, 1},
           {work + "  return;\n", 1},
           {"  if (n) {\n" + work + "    pipe_barrier(PIPE_ALL);\n    return;\n  }\n" + work, 2},
       }) {
    const Module module = lift(kernel(one.body));
    const ResyncResult result = synchronised(module);
    INFO(one.body);
    REQUIRE(result.kernels.size() == 1);
    CHECK(result.kernels[0].changed);
    const std::string text = wholeText(module, result);
    CHECK(occurrences(text, "pipe_barrier(PIPE_ALL);") == one.fences);
  }
  // No statement can stand between a call and the `return` that it is part of.
  std::string called = kernel("  return body(in, out);\n");
  called.insert(called.find("extern"),
                "static AICORE void body(__gm__ float *in, __gm__ float *out) {\n" + start + work + "}\n");
  const Module left = lift(called);
  const ResyncResult result = synchronised(left);
  CHECK(result.kernels[0].left);
  CHECK(llvm::StringRef(result.kernels[0].reason).ends_with("may still run where the kernel ends"));
}

TEST_CASE("sync: a statement whose event id changes a variable stays, and every flag between its pipes") {
  LoopSyncs syncs;
  syncs.add = "    set_flag(PIPE_MTE2, PIPE_V, (event_t) (e++ & 1));\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  std::string text = loopKernel(syncs);
  text.insert(text.find("  for (int32_t i"), "  int32_t e = 0;\n");
  const Module module = lift(text);
  for (const SiteDecision &decision : synchronised(module).decisions.decisions)
    if (module.sites[decision.site].kind != SyncKind::Barrier)
      CHECK(decision.verdict == Verdict::Kept);
}

TEST_CASE("sync: a statement that would be put in where it stands stays") {
  const Module bare = lift(loopKernel({}));
  const std::string once = llvm::cantFail(patchedText(bare, synchronised(bare).decisions));
  const Module module = lift(once);
  const ResyncResult again = synchronised(module);
  CHECK_FALSE(again.kernels[0].changed);
  CHECK(again.kernels[0].reason == "it has already what would be placed");
  CHECK(llvm::cantFail(patchedText(module, again.decisions)) == once);
}

TEST_CASE("sync: with the input among the candidates a right kernel keeps what is as good") {
  const Module serial = lift(serialLoop()), overlapped = lift(overlappedLoop());
  ResyncOptions options;
  options.inputStands = true;
  const ResyncResult slow = synchronised(serial, options), good = synchronised(overlapped, options);
  CHECK(slow.kernels[0].after < slow.kernels[0].before * 0.9);
  CHECK(good.decisions.added.size() < synchronised(overlapped).decisions.added.size() + 1);
  CHECK(good.kernels[0].after <= good.kernels[0].before);
  wholeText(serial, slow);
  wholeText(overlapped, good);
  // One that is not right is placed from nothing all the same.
  const Module bare = lift(loopKernel({}));
  CHECK(wholeText(bare, synchronised(bare, options)) == wholeText(bare, synchronised(bare)));
}

TEST_CASE("sync: what the careful side costs is counted") {
  const Module module = lift(vectorKernel(tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") +
                                          tensor("h", "out", "0") + "  TLOAD(v1, g);\n  TLOAD(v1, h);\n"));
  const ResyncResult result = synchronised(module);
  CHECK(result.kernels[0].contested == 1);
  CHECK(result.kernels[0].contestedCycles >= 0);
  CHECK(synchronised(lift(loopKernel({}))).kernels[0].contested == 0);
}

TEST_CASE("sync: a kernel that is not analysed keeps no other from being synchronised") {
  std::string left = loopKernel({});
  left.insert(left.find("  for (int32_t i"), "again:\n  if (n > 99) goto again;\n");
  std::string second = loopKernel({});
  second = second.substr(second.find("extern"));
  second.replace(second.find(" k("), 3, " k2(");
  const Module module = lift(left + second);
  REQUIRE(module.kernels.size() == 2);
  const ResyncResult result = synchronised(module);
  CHECK(result.kernels[0].left);
  CHECK(result.kernels[1].changed);
}
