// The table of what an instruction costs: for how long it holds its pipe, and how long after that it is finished.
//
//   cost_a3.json, cost_a5.json --read--> CostTable --costOf(execution)--> pipe, throughput, latency
//
// Every number is an estimate out of published models and carries its source and what is known of its error; what no
// source has falls back to a neighbour, and says so in the data. Units: cycles of the core's clock.
// Knows nothing of syncs or of order. Tested by tests/timing/cost_table_test.cpp.
#pragma once

#include "machine/machine.h"
#include "replay/run/work.h"

#include <llvm/Support/Error.h>

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync::timing {

struct Cost {
  Pipe pipe = Pipe::S;
  double throughput = 0; // the pipe takes its next instruction after so many cycles
  double latency = 0;    // and the result is there so many cycles after that
};

/// The cycles of a vector instruction: fixed + rows * perRow + repeats * perRepeat. A repeat is 256 bytes.
struct VectorCost {
  double fixed = 0, perRow = 0, perRepeat = 0, latency = 0;
};

/// The cost of one path between two memories, "GM" and "UB" for example.
struct PathCost {
  double bytesPerCycle = 1, latency = 0;
  double sourceShare = 0; // of the bytes that lie in the source memory, those that count; 0: what both ends agree on
};

struct MatrixCost {
  double fixed = 0, perTile = 0, perTileFloat = 0;
  std::int64_t tileRows = 16, tileCols = 16, tileBytes = 32;
};

/// Names the entry of the table by which an execution costs, and holds the sizes that the entry asks for.
struct CostShape {
  enum class Group : std::uint8_t {
    Other,  // known to no entry: the scalar unit's time alone
    Scalar, // by `name`
    Path,   // by `from` and `to`, `bytes`
    Signal, // a move of nothing
    Matrix, // by `tiles`, of 32-bit elements if `wide`
    Vector, // by `name`, `rows` and `repeats`
  };
  Group group = Group::Other;
  Pipe pipe = Pipe::S;
  std::string name, from, to;
  double bytes = 0, rows = 0, repeats = 0, tiles = 0;
  bool wide = false;
  auto operator<=>(const CostShape &) const = default;
};

/// The cycles that the scalar unit takes to hand out work.
struct IssueCost {
  double instruction = 1, sync = 1;
};

/// Says how the FIFOs between the two cores of a kernel make one wait for the other.
struct FifoCost {
  bool holdsCore = false; // a wait holds the whole core's scalar unit; otherwise its own pipe alone
  bool popFrees = false;  // an entry that is popped into a tile is given back by the pop itself, not by the free
  double signal = 0;      // cycles from where it is sent to where it is seen
  std::int64_t wholeRing = 1, ringParts = 1;
  /// Returns how many entries are given back, and waited for, at once: rings of few slots as a whole, others in parts.
  std::int64_t slotsAtOnce(std::int64_t slots) const {
    return slots <= wholeRing || slots < ringParts ? slots : slots / ringParts;
  }
};

class CostTable {
public:
  /// Reads a table from JSON. Errors name the file (`name`), the place and what was expected.
  static llvm::Expected<CostTable> parse(std::string_view json, std::string_view name);
  /// Returns the built-in numbers of "a3" or "a5".
  static llvm::Expected<CostTable> builtIn(std::string_view arch);

  /// Replaces the numbers that a user's file names. The file has the same form, with every part optional. An entry that
  /// the table does not have starts as the entry that would have stood for it. Fails as `parse` does, and leaves the
  /// table unchanged then.
  llvm::Error overlay(std::string_view json, std::string_view name, const Machine &machine);

  const std::string &arch() const { return archName; }
  /// Returns the name of the file whose numbers replace built-in ones; empty if none does.
  const std::string &overlaidBy() const { return overlayName; }
  double clockMHz() const { return clock; }
  const IssueCost &issue() const { return issueCost; }
  const FifoCost &fifo() const { return fifoCost; }
  /// Returns the cost of one execution of an instruction, in cycles. The time that a call spends on pipes beside its
  /// main one is not counted.
  Cost costOf(const replay::Work &work, const Kernel &kernel, const Machine &machine) const {
    return costOf(shapeOf(work, kernel, machine));
  }
  CostShape shapeOf(const replay::Work &work, const Kernel &kernel, const Machine &machine) const;
  Cost costOf(const CostShape &shape) const;
  /// Return the entry by which something costs, or the entry for all others if it has none of its own.
  const PathCost &path(const std::string &from, const std::string &to) const;
  const VectorCost &vectorCost(const std::string &name) const;
  const MatrixCost &matrix() const { return matrixCost; }

private:
  friend class CostTableReader;
  void fillPath(CostShape &shape, const replay::Work &work, const Machine &machine) const;
  void fillTiles(CostShape &shape, const replay::Work &work, const Kernel &kernel) const;

  std::string archName, overlayName;
  double clock = 1;
  IssueCost issueCost;
  FifoCost fifoCost;
  std::map<std::pair<std::string, std::string>, PathCost> paths;
  PathCost otherPath;
  MatrixCost matrixCost;
  std::map<std::string, VectorCost, std::less<>> vector;
  std::map<std::string, double, std::less<>> scalar;
  std::vector<std::string> vectorMoves;
  VectorCost otherVector;
  double otherInstruction = 1;
};

} // namespace ptosync::timing
