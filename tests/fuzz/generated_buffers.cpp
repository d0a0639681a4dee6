// The style "buffer ids" of random kernels for a5: brackets in place of flags and barriers, or beside them.
//
//   get_buf(PIPE_MTE2, 1, 0)            in front of an instruction, ids ascending, as the assembler emits them
//   get_buf(PIPE_MTE2, 18 + i % 2, 0)   the id of a tile whose slots take turns
//   TLOAD(t3, g)
//   rls_buf(PIPE_MTE2, 18 + i % 2, 0)   and behind it, descending
//   rls_buf(PIPE_MTE2, 1, 0)
//
// Each tile has an id of a small pool, so that several share one, or a pair of ids that takes turns with the counter of
// the innermost loop: outside of loops its brackets take both. When the kernel is whole, brackets of one pipe that
// follow one another become one, and others grow over what stands beside them. One kernel in some has brackets that are
// amiss, or that do not block. Ids 0 to 9 are single, from 12 on they are pairs.
#include "fuzz/kernel_generator.h"

#include <algorithm>

namespace ptosync::fuzz {
namespace {

constexpr std::int64_t kFirstPair = 12, kPairs = 10;

/// The single id, or the lower one of a pair.
std::int64_t baseOf(const Scalar &id) { return id.isConstant() ? id.constant : id.operands[0].constant; }

bool isPair(std::int64_t id) { return id >= kFirstPair && id < kFirstPair + 2 * kPairs; }

bool mayBeSame(const Scalar &one, const Scalar &other) {
  if (one.isConstant() && other.isConstant())
    return one.constant == other.constant;
  const std::int64_t a = baseOf(one), b = baseOf(other);
  return a == b || (one.isConstant() && a == b + 1) || (other.isConstant() && b == a + 1);
}

bool isSame(const Scalar &one, const Scalar &other) {
  if (one.isConstant() || other.isConstant())
    return one.isConstant() && other.isConstant() && one.constant == other.constant;
  return baseOf(one) == baseOf(other) && one.operands[1].operands[0].variable == other.operands[1].operands[0].variable;
}

bool endsOneBracket(const Statement &one, const Statement &other) {
  return one.source == other.source && one.constant == other.constant && isSame(one.value, other.value);
}

} // namespace

void KernelGenerator::chooseBufferStyle() {
  withFifos = false;
  buffers.ids = random.pick(std::vector<std::int64_t>{1, 1, 1, 2, 2, 3, 4, 6, 10});
  buffers.pairs = random.pick(std::vector<int>{0, 0, 20, 50});
  buffers.around = random.pick(std::vector<int>{100, 100, 100, 90, 70});
  buffers.more = random.pick(std::vector<int>{0, 0, 15, 40});
  buffers.empty = random.pick(std::vector<int>{0, 4, 10});
  buffers.merged = random.pick(std::vector<int>{0, 30, 70, 100});
  buffers.grown = random.pick(std::vector<int>{0, 15, 40});
  buffers.signals = random.chance(5) ? 10 : 0;
  buffers.faults = random.chance(8);
  if (random.chance(65)) { // nothing but brackets
    density.barrier = density.flags = density.all = density.ring = density.unbalanced = density.stray = 0;
    density.forms = density.helperFlags = density.phases = 0;
  } else if (random.chance(50)) {
    density.barrier = density.flags = 30;
  }
}

Statement KernelGenerator::buffer(Statement::Kind kind, Pipe pipe, Scalar id, std::int64_t mode) {
  Statement statement = sync(kind, pipe, Pipe::All, std::move(id));
  statement.constant = mode;
  statement.keep = random.chance(density.keep / 2);
  return statement;
}

/// The ids that guard a tile where it is named.
std::vector<Scalar> KernelGenerator::bufferIdsOf(std::uint32_t tile, const Scope &scope) {
  auto [entry, fresh] = bufferOfTile.try_emplace(tile, 0);
  if (fresh)
    entry->second = random.chance(buffers.pairs) ? kFirstPair + 2 * random.below(std::min(buffers.ids, kPairs))
                                                 : random.below(buffers.ids);
  const std::int64_t id = entry->second;
  if (!isPair(id))
    return {Scalar::of(id)};
  if (scope.counters.empty())
    return {Scalar::of(id), Scalar::of(id + 1)};
  return {Scalar::make(
      Scalar::Kind::Add,
      {Scalar::of(id), Scalar::make(Scalar::Kind::Remainder, {Scalar::read(scope.counters.back()), Scalar::of(2)})})};
}

/// An instruction between the gets of its tiles' ids and their releases; perhaps without some, or with one more.
void KernelGenerator::addBracketed(List &list, const Scope &scope, Statement instruction) {
  std::vector<Scalar> ids;
  auto add = [&](const Scalar &id) {
    if (std::none_of(ids.begin(), ids.end(), [&](const Scalar &other) { return mayBeSame(id, other); }))
      ids.push_back(id);
  };
  for (const Operand &operand : instruction.operands)
    if (operand.kind == Operand::Kind::Tile && random.chance(buffers.around))
      for (const Scalar &id : bufferIdsOf(operand.tile, scope))
        add(id);
  if (random.chance(buffers.more))
    add(Scalar::of(random.below(buffers.ids + 1)));
  std::sort(ids.begin(), ids.end(), [](const Scalar &a, const Scalar &b) { return baseOf(a) < baseOf(b); });
  const Pipe pipe = instruction.source;
  const bool signals = random.chance(buffers.signals); // waits in front and tells behind, in empty brackets
  for (const Scalar &id : ids) {
    list.push_back(buffer(Statement::Kind::GetBuffer, pipe, id, 0));
    if (signals)
      list.push_back(buffer(Statement::Kind::ReleaseBuffer, pipe, id, 0));
  }
  list.push_back(std::move(instruction));
  for (std::size_t i = ids.size(); i-- > 0;) {
    if (signals)
      list.push_back(buffer(Statement::Kind::GetBuffer, pipe, ids[i], 1));
    list.push_back(buffer(Statement::Kind::ReleaseBuffer, pipe, ids[i], signals ? 1 : 0));
  }
}

void KernelGenerator::addEmptyBracket(List &list, const Scope &scope) {
  const Pipe pipe = random.pick(pipes);
  Scalar id = Scalar::of(random.below(buffers.ids));
  if (buffers.pairs > 0 && !scope.counters.empty() && random.chance(30))
    id = Scalar::make(Scalar::Kind::Add,
                      {Scalar::of(kFirstPair + 2 * random.below(std::min(buffers.ids, kPairs))),
                       Scalar::make(Scalar::Kind::Remainder, {Scalar::read(scope.counters.back()), Scalar::of(2)})});
  list.push_back(buffer(Statement::Kind::GetBuffer, pipe, id, 0));
  list.push_back(buffer(Statement::Kind::ReleaseBuffer, pipe, id, 0));
}

/// True if the statement, or what it holds or calls, may take or give back the id.
bool KernelGenerator::usesBuffer(const Statement &statement, const Scalar &id) const {
  if (isBuffer(statement) && mayBeSame(statement.value, id))
    return true;
  auto inside = [&](const List &list) {
    return std::any_of(list.begin(), list.end(), [&](const Statement &s) { return usesBuffer(s, id); });
  };
  return inside(statement.body) || inside(statement.otherwise) ||
         (statement.kind == Statement::Kind::Call && inside(kernel.helpers[statement.helper].body));
}

/// A release and the next get of the same bracket go, if nobody takes the id in between.
void KernelGenerator::mergeBrackets(List &list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].kind != Statement::Kind::ReleaseBuffer || !random.chance(buffers.merged))
      continue;
    std::size_t next = i + 1;
    while (next < list.size() && !usesBuffer(list[next], list[i].value) && !leaves(list[next]))
      ++next;
    if (next == list.size() || list[next].kind != Statement::Kind::GetBuffer || !endsOneBracket(list[i], list[next]))
      continue;
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(next));
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
    --i;
  }
}

/// A get moves up and a release down over a few statements that leave its id alone.
void KernelGenerator::growBrackets(List &list) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (!isBuffer(list[i]) || !random.chance(buffers.grown))
      continue;
    const bool up = list[i].kind == Statement::Kind::GetBuffer;
    std::size_t at = i;
    for (std::int64_t steps = random.between(1, 4); steps > 0; --steps) {
      if (up ? at == 0 : at + 1 == list.size())
        break;
      const Statement &beside = list[up ? at - 1 : at + 1];
      if (usesBuffer(beside, list[at].value) || leaves(beside))
        break;
      std::swap(list[at], list[up ? at - 1 : at + 1]);
      up ? --at : ++at;
    }
    i = std::max(i, at);
  }
}

/// What the rules forbid: one end of a bracket is gone, names another pipe or mode, stands twice, or has no such id.
void KernelGenerator::breakBracket() {
  std::vector<std::pair<List *, std::size_t>> all;
  for (List *list : listsOf(kernel))
    for (std::size_t i = 0; i < list->size(); ++i)
      if (isBuffer((*list)[i]))
        all.push_back({list, i});
  if (all.empty())
    return;
  const auto [list, at] = random.pick(all);
  Statement &statement = (*list)[at];
  switch (random.below(5)) {
  case 0: list->erase(list->begin() + static_cast<std::ptrdiff_t>(at)); break;
  case 1: statement.source = random.pick(pipes); break;
  case 2: statement.constant = 1; break;
  case 3: list->insert(list->begin() + static_cast<std::ptrdiff_t>(at), Statement(statement)); break;
  default: statement.value = Scalar::of(random.chance(50) ? 32 : random.below(10)); break;
  }
}

void KernelGenerator::finishBrackets() {
  // Inner lists first: what an outer one moves or takes out is not looked at again.
  const std::vector<List *> lists = listsOf(kernel);
  for (std::size_t i = lists.size(); i-- > 0;) {
    mergeBrackets(*lists[i]);
    growBrackets(*lists[i]);
  }
  if (buffers.faults)
    breakBracket();
}

} // namespace ptosync::fuzz
