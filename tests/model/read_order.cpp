#include "read_order.h"

#include <algorithm>

namespace probes {
namespace {

constexpr std::uint64_t kRepeatBytes = 256;

std::int64_t repeatsOf(const BelievedAccess &operand) {
  return static_cast<std::int64_t>((operand.rowBytes + kRepeatBytes - 1) / kRepeatBytes);
}

bool vectorBarrier(const RecordedEvent &event) {
  return event.kind == RecordedEvent::Kind::Barrier && (event.pipe == "PIPE_V" || event.pipe == "PIPE_ALL");
}
bool vectorAccess(const RecordedEvent &event) {
  return event.kind == RecordedEvent::Kind::Access && event.pipe == "PIPE_V";
}

void keepSmallest(std::optional<std::int64_t> &smallest, std::int64_t value) {
  smallest = smallest ? std::min(*smallest, value) : value;
}

/// Calls `visit` with each piece of the operand.
template <typename Visit>
void eachPiece(const RecordedEvent &event, const BelievedAccess &operand, bool write, Visit visit) {
  for (const Piece &piece : event.pieces)
    if (piece.write == write && piece.space == "UB" && piece.begin >= operand.begin && piece.end <= operand.end())
      visit(piece);
}

} // namespace

MeasuredOrder measureOrder(const RecordedCall &recorded, const BelievedAccess &operand) {
  MeasuredOrder order;
  std::int64_t repeats = repeatsOf(operand), time = 0;
  for (auto event = recorded.events.begin(); operand.reads && event != recorded.events.end() && !vectorBarrier(*event);
       ++event) {
    if (!vectorAccess(*event))
      continue;
    eachPiece(*event, operand, false, [&](const Piece &piece) {
      auto last = static_cast<std::int64_t>((piece.end - 1 - operand.begin) / kRepeatBytes);
      keepSmallest(order.readAfter, repeats - last + time);
    });
    ++time;
  }
  time = 0;
  for (auto event = recorded.events.rbegin();
       operand.writes && event != recorded.events.rend() && !vectorBarrier(*event); ++event) {
    if (!vectorAccess(*event))
      continue;
    ++time;
    eachPiece(*event, operand, true, [&](const Piece &piece) {
      keepSmallest(order.readBy, time + static_cast<std::int64_t>((piece.begin - operand.begin) / kRepeatBytes));
    });
  }
  return order;
}

void ReadOrders::note(const std::string &instruction, const std::string &operand, bool reads, std::int64_t repeats,
                      std::optional<std::int64_t> measured, std::int64_t believed) {
  Order &order = orders[{instruction, operand}];
  ++order.calls;
  order.reads = reads;
  if (!measured)
    return;
  if (order.measured < 0 || *measured * order.repeats < order.measured * repeats)
    order.measured = *measured, order.repeats = repeats, order.believed = believed;
  if (repeats == 16 && (order.atSixteen < 0 || *measured < order.atSixteen))
    order.atSixteen = *measured;
}

void ReadOrders::add(const std::string &instruction, const RecordedCall &recorded, const BelievedCall &believed) {
  if (!believed.form)
    return;
  for (const BelievedPhase &phase : believed.tile) {
    if (phase.pipe != "PIPE_V")
      continue;
    for (std::size_t i = 0; i < phase.accesses.size(); ++i) {
      const BelievedAccess &operand = phase.accesses[i];
      if (operand.scratch || operand.anywhere || operand.rows != 1 || operand.space != "UB" || repeatsOf(operand) < 16)
        continue;
      MeasuredOrder measured = measureOrder(recorded, operand);
      std::string name = "form " + std::to_string(*believed.form) + " operand " + std::to_string(i);
      if (operand.reads)
        note(instruction, name + " read", true, repeatsOf(operand), measured.readAfter, operand.readAfter.value_or(0));
      if (operand.writes)
        note(instruction, name + " written", false, repeatsOf(operand), measured.readBy, operand.readBy.value_or(0));
    }
  }
}

std::string ReadOrders::table() const {
  auto number = [](std::int64_t value) { return value < 0 ? std::string("-") : std::to_string(value); };
  std::string text =
      "| instruction | operand | calls | smallest distance | of repeats | the model takes | at 16 repeats |\n"
      "|---|---|---|---|---|---|---|\n";
  for (const auto &[key, order] : orders)
    text += "| " + key.first + " | " + key.second + " | " + std::to_string(order.calls) + " | " +
            (order.measured < 0 ? "ordered by a barrier" : number(order.measured)) + " | " +
            std::to_string(order.repeats) + " | " + std::to_string(order.believed) + " | " + number(order.atSixteen) +
            " |\n";
  return text;
}

} // namespace probes
