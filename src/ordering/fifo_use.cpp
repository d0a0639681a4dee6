#include "ordering/fifo_use.h"

#include "base/walk.h"

#include <algorithm>
#include <map>
#include <set>

namespace ptosync {
namespace {

constexpr std::uint32_t kUnbounded = 64; // pops

struct Entry {
  std::uint32_t age = 0, least = 0; // pops of its FIFO since: the most and the fewest over all paths
  const Statement *pop = nullptr;
  bool shifted = false; // the address was computed from the entry's
};

/// Where an address may lead: entries of rings, or anywhere else.
struct Place {
  std::map<FifoId, Entry> entries;
  bool elsewhere = false;

  /// True if it says more than before.
  bool join(const Place &other) {
    bool changed = other.elsewhere && !elsewhere;
    elsewhere = elsewhere || other.elsewhere;
    for (const auto &[fifo, entry] : other.entries) {
      auto [own, inserted] = entries.try_emplace(fifo, entry);
      Entry &known = own->second;
      changed = changed || inserted || entry.age > known.age || entry.least < known.least ||
                (entry.shifted && !known.shifted);
      known.shifted = known.shifted || entry.shifted;
      known.least = std::min(known.least, entry.least);
      if (entry.age > known.age) {
        known.age = entry.age;
        known.pop = entry.pop;
      }
    }
    return changed;
  }
};

using State = std::map<VariableId, Place>;

struct Pop {
  FifoId fifo;
  TileId tile;
  Assigns assigns;
};

class FifoUses {
public:
  explicit FifoUses(const Program &program)
      : program(program), kernel(*program.kernel), uses(kernel.fifos.size()), entry(kernel.blocks.size()),
        reached(kernel.blocks.size()) {}

  std::vector<FifoUse> run() {
    collectDerived();
    if (derived.empty())
      return std::move(uses);
    solve();
    for (BlockId block : program.graph->order()) {
      State state = entry[block];
      for (const Statement &statement : kernel.blocks[block].statements)
        execute(state, statement, true);
    }
    findRings();
    return std::move(uses);
  }

private:
  /// The FIFO and the tile of a pop that fills one.
  std::optional<Pop> popOf(const Statement &statement) const {
    const auto *instruction = std::get_if<Instruction>(&statement.action);
    if (!instruction)
      return std::nullopt;
    const InstructionForm *form = chooseForm(kernel, *instruction, *program.machine);
    if (!form || !placesTile(form->assigns))
      return std::nullopt;
    Pop pop{kNone, kNone, form->assigns};
    for (const Operand &operand : instruction->operands) {
      if (operand.kind == Operand::Kind::Fifo)
        pop.fifo = operand.index;
      if (operand.kind == Operand::Kind::Tile)
        pop.tile = operand.index;
    }
    return pop.fifo == kNone || pop.tile == kNone ? std::nullopt : std::optional<Pop>(pop);
  }

  void variablesIn(ExpressionId id, std::set<VariableId> &found) const {
    if (id == kNone)
      return;
    const Expression &expression = kernel.expressions[id];
    if (expression.kind == Expression::Kind::Variable)
      found.insert(expression.variable);
    if (expression.kind == Expression::Kind::ArrayElement)
      for (std::uint32_t i = 0; i < expression.count; ++i)
        found.insert(expression.variable + i);
    for (ExpressionId operand : expression.operands)
      variablesIn(operand, found);
  }

  std::set<VariableId> variablesIn(ExpressionId id) const {
    std::set<VariableId> found;
    variablesIn(id, found);
    return found;
  }

  /// The variables that may ever hold an address in a ring: only these are followed.
  void collectDerived() {
    for (const Block &block : kernel.blocks)
      for (const Statement &statement : block.statements)
        if (std::optional<Pop> pop = popOf(statement))
          derived.insert(kernel.tiles[pop->tile].address);
    auto comes = [&](ExpressionId value) {
      std::set<VariableId> from = variablesIn(value);
      return std::any_of(from.begin(), from.end(), [&](VariableId variable) { return derived.count(variable) != 0; });
    };
    for (bool again = !derived.empty(); again;) {
      again = false;
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          forEachAssignment(statement, [&](VariableId variable, ExpressionId value, ExpressionId) {
            again |= comes(value) && derived.insert(variable).second;
          });
    }
  }

  void solve() {
    reached[0] = true;
    Worklist work(program.graph->order());
    work.add(0);
    while (std::optional<BlockId> block = work.next()) {
      State state = entry[*block];
      for (const Statement &statement : kernel.blocks[*block].statements)
        execute(state, statement, false);
      for (BlockId next : program.graph->successors(*block))
        if (joinInto(next, state))
          work.add(next);
    }
  }

  bool joinInto(BlockId block, const State &state) {
    bool changed = !reached[block];
    reached[block] = true;
    for (const auto &[variable, place] : state)
      changed = entry[block][variable].join(place) || changed;
    return changed;
  }

  Place placeOf(const State &state, ExpressionId value) const {
    Place place;
    for (VariableId variable : variablesIn(value))
      if (auto known = state.find(variable); known != state.end())
        place.join(known->second);
    if (place.entries.empty())
      place.elsewhere = true;
    if (!isCopy(value))
      for (auto &[fifo, entry] : place.entries)
        entry.shifted = true;
    return place;
  }

  /// True for a variable, possibly cast.
  bool isCopy(ExpressionId id) const {
    while (kernel.expressions[id].kind == Expression::Kind::Cast)
      id = kernel.expressions[id].operands[0];
    return kernel.expressions[id].kind == Expression::Kind::Variable;
  }

  void execute(State &state, const Statement &statement, bool report) {
    if (const auto *assign = std::get_if<Assign>(&statement.action)) {
      if (derived.count(assign->variable))
        state[assign->variable] = placeOf(state, assign->value);
      for (FifoId fifo = 0; fifo < kernel.fifos.size(); ++fifo)
        if (kernel.fifos[fifo].pops == assign->variable)
          beginAgain(state, fifo);
      return;
    }
    if (const auto *store = std::get_if<ArrayStore>(&statement.action)) {
      for (std::uint32_t i = 0; i < store->count; ++i)
        if (derived.count(store->first + i))
          state[store->first + i].join(placeOf(state, store->value));
      return;
    }
    const auto *instruction = std::get_if<Instruction>(&statement.action);
    if (!instruction)
      return;
    std::optional<Pop> pop = popOf(statement);
    countPop(state, *instruction);
    if (pop) {
      Place own;
      own.entries[pop->fifo] = {0, 0, &statement, false};
      state[kernel.tiles[pop->tile].address] = own;
    }
    for (VariableId result : instruction->results)
      if (derived.count(result))
        state[result] = Place{{}, true};
    if (report)
      reportUses(state, statement, *instruction, pop);
  }

  void countPop(State &state, const Instruction &instruction) const {
    const Assigns assigns = assignsOf(kernel, instruction, *program.machine);
    for (const Operand &operand : instruction.operands) {
      if (operand.kind != Operand::Kind::Fifo)
        continue;
      if (assigns == Assigns::Unknown)
        beginAgain(state, operand.index);
      if (!countsPop(assigns))
        continue;
      for (auto &[variable, place] : state)
        if (auto known = place.entries.find(operand.index); known != place.entries.end())
          known->second = {std::min(known->second.age + 1, kUnbounded), std::min(known->second.least + 1, kUnbounded),
                           known->second.pop, known->second.shifted};
    }
  }

  /// The FIFO counts its pops from 0, or from anything: the next one may overwrite any entry.
  void beginAgain(State &state, FifoId fifo) const {
    for (auto &[variable, place] : state)
      if (auto known = place.entries.find(fifo); known != place.entries.end())
        known->second.age = kUnbounded;
  }

  void reportUses(const State &state, const Statement &statement, const Instruction &instruction,
                  const std::optional<Pop> &pop) {
    if (pop) {
      FifoUse &use = uses[pop->fifo];
      const std::string &location = kernel.tiles[pop->tile].location;
      use.location = !use.popsTiles || use.location == location ? std::optional(location) : std::nullopt;
      use.popsTiles = true;
      const std::int64_t slots = slotsOf(kernel.fifos[pop->fifo], pop->assigns);
      use.slots = std::max(use.slots, slots);
      if (slots < 0) // the library's default, or something sets what it counts
        use.bounded = false;
      use.pops.push_back(&statement);
    }
    for (const Operand &operand : instruction.operands) {
      Place place;
      if (operand.kind == Operand::Kind::Tile) {
        if (auto known = state.find(kernel.tiles[operand.index].address); known != state.end())
          place = known->second;
      } else if (operand.value != kNone) {
        place = placeOf(state, operand.value);
      }
      for (const auto &[fifo, entry] : place.entries) {
        FifoUse &use = uses[fifo];
        if (FifoTouch touch{&statement, operand.spelling}; use.touches.empty() || use.touches.back() != touch)
          use.touches.push_back(touch);
        if (entry.shifted && !use.shifted)
          use.shifted = &statement;
        if ((place.elsewhere || place.entries.size() > 1) && !use.mixed)
          use.mixed = &statement;
        if (entry.age >= kUnbounded)
          use.bounded = false;
        if (!place.elsewhere && place.entries.size() == 1 && entry.least + 1 > use.certainlyInUse) {
          use.certainlyInUse = entry.least + 1;
          use.certainPop = entry.pop;
          use.certainUse = &statement;
        }
        if (entry.age + 1 >= use.inUse) { // the last of several is the last use
          use.inUse = entry.age + 1;
          use.pop = entry.pop;
          use.use = &statement;
        }
      }
    }
  }

  /// Where slot 0 lies, if each pop agrees.
  void findRings() {
    std::set<FifoId> several;
    program.scalars->forEachStatement([&](BlockId block, std::size_t index) {
      if (index >= kernel.blocks[block].statements.size())
        return;
      std::optional<Pop> pop = popOf(kernel.blocks[block].statements[index]);
      if (!pop)
        return;
      const Fifo &fifo = kernel.fifos[pop->fifo];
      bool toVector = kernel.tiles[pop->tile].location == "Vec";
      ScalarValue base = program.scalars->variable(toVector ? fifo.cubeToVec : fifo.vecToCube);
      FifoUse &use = uses[pop->fifo];
      if (!base.isConstant() || (use.ring && *use.ring != base.constant) || several.count(pop->fifo)) {
        several.insert(pop->fifo);
        use.ring.reset();
      } else {
        use.ring = base.constant;
      }
    });
  }

  const Program &program;
  const Kernel &kernel;
  std::vector<FifoUse> uses;
  std::vector<State> entry; // by block
  std::vector<bool> reached;
  std::set<VariableId> derived;
};

} // namespace

std::vector<FifoUse> fifoUses(const Program &program) { return FifoUses(program).run(); }

} // namespace ptosync
