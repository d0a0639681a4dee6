// ring-too-short, by entry numbers: an entry is overwritten before its last reader has come to it.
//
//   entry number of each write and read of a ring (ring_storage.h) --> how many iterations an entry waits for its
//   reader, against the ring's length
//
// In program order the overwriting comes first, so no sync is missing: the reader gets another entry's bytes. Certain
// where entries are also written in front of the loop, for then the distance is that of a preload; otherwise a
// warning. The other way to be too short, a reader that lags behind on another pipe, is an open WAR: order_rules.cpp.
// Tested by tests/audit/ring_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/ring_storage.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

struct RingAccess {
  NodeId node;
  std::uint32_t access;
  RingIndex index;
};

class RingRules {
public:
  RingRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), model(kernel.hazards()), storage(program) {}

  void run() {
    collect();
    for (const RingAccess &read : reads)
      checkRead(read);
  }

private:
  const Access &accessOf(const RingAccess &ring) const { return program.nodes[ring.node].accesses[ring.access]; }

  void collect() {
    std::map<BlockId, std::uint32_t> order;
    for (StepId step : program.order)
      order.try_emplace(program.blockOf[step], static_cast<std::uint32_t>(order.size()));
    for (NodeId id = 0; id < program.nodes.size(); ++id) {
      const Node &node = program.nodes[id];
      place.push_back({order.count(node.block) ? order.at(node.block) : kNone, node.event});
      if (node.unknown || node.loop == kNone)
        continue;
      for (std::uint32_t i = 0; i < node.accesses.size(); ++i)
        if (std::optional<RingIndex> index = storage.indexOf(node, node.accesses[i])) {
          if (node.accesses[i].reads && !node.accesses[i].scratch)
            reads.push_back({id, i, *index});
          if (node.accesses[i].writes)
            writes.push_back({id, i, *index});
        }
    }
  }

  /// Iterations from the write of an entry to its read; empty if the two do not use one ring.
  std::optional<std::int64_t> distanceOf(const RingAccess &write, const RingAccess &read) const {
    const RingIndex &in = write.index, &out = read.index;
    if (in.variable != out.variable || in.loop != out.loop || in.length != out.length ||
        in.slot.has_value() != out.slot.has_value())
      return std::nullopt;
    std::int64_t distance = in.offset - out.offset;
    if (in.slot)
      distance += *out.slot - *in.slot; // the slot's numbers, where the two count from different starts
    // A negative distance is an entry counted from the other end of the ring.
    if (distance < 0)
      distance = (distance % in.length + in.length) % in.length;
    std::uint32_t apart = static_cast<std::uint32_t>(distance % in.length);
    IterationDistance loops{apart ? in.loop : kNone, apart, false};
    bool meet = model.comparison().mustOverlap(accessOf(write), program.nodes[write.node].loop, accessOf(read),
                                               program.nodes[read.node].loop, loops);
    return meet || sameRing(write, read) ? std::optional(distance) : std::nullopt;
  }

  /// True if both choose among the same places, one for each entry: a counter that might overflow is no table.
  bool sameRing(const RingAccess &a, const RingAccess &b) const {
    const ScalarAlgebra &algebra = program.scalars->algebra();
    std::vector<std::int64_t> first = algebra.possibleValues(accessOf(a).base),
                              second = algebra.possibleValues(accessOf(b).base);
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    return accessOf(a).space == accessOf(b).space && first == second &&
           first.size() == static_cast<std::size_t>(a.index.length);
  }

  void checkRead(const RingAccess &read) {
    std::optional<std::int64_t> nearest;
    const RingAccess *writer = nullptr;
    for (const RingAccess &write : writes) {
      std::optional<std::int64_t> distance = write.node == read.node ? std::nullopt : distanceOf(write, read);
      if (distance && (!nearest || *distance < *nearest)) {
        nearest = distance;
        writer = &write;
      }
    }
    if (!nearest)
      return;
    std::int64_t length = read.index.length;
    bool firstInBody = place[writer->node] < place[read.node];
    if (*nearest < length || (*nearest == length && !firstInBody))
      return;
    const Statement &from = *program.nodes[writer->node].statement, &to = *program.nodes[read.node].statement;
    if (!reported.insert({&from, &to}).second)
      return;
    const Access &entry = accessOf(read);
    std::string bytes = model.comparison().describe(entry, context.machine.spaces()[entry.space].name);
    Finding finding = context.at(
        "ring-too-short", kernel, from,
        "WAR on " + bytes + ": " + context.text(from) + " overwrites an entry that " + context.text(to) + " on line " +
            std::to_string(to.line) + " has still to read: the ring has " + std::to_string(length) +
            " entries, and an entry is read " + std::to_string(*nearest) + " iterations after it is written");
    finding.parts.push_back(context.text(to));
    finding.notes.push_back(context.note(from, "entry " + numberText(writer->index) + " is written here"));
    finding.notes.push_back(context.note(to, "entry " + numberText(read.index) + " is read here"));
    finding.demotion = preloaded(read) ? 0 : 1;
    context.report(std::move(finding));
  }

  std::string numberText(const RingIndex &index) const {
    const std::string &name = program.kernel->variables[index.variable].name;
    return name + (index.offset ? (index.offset > 0 ? " + " : " - ") + std::to_string(std::abs(index.offset)) : "");
  }

  /// True if something in front of the loop may write where the read looks.
  bool preloaded(const RingAccess &read) const {
    BlockId header = program.graph->loops()[read.index.loop].header;
    for (const Node &node : program.nodes) {
      if (node.unknown || program.graph->loopContains(read.index.loop, node.block) ||
          !program.graph->reaches(node.block, header))
        continue;
      for (const Access &access : node.accesses)
        if (access.writes && access.bytes && !access.scratch &&
            model.comparison().mayOverlap(access, node.loop, accessOf(read), program.nodes[read.node].loop, {}))
          return true;
    }
    return false;
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  RingStorage storage;
  std::vector<RingAccess> reads, writes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> place; // by node: in program order
  std::set<std::pair<const Statement *, const Statement *>> reported;
};

} // namespace

void auditRings(AuditContext &context) {
  if (context.wants("ring-too-short"))
    for (const Analysis &kernel : context.kernels())
      RingRules(context, kernel).run();
}

} // namespace ptosync
