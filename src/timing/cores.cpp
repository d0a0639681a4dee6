#include "timing/cores.h"

#include "replay/choose/run_choice.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace ptosync::timing {
namespace {

/// "k_aic" -> "k_"; empty if it does not end so.
std::string_view stemOf(std::string_view name, std::string_view ending) {
  bool ends = name.size() > ending.size() && name.substr(name.size() - ending.size()) == ending;
  return ends ? name.substr(0, name.size() - ending.size()) : std::string_view();
}

/// It does something on its core.
bool works(const Kernel &kernel, const Machine &machine) {
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
        const InstructionFacts *facts = machine.instruction(instruction->name);
        if (!facts || std::any_of(facts->forms.begin(), facts->forms.end(),
                                  [](const InstructionForm &form) { return !form.pipes.empty(); }))
          return true;
      }
  return false;
}

bool sameKernel(const Kernel &cube, const Kernel &vec, const Machine &machine) {
  bool cubeMeets = meetsOtherCore(cube, machine), vecMeets = meetsOtherCore(vec, machine);
  if (cube.name == vec.name)
    return (cubeMeets && works(vec, machine)) || (vecMeets && works(cube, machine));
  std::string_view stem = stemOf(cube.name, "aic");
  return !stem.empty() && stem == stemOf(vec.name, "aiv") && cubeMeets && vecMeets;
}

/// An argument of one function is the same one of the other, as far as both use it.
bool takeTheSame(const replay::Subject &cube, const replay::Subject &vec) {
  for (const replay::NamedArgument &a : replay::argumentsOf(cube))
    for (const replay::NamedArgument &b : replay::argumentsOf(vec))
      if ((a.number == b.number) != (a.name == b.name) || (a.number == b.number && a.type != b.type))
        return false;
  return true;
}

double idleOf(const CoresRun &run, std::size_t core) {
  double sum = 0;
  for (const CoreWait &wait : run.waits)
    if (wait.core == core)
      sum += wait.idle;
  return sum;
}

std::vector<CallWaits> byCall(const JoinedCores &joined, const CoresRun &run) {
  std::map<std::tuple<std::size_t, std::uint32_t, std::string, std::string>, CallWaits> calls;
  for (const CoreWait &wait : run.waits) {
    if (wait.idle <= 0)
      continue;
    const Statement &statement = statementOf(joined.core(wait.core), wait.operation);
    const std::string &fifo = joined.core(wait.core).subject().kernel.fifos[wait.fifo].name;
    const std::string &name = std::get<Instruction>(statement.action).name;
    CallWaits &call = calls[{wait.core, statement.line, name, fifo}];
    call.core = wait.core;
    call.fifo = fifo;
    call.call = name;
    call.line = statement.line;
    call.cycles += wait.idle;
    call.times += 1;
  }
  std::vector<CallWaits> sorted;
  for (auto &[key, call] : calls)
    sorted.push_back(std::move(call));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const CallWaits &a, const CallWaits &b) { return a.cycles > b.cycles; });
  return sorted;
}

} // namespace

std::string CorePair::name() const { return cube->name == vec->name ? cube->name : cube->name + " and " + vec->name; }

std::vector<CorePair> corePairs(const std::vector<Kernel> &kernels, const Machine &machine) {
  std::vector<CorePair> pairs;
  for (const Kernel &cube : kernels)
    for (const Kernel &vec : kernels)
      if (cube.section == Section::Cube && vec.section == Section::Vec && cube.analysable && vec.analysable &&
          sameKernel(cube, vec, machine))
        pairs.push_back({&cube, &vec});
  return pairs;
}

JoinedCores::JoinedCores(const CorePair &pair, std::array<const KernelTiming *, 2> known, const Machine &machine,
                         const replay::Options &options, const CostTable &table)
    : pairName(pair.name()), costs(table.fifo()) {
  bool sameRun = known[0] && known[1] && pair.cube->name == pair.vec->name;
  if (sameRun && !known[0]->plan().extrapolated && !known[1]->plan().extrapolated) {
    cores = known;
  } else {
    own = timeCores({pair.cube, pair.vec}, machine, options, table,
                    sameRun ? std::optional(known[0]->inputs()) : std::nullopt, replay::Skipping::Forbidden);
    cores = {&own[0], &own[1]};
  }
  join(machine);
}

JoinedCores::JoinedCores(const CorePair &pair, const replay::Inputs &inputs, const Machine &machine,
                         const replay::Options &options, const CostTable &table)
    : pairName(pair.name()), costs(table.fifo()),
      own(timeCores({pair.cube, pair.vec}, machine, options, table, inputs, replay::Skipping::Forbidden)),
      cores{&own[0], &own[1]} {
  join(machine);
}

void JoinedCores::join(const Machine &machine) {
  for (std::size_t number = 0; number < cores.size(); ++number)
    if (cores[number]->trace().ending != replay::Ending::Returned) {
      traffic.apart = "the run of the " + std::string(sectionName(coreSection(number))) +
                      " core is too long to run every iteration of it";
      return;
    }
  const replay::Subject &cube = cores[kCubeCore]->subject(), &vec = cores[kVecCore]->subject();
  if (cube.kernel.name != vec.kernel.name && !takeTheSame(cube, vec)) {
    traffic.apart = "the two functions do not take the same arguments";
    return;
  }
  traffic = followFifos(*cores[kCubeCore], *cores[kVecCore], machine, costs);
  std::array<std::size_t, 2> met{};
  CoresRun run;
  if (!traffic.apart.empty() || drive({}, run, met))
    return;
  // However long anything takes: each one's signal stands behind its own wait.
  traffic.apart = "each core would wait for the other";
  for (std::size_t number = 0; number < cores.size(); ++number)
    if (met[number] < traffic.cores[number].size()) {
      const Statement &statement = statementOf(*cores[number], traffic.cores[number][met[number]].operation);
      traffic.apart +=
          ", the " + std::string(sectionName(coreSection(number))) + " core at line " + std::to_string(statement.line);
    }
}

/// Goes on with one core for as long as it has what it needs; false if that is no operation at all.
bool JoinedCores::goOn(std::size_t core, Engine &engine, std::size_t &met, std::vector<std::vector<double>> &sent,
                       CoresRun &run) const {
  const std::vector<Junction> &junctions = traffic.cores[core];
  bool moved = false;
  for (; !engine.over(); moved = true) {
    if (met == junctions.size() || junctions[met].operation != engine.next()) {
      engine.step();
      continue;
    }
    const Junction &junction = junctions[met];
    if (junction.waits != kNone) {
      if (junction.number >= sent[junction.waits].size())
        return moved;
      Pipe held = costs.holdsCore ? Pipe::S : junction.pipe;
      double arrives = sent[junction.waits][junction.number] + costs.signal;
      double idle = engine.idle(), could = engine.hold(held, arrives);
      if (arrives > could)
        run.waits.push_back({core, junction.operation, junction.fifo, held, could, arrives,
                             arrives - (costs.holdsCore ? std::min(std::max(could, idle), arrives) : could)});
    }
    engine.step();
    if (junction.signals != kNone)
      sent[junction.signals].push_back(engine.settled(junction.pipe));
    ++met;
  }
  return moved;
}

bool JoinedCores::drive(const EngineOptions &options, CoresRun &run, std::array<std::size_t, 2> &met) const {
  std::array<Engine, 2> engines{Engine(cores[0]->plan(), options), Engine(cores[1]->plan(), options)};
  std::vector<std::vector<double>> sent(traffic.rows);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t number = 0; number < cores.size(); ++number)
      moved |= goOn(number, engines[number], met[number], sent, run);
  }
  for (std::size_t number = 0; number < cores.size(); ++number)
    run.cores[number] = engines[number].take();
  std::stable_sort(run.waits.begin(), run.waits.end(),
                   [](const CoreWait &a, const CoreWait &b) { return a.core < b.core; });
  return engines[0].over() && engines[1].over();
}

CoresRun JoinedCores::run(const EngineOptions &options) const {
  CoresRun run;
  std::array<std::size_t, 2> met{};
  drive(options, run, met);
  return run;
}

CoresEstimate JoinedCores::estimate(const Sites &leftOut) const {
  EngineOptions options;
  options.ignored = leftOut;
  CoresRun together = run(options);
  CoresEstimate estimate;
  estimate.run = replay::describe(inputs(), cores[kCubeCore]->subject().kernel);
  estimate.cycles = together.cycles();
  for (std::size_t number = 0; number < cores.size(); ++number)
    estimate.cores[number] = {runEngine(cores[number]->plan(), options).cycles, together.cores[number].cycles,
                              idleOf(together, number)};
  estimate.waits = byCall(*this, together);
  options.dataFlow = true;
  estimate.limit = run(options).cycles();
  return estimate;
}

} // namespace ptosync::timing
