// Helpers for tests of syncs that are placed anew.
#pragma once

#include "support/corpus.h"
#include "synthesis/fixed.h"
#include "synthesis/resync.h"
#include "timing/timed.h"

namespace ptosync::test {

inline synthesis::ResyncResult resynced(const Module &module, const synthesis::ResyncOptions &options = {},
                                        const std::string &arch = "a3") {
  return llvm::cantFail(
      synthesis::resync(module, machineOf(arch), defaultPatterns(), costsOf(arch), options, lifter(arch)));
}

/// A loop of load, addition and store on one buffer each, from the line behind kBodyLine - 1 on, with these statements
/// in front of the loop, in front of each of the three instructions, behind them, and behind the loop.
struct LoopSyncs {
  std::string before, load, add, store, end, behind;
};

inline std::string loopKernel(const LoopSyncs &syncs) {
  return vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + syncs.before +
                      "  for (int32_t i = 0; i < n; ++i) {\n" + tensor("g", "in", "i") + tensor("h", "out", "i") +
                      syncs.load + "    TLOAD(v1, g);\n" + syncs.add + "    TADDS(v2, v1, 1.0f);\n" + syncs.store +
                      "    TSTORE(h, v2);\n" + syncs.end + "  }\n" + syncs.behind);
}

inline std::string setFlag(const std::string &from, const std::string &to, int id) {
  return "  set_flag(PIPE_" + from + ", PIPE_" + to + ", EVENT_ID" + std::to_string(id) + ");\n";
}
inline std::string waitFlag(const std::string &from, const std::string &to, int id) {
  return "  wait_flag(PIPE_" + from + ", PIPE_" + to + ", EVENT_ID" + std::to_string(id) + ");\n";
}

/// Right, and slow: the next load waits for the store.
inline std::string serialLoop() {
  LoopSyncs syncs;
  syncs.before = setFlag("MTE3", "MTE2", 0);
  syncs.load = waitFlag("MTE3", "MTE2", 0);
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0);
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = setFlag("MTE3", "MTE2", 0);
  syncs.behind = waitFlag("MTE3", "MTE2", 0);
  return loopKernel(syncs);
}

/// The same with a flag for each buffer.
inline std::string overlappedLoop() {
  LoopSyncs syncs;
  syncs.before = setFlag("V", "MTE2", 0) + setFlag("MTE3", "V", 0);
  syncs.load = waitFlag("V", "MTE2", 0);
  syncs.add = setFlag("MTE2", "V", 0) + waitFlag("MTE2", "V", 0) + waitFlag("MTE3", "V", 0);
  syncs.store = setFlag("V", "MTE2", 0) + setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  syncs.end = setFlag("MTE3", "V", 0);
  syncs.behind = waitFlag("V", "MTE2", 0) + waitFlag("MTE3", "V", 0);
  return loopKernel(syncs);
}

/// The same with the flags round the loop set where they are waited for.
inline std::string shortLoop() {
  LoopSyncs syncs;
  syncs.load = setFlag("V", "MTE2", 0) + waitFlag("V", "MTE2", 0);
  syncs.add = setFlag("MTE2", "V", 0) + setFlag("MTE3", "V", 0) + waitFlag("MTE2", "V", 0) + waitFlag("MTE3", "V", 0);
  syncs.store = setFlag("V", "MTE3", 0) + waitFlag("V", "MTE3", 0);
  return loopKernel(syncs);
}

/// A load, an addition and a store for which `slots` buffers each go round by `i`, everything behind PIPE_ALL.
inline std::string slotLoop(const std::string &slots, const std::string &header = "int32_t i = 0; i < n; ++i",
                            const std::string &count = "i") {
  std::string place = "(" + count + " % " + slots + ") * 4096";
  return vectorKernel("  for (" + header + ") {\n" + tensor("g", "in", "i") + tensor("h", "out", "i") +
                      tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 0) + "    TASSIGN(v1, (uint64_t) (" +
                      place + "));\n    TASSIGN(v2, (uint64_t) (32768 + " + place +
                      "));\n    pipe_barrier(PIPE_ALL);\n    TLOAD(v1, g);\n    pipe_barrier(PIPE_ALL);\n"
                      "    TADDS(v2, v1, 1.0f);\n    pipe_barrier(PIPE_ALL);\n    TSTORE(h, v2);\n  }\n");
}

} // namespace ptosync::test
