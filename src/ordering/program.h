// A kernel as the ordering engine runs it: per block, a list of events.
//
//   Statement --machine effects--> access events (nodes) and sync events
//
//   set_flag(MTE2, V, 0)       Set of flag (MTE2, V, 0); a node that is never pending
//   TROWSUM(s, a, tmp)         Access, a node per phase and pipe: reads of a, writes of tmp and s; with --trust=library
//                              a Barrier event between its phases, which has no site
//   wait_flag(MTE2, V, 0)      Wait; a node, for a later set of the flag must come behind it
//
// Each node owns a few bits of the pending sets: one per iteration distance that is told apart.
// A loop that steps event ids through a table (`i % 3`) or branches by its iterations is expanded by phase
// (branch_plan.h): its blocks are copied once per phase, and in each copy the id is a plain number and the branch is no
// branch. So a lane is a flag like any other; nothing about lanes needs proving.
// Tested by tests/ordering/program_test.cpp.
#pragma once

#include "base/allowance.h"
#include "machine/effects.h"
#include "machine/model_choices.h"
#include "ordering/access.h"
#include "ordering/argument_relations.h"
#include "ordering/bit_set.h"
#include "ordering/scalar_analysis.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

using NodeId = std::uint32_t;

struct OrderingOptions : ModelChoices {
  /// Storage that goes round with a loop of event ids is told by the phase. Only as long as those ids are there.
  bool storageByIds = true;
  /// A condition that is tested again is one decision. For readers of a kernel: what is edited would change which
  /// conditions are followed, and syncs are not moved between the copies.
  bool followConditions = false;
  /// A wait for the scalar pipe holds back what every pipe starts later, if the machine has the rule that says so. The
  /// rule is contested: this is for asking what it silences, never for an edit.
  bool scalarWaitsHoldDispatch = false;
  /// For a kernel that has no syncs of its own to lean on: what a contested rule orders counts as not ordered, and
  /// orders relative to fences must hold that nobody would miss in a kernel that came with its syncs
  /// (Program::isNeeded).
  bool fromNothing = false;
  /// What a contested rule orders counts as ordered, whatever `fromNothing` says: for asking what the careful side
  /// costs, never for an edit.
  bool contestedRulesHold = false;
  /// Brackets of buffer ids order whatever some reading of them says: of a mode or an id that is not known, of brackets
  /// that nest. For asking what no reading orders, never for an edit.
  bool openBuffersOrder = false;
  /// What the analysis may take. One that has ended early says nothing: base/allowance.h.
  Allowance allowance = {};
};

/// Flags have nodes too: a wait is pending for the other pipes until they know that it consumed
/// its flag, and a set must not come before that. So have the sets and waits inside a library call, where the kernel
/// itself uses flags between the same pipes.
struct Node {
  Pipe pipe = Pipe::S;
  BlockId block = 0;       // also the step of its first copy
  std::uint32_t event = 0; // in its block, the same in every copy
  const Statement *statement = nullptr;
  LoopId loop = kNone;
  bool fence = false;
  bool unknown = false;              // of a call that nothing is known about
  bool release = false;              // a fence for what precedes it only
  bool acquire = false;              // a fence for what follows it only
  bool sets = false;                 // a set: never pending itself
  bool holdsPipe = false;            // nothing later on its pipe starts before it is over: a wait
  FifoId fifo = kNone;               // of a FIFO call that moves no data itself
  bool betweenCores = false;         // a fence only towards what another core reaches
  bool publishes = false;            // a release only because others may see at once what it writes
  std::vector<std::uint32_t> inside; // flags that the library sets and waits for inside the call
  std::uint32_t libraryFlag = kNone; // the node is a set of this flag inside a library call, or the wait for it
  std::vector<Access> accesses;
  std::optional<MatrixProduct> product; // what it adds up, if that is known
  std::uint32_t firstBit = 0;

  /// True for a set or a wait, of the kernel's own or inside a library call.
  bool isFlag() const { return libraryFlag != kNone || std::holds_alternative<Sync>(statement->action); }
};

/// A flag by source, destination and id; the key of a token.
struct Flag {
  Pipe source, destination;
  std::int64_t id;
  auto operator<=>(const Flag &) const = default;
};

/// The releases of one buffer id by one pipe.
struct BufferRelease {
  Pipe pipe;
  std::int64_t id;
  auto operator<=>(const BufferRelease &) const = default;
};

/// "(PIPE_V, PIPE_MTE3, 2)".
std::string flagText(const Flag &flag);

struct Event {
  /// Inside: a set or a wait inside a library call, which has no lanes; its node says which (Node::libraryFlag). It
  /// matters for the reuse of the flag alone. Tokens and what it may order belong to the call (Node::inside).
  /// Get and Release: the two ends of a bracket of a buffer id; they have no lanes and no node.
  enum class Kind : std::uint8_t { Access, Barrier, Set, Wait, Inside, Get, Release };
  Kind kind = Kind::Access;
  NodeId node = kNone;              // Access, Set, Wait and Inside
  Pipe source = Pipe::All;          // Barrier: the pipe or All; Get, Release: the pipe
  Pipe destination = Pipe::All;     // flags
  std::vector<std::uint32_t> lanes; // flags: indices into Program::flags; several: not decided
  SiteId site = kNone;              // kNone: inside a library call
  const Statement *statement = nullptr;
  bool isBuffer() const { return kind == Kind::Get || kind == Kind::Release; }
  bool isFlag() const { return kind == Kind::Set || kind == Kind::Wait; }
  bool holdsDispatch = false; // Wait, Get: whatever any pipe starts later is behind it

  // Buffer ids (buffers.h).
  std::vector<std::int64_t> ids;      // that it may name; empty: any
  std::vector<std::uint32_t> buffers; // indices into Program::buffers. Get: the releases, on other pipes, that it waits
                                      // for; Release: what it is one of. Several: not decided
  BufferMode mode = BufferMode::Blocking;
  bool orders =
      false; // it orders for certain: its id is one known number, it blocks, and no bracket of that id is amiss
};

/// A block of the kernel, or one of its copies, one per phase of the loops that were expanded and outcome of
/// the conditions that are followed. The first copy has the block's own number.
using StepId = std::uint32_t;

/// A control-flow edge, with the loop it goes round.
struct Edge {
  StepId to;
  LoopId around = kNone;
};

/// Something amiss with the brackets of one buffer id: what the hardware does then is not said anywhere.
struct BufferFault {
  enum class Kind : std::uint8_t {
    Nested,    // a get while the id is held
    NotHeld,   // a release of what is not held
    OtherPipe, // a release by another pipe than the get
    OtherMode, // a release in another mode than the get
    OpenAtEnd, // held where the kernel ends
  };
  Kind kind = Kind::Nested;
  std::int64_t id = 0;
  StepId step = 0;
  std::uint32_t event = kNone;                              // in its step; kNone: the kernel's end
  std::pair<StepId, std::uint32_t> holder = {kNone, kNone}; // the get that holds it; none of NotHeld
  bool onEveryPath = false;                                 // that comes here; false: on some
};

/// A sync whose event id steps through a table with a loop.
struct IdStep {
  LoopId loop;
  SiteId site;
  std::uint32_t period; // entries
};

struct Program {
  const Kernel *kernel = nullptr;
  const Machine *machine = nullptr;
  OrderingOptions options;
  std::unique_ptr<FlowGraph> graph;
  std::unique_ptr<ScalarAnalysis> scalars;
  ArgumentRelations arguments;                        // which pointer arguments may meet, as the text says
  std::vector<std::vector<Event>> steps;              // the events of each
  std::vector<std::vector<Edge>> edges;               // feasible ones, by step
  std::vector<BlockId> blockOf;                       // by step
  std::vector<std::optional<ScalarValue>> conditions; // by block, of branches that are not constant
  std::vector<StepId> order;                          // reachable steps, loops' copies together
  std::vector<Node> nodes;
  std::vector<Flag> flags;
  std::vector<BufferRelease> buffers;
  std::vector<BufferFault> bufferFaults; // of the kernel as it came
  std::uint32_t distances = 2;           // K: distances 1 .. K-1 exactly, K means K or more
  std::uint32_t bits = 0;
  std::vector<NodeId> nodeOfBit;
  /// What the bits of a loop's nodes become by going round it: those from `first` on.
  struct AgedBits {
    std::uint32_t first = 0;
    std::vector<std::uint32_t> aged;
  };
  std::vector<AgedBits> agedBits;     // by loop
  std::uint32_t globalMemory = kNone; // its space
  std::set<AtomId> rings;             // the pointers that FIFOs of the kernel have as ring
  std::vector<IdStep> idSteps;
  std::set<LoopId> placedByIds; // loops in which storage is told by the phase because event ids are
  /// Why branches that might be decided by phase are left open: one clause; empty if none are.
  std::string undecidedBranches;

  /// Returns true if the order of two nodes is one relative to an opaque fence: the later one is a fence for
  /// what precedes it, the earlier one for what follows it, or both are fences of any kind. Waits are
  /// no work of their own: only what they pass on counts.
  /// A FIFO call that moves no data (the form with a tensor) waits or signals for its own pipe, and
  /// what the other core can see by it is the FIFO's ring. So across pipes it is a fence only for calls
  /// on the same FIFO, for other fences, and for global memory that is not another FIFO's ring; not
  /// for work inside the core. One that moves data is none for work on memories that no other core
  /// reaches: what it does to them itself is an access like any other.
  bool fenceOrder(const Node &earlier, const Node &later) const;
  /// Returns true if an order relative to a fence is needed in any kernel: of a call that nothing is known about, a
  /// flush, a signal, a FIFO call that hands over a slot which others have filled or read. False for a fence that a
  /// call is only because others may see what it moves itself, a store or a push of a tile: right kernels leave those
  /// open, and what they move is ordered as a conflict.
  static bool isNeeded(const Node &earlier, const Node &later);

  /// Returns the number of rows of a pending state (pending_state.h): pipes, flags, and releases of buffer ids.
  std::size_t rowCount() const { return kPipeCount + flags.size() + buffers.size(); }
  /// Returns the row of releases, by index into `buffers`.
  std::size_t rowOfBuffer(std::uint32_t buffer) const { return kPipeCount + flags.size() + buffer; }

  /// Returns the distance that a bit of its node stands for.
  IterationDistance distanceOf(std::uint32_t bit) const;
  std::uint32_t bitCount(const Node &node) const;
  /// Returns the bit of `node` at distance `count` (saturating) in `loop`.
  std::uint32_t bitAt(const Node &node, LoopId loop, std::uint32_t count) const;
  /// Returns the bit of the same instance after going round `loop` (kNone: unchanged).
  std::uint32_t agedBit(std::uint32_t bit, LoopId loop) const {
    if (loop == kNone || bit - agedBits[loop].first >= agedBits[loop].aged.size()) // those in front of it wrap
      return bit;
    return agedBits[loop].aged[bit - agedBits[loop].first];
  }
  /// Returns the first bit that may age by going round the loop, and the one behind the last.
  std::pair<std::uint32_t, std::uint32_t> bitsIn(LoopId loop) const {
    const AgedBits &own = agedBits[loop];
    return {own.first, own.first + static_cast<std::uint32_t>(own.aged.size())};
  }
  /// To be called once the bits are numbered.
  void numberAgedBits();
};

/// Fails if the control flow is irreducible. Analysis::of is what most callers want.
llvm::Expected<Program> buildProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

/// Returns the memory states of the steady loads, by block and statement. The program is one that was built without
/// any.
///
/// A steady load of global memory gives one value wherever it stands: `if (d[1] > 1) set; ... if (d[1] > 1)
/// wait`.
///
/// A load is steady if no instruction of the kernel may write to the argument that it reads, by any pipe and at any
/// distance. Its value then is that of the memory as the kernel's last dealing with others left it. Others are other
/// cores, ranks and the host: a fence, a signal, a call that nothing is known about, a volatile access, and a loop that
/// does nothing but look at memory begin a new state. Two loads of one address in one state have one value.
/// The states are numbered like a variable that every such statement assigns to: they join where paths join, and one of
/// a loop is another one in each iteration. That is sound for a kernel without races on the memory it loads from. With
/// such a race no reading of it is right, so the loads of `opt` and of the replay stay what they are; this is for
/// readers of a kernel (OrderingOptions::followConditions).
std::map<StatementPlace, MemoryState> steadyLoads(const Program &program);

} // namespace ptosync
