// Tells who holds which bytes of each on-chip memory and when, how many of them are still needed, and prints it.
#pragma once

#include "machine/machine.h"
#include "ordering/program.h"

#include <optional>
#include <string>
#include <vector>

namespace ptosync {

// Counts the bytes of a memory that hold something that is still needed, at each instruction.
//
//   byte ranges --cut at every boundary--> segments --may be written before, may be read later--> live
//
// A segment is live at an instruction if on some path something may have been written there before and on some path
// something may read it before it is certainly overwritten; the instruction's own bytes, scratch included, count too.
// Over-approximate in program order. Pipes run ahead of one another, so this is what a kernel needs at the least if its
// storage were laid out anew with syncs to match, not what may be in flight at one moment.
// Tested by tests/explain/memory_budget_test.cpp.

/// The bytes [begin, end) of one memory that an access may touch.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
  auto operator<=>(const ByteRange &) const = default;
};

struct StorageUse {
  std::vector<ByteRange> ranges; // several: one of them
  bool reads = false, writes = false;
  bool scratch = false; // neither needs nor leaves anything
  bool certain = false; // writes every byte of its only range
};

struct LivePeak {
  std::int64_t bytes = 0;
  NodeId node = kNone; // where; the first of several
};

/// Returns the largest number of live bytes and where it is. `uses` holds for each node its uses of the memory in
/// question.
LivePeak livePeak(const Program &program, const std::vector<std::vector<StorageUse>> &uses);

// Tells who holds which bytes of each on-chip memory, and when.
//
//   accesses of a kernel --byte ranges--> holders --by address--> peak extent, slack, overlaps
//                                   \--storage_liveness--> live bytes
//
// A holder is a byte range of one memory with the tiles that lie exactly there. Ranges are those of whole tiles, not of
// valid regions, but for views of a part of another tile, which end with what they touch. Two peaks: by address, the
// last byte that anything uses, and by live bytes (livePeak). What lies at an address that is not known is
// listed and counted nowhere: the peaks are then at least so much. Tested by tests/explain/memory_budget_test.cpp.

struct MemoryHolder {
  std::int64_t begin = 0, end = 0;           // bytes [begin, end)
  std::vector<std::string> names;            // tiles, or "hidden scratch of TROWSUM"; by first use
  bool scratch = false;                      // nothing but scratch ever lies here
  std::uint32_t firstLine = 0, lastLine = 0; // of use, in program order
  std::size_t uses = 0;                      // instructions
};

struct MemoryOverlap {
  std::size_t first = 0, second = 0; // holders, by index
  std::int64_t begin = 0, end = 0;   // the bytes they share
};

struct UnplacedTile {
  std::string name;
  std::uint32_t line = 0; // of its first use
  std::string why;
};

struct SpaceBudget {
  std::string space;
  std::int64_t bytes = 0;              // of the memory; 0: the machine model does not say
  std::vector<MemoryHolder> holders;   // by address
  std::vector<MemoryOverlap> overlaps; // of different ranges; sharing one range is in `names`
  std::vector<UnplacedTile> unplaced;
  std::int64_t peakExtent = 0;          // one past the last byte that is used
  std::int64_t tileExtent = 0;          // the same of tiles alone
  std::optional<std::int64_t> hiddenAt; // the first byte of the library's hidden scratch, if calls use some
  std::int64_t covered = 0;             // bytes that are used at all
  std::int64_t peakLive = 0;            // most bytes that hold something needed at one instruction
  std::uint32_t peakLiveLine = 0;
};

struct KernelBudget {
  std::string kernel;
  Section section = Section::Both;
  std::vector<SpaceBudget> spaces; // of those that it uses, as the machine model lists them
  std::string reason;              // not empty: it could not be analysed
};

std::vector<KernelBudget> memoryBudgets(const Module &module, const Machine &machine, const OrderingOptions &options);

// The reports of `ptosync explain --memory`: text for a person, JSON for programs.
// Tested by tests/explain/memory_budget_test.cpp.

struct MemoryReport {
  std::string file, arch, toolVersion;
  std::vector<KernelBudget> kernels;
  std::string archChoice = {};           // "a3 (command line: --arch)"
  std::vector<std::string> assumed = {}; // of the file's kernels (optimize/library_use.h)
};

std::string memoryText(const MemoryReport &report);

/// Value of "schema" of the JSON form.
inline constexpr int kMemoryJsonSchema = 1;
std::string memoryJson(const MemoryReport &report);

} // namespace ptosync
