// In which order an instruction reads an operand: how far a read follows the write of the same bytes.
//
// A producer of R repeats writes repeat b of an operand as its b-th; the reader's t-th repeat on the vector pipe reads it.
// The distance is R + t - b repeats: R for a reader that goes through the operand as it was written, 1 for one that begins
// with the end. Reads behind a barrier of the call's own, and those of other pipes, wait for all of the producer anyway and
// are left out. Only operands of one run and at least sixteen repeats are asked.
#pragma once

#include "believed.h"
#include "record.h"

#include <map>
#include <string>

namespace probes {

class ReadOrders {
public:
  void add(const std::string &instruction, const RecordedCall &recorded, const BelievedCall &believed);
  /// instruction, form, operand (its place among those accessed), calls, sequential, most repeats ahead, smallest distance, repeats there.
  std::string table() const;

private:
  struct Order {
    std::size_t calls = 0;
    bool sequential = true;
    std::int64_t lead = 0;                        // most repeats that a read runs ahead of its place
    std::int64_t distance = -1, repeats = 0;      // smallest; -1: none read before a barrier
    std::int64_t atSixteen = -1;                  // smallest of operands of sixteen repeats
  };
  std::map<std::pair<std::string, std::string>, Order> orders;
};

} // namespace probes
