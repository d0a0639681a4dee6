#include "audit/ring_rules.h"

#include "audit/audit_context.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr int kDeepest = 48; // expressions inside one another

const Atom *tableOf(const Program &program, const Access &access, LoopId loop) {
  for (const Term &term : access.base.terms) {
    const Atom &atom = program.scalars->algebra()[term.atom];
    if (atom.kind == Atom::Kind::Table && atom.scope == loop && atom.table.size() > 1)
      return &atom;
  }
  return nullptr;
}

/// The least distance from which on no instance of `earlier` may still run where `later` starts in `step`: behind the
/// last sync of its pipe in front of it. Empty if there is none in the step.
std::optional<std::uint32_t> lagAt(const Program &program, const Pending &pending, StepId step, const Node &earlier,
                                   const Node &later, IterationDistance distance) {
  for (std::uint32_t event = later.event; event-- > 0;) {
    bool access = program.steps[step][event].kind == Event::Kind::Access;
    if (access || !pending.rowBefore(step, event, index(later.pipe)))
      continue;
    BitSet row = pending.rowAfter(step, event, later.pipe);
    std::uint32_t lag = 0;
    for (std::uint32_t count = distance.count; count <= program.distances; ++count)
      if (row.contains(program.bitAt(earlier, distance.loop, count)))
        lag = count + 1;
    return lag;
  }
  return std::nullopt;
}

} // namespace

RingStorage::RingStorage(const Program &program) : program(program), kernel(*program.kernel) {
  definitions.resize(kernel.variables.size());
  for (BlockId id = 0; id < kernel.blocks.size(); ++id)
    for (const Statement &statement : kernel.blocks[id].statements) {
      forEachDefinition(statement,
                        [&](VariableId variable, ExpressionId value) { definitions[variable].push_back({id, value}); });
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        for (const Operand &operand : instruction->operands)
          if (operand.kind == Operand::Kind::Fifo)
            definitions[kernel.fifos[operand.index].pops].push_back({id, kNone});
    }
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    remainders = remainders || (kernel.expressions[id].kind == Expression::Kind::Binary &&
                                kernel.expressions[id].op == Operator::Remainder);
  for (const Tile &tile : kernel.tiles) {
    auto [entry, inserted] = addressOfTile.try_emplace(tile.name, tile.address);
    if (!inserted && entry->second != tile.address)
      entry->second = kNone;
  }
}

/// Through casts, and variables with one definition.
ExpressionId RingStorage::settled(ExpressionId id) const {
  for (int steps = 0; id != kNone && steps < kDeepest; ++steps) {
    const Expression &expression = kernel.expressions[id];
    if (expression.kind == Expression::Kind::Cast)
      id = expression.operands[0];
    else if (expression.kind == Expression::Kind::Variable && definitions[expression.variable].size() == 1 &&
             definitions[expression.variable][0].second != kNone)
      id = definitions[expression.variable][0].second;
    else
      break;
  }
  return id;
}

std::optional<std::int64_t> RingStorage::constantOf(ExpressionId id) const {
  id = settled(id);
  if (id == kNone || kernel.expressions[id].kind != Expression::Kind::Constant)
    return std::nullopt;
  return kernel.expressions[id].constant;
}

/// A counter of `loop` that steps by one, plus a constant.
std::optional<RingIndex> RingStorage::counterPlus(ExpressionId id, LoopId loop) const {
  RingIndex index;
  index.loop = loop;
  for (int steps = 0; steps < kDeepest; ++steps) {
    id = settled(id);
    if (id == kNone)
      return std::nullopt;
    const Expression &expression = kernel.expressions[id];
    if (expression.kind == Expression::Kind::Variable) {
      index.variable = expression.variable;
      break;
    }
    bool sum = expression.kind == Expression::Kind::Binary &&
               (expression.op == Operator::Add || expression.op == Operator::Subtract);
    if (!sum)
      return std::nullopt;
    std::optional<std::int64_t> right = constantOf(expression.operands[1]), left = constantOf(expression.operands[0]);
    if (right) {
      index.offset += expression.op == Operator::Add ? *right : -*right;
      id = expression.operands[0];
    } else if (left && expression.op == Operator::Add) {
      index.offset += *left;
      id = expression.operands[1];
    } else {
      return std::nullopt;
    }
  }
  if (index.variable == kNone)
    return std::nullopt;
  // Every definition inside the loop adds one to the variable itself.
  bool steps = false;
  for (const auto &[block, value] : definitions[index.variable]) {
    if (!program.graph->loopContains(loop, block))
      continue;
    ExpressionId sum = settled(value);
    if (sum == kNone || kernel.expressions[sum].kind != Expression::Kind::Binary ||
        kernel.expressions[sum].op != Operator::Add || steps)
      return std::nullopt;
    ExpressionId own = settled(kernel.expressions[sum].operands[0]);
    bool itself = own != kNone && kernel.expressions[own].kind == Expression::Kind::Variable &&
                  kernel.expressions[own].variable == index.variable;
    if (!itself || constantOf(kernel.expressions[sum].operands[1]) != std::optional<std::int64_t>(1))
      return std::nullopt;
    steps = true;
  }
  return steps ? std::optional(index) : std::nullopt;
}

/// The innermost remainder of a counter anywhere in an expression.
std::optional<RingIndex> RingStorage::indexIn(ExpressionId id, LoopId loop) const {
  id = settled(id);
  if (id == kNone)
    return std::nullopt;
  const Expression &expression = kernel.expressions[id];
  if (expression.kind == Expression::Kind::Binary && expression.op == Operator::Remainder) {
    std::optional<std::int64_t> length = constantOf(expression.operands[1]);
    std::optional<RingIndex> inner = indexIn(expression.operands[0], loop);
    if (inner)
      return length == inner->length ? inner : std::nullopt; // taken twice
    std::optional<RingIndex> index = counterPlus(expression.operands[0], loop);
    if (!length || *length < 2 || !index)
      return std::nullopt;
    index->length = *length;
    return index;
  }
  for (ExpressionId operand : expression.operands)
    if (std::optional<RingIndex> index = indexIn(operand, loop))
      return index;
  return std::nullopt;
}

/// The nearest branch on a remainder that decides whether the node runs.
std::optional<RingIndex> RingStorage::guardOf(const Node &node) const {
  for (BlockId at = node.block; at != program.graph->loops()[node.loop].header;) {
    BlockId above = kNone;
    for (BlockId block : program.graph->order())
      if (block != at && program.graph->dominates(block, at) && program.graph->loopContains(node.loop, block) &&
          (above == kNone || program.graph->dominates(above, block)))
        above = block;
    if (above == kNone)
      return std::nullopt;
    const Terminator &end = kernel.blocks[above].terminator;
    if (end.kind == Terminator::Kind::Branch) {
      bool whenTrue = program.graph->dominates(end.whenTrue, node.block);
      bool whenFalse = program.graph->dominates(end.whenFalse, node.block);
      std::optional<RingIndex> index = whenTrue != whenFalse ? indexIn(end.condition, node.loop) : std::nullopt;
      if (index) {
        const Expression &condition = kernel.expressions[settled(end.condition)];
        bool equal = condition.kind == Expression::Kind::Binary && condition.op == Operator::Equal;
        if (equal && whenTrue)
          index->slot = constantOf(condition.operands[1]);
        return index;
      }
    }
    at = above;
  }
  return std::nullopt;
}

std::optional<RingIndex> RingStorage::indexOf(const Node &node, const Access &access) const {
  if (!remainders || node.loop == kNone || !access.tile)
    return std::nullopt;
  auto address = addressOfTile.find(access.tile->name);
  if (address != addressOfTile.end() && address->second != kNone && definitions[address->second].size() == 1) {
    ExpressionId value = definitions[address->second][0].second;
    if (value != kNone)
      if (std::optional<RingIndex> index = indexIn(value, node.loop))
        return index;
  }
  std::optional<RingIndex> guard = guardOf(node);
  return guard && guard->slot && access.base.isConstant() ? guard : std::nullopt;
}

std::optional<ShortRing> shortRing(const Program &program, const Pending &pending, const ConflictPair &pair) {
  if (pair.earlierAccess == kNone || pair.laterAccess == kNone || pair.kind != HazardKind::WriteAfterRead)
    return std::nullopt;
  const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
  IterationDistance distance = program.distanceOf(pair.bit);
  if (distance.sameIteration())
    return std::nullopt;
  const Atom *reads = tableOf(program, earlier.accesses[pair.earlierAccess], distance.loop);
  const Atom *writes = tableOf(program, later.accesses[pair.laterAccess], distance.loop);
  if (!reads || !writes || reads->table.size() != writes->table.size())
    return std::nullopt;
  std::uint32_t lag = 0;
  for (StepId step : program.order)
    if (program.blockOf[step] == later.block) {
      std::optional<std::uint32_t> own = lagAt(program, pending, step, earlier, later, distance);
      if (!own)
        return std::nullopt;
      lag = std::max(lag, *own);
    }
  // Nothing ever ends it, or it is not this that is open.
  if (lag <= distance.count || lag > program.distances)
    return std::nullopt;
  return ShortRing{writes->table.size(), lag};
}

// ring-too-short, by entry numbers: an entry is overwritten before its last reader has come to it.
//
//   entry number of each write and read of a ring (above) --> how many iterations an entry waits for its
//   reader, against the ring's length
//
// In program order the overwriting comes first, so no sync is missing: the reader gets another entry's bytes. Certain
// where entries are also written in front of the loop, for then the distance is that of a preload; otherwise a
// warning. The other way to be too short, a reader that lags behind on another pipe, is an open WAR: order_rules.cpp.
// Tested by tests/audit/ring_rules_test.cpp.

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
