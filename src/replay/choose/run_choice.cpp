#include "replay/choose/run_choice.h"

#include "replay/run/subject.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>

namespace ptosync::replay {

namespace {

/// Adds what values of others are picked by: `a ? b : c`, `a[i]`.
void addPicks(const Kernel &kernel, BackwardFlow &flow) {
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id];
        e.kind == Expression::Kind::Select || e.kind == Expression::Kind::ArrayElement)
      flow.addValue(e.operands[0]);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (auto *store = std::get_if<ArrayStore>(&statement.action))
        flow.addValue(store->index);
      else if (auto *sync = std::get_if<Sync>(&statement.action))
        flow.addValue(sync->event);
}

/// Returns the arguments that addresses and operands depend on.
std::set<std::uint32_t> addressArguments(const Kernel &kernel) {
  BackwardFlow flow(kernel);
  for (const Tensor &tensor : kernel.tensors)
    flow.add(tensor.pointer);
  for (const Tile &tile : kernel.tiles)
    flow.add(tile.address);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (auto *instruction = std::get_if<Instruction>(&statement.action))
        for (const Operand &operand : instruction->operands)
          flow.addValue(operand.value);
  flow.spread();
  return flow.arguments();
}

} // namespace

std::set<std::uint32_t> controlArguments(const Kernel &kernel) {
  BackwardFlow flow(kernel);
  flow.addBranches();
  flow.spread();
  return flow.arguments();
}

std::set<std::uint32_t> placeArguments(Subject &subject) {
  const Kernel &kernel = subject.kernel;
  BackwardFlow flow(kernel);
  flow.addBranches();
  addPicks(kernel, flow);
  flow.addSizes();
  for (LoopId loop = 0; loop < subject.nest.loops().size(); ++loop)
    for (VariableId variable : subject.carried(loop))
      flow.add(variable);
  flow.spread();
  const std::set<std::uint32_t> otherwise = flow.arguments();
  std::set<std::uint32_t> places;
  // What is assumed of several arguments together holds in no run in which each may be any number.
  std::set<std::uint32_t> related;
  for (const Assumption &one : kernel.assumptions)
    for (const Assumption::Term &term : one.terms)
      if (one.terms.size() > 1 && term.argument)
        related.insert(*term.argument);
  for (std::uint32_t number : addressArguments(kernel))
    if (!otherwise.count(number) && !related.count(number) && !subject.facts.pointerArguments.count(number))
      places.insert(number);
  return places;
}

namespace {

constexpr std::size_t kMostUnits = 4; // divisors and steps whose multiples are tried
constexpr std::int64_t kLargestUnit = 1 << 20;
constexpr std::uint64_t kFewestScouts = 10;         // no single one may spend more than its part
constexpr std::int64_t kManyBlocks = (1 << 16) - 1; // as many as a launch may have

/// Trip counts, branch outcomes and blocks that a run shows.
using Features = std::set<std::tuple<char, std::uint32_t, std::uint64_t>>;

Features featuresOf(const Subject &subject, const Trace &trace) {
  Features features;
  for (const auto &[loop, counts] : trace.trips)
    for (std::uint64_t count : counts) // 0, 1, ..., ring depth + 1, more
      features.emplace('l', loop, std::min(count, subject.ringDepth + 2));
  for (const Way &way : trace.ways)
    if (way.kind == Way::Kind::Branch)
      features.emplace('b', way.what, way.taken);
  for (auto [block, taken] : trace.firstByMemory)
    features.emplace('f', block, taken);
  for (BlockId block : trace.blocks)
    features.emplace('e', block, 0);
  return features;
}

/// Numbers that decide trip counts: what the kernel divides by and steps by.
std::vector<std::int64_t> unitsOf(const Kernel &kernel) {
  Constants constants(kernel);
  std::set<std::int64_t> units;
  auto consider = [&](ExpressionId id) {
    if (std::optional<std::int64_t> value = constants.of(id); value && *value >= 2 && *value <= kLargestUnit)
      units.insert(*value);
  };
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id];
        e.kind == Expression::Kind::Binary && (e.op == Operator::Divide || e.op == Operator::Remainder))
      consider(e.operands[1]);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      auto *assign = std::get_if<Assign>(&statement.action);
      if (!assign)
        continue;
      const Expression &e = kernel.expressions[assign->value];
      if (e.kind != Expression::Kind::Binary || e.op != Operator::Add)
        continue;
      const Expression &left = kernel.expressions[e.operands[0]];
      if (left.kind == Expression::Kind::Variable && left.variable == assign->variable)
        consider(e.operands[1]);
    }
  std::vector<std::int64_t> list(units.begin(), units.end());
  list.resize(std::min(list.size(), kMostUnits));
  return list;
}

class Chooser {
public:
  Chooser(Subject &subject, const Options &options, Shown *shown)
      : subject(subject), options(options), shown(shown), deciding(controlArguments(subject.kernel)) {
    for (const NamedArgument &argument : argumentsOf(subject)) {
      // What is as wide as a pointer and decides nothing is most likely one that is not used.
      if (argument.pointer || (argument.type == kAddress && !deciding.count(argument.number)))
        continue;
      auto given = options.arguments.find(argument.name);
      if (given != options.arguments.end())
        fixed.arguments[argument.number] = given->second;
      else
        open.push_back(argument.number);
    }
    for (ExpressionId id = 0; id < subject.kernel.expressions.size(); ++id)
      if (const Expression &e = subject.kernel.expressions[id]; e.kind == Expression::Kind::Query)
        queries.insert(e.name);
    makeValues();
  }

  std::vector<Inputs> choose() {
    together();
    places();
    oneByOne();
    memory();
    if (chosen.empty()) // no run comes to its end: compare the beginnings
      chosen.push_back(tried.empty() ? asAssumed(subject.kernel, fixed, {}).value_or(fixed) : tried.front());
    return std::move(chosen);
  }

private:
  void makeValues() {
    auto ring = static_cast<std::int64_t>(subject.ringDepth);
    auto add = [&](std::int64_t value) {
      if (std::find(values.begin(), values.end(), value) == values.end())
        values.push_back(value);
    };
    for (std::int64_t value : {ring + 1, std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, 2 * ring + 2})
      add(value);
    std::vector<std::int64_t> units = unitsOf(subject.kernel);
    for (std::int64_t multiple = 1; multiple <= 2 * ring + 4; ++multiple)
      for (std::int64_t unit : units)
        add(unit * multiple);
    for (std::int64_t unit : units)
      add(unit + 1);
    // A loop whose branches repeat may end in any of their phases.
    auto period = static_cast<std::int64_t>(branchPeriodOf(subject.kernel, Constants(subject.kernel)));
    for (std::int64_t trips = 3; period > 1 && trips <= period + 1; ++trips)
      add(trips);
  }

  /// Runs the control flow; keeps the inputs if they show something new.
  bool attempt(const Inputs &wanted) {
    const std::optional<Inputs> assumed = asAssumed(subject.kernel, wanted, fixed.arguments);
    return assumed && keepIfNew(*assumed);
  }

  bool keepIfNew(const Inputs &inputs) {
    if (spent >= options.budget.scoutStatements || chosen.size() >= options.budget.runs ||
        std::find(tried.begin(), tried.end(), inputs) != tried.end())
      return false;
    tried.push_back(inputs);
    RunRequest request;
    request.inputs = inputs;
    request.detail = Detail::Scout;
    Budget scout = options.budget;
    scout.statements = std::min(scout.scoutStatements / kFewestScouts, scout.scoutStatements - spent);
    Trace trace = interpret(subject, request, scout);
    spent += trace.statements;
    dependsOnMemory |= trace.dependsOnMemory;
    if (trace.ending != Ending::Returned)
      return false; // kernels end: these inputs are none they are meant for, or show less than they cost
    Features features = featuresOf(subject, trace);
    bool fresh = !std::includes(seen.begin(), seen.end(), features.begin(), features.end());
    if (!fresh)
      return false;
    seen.merge(features);
    chosen.push_back(inputs);
    if (shown)
      shown->add(trace);
    return true;
  }

  void together() {
    std::size_t most = 0;
    for (std::int64_t value : open.empty() ? std::vector<std::int64_t>{1} : values) {
      Inputs inputs = fixed;
      for (std::uint32_t number : open)
        inputs.arguments[number] = value;
      std::size_t known = seen.size();
      if (attempt(inputs) && seen.size() - known > most) {
        most = seen.size() - known;
        best = inputs;
      }
    }
  }

  /// The first blocks of many, and blocks behind the end of the work.
  void places() {
    if (queries.empty())
      return;
    auto ring = static_cast<std::int64_t>(subject.ringDepth);
    for (std::int64_t blocks : {std::int64_t{2}, ring + 2, kManyBlocks})
      for (std::int64_t place : {std::int64_t{0}, std::int64_t{1}, std::int64_t{2}, ring + 1, kManyBlocks - 1}) {
        if (place >= blocks)
          continue;
        Inputs inputs = best;
        for (const std::string &query : queries) {
          if (query == "get_block_num")
            inputs.queries[query] = blocks;
          else if (query == "get_block_idx" || query == "get_coreid")
            inputs.queries[query] = place;
          else
            inputs.queries[query] = query == "get_subblockid" ? place % 2 : 2;
        }
        attempt(inputs);
      }
  }

  void oneByOne() {
    if (deciding.size() < 2)
      return; // its values were all tried
    for (std::uint32_t number : open)
      for (std::int64_t value : values) {
        if (!deciding.count(number))
          break;
        Inputs inputs = best;
        inputs.arguments[number] = value;
        attempt(inputs);
      }
  }

  void memory() {
    if (!dependsOnMemory)
      return;
    std::vector<Inputs> bases = chosen;
    if (bases.empty())
      bases.push_back(best);
    for (std::uint64_t seed = 1; seed <= MemoryContents::kLast; ++seed)
      for (Inputs inputs : bases) {
        inputs.seed = seed;
        attempt(inputs);
      }
  }

  Subject &subject;
  const Options &options;
  Shown *shown;
  std::set<std::uint32_t> deciding; // arguments that branches depend on
  Inputs fixed, best;
  std::vector<std::uint32_t> open; // arguments that the user left open
  std::set<std::string> queries;
  std::vector<std::int64_t> values; // to try, most telling first
  std::vector<Inputs> tried, chosen;
  Features seen;
  std::uint64_t spent = 0;
  bool dependsOnMemory = false;
};

} // namespace

std::vector<NamedArgument> argumentsOf(const Subject &subject) {
  std::map<std::uint32_t, NamedArgument> found;
  for (ExpressionId id = 0; id < subject.kernel.expressions.size(); ++id) {
    const Expression &e = subject.kernel.expressions[id];
    if (e.kind != Expression::Kind::Parameter)
      continue;
    auto number = static_cast<std::uint32_t>(e.constant);
    found[number] = {e.name, number, e.type, subject.facts.pointerArguments.count(number) != 0};
  }
  std::vector<NamedArgument> list;
  list.reserve(found.size());
  for (auto &[number, argument] : found)
    list.push_back(std::move(argument));
  return list;
}

void Shown::add(const Trace &trace) {
  ways.insert(trace.ways.begin(), trace.ways.end());
  blocks.insert(trace.blocks.begin(), trace.blocks.end());
  for (const auto &[loop, counts] : trace.trips)
    trips[loop].insert(counts.begin(), counts.end());
}

namespace {

/// Moves a number into its bounds: those that follow each other stay apart as far as there is room.
std::int64_t into(const NumberBounds &bounds, std::int64_t value) {
  if (value >= bounds.lowest && value <= bounds.highest)
    return value;
  if (bounds.lowest == INT64_MIN)
    return bounds.highest;
  if (bounds.highest == INT64_MAX)
    return bounds.lowest;
  const auto size = static_cast<unsigned __int128>(bounds.highest) - bounds.lowest + 1;
  const auto step = static_cast<std::uint64_t>(value < 0 ? 0 : value) % size;
  return bounds.lowest + static_cast<std::int64_t>(step);
}

constexpr int kMostAdjustments = 64; // of numbers to what relates them

/// The numbers of a run on their way to what is assumed of them.
class AssumedInputs {
public:
  AssumedInputs(const Kernel &kernel, Inputs inputs, const std::map<std::uint32_t, std::int64_t> &fixed)
      : kernel(kernel), inputs(std::move(inputs)), fixed(fixed) {}

  /// Empty if none are found.
  std::optional<Inputs> find() {
    for (const Assumption &one : kernel.assumptions)
      for (const Assumption::Term &term : one.terms)
        if (!isFixed(term))
          set(term, into(boundsOf(term), valueOf(term)));
    for (int adjustment = 0; adjustment < kMostAdjustments; ++adjustment) {
      const Assumption *broken = firstBroken(kernel.assumptions, [&](const auto &term) { return valueOf(term); });
      if (!broken)
        return std::move(inputs);
      if (!approach(*broken) && !shift(*broken))
        return std::nullopt;
    }
    return std::nullopt;
  }

private:
  std::int64_t valueOf(const Assumption::Term &term) const {
    return term.argument ? inputs.argument(*term.argument) : inputs.query(term.name);
  }
  void set(const Assumption::Term &term, std::int64_t value) {
    if (value == valueOf(term))
      return;
    if (term.argument)
      inputs.arguments[*term.argument] = value;
    else
      inputs.queries[term.name] = value;
  }
  bool isFixed(const Assumption::Term &term) const { return term.argument && fixed.count(*term.argument) != 0; }
  NumberBounds boundsOf(const Assumption::Term &term) const { return ptosync::boundsOf(kernel.assumptions, term); }

  /// Moves one number after the other towards what the sum lacks, as far as its own bounds go; false: none moves.
  bool approach(const Assumption &broken) {
    bool moved = false;
    for (const Assumption::Term &term : broken.terms) {
      __int128 sum = 0;
      for (const Assumption::Term &one : broken.terms)
        sum += static_cast<__int128>(one.factor) * valueOf(one);
      const __int128 lacks = sum < broken.lowest    ? broken.lowest - sum
                             : sum > broken.highest ? broken.highest - sum
                                                    : static_cast<__int128>(0);
      if (lacks == 0 || isFixed(term) || term.factor == 0 || &term == shifted)
        continue;
      __int128 steps = lacks / term.factor;
      if (steps * term.factor != lacks) { // a step more, if the sum has room for that
        const __int128 more = steps + ((lacks < 0) == (term.factor < 0) ? 1 : -1);
        const __int128 reached = sum + more * term.factor;
        if (reached >= broken.lowest && reached <= broken.highest)
          steps = more;
      }
      const NumberBounds bounds = boundsOf(term);
      const std::int64_t before = valueOf(term);
      const __int128 wanted =
          std::clamp<__int128>(static_cast<__int128>(before) + steps, bounds.lowest, bounds.highest);
      set(term, static_cast<std::int64_t>(wanted));
      moved |= valueOf(term) != before;
    }
    shifted = nullptr;
    return moved;
  }

  /// Moves the first number by one, so that the others meet another remainder.
  bool shift(const Assumption &broken) {
    for (const Assumption::Term &term : broken.terms)
      if (const NumberBounds bounds = boundsOf(term); !isFixed(term) && bounds.lowest < bounds.highest) {
        set(term, valueOf(term) == bounds.highest ? bounds.lowest : valueOf(term) + 1);
        shifted = &term;
        return true;
      }
    return false;
  }

  const Kernel &kernel;
  Inputs inputs;
  const std::map<std::uint32_t, std::int64_t> &fixed;
  const Assumption::Term *shifted = nullptr; // the last one: the others are to follow it
};

} // namespace

std::optional<Inputs> asAssumed(const Kernel &kernel, Inputs inputs,
                                const std::map<std::uint32_t, std::int64_t> &fixed) {
  if (kernel.assumptions.empty())
    return inputs;
  return AssumedInputs(kernel, std::move(inputs), fixed).find();
}

std::vector<Inputs> chooseRuns(Subject &subject, const Options &options, Shown *shown) {
  return Chooser(subject, options, shown).choose();
}

/// What is assumed of one argument or of several that are all given; and that there is a run at all.
static llvm::Error checkAssumed(const Subject &subject, const Options &options) {
  std::vector<Assumption> asked;
  for (const Assumption &one : subject.kernel.assumptions)
    if (llvm::all_of(one.terms, [&](const Assumption::Term &term) {
          return term.argument && options.arguments.count(term.name) != 0;
        }))
      asked.push_back(one);
  const Assumption *broken = firstBroken(
      asked, [&](const Assumption::Term &term) { return wrapTo(term.type, options.arguments.at(term.name)); });
  if (!broken) {
    Inputs inputs;
    for (const NamedArgument &argument : argumentsOf(subject))
      if (auto value = options.arguments.find(argument.name); value != options.arguments.end())
        inputs.arguments[argument.number] = value->second;
    if (asAssumed(subject.kernel, inputs, inputs.arguments))
      return llvm::Error::success();
    return llvm::make_error<ArgumentError>(
        "kernel " + subject.kernel.name +
        ": no run was found that meets all that is assumed of its arguments; see whether one can be, and give it with "
        "--arg");
  }
  const std::string &name = broken->terms.front().name;
  return llvm::make_error<ArgumentError>("--arg " + name + "=" + std::to_string(options.arguments.at(name)) +
                                         ": kernel " + subject.kernel.name + " is taken to be run with " +
                                         describe(*broken) + " alone");
}

llvm::Error checkArguments(const std::vector<const Subject *> &subjects, const Options &options) {
  std::set<std::string> integers, pointers;
  for (const Subject *subject : subjects)
    for (const NamedArgument &argument : argumentsOf(*subject))
      (argument.pointer ? pointers : integers).insert(argument.name);
  for (const Subject *subject : subjects)
    if (llvm::Error error = checkAssumed(*subject, options))
      return error;
  for (const auto &[name, value] : options.arguments) {
    if (integers.count(name))
      continue;
    if (pointers.count(name))
      return llvm::make_error<ArgumentError>("--arg " + name + ": is a pointer; only integer arguments can be set");
    std::string known;
    for (const std::string &integer : integers)
      known += (known.empty() ? "" : ", ") + integer;
    return llvm::make_error<ArgumentError>("--arg " + name +
                                           ": no kernel has an argument of this name; integer arguments are " +
                                           (known.empty() ? "none" : known));
  }
  return llvm::Error::success();
}

} // namespace ptosync::replay
