// Executes a random kernel's tree with concrete values and writes down what reaches the pipes.
//
// What each opcode touches is stated here from docs/machine.md, not read from the machine files:
// the fuzzer would not see a wrong table that it shared.
#pragma once

#include "fuzz/trace_simulator.h"

namespace ptosync::fuzz {

class TraceBuilder {
public:
  TraceBuilder(TraceSimulator &trace, const FuzzKernel &kernel, LibraryTrust trust, const Run &run);
  void build();

private:
  enum class Flow { Next, Break, Continue, Return };
  struct TileState {
    std::int64_t address = 0, validRows = 0, validColumns = 0;
  };
  /// Which operands an opcode reads, writes and uses as scratch, by position.
  struct Effect {
    Pipe pipe = Pipe::V;
    std::vector<std::size_t> writes, reads, scratch;
    bool hiddenScratch = false, closingBarrier = false;
  };
  /// Of a call that talks to other cores, or that uses flags inside.
  struct CallEffect {
    TraceFence fence = TraceFence::None;
    std::vector<Pipe> pipes, touching; // on which it is observed; on which it reads and writes
    std::vector<TraceFlag> flags;
    std::int64_t signal = -1;
    bool betweenCores = false;
  };

  Flow runList(const std::vector<Statement> &list);
  Flow runStatement(const Statement &statement);
  Flow runLoop(const Statement &loop);
  void runCall(const Statement &call);
  void runTile(const Statement &statement);
  void runInstruction(const Statement &statement);
  void runLoad(const Statement &statement);
  void runUnknown(const Statement &statement);
  bool runSpecial(const Statement &statement);
  std::optional<CallEffect> callEffectOf(const Statement &statement) const;
  const FuzzFifo *fifoOf(const Statement &statement) const;
  std::vector<TraceAccess> accessesOfCall(const Statement &statement) const;
  void addInside(const Statement &statement, const CallEffect &effect, TraceNode::Role role);
  void runSync(const Statement &statement);
  void runBuffer(const Statement &statement);
  std::int64_t evaluate(const Scalar &scalar) const;

  Effect effectOf(const Statement &statement) const;
  TraceAccess accessOf(const Operand &operand, bool scratch) const;
  TraceAccess hiddenScratch(bool reads, bool writes) const;
  std::int64_t fractalsOf(const Statement &statement) const;
  void addPhases(const Statement &statement, const Effect &effect);
  TraceNode &addNode(Pipe pipe, std::uint32_t line, std::vector<TraceAccess> accesses,
                     TraceNode::Role role = TraceNode::Role::Work);
  void addLibraryBarrier(Pipe pipe);
  bool full() const { return trace.work.size() > kMostWork; }

  static constexpr std::size_t kMostWork = 1000; // work, not syncs: edits must not move the cut

  TraceSimulator &trace;
  const FuzzKernel &kernel;
  LibraryTrust trust;
  Run run;
  std::vector<std::int64_t> variables;
  std::vector<TileState> tiles;
  std::map<std::uint32_t, std::uint32_t> iterations;
  std::map<std::uint32_t, std::uint32_t> occurrences;                           // of sets and waits, by line
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> loopNumbers; // (call, line) -> loop
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> callNumbers;
  std::uint32_t currentCall = 0, iterationCount = 0, instanceCount = 0, loadCount = 0;
};

} // namespace ptosync::fuzz
