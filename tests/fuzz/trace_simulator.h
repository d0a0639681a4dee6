// What a random kernel's synchronisation orders, on one concrete run.
//
//   FuzzKernel + Run --execute--> trace of accesses and syncs --clocks--> who waits for whom
//   trace of the input, trace of the output --lostIn, faultIn--> what the edits broke
//
// The judge of the fuzzer. It shares nothing with src/ordering: it walks the generator's tree (not
// the text), with concrete arguments, and keeps one completion clock per pipe. clock[Q][P] is how
// many accesses of P are certain to be complete when Q starts its next instruction; since every
// ordering fact covers everything earlier on its source pipe, a count says it all. A pair (x, y) is
// ordered if y's clock at its start has reached x.
//
// Why a finding is real: the trace is one that the kernel can run, bytes are exact, and only the
// machine rules of docs/machine.md with a grade that may justify a removal excuse a pair; so an
// order that the input had and the output lost, between two accesses that share a byte, is a new
// hazard. The work of input and output is the same, item by item; their syncs are matched by line
// and by how often the line has run. Why silence proves little: only the runs tried are seen.
//
// Brackets of buffer ids (a5): a get makes its pipe know what every release of the id knows that was handed out before
// it by another pipe; a release knows what its pipe knows, and its pipe's own work so far. Of its own pipe a get learns
// nothing. What brackets of mode 1 do, and those of an id that is not taken and given back in turn, is open: the clocks
// are kept in two readings, in one of which these order nothing, and in the other all that they may. An order that the
// output loses in either is lost.
#pragma once

#include "fuzz/fuzz_kernel.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace ptosync::fuzz {

enum class LibraryTrust { Tile, Library };

/// The architecture whose rules excuse pairs, and whose library makes the accesses.
enum class Chip { A3, A5 };

/// The values that a run is made with.
struct Run {
  std::int64_t length = 0, limit = 0, rare = 0;
  std::uint64_t dataSeed = 0; // decides what the scalar unit loads
};

std::string describe(const Run &run);

/// A tile as a rule about exact accesses sees it.
struct ExactTile {
  std::int64_t address, rows, columns, validRows, validColumns, elementBytes;
  bool columnMajor;
  bool eligible; // named by the call, no scratch, its region known at compile time
  bool sameAs(const ExactTile &other) const;
  bool contiguous() const;
  std::int64_t vectorRepeats() const;
};

struct TraceAccess {
  int space = 0; // Space, or its end plus the number of the global argument
  std::int64_t base = 0, rows = 1, rowBytes = 0, stride = 0;
  bool reads = false, writes = false, hidden = false;
  std::int64_t ring = -1; // global memory: the flags of the FIFO whose ring it is
  ExactTile tile{};
};

/// A flag by source, destination and id.
using TraceFlag = std::tuple<Pipe, Pipe, std::int64_t>;

/// What a call that talks to other cores holds: what is before it, what is behind it, or both.
enum class TraceFence { None, All, Acquire, Release };

/// What stands in the queue of one pipe: a part of an instruction, or a set or wait, of the kernel's own or inside a
/// library call (these matter for the reuse of their flag only).
struct TraceNode {
  enum class Role { Work, Set, Wait };
  std::uint32_t instance = 0, line = 0;
  Pipe pipe = Pipe::S;
  std::uint32_t number = 0;     // from 1, on its pipe
  std::uint32_t occurrence = 0; // Set, Wait: how often the line had run before
  bool moved = false;           // Set, Wait: an edit put it where it is
  bool inside = false;          // Set, Wait: the library's
  Role role = Role::Work;
  TraceFence fence = TraceFence::None;
  std::int64_t signal = -1;  // of a FIFO call that moves no data: the FIFO's flags
  bool betweenCores = false; // a fence only for what other cores reach
  TraceFlag flag{};
  std::vector<TraceAccess> accesses;
  std::uint32_t iterations = 0; // index into the trace's iteration stacks
  std::int64_t fractals = 0;    // of a product's result: squares of 16 x 16 elements; 0: no product
};

/// An order that the input gives and the output does not, and that matters.
struct LostOrder {
  std::uint32_t earlierLine = 0, laterLine = 0, earlierInstance = 0, laterInstance = 0;
  std::string kind; // "RAW", "WAR", "WAW", "RAR", "fence", "reuse" of a flag, "end", "other work"
};

class TraceSimulator {
public:
  TraceSimulator(const FuzzKernel &kernel, LibraryTrust trust, const Run &run, Chip chip);

  /// An order that this run has and the same run of an edited kernel has not.
  std::optional<LostOrder> lostIn(const TraceSimulator &output) const;
  /// A flag that is not binary in the output's run, or a bracket that is amiss, at a place where it is not in this one.
  std::optional<std::string> faultIn(const TraceSimulator &output) const;
  /// The number of conflicting pairs that neither synchronisation nor a rule orders.
  std::size_t hazards() const;
  std::size_t size() const { return nodes.size(); }
  /// Returns what is amiss with the brackets of the run.
  std::set<std::string> bracketFaults() const;

private:
  friend class TraceBuilder;
  using Clock = std::array<std::uint32_t, kPipeCount>;
  struct Event {
    enum class Kind { Access, Barrier, Set, Wait, Get, Release }; // Access: of any node
    Kind kind = Kind::Access;
    Pipe source = Pipe::All, destination = Pipe::All;
    std::int64_t id = 0;
    std::uint32_t line = 0; // 0: inside a library call
    std::uint32_t node = 0;
    std::int64_t mode = 0;        // Get, Release
    std::uint32_t occurrence = 0; // likewise: how often the line had run before
  };
  /// Of brackets whose meaning is open.
  enum class Reading { OrderNothing, OrderAll };
  /// What is known to be complete, by pipe: at the start of each node; in the end, to the scalar unit, and to some pipe
  /// but the work's own.
  struct Knowledge {
    std::vector<Clock> clocks;
    Clock scalarKnows{}, othersKnow{};
  };
  struct BracketFault {
    std::int64_t id = 0;
    std::string text;
  };
  Knowledge clocksIn(Reading reading) const;
  const Knowledge &in(Reading reading) const {
    return open.empty() || reading == Reading::OrderNothing ? known : generous;
  }
  std::vector<BracketFault> faultsOfBrackets() const;
  void findOpenBrackets();
  std::optional<LostOrder> lostReading(const TraceSimulator &output, Reading reading) const;
  std::uint32_t workAmong(std::size_t pipe, std::uint32_t count) const;
  std::optional<LostOrder> lostWork(const TraceSimulator &output, Reading reading) const;
  std::optional<LostOrder> lostReuse(const TraceSimulator &output, Reading reading) const;
  std::optional<LostOrder> lostAtEnd(const TraceSimulator &output, Reading reading) const;
  std::set<std::string> faults() const;
  static bool fenceBetween(const TraceNode &earlier, const TraceNode &later);
  /// Empty if the pair may run in any order, or a machine rule orders it.
  std::string conflict(const TraceNode &earlier, const TraceNode &later) const;
  bool sameIteration(const TraceNode &earlier, const TraceNode &later) const;

  std::vector<Event> events;
  std::vector<TraceNode> nodes;
  std::array<std::vector<std::uint32_t>, kPipeCount> nodesOfPipe;
  std::vector<std::map<std::uint32_t, std::uint32_t>> iterationStacks; // loop -> iteration, unique per run
  std::vector<std::uint32_t> work;                                     // nodes that are no sets and waits
  std::array<std::vector<std::uint32_t>, kPipeCount> workOfPipe;       // likewise
  std::array<std::vector<std::uint32_t>, kPipeCount> workNumbers;      // by number on the pipe: work up to it
  bool truncated = false, leftEarly = false;
  Chip chip;
  std::set<std::int64_t> open; // buffer ids with brackets whose meaning is open
  Knowledge known, generous;   // where these order nothing; and all that they may, if there are any
};

} // namespace ptosync::fuzz
