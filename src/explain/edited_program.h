// The program of a kernel with some syncs out and perhaps a barrier put in, built anew.
//
//   Kernel --buildProgram--> Program --events out, barrier in--> Program with the same nodes, bits and flags
//
// `Analysis::tryEdit` takes edits that only weaken, and tells the first thing that they break. To see all of it, or
// what a stronger edit would do, the edited kernel is analysed from scratch. Nodes and bits have the same numbers as in
// the program of the untouched kernel, so that open pairs of the two can be compared. Tested by
// tests/explain/edited_program_test.cpp.
#pragma once

#include "ordering/kernel_analysis.h"

#include <optional>
#include <set>

namespace ptosync {

struct SyncChange {
  std::set<SiteId> removed;
  struct Barrier {
    BlockId block;
    std::uint32_t event; // of the untouched program: it stands in front
    Pipe pipe;
  };
  std::optional<Barrier> barrier;
};

class EditedProgram {
public:
  /// `kernel` can be analysed; that it builds is known from the untouched program.
  EditedProgram(const Kernel &kernel, const Machine &machine, const OrderingOptions &options, const SyncChange &change);

  const Analysis &analysis() const { return *edited; }
  const Program &program() const { return edited->program(); }
  const Pending &pending() const { return edited->pending(); }
  /// Where an event of the untouched program stands now; of one that is out, what follows it.
  EventKey keyOf(EventKey untouched) const;

private:
  void edit(Program &program, const SyncChange &change);

  std::optional<Analysis> edited;                    // always there
  std::vector<std::vector<std::uint32_t>> positions; // by step, by event of the untouched program
};

/// The obligations that `edited` leaves open and `untouched` does not, those included that a contested rule silences.
/// By instance, so one that `untouched` leaves open on some path is not among them.
std::vector<OpenObligation> newlyOpen(const Pending &untouched, const Pending &edited);

} // namespace ptosync
