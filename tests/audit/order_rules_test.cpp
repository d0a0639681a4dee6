#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string missing(const std::string &statements, const std::string &arch = "a3") {
  return Audited(shortTiles(statements), arch).severity("missing-sync");
}

} // namespace

TEST_CASE("missing-sync: each kind of conflict, with both instructions and their pipes") {
  Audited raw(shortTiles("  TLOAD(a, g); // first\n  TADDS(b, a, 1.0f); // second\n"));
  const Finding &finding = raw.only("missing-sync");
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.place.line == lineOf(raw.text, "// second"));
  CHECK(finding.place.column == 3);
  CHECK(finding.message.find("RAW on UB [0, 1024)") == 0);
  REQUIRE(finding.notes.size() == 2);
  CHECK(finding.notes[0].place.line == lineOf(raw.text, "// first"));
  CHECK(finding.notes[0].text.find("PIPE_MTE2") != std::string::npos);
  CHECK(finding.notes[1].text.find("PIPE_V") != std::string::npos);
  CHECK(missing("  TADDS(b, a, 1.0f);\n  TLOAD(a, g);\n") == "error");        // WAR
  CHECK(missing("  TADDS(a, b, 1.0f);\n  TLOAD(a, g);\n") == "error");        // WAW
  CHECK(missing("  TADDS(b, a, 1.0f);\n  TADDS(c, b, 1.0f);\n") == "error");  // one pipe
  CHECK(missing("  TADDS(b, a, 1.0f);\n  TADDS(c, b, 1.0f);\n", "a5") == ""); // in order there
  CHECK(missing("  TADDS(b, a, 1.0f);\n  TADDS(c, a, 1.0f);\n") == "");       // two reads
}

TEST_CASE("missing-sync: scratch that the library may leave alone is held against nobody") {
  // a5's row sum does not touch its scratch tile b, which is loaded next.
  const std::string body = columnTile("s", "float", 4, 65536) + "  TROWSUM(s, a, b);\n  TLOAD(b, g);\n";
  CHECK(missing(body, "a5") == "note");
  CHECK(missing(columnTile("s", "float", 4, 65536) + "  TROWSUM(s, a, b);\n  TLOAD(a, g);\n", "a5") == "error");
}

TEST_CASE("missing-sync: few fractals of 16-bit inputs need a barrier between their products") {
  auto chain = [](unsigned rows, const std::string &between, const std::string &input = "half",
                  const std::string &arch = "a3") {
    return Audited(vectorKernel(productTiles(rows, 16, input) + "  TMATMUL(C, L, R);\n" + between +
                                "  TMATMUL_ACC(C, C, L, R);\n"),
                   arch)
        .severity("missing-sync");
  };
  CHECK(chain(64, "") == "error");
  CHECK(chain(64, "  pipe_barrier(PIPE_M);\n") == "");
  CHECK(chain(160, "") == "");
  CHECK(chain(64, "", "float") == ""); // nothing is claimed of these
  CHECK(chain(64, "", "half", "a5") == "");
}

TEST_CASE("missing-sync: what the assembler takes for scalar work is named") {
  // Behind a flag of the scalar unit the vector pipe's result is not ready.
  Audited behind(shortTiles("  Tile<TileType::Vec, int32_t, 1, 64> i; TASSIGN(i, 65536);\n"
                            "  Tile<TileType::Vec, int32_t, 1, 64> t; TASSIGN(t, 69632);\n  TCI(i, 0, t);\n" +
                            setFlag("PIPE_S, PIPE_MTE3") + waitFlag("PIPE_S, PIPE_MTE3") +
                            "  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 64>, pto::Stride<64, 64, 64, 64, 1>, "
                            "pto::Layout::ND> q((__gm__ int32_t *) out);\n  TSTORE(q, i);\n"));
  const Finding &finding = behind.only("missing-sync");
  CHECK(finding.severity == Severity::Error);
  CHECK(std::any_of(finding.notes.begin(), finding.notes.end(), [](const FindingNote &note) {
    return note.text.find("the assembler synchronises TCI for PIPE_S") != std::string::npos;
  }));
}

TEST_CASE("missing-sync: a path that a run may take makes an error, with its branches") {
  std::string load = "  TLOAD(a, g);\n" + setFlag(kLoadToVector);
  // The wait stands in a loop that may run no trip.
  Audited loop(shortTiles("  TLOAD(a, g);\n  for (int32_t i = 0; i < n; ++i) {\n  pipe_barrier(PIPE_ALL);\n  }\n"
                          "  TADDS(b, a, 1.0f);\n"));
  CHECK(loop.severity("missing-sync") == "error");
  const Finding &finding = loop.only("missing-sync");
  CHECK(std::any_of(finding.path.begin(), finding.path.end(),
                    [](const FindingNote &note) { return note.text.find("the loop is left") != std::string::npos; }));
  // A loop that is known to run covers.
  CHECK(missing("  TLOAD(a, g);\n  for (int32_t i = 0; i < 4; ++i) {\n  pipe_barrier(PIPE_ALL);\n  }\n  TADDS(b, a, "
                "1.0f);\n") == "");
  // One arm of a branch.
  CHECK(missing("  TLOAD(a, g);\n  if (n > 3) {\n  pipe_barrier(PIPE_ALL);\n  }\n  TADDS(b, a, 1.0f);\n") == "error");
}

TEST_CASE("missing-sync: no error where the branches exclude each other") {
  // The same condition twice: the pair never meets on one run, and the search says so.
  std::string same =
      "  if (n > 3) {\n  TLOAD(a, g);\n  }\n  if (n > 3) {\n  pipe_barrier(PIPE_ALL);\n  }\n  TADDS(b, a, 1.0f);\n";
  CHECK(missing(same) == "note");
  // Two conditions on one argument may exclude each other: no more than a warning.
  std::string related =
      "  if (n > 3) {\n  TLOAD(a, g);\n  }\n  if (n > 2) {\n  pipe_barrier(PIPE_ALL);\n  }\n  TADDS(b, a, 1.0f);\n";
  CHECK(missing(related) == "warning");
}

TEST_CASE("missing-sync: what is a note anyway uses up none of the looking for what may be more") {
  std::string many;
  for (int i = 0; i < 30; ++i) {
    std::string name = "t" + std::to_string(i);
    many += rowsAt(name, 4, "n * 64 + " + std::to_string(i * 1024)) + "  TLOAD(" + name + ", g);\n";
  }
  // The same condition twice, as above.
  Audited audited(shortTiles(many + "  if (n > 3) {\n  TLOAD(a, g);\n  }\n  if (n > 3) {\n  pipe_barrier(PIPE_ALL);\n"
                                    "  }\n  TADDS(b, a, 1.0f);\n"));
  CHECK(audited.count("missing-sync") > 30);
  CHECK(audited.severity("missing-sync") == "note");
}

TEST_CASE("missing-sync: what is not certain to meet is a note") {
  // An address that an argument decides.
  std::string anywhere = rowsAt("t", 4, "n * 64") + "  TLOAD(t, g);\n  TADDS(b, a, 1.0f);\n";
  CHECK(missing(anywhere) == "note");
  // A long vector result read behind the loop that wrote it.
  std::string loop = rowsAt("p", 16, "8192") + "  for (int32_t i = 0; i < n; ++i) {\n  pipe_barrier(PIPE_V);\n"
                                               "  TADDS(p, p, 1.0f);\n  }\n";
  CHECK(missing(loop) == "");
  CHECK(missing(loop + "  TADDS(p, p, 2.0f);\n") == "note");
}

TEST_CASE("missing-sync: the first iteration of a loop reads the slot that its counter starts with") {
  // Slots 0 and 1024: a and b. c reads a in the first iteration and b in the second.
  auto reads = [](const std::string &before, const std::string &inside, const std::string &first = "0") {
    return missing(before + "  for (int32_t i = " + first + "; i < n; ++i) {\n" + inside +
                   rowsAt("r", 4, "(i % 2 == 0 ? 0 : 1024)") +
                   "  TADDS(c, r, 1.0f);\n  pipe_barrier(PIPE_ALL);\n  }\n");
  };
  CHECK(reads("  TLOAD(a, g);\n", "") == "error");
  CHECK(reads("  TLOAD(b, g);\n", "") == "note"); // behind the barrier by then, but the engine cannot tell
  CHECK(reads("  TLOAD(b, g);\n", "", "1") == "error");
  CHECK(reads("  TLOAD(a, g);\n", "", "n - 5") == "note"); // which slot is first is unknown
  // The first iteration is ordered, and only the path to a later one shows the pair.
  CHECK(reads("  TLOAD(a, g);\n", "  if (i == 0) {\n  pipe_barrier(PIPE_ALL);\n  }\n") != "error");
}

TEST_CASE("missing-sync: the same-access chain round a loop is a warning, what is no chain an error") {
  std::string tiles = rowsAt("p", 16, "8192") + rowsAt("q", 16, "12288");
  auto loop = [&](const std::string &body) {
    return missing(tiles + "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n");
  };
  CHECK(loop("  TADDS(p, p, 1.0f);\n") == "warning");
  CHECK(loop("  TADDS(p, q, 1.0f);\n") == "error"); // overwritten by itself, and nothing reads it
  CHECK(loop("  TADDS(p, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TADDS(q, p, 1.0f);\n") == "error"); // read, then written
}

TEST_CASE("missing-sync: another core that was told, and tells, may have waited") {
  std::string load = "  TLOAD(a, g);\n", use = "  TADDS(b, a, 1.0f);\n";
  std::string tell = "  set_intra_block(PIPE_MTE2, 0);\n", listen = "  wait_intra_block(PIPE_V, 1);\n";
  CHECK(missing(load + tell + use, "a5") == "error");
  CHECK(missing(load + listen + use, "a5") == "error");
  CHECK(missing(load + listen + tell + use, "a5") == "error"); // told too late
  CHECK(missing(tell + load + listen + use, "a5") == "error"); // told too early
  CHECK(missing(load + tell + listen + use, "a5") == "note");
}

TEST_CASE("missing-sync: a path round a loop counts no further than the loop") {
  // The tile that the third trip would meet again.
  auto ring = [](const std::string &counter, const std::string &bound) {
    return missing("  for (" + counter + " i = 0; i < " + bound + "; ++i) {\n" +
                   rowsAt("r", 4, "(i % 2 == 0 ? 8192 : 9216)") + "  TADDS(r, a, 1.0f);\n  }\n");
  };
  for (const char *counter : {"int32_t", "uint32_t"}) {
    CAPTURE(counter);
    CHECK(ring(counter, "2") == "note"); // no path is seen to reach it
    CHECK(ring(counter, "3") == "error");
  }
}

TEST_CASE("missing-sync: the first byte of a tensor of unknown extent is certain") {
  std::string tensor =
      "  GlobalTensor<float, pto::Shape<1, 1, 1, -1, -1>, pto::Stride<1, 1, 1, -1, 1>, pto::Layout::ND> "
      "u(out, pto::Shape<1, 1, 1, -1, -1>(n, n), pto::Stride<1, 1, 1, -1, 1>(n));\n";
  std::string loop = "  for (int32_t i = 0; i < n; ++i) {\n  TSTORE(u, a);\n";
  CHECK(missing(tensor + loop + "  }\n") == "error");
  CHECK(missing(tensor + loop + "  pipe_barrier(PIPE_MTE3);\n  }\n") == "");
}

TEST_CASE("missing-sync: silenced by a contested rule, and by calls that nothing is known of") {
  CHECK(missing("  TLOAD(a, g);\n  TLOAD(a, h);\n") == "");
  CHECK(missing("  TLOAD(a, g);\n  unknown_call(a);\n") == "");
  // Hand-written products add up without a barrier.
  std::string tiles = productTiles(16, 16, "int8_t");
  std::string product = "  TMATMUL(C, L, R);\n", add = "  TMATMUL_ACC(C, C, L, R);\n";
  CHECK(Audited(vectorKernel(tiles + product + add + add + add)).severity("missing-sync") == "");
  CHECK(Audited(vectorKernel(tiles + product + add + product)).severity("missing-sync") == "error");
}

TEST_CASE("missing-sync: an instruction on disputed pipes is accused only if each of them is") {
  // TEXTRACT of a run-time region runs on V or S, sources differ.
  std::string region =
      tileIn("Vec", "w", "float", "4, 64", "-1, 64", "4096", "BLayout::RowMajor", "SLayout::NoneBox", "(n)");
  std::string body = region + "  TADDS(b, a, 1.0f);\n  pipe_barrier(PIPE_V);\n  TEXTRACT(w, b, 0, 0);\n";
  CHECK(missing(body) == "note");
  CHECK(missing(region + "  TADDS(b, a, 1.0f);\n  TEXTRACT(w, b, 0, 0);\n") == "error");
}

TEST_CASE("missing-sync: of several conflicts of a pair the most certain one decides") {
  // TPRELU compares its first source up to the end of a repeat: of 256 bytes, 128 are the tile u. Behind it lies w.
  std::string tiles =
      tileIn("Vec", "u", "float", "1, 32", "1, 32", "8192") + tileIn("Vec", "w", "float", "1, 32", "1, 32", "8320") +
      tileIn("Vec", "x", "float", "1, 32", "1, 32", "8448") + tileIn("Vec", "y", "uint8_t", "2, 32", "1, 4", "12288");
  std::string load = "  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 32>, pto::Stride<32, 32, 32, 32, 1>, "
                     "pto::Layout::ND> o(in);\n  TLOAD(w, o);\n";
  CHECK(missing(tiles + load + "  TPRELU(x, u, a, y);\n") == "note"); // w for the comparison alone
  Audited both(shortTiles(tiles + load + "  TPRELU(x, u, w, y);\n")); // and as the second source
  const Finding &finding = both.only("missing-sync");
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.message.find("RAW on UB [8320, 8448)") == 0);
}

TEST_CASE("missing-sync: what a rule orders of a pair makes no error of what else may meet in it") {
  // The result p is long enough for the chain. Where r lies is not known: it may be the source of the first addition.
  std::string tiles = rowsAt("p", 16, "8192") + rowsAt("q", 16, "12288") + rowsAt("r", 16, "n * 64");
  CHECK(missing(tiles + "  TADDS(p, q, 1.0f);\n  TADDS(r, p, 1.0f);\n") == "note");
  CHECK(missing(tiles + "  TADDS(p, q, 1.0f);\n  TADDS(q, p, 1.0f);\n") == "error"); // overwritten for certain
}

TEST_CASE("missing-sync: a wait for the scalar pipe may hold back all that follows") {
  std::string drain = setFlag("PIPE_MTE3, PIPE_S", "EVENT_ID7") + waitFlag("PIPE_MTE3, PIPE_S", "EVENT_ID7");
  CHECK(missing("  TSTORE(h, a);\n" + drain + "  TLOAD(a, g);\n") == "");
  CHECK(missing("  TSTORE(h, a);\n  TLOAD(a, g);\n" + drain) == "error");
  CHECK(missing(drain + "  TSTORE(h, a);\n  TLOAD(a, g);\n") == "error");
  // The vector pipe's work was over before the store began.
  std::string chain = setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3");
  CHECK(missing("  TADDS(b, a, 1.0f);\n" + chain + "  TSTORE(h, b);\n" + drain + "  TLOAD(a, g);\n") == "");
  CHECK(missing("  TADDS(b, a, 1.0f);\n  TSTORE(h, c);\n" + drain + "  TLOAD(a, g);\n") == "error");
  // A wait on one path only, and one that another pipe has.
  CHECK(missing("  TSTORE(h, a);\n  if (n > 3) {\n" + drain + "  }\n  TLOAD(a, g);\n") == "error");
  CHECK(missing("  TSTORE(h, a);\n" + setFlag("PIPE_MTE3, PIPE_V") + waitFlag("PIPE_MTE3, PIPE_V") +
                "  TLOAD(a, g);\n") == "error");
}

TEST_CASE("missing-sync: a round of a loop that ends with a drain into the scalar pipe is in order with the next") {
  std::string round = "  TLOAD(a, g);\n" + setFlag(kLoadToVector) + waitFlag(kLoadToVector) + "  TADDS(b, a, 1.0f);\n" +
                      setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3") + "  TSTORE(h, b);\n";
  std::string drain = setFlag("PIPE_MTE3, PIPE_S", "EVENT_ID7") + waitFlag("PIPE_MTE3, PIPE_S", "EVENT_ID7");
  auto loop = [](const std::string &body) { return missing("  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"); };
  CHECK(loop(round + drain) == "");
  CHECK(loop(round) == "error");
}

namespace {

const std::string kSignal =
    "  GlobalTensor<int32_t, pto::Shape<1, 1, 1, 1, 1>, pto::Stride<1, 1, 1, 1, 1>, pto::Layout::ND> s("
    "(__gm__ int32_t *) in);\n";
const std::string kStore = "  TSTORE(h, a); // store\n";
const std::string kNotify = "  pto::comm::TNOTIFY(s, 1, pto::comm::NotifyOp::Set); // signal\n";
const std::string kFlags = setFlag("PIPE_MTE3, PIPE_MTE2") + waitFlag("PIPE_MTE3, PIPE_MTE2");
const std::string kDrain = "  pipe_barrier(PIPE_ALL);\n", kFence = "  dsb((mem_dsb_t) 0);\n";

Audited auditedPublication(const std::string &statements) { return Audited(shortTiles(kSignal + statements)); }

} // namespace

TEST_CASE("signal-overtakes-data: a scalar signal waits for no pipe") {
  Audited bare = auditedPublication(kStore + kNotify);
  const Finding &finding = bare.only("signal-overtakes-data");
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.place.line == lineOf(bare.text, "// signal"));
  CHECK(finding.notes.front().place.line == lineOf(bare.text, "// store"));
  CHECK(bare.count("gm-visibility") == 0); // one finding for one thing
  CHECK(auditedPublication(kStore + "  pipe_barrier(PIPE_MTE3);\n" + kNotify).severity("signal-overtakes-data") ==
        "error");
  CHECK(auditedPublication(kStore + kDrain + kFence + kNotify).count("signal-overtakes-data") == 0);
  CHECK(auditedPublication(kStore + setFlag("PIPE_MTE3, PIPE_S") + waitFlag("PIPE_MTE3, PIPE_S") + kNotify)
            .count("signal-overtakes-data") == 0);
  CHECK(auditedPublication("  TLOAD(a, g);\n" + kNotify).count("signal-overtakes-data") == 0); // nothing is announced
}

TEST_CASE("signal-overtakes-data: a signal queued on the data's pipe is in order with it") {
  for (const std::string prefix : {"", "__builtin_cce_"}) {
    INFO(prefix);
    auto queued = [&](const std::string &pipe) {
      return "  " + prefix + "ffts_cross_core_sync(" + pipe + ", 0x21);\n";
    };
    CHECK(auditedPublication(kStore + queued("PIPE_MTE3")).count("signal-overtakes-data") == 0);
    CHECK(auditedPublication(kStore + queued("PIPE_MTE2")).severity("signal-overtakes-data") == "error");
  }
}

TEST_CASE("gm-visibility: read back, or announced, without a fence") {
  std::string load = "  TLOAD(b, h);\n";
  CHECK(auditedPublication(kStore + kFlags + load).severity("gm-visibility") == "warning");
  CHECK(auditedPublication(kStore + kDrain + load).severity("gm-visibility") == "warning");
  CHECK(auditedPublication(kStore + kDrain + kFence + load).count("gm-visibility") == 0);
  CHECK(auditedPublication(kStore + kFlags + "  TLOAD(b, g);\n").count("gm-visibility") == 0); // other bytes
  CHECK(auditedPublication(kStore + load).count("gm-visibility") == 0); // not even ordered: missing-sync
  CHECK(auditedPublication(kStore + load).severity("missing-sync") == "error");
  CHECK(auditedPublication(kStore + kDrain + kNotify).severity("gm-visibility") == "warning");
  CHECK(auditedPublication(kStore + kDrain + kFence + kNotify).count("gm-visibility") == 0);
}

TEST_CASE("gm-visibility: what the scalar unit stores lies in its cache") {
  std::string store = "  out[0] = 1.0f; // scalar\n", load = "  TLOAD(b, h);\n";
  std::string wait = setFlag("PIPE_S, PIPE_MTE2") + waitFlag("PIPE_S, PIPE_MTE2");
  std::string flush = "  dcci((__gm__ void *) out, cache_line_t::ENTIRE_DATA_CACHE, dcci_dst_t::CACHELINE_OUT);\n";
  CHECK(auditedPublication(store + wait + load).severity("gm-visibility") == "warning");
  CHECK(auditedPublication(store + wait + kFence + load).severity("gm-visibility") == "warning"); // no flush
  CHECK(auditedPublication(store + kDrain + flush + kFence + load).count("gm-visibility") == 0);
  CHECK(auditedPublication(store + wait + "  TLOAD(b, g);\n").count("gm-visibility") == 0); // other bytes
}

TEST_CASE("signal-overtakes-data: a push that announces a slot filled on another pipe") {
  auto produced = [](const std::string &direction, const std::string &between) {
    std::string type = "TPipe<0, Direction::" + direction + ", 1024, 8, 8, true>";
    std::string call = "<decltype(f), decltype(q), TileSplitAxis::TILE_NO_SPLIT>(f, q);";
    return Audited(shortTiles("  auto f = " + type + "(out, 65536, 0);\n" + tensorAt("q", "out") + "  TALLOC" + call +
                              "\n  TSTORE(q, a); // store\n" + between + "  TPUSH" + call + " // signal\n"));
  };
  // The vector core's stores run on MTE3; so do the signals of its own direction.
  CHECK(produced("DIR_V2C", "").count("signal-overtakes-data") == 0);
  Audited other = produced("DIR_C2V", "");
  CHECK(other.only("signal-overtakes-data").place.line == lineOf(other.text, "// signal"));
  CHECK(produced("DIR_C2V", setFlag("PIPE_MTE3, PIPE_FIX") + waitFlag("PIPE_MTE3, PIPE_FIX"))
            .count("signal-overtakes-data") == 0);
}

TEST_CASE("signal-overtakes-data: on a5 a free gives the entry back") {
  auto consumed = [](const std::string &between, const std::string &arch) {
    std::string type = "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>";
    return Audited(shortTiles("  auto f = " + type +
                              "(in, 65536, 0);\n  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, "
                              "SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t;\n  TPOP<decltype(f), "
                              "decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n" +
                              setFlag("PIPE_V, PIPE_MTE3") + waitFlag("PIPE_V, PIPE_MTE3") +
                              "  TSTORE(h, t); // reader\n" + between +
                              "  TFREE<decltype(f), TileSplitAxis::TILE_NO_SPLIT>(f); // free\n"),
                   arch);
  };
  Audited open = consumed("", "a5");
  CHECK(open.only("signal-overtakes-data").place.line == lineOf(open.text, "// free"));
  CHECK(open.only("signal-overtakes-data").notes.front().place.line == lineOf(open.text, "// reader"));
  std::string wait = setFlag("PIPE_MTE3, PIPE_V") + waitFlag("PIPE_MTE3, PIPE_V");
  CHECK(consumed(wait, "a5").count("signal-overtakes-data") == 0);
  CHECK(consumed("", "a3").count("signal-overtakes-data") == 0); // there the pop gives the slot back
  // A reader on the pipe of the ring is in front of the signal in its queue: at most a note.
  std::string type = "TPipe<0, Direction::DIR_C2V, 1024, 8, 8, true>";
  Audited queued(shortTiles("  auto f = " + type +
                            "(in, 65536, 0);\n  Tile<TileType::Vec, float, 4, 64, BLayout::RowMajor, 4, 64, "
                            "SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> t;\n  TPOP<decltype(f), "
                            "decltype(t), TileSplitAxis::TILE_NO_SPLIT>(f, t);\n  TADDS(a, t, 1.0f);\n"
                            "  TFREE<decltype(f), TileSplitAxis::TILE_NO_SPLIT>(f);\n"),
                 "a5");
  CHECK(queued.severity("signal-overtakes-data") == "note");
  CHECK(queued.severity("missing-sync") == "note"); // the pop waits on the pipe of its reader, or on the scalar unit
}
