// What one execution of an instruction does: phases on pipes, and the bytes each one touches.
//
//   TLOAD(v15, v21)      one phase on MTE2: reads 4096 bytes of GM from v21's address, writes UB [0, 4096)
//   TADD(v17, v17, v15)  one phase on V: reads UB [4096, 8192) and [0, 4096), writes UB [4096, 8192)
//
// Taken from the machine model, with the addresses, sizes and valid regions that the run has in its variables at that
// moment. Over-approximates where a value is not certain: an address of unknown origin is what number/value.h knows of
// it, a valid region that arguments decide is the whole tile. Equal executions share one Work. It does not know which
// accesses conflict (judge/conflict.h). Tested by tests/replay/run/work_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/effects.h"
#include "machine/footprint.h"
#include "replay/options.h"
#include "replay/run/evaluator.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync::replay {

/// Bytes of one memory.
struct Extents : Bytes {
  std::optional<std::size_t> space;      // index into Machine::spaces(); empty: any memory
  std::optional<std::uint32_t> argument; // GM: the kernel argument whose memory it is; empty: any
  std::int64_t ring = -1;                // GM: flag base of the FIFO in whose ring it lies; -1: not known
  bool whole = true;                     // all of the space, or of the argument's memory
  bool operator==(const Extents &) const = default;
};

struct Access {
  Extents bytes;
  bool reads = false, writes = false;
  bool scratch = false; // a tmp operand or hidden memory
  bool hidden = false;  // memory the call does not name
  // One unbroken run of bytes whose valid region is certain; the rest is meaningful only then.
  bool exact = false;
  std::int64_t validRows = 0, validCols = 0, repeats = 0;
  LineShape shape;
  AccessOrder order = AccessOrder::Unknown; // in which the repeats go over the tile
  bool operator==(const Access &) const = default;
};

struct Phase {
  Pipe pipe = Pipe::S;
  bool barrier = false; // a barrier of `pipe` inside the library call
  std::vector<Access> accesses;
  bool operator==(const Phase &) const = default;
};

struct Work {
  const Instruction *instruction = nullptr;
  bool known = true;
  FenceKind fence = FenceKind::None;
  std::vector<Phase> phases;
  // A fence that moves no data of a FIFO in global memory: it waits or signals for its own pipe, and what the other
  // core can see by it is the ring of its FIFO, this flag base. -1: it is not known which; empty: any other
  // instruction.
  std::optional<std::int64_t> signal;
  bool betweenCores = false; // any other fence that is one only towards memories that several cores reach
  std::vector<HiddenFlag> flags;
  std::optional<MatrixProduct> product; // what it adds up, if that is known
  std::vector<std::int64_t> scalars;    // values of the scalar operands, in order
  std::string text;                     // name, template arguments and literals of the call
  std::uint64_t signature = 0;          // equal if only addresses in GM differ
};

/// Returns true if both do the same to the same bytes, whatever the variables are called.
bool sameWork(const Work &a, const Work &b);

/// All the work of one kernel, by number.
class WorkTable {
public:
  WorkTable(const Kernel &kernel, const Machine &machine, const Options &options)
      : kernel(kernel), machine(machine), options(options) {}

  /// Returns the work of executing `instruction` now. A tile that a FIFO pop places gets its address here.
  std::uint32_t execute(const Instruction &instruction, Evaluator &values);
  const Work &operator[](std::uint32_t number) const { return works[number]; }
  std::size_t size() const { return works.size(); }

private:
  using Key = std::vector<std::int64_t>;

  /// The values of scalar and pointer operands, evaluated once for an execution.
  struct Execution {
    const Instruction &instruction;
    const Evaluator &values;
    std::vector<Value> operands; // as many as the instruction has
  };

  void place(const Instruction &instruction, Evaluator &values);
  void placeAnywhere(const Instruction &instruction, Evaluator &values);
  Key keyOf(const Execution &execution) const;
  Work build(const Execution &execution) const;
  Effects effects(const Execution &execution) const;
  static bool isFifoFence(const Work &work);
  static bool mayPublish(const Work &work, const std::set<std::size_t> &spaces);
  std::optional<std::int64_t> signalOf(const Work &work, const Instruction &instruction) const;
  Access accessOf(const Execution &execution, const EffectAccess &effect) const;
  void fillTile(Access &access, const Tile &tile, const EffectAccess &effect, const Evaluator &values) const;
  void fillTensor(Access &access, const Tensor &tensor, const Evaluator &values) const;
  bool isBeyond(const Value &pointer) const;
  void fillPointer(Access &access, const Value &pointer, std::uint32_t bytes) const;
  static void fillFirstByte(Access &access, const Value &pointer, const Evaluator &values);
  void fillHidden(Access &access, const HiddenMemory &hidden) const;

  const Kernel &kernel;
  const Machine &machine;
  const Options &options;
  std::deque<Work> works;
  std::map<const Instruction *, std::map<Key, std::uint32_t>> byInstruction;
};

} // namespace ptosync::replay
