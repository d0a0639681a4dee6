#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

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
  auto queued = [](const std::string &pipe) { return "  ffts_cross_core_sync(" + pipe + ", 0x21);\n"; };
  CHECK(auditedPublication(kStore + queued("PIPE_MTE3")).count("signal-overtakes-data") == 0);
  CHECK(auditedPublication(kStore + queued("PIPE_MTE2")).severity("signal-overtakes-data") == "error");
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
