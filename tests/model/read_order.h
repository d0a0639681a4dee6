// In which order an instruction goes over an operand: how many repeats lie between the write of a byte and its read.
//
// As the chain rule counts: the writer's repeats from the byte's last write to its end, that one included, and the
// reader's repeats before the byte's first read. One of the two is taken to go from the first byte to the last, with R
// repeats of 256 bytes for an operand of R repeats, and the other is the recorded call: R for one that is sequential
// too, 1 at worst. What is ordered by a barrier of the call's own is left out. Only operands of one run are asked, in
// UB, on the vector pipe.
#pragma once

#include "believed.h"
#include "record.h"

#include <map>
#include <string>

namespace probes {

struct MeasuredOrder {
  std::optional<std::int64_t> readAfter, readBy; // smallest over all bytes; empty: no such access, or behind a barrier
};

/// `operand` has one row.
MeasuredOrder measureOrder(const RecordedCall &recorded, const BelievedAccess &operand);

class ReadOrders {
public:
  void add(const std::string &instruction, const RecordedCall &recorded, const BelievedCall &believed);
  /// instruction, form, operand (its place among those accessed); of operands of at least sixteen repeats.
  std::string table() const;

private:
  struct Order {
    std::size_t calls = 0;
    // The smallest share of an operand's repeats: measured, of so many repeats, and what the model takes for certain
    // there.
    std::int64_t measured = -1, repeats = 0, believed = 0;
    std::int64_t atSixteen = -1; // smallest of operands of sixteen repeats
    bool reads = true;
  };
  void note(const std::string &instruction, const std::string &operand, bool reads, std::int64_t repeats,
            std::optional<std::int64_t> measured, std::int64_t believed);
  std::map<std::pair<std::string, std::string>, Order> orders;
};

} // namespace probes
