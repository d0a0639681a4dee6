#include "read_order.h"

#include <algorithm>

namespace probes {

void ReadOrders::add(const std::string &instruction, const RecordedCall &recorded, const BelievedCall &believed) {
  if (!believed.form)
    return;
  for (const BelievedPhase &phase : believed.tile) {
    if (phase.pipe != "PIPE_V")
      continue;
    for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
      const BelievedAccess &operand = phase.accesses[i];
      auto repeats = static_cast<std::int64_t>((operand.rowBytes + 255) / 256);
      if (!operand.reads || operand.scratch || operand.anywhere || operand.rows != 1 || repeats < 16 || operand.space != "UB")
        continue;
      Order &order = orders[{instruction, "form " + std::to_string(*believed.form) + " operand " + std::to_string(i)}];
      ++order.calls;
      std::int64_t time = 0;
      for (const RecordedEvent &event : recorded.events) {
        if (event.kind == RecordedEvent::Kind::Barrier && (event.pipe == "PIPE_V" || event.pipe == "PIPE_ALL"))
          break;
        if (event.kind != RecordedEvent::Kind::Access || event.pipe != "PIPE_V")
          continue;
        for (const Piece &piece : event.pieces) {
          if (piece.write || piece.space != "UB" || piece.begin < operand.begin || piece.end > operand.end())
            continue;
          auto block = static_cast<std::int64_t>((piece.end - 1 - operand.begin) / 256);
          std::int64_t distance = repeats + time - block;
          order.sequential = order.sequential && block <= time;
          order.lead = std::max(order.lead, block - time);
          if (order.distance < 0 || distance < order.distance)
            order.distance = distance, order.repeats = repeats;
          if (repeats == 16 && (order.atSixteen < 0 || distance < order.atSixteen))
            order.atSixteen = distance;
        }
        ++time;
      }
    }
  }
}

std::string ReadOrders::table() const {
  auto number = [](std::int64_t value) { return value < 0 ? std::string("-") : std::to_string(value); };
  std::string text = "| instruction | operand | calls | sequential | most repeats ahead | smallest distance | of repeats | at 16 repeats |\n|---|---|---|---|---|---|---|---|\n";
  for (const auto &[key, order] : orders)
    text += "| " + key.first + " | " + key.second + " | " + std::to_string(order.calls) + " | " +
            (order.distance < 0 ? "behind a barrier" : order.sequential ? "yes" : "no") + " | " + number(order.distance < 0 ? -1 : order.lead) + " | " + number(order.distance) + " | " + std::to_string(order.repeats) + " | " + number(order.atSixteen) + " |\n";
  return text;
}

} // namespace probes
