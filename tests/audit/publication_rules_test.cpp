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

Audited audited(const std::string &statements) { return Audited(shortTiles(kSignal + statements)); }

} // namespace

TEST_CASE("signal-overtakes-data: a scalar signal waits for no pipe") {
  Audited bare = audited(kStore + kNotify);
  const Finding &finding = bare.only("signal-overtakes-data");
  CHECK(finding.severity == Severity::Error);
  CHECK(finding.place.line == lineOf(bare.text, "// signal"));
  CHECK(finding.notes.front().place.line == lineOf(bare.text, "// store"));
  CHECK(bare.count("gm-visibility") == 0); // one finding for one thing
  CHECK(audited(kStore + "  pipe_barrier(PIPE_MTE3);\n" + kNotify).severity("signal-overtakes-data") == "error");
  CHECK(audited(kStore + kDrain + kFence + kNotify).count("signal-overtakes-data") == 0);
  CHECK(audited(kStore + setFlag("PIPE_MTE3, PIPE_S") + waitFlag("PIPE_MTE3, PIPE_S") + kNotify)
            .count("signal-overtakes-data") == 0);
  CHECK(audited("  TLOAD(a, g);\n" + kNotify).count("signal-overtakes-data") == 0); // nothing is announced
}

TEST_CASE("signal-overtakes-data: a signal queued on the data's pipe is in order with it") {
  auto queued = [](const std::string &pipe) { return "  ffts_cross_core_sync(" + pipe + ", 0x21);\n"; };
  CHECK(audited(kStore + queued("PIPE_MTE3")).count("signal-overtakes-data") == 0);
  CHECK(audited(kStore + queued("PIPE_MTE2")).severity("signal-overtakes-data") == "error");
}

TEST_CASE("gm-visibility: read back, or announced, without a fence") {
  std::string load = "  TLOAD(b, h);\n";
  CHECK(audited(kStore + kFlags + load).severity("gm-visibility") == "warning");
  CHECK(audited(kStore + kDrain + load).severity("gm-visibility") == "warning");
  CHECK(audited(kStore + kDrain + kFence + load).count("gm-visibility") == 0);
  CHECK(audited(kStore + kFlags + "  TLOAD(b, g);\n").count("gm-visibility") == 0); // other bytes
  CHECK(audited(kStore + load).count("gm-visibility") == 0);                        // not even ordered: missing-sync
  CHECK(audited(kStore + load).severity("missing-sync") == "error");
  CHECK(audited(kStore + kDrain + kNotify).severity("gm-visibility") == "warning");
  CHECK(audited(kStore + kDrain + kFence + kNotify).count("gm-visibility") == 0);
}
