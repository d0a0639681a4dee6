#include "fuzz/file_mutants.h"

#include "fuzz/random_source.h"
#include "replay/choose/run_choice.h"
#include "replay/judge/conflict.h"
#include "replay/verify.h"
#include "run/choices.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <sstream>

namespace ptosync::fuzz {
namespace {

using Lines = std::vector<std::string>;

/// The lines of a get and of its release.
struct Bracket {
  std::size_t get = 0, release = 0;
  std::string pipe, id, mode;
};

struct FileMutant {
  std::string kind;
  Lines lines;
  std::size_t line = 0; // of the get, from 1
};

std::string joined(const Lines &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

/// A release belongs to the last get of its pipe, id and mode before it.
std::vector<Bracket> bracketsOf(const Lines &lines) {
  static const std::regex kEnd(R"(^\s*(get|rls)_buf\((\w+), (\w+), (\w+)\);.*$)");
  std::vector<Bracket> open, brackets;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::smatch match;
    if (!std::regex_match(lines[i], match, kEnd))
      continue;
    Bracket bracket{i, 0, match[2], match[3], match[4]};
    if (match[1] == "get") {
      open.push_back(bracket);
      continue;
    }
    auto own = std::find_if(open.rbegin(), open.rend(), [&](const Bracket &one) {
      return one.pipe == bracket.pipe && one.id == bracket.id && one.mode == bracket.mode;
    });
    if (own == open.rend())
      continue;
    own->release = i;
    brackets.push_back(*own);
    open.erase(std::next(own).base());
  }
  return brackets;
}

bool isInstruction(const std::string &line) {
  static const std::regex kCall(R"(^\s*(pto::comm::|pto::)?T[A-Z_0-9]+(<[^;]*>)?\(.*\);.*$)");
  return std::regex_match(line, kCall) && line.find("TASSIGN(") == std::string::npos;
}

/// True if a block begins or ends on one of the lines: what would move over them would come out of it, or into it.
bool hasBlock(Lines::const_iterator begin, Lines::const_iterator end) {
  return std::any_of(begin, end, [](const std::string &line) {
    const std::size_t last = line.find_last_not_of(' '), first = line.find_first_not_of(' ');
    return last != std::string::npos && (line[last] == '{' || line[first] == '}');
  });
}

std::optional<FileMutant> mutate(const Lines &lines, const Bracket &bracket, std::int64_t change,
                                 std::int64_t otherId) {
  FileMutant mutant{"", lines, bracket.get + 1};
  auto first = mutant.lines.begin() + static_cast<std::ptrdiff_t>(bracket.get);
  auto last = mutant.lines.begin() + static_cast<std::ptrdiff_t>(bracket.release);
  if (change == 0) {
    mutant.kind = "dropped";
    first->clear();
    last->clear();
  } else if (change == 1) {
    mutant.kind = "later get";
    auto work = std::find_if(first, last, isInstruction);
    if (work == last || hasBlock(first, work))
      return std::nullopt;
    std::rotate(first, first + 1, work + 1);
  } else if (change == 2) {
    mutant.kind = "earlier release";
    auto work = last;
    while (work != first && !isInstruction(*work))
      --work;
    if (work == first || hasBlock(work, last))
      return std::nullopt;
    std::rotate(work, last, last + 1);
  } else {
    mutant.kind = "other id";
    if (bracket.id == std::to_string(otherId))
      return std::nullopt;
    for (auto [at, name] : {std::pair(first, "get_buf("), std::pair(last, "rls_buf(")})
      *at = name + bracket.pipe + ", " + std::to_string(otherId) + ", " + bracket.mode + ");";
  }
  return mutant;
}

/// What each phase of a run knows to be complete when it starts.
class FileClocks {
public:
  using Clock = std::array<std::uint32_t, kPipeCount>;
  struct Start {
    std::uint32_t instance = 0, phase = 0;
    Clock known{};
  };

  FileClocks(const replay::Trace &trace, const replay::WorkTable &works) : trace(trace), works(works) {
    findAmiss();
    for (const replay::Event &event : trace.events)
      add(event);
  }

  std::vector<Start> starts;                                 // of phases, in the order of the text
  std::array<std::vector<std::uint32_t>, kPipeCount> ofPipe; // indices into `starts`
  std::set<std::int64_t> amiss;                              // buffer ids that are not taken and given back in turn

private:
  using Kind = replay::Event::Kind;

  static std::int64_t modeOf(const replay::Event &event) {
    return std::get<Sync>(event.statement->action).mode == BufferMode::Blocking ? 0 : 1;
  }

  void findAmiss() {
    std::map<std::int64_t, const replay::Event *> holders;
    for (const replay::Event &event : trace.events) {
      if (event.kind != Kind::GetBuffer && event.kind != Kind::ReleaseBuffer)
        continue;
      auto held = holders.find(event.id);
      const bool gets = event.kind == Kind::GetBuffer, free = held == holders.end();
      if (gets ? !free : free || held->second->source != event.source || modeOf(*held->second) != modeOf(event))
        amiss.insert(event.id);
      if (gets)
        holders[event.id] = &event;
      else if (!free)
        holders.erase(held);
    }
    for (const auto &[id, holder] : holders)
      if (trace.ending == replay::Ending::Returned)
        amiss.insert(id);
  }

  Clock firing(Pipe pipe) const {
    Clock clock = knows[index(pipe)];
    clock[index(pipe)] = static_cast<std::uint32_t>(ofPipe[index(pipe)].size());
    return clock;
  }

  void learn(Pipe pipe, const Clock &more) {
    for (std::size_t other = 0; other < kPipeCount; ++other)
      knows[index(pipe)][other] = std::max(knows[index(pipe)][other], more[other]);
  }

  void add(const replay::Event &event) {
    switch (event.kind) {
    case Kind::Instruction: return addWork(event.instance);
    case Kind::Barrier:
      for (Pipe pipe : kPipes)
        if (event.source == Pipe::All || event.source == pipe)
          for (Pipe other : kPipes)
            if (event.source == Pipe::All || other == pipe)
              knows[index(pipe)][index(other)] = static_cast<std::uint32_t>(ofPipe[index(other)].size());
      return;
    case Kind::SetFlag: flags[{event.source, event.destination, event.id}] = firing(event.source); return;
    case Kind::WaitFlag:
      if (auto flag = flags.find({event.source, event.destination, event.id}); flag != flags.end()) {
        learn(event.destination, flag->second);
        flags.erase(flag);
      }
      return;
    case Kind::ReleaseBuffer:
      if (modeOf(event) == 0 && !amiss.count(event.id))
        releases[event.id].push_back({event.source, firing(event.source)});
      return;
    case Kind::GetBuffer:
      for (const auto &[pipe, clock] : releases[event.id])
        if (modeOf(event) == 0 && !amiss.count(event.id) && pipe != event.source)
          learn(event.source, clock);
      return;
    }
  }

  void addWork(std::uint32_t instance) {
    const replay::Work &work = works[trace.instances[instance].work];
    for (std::uint32_t phase = 0; phase < work.phases.size(); ++phase) {
      const std::size_t pipe = index(work.phases[phase].pipe);
      if (work.phases[phase].barrier) {
        knows[pipe][pipe] = static_cast<std::uint32_t>(ofPipe[pipe].size());
        continue;
      }
      ofPipe[pipe].push_back(static_cast<std::uint32_t>(starts.size()));
      starts.push_back({instance, phase, knows[pipe]});
    }
  }

  const replay::Trace &trace;
  const replay::WorkTable &works;
  std::array<Clock, kPipeCount> knows{};
  std::map<std::tuple<Pipe, Pipe, std::int64_t>, Clock> flags;
  std::map<std::int64_t, std::vector<std::pair<Pipe, Clock>>> releases;
};

/// What the second of two versions of a kernel loses in some run, and whether a bracket is amiss in it.
struct Loss {
  std::string order, fault;
  bool amiss = false;
};

class KernelPair {
public:
  KernelPair(const Kernel &before, const Kernel &after, const Machine &machine, const replay::Options &options)
      : before(before, machine, options), after(after, machine, options), rules(machine, options), options(options) {}

  void compare(Loss &loss) {
    constexpr std::size_t kRuns = 6;
    std::vector<replay::Inputs> runs = replay::chooseRuns(before, options);
    runs.resize(std::min(runs.size(), kRuns));
    for (const replay::Inputs &inputs : runs) {
      replay::RunRequest request;
      request.inputs = inputs;
      request.skipping = replay::Skipping::Forbidden;
      replay::Budget budget = options.budget;
      budget.instructions = budget.shortInstructions;
      const replay::Trace first = replay::interpret(before, request, budget),
                          second = replay::interpret(after, request, budget);
      if (first.ending == second.ending)
        compareRuns(first, second, loss);
    }
  }

private:
  void compareRuns(const replay::Trace &first, const replay::Trace &second, Loss &loss) {
    const FileClocks own(first, before.works), other(second, after.works);
    loss.amiss |= !other.amiss.empty();
    for (std::int64_t id : other.amiss)
      if (!own.amiss.count(id))
        loss.fault = "buffer id " + std::to_string(id);
    for (std::size_t i = 0; i < own.starts.size() && i < other.starts.size() && loss.order.empty(); ++i)
      for (std::size_t pipe = 0; pipe < kPipeCount && loss.order.empty(); ++pipe)
        for (std::uint32_t n = other.starts[i].known[pipe]; n < own.starts[i].known[pipe]; ++n)
          lookAt(first, own.starts[own.ofPipe[pipe][n]], own.starts[i], loss);
  }

  void lookAt(const replay::Trace &trace, const FileClocks::Start &earlier, const FileClocks::Start &later,
              Loss &loss) {
    auto view = [&](const FileClocks::Start &start) {
      const replay::Work &work = before.works[trace.instances[start.instance].work];
      return replay::PhaseView{work, work.phases[start.phase]};
    };
    const replay::PhaseView a = view(earlier), b = view(later);
    if (earlier.instance == later.instance || (a.phase.pipe == Pipe::S && b.phase.pipe == Pipe::S))
      return;
    if (std::optional<replay::Conflict> conflict =
            rules.between(a, b,
                          replay::loopCarried(trace, trace.instances[earlier.instance].iteration,
                                              trace.instances[later.instance].iteration)))
      loss.order = std::string(replay::conflictName(conflict->kind)) + " between " + a.work.text + " at line " +
                   std::to_string(trace.instances[earlier.instance].statement->line) + " and " + b.work.text +
                   " at line " + std::to_string(trace.instances[later.instance].statement->line);
  }

  replay::Subject before, after;
  replay::ConflictRules rules;
  const replay::Options &options;
};

Loss lossOf(const Module &before, const Module &after, const Machine &machine, const replay::Options &options) {
  Loss loss;
  for (std::size_t i = 0; i < before.kernels.size() && i < after.kernels.size(); ++i)
    if (before.kernels[i].analysable && after.kernels[i].analysable)
      KernelPair(before.kernels[i], after.kernels[i], machine, options).compare(loss);
  return loss;
}

/// Counts the mutant, and says what the tool has wrong of it.
Violation judge(const FileMutant &mutant, const std::string &path, const Loss &loss, const replay::Verdict &tool,
                MutantCounts &counts) {
  const bool found = !tool.agreed(), lost = !loss.order.empty(), wrong = lost || !loss.fault.empty();
  ++counts.made;
  counts.lost += lost;
  counts.faulty += !lost && wrong;
  counts.found += wrong && found;
  counts.toolAlone += !wrong && found;
  counts.equivalent += !wrong && !found;
  const std::string place = path + " line " + std::to_string(mutant.line) + ", " + mutant.kind + ": ";
  if (wrong && !found)
    return {"missed", place + "the tool does not find " + (lost ? loss.order : "what is amiss with " + loss.fault),
            joined(mutant.lines)};
  for (const replay::Finding &finding : tool.findings)
    if (finding.rule.rfind("bracket-", 0) == 0 && !loss.amiss)
      return {"claimed", place + finding.text, joined(mutant.lines)};
  return {};
}

} // namespace

std::vector<Violation> examineFileMutants(const std::string &path, std::size_t most, Trust trust,
                                          std::map<std::string, MutantCounts> &counts) {
  std::ifstream stream(path);
  Lines lines;
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  const Machine machine = llvm::cantFail(Machine::builtIn("a5"));
  RunChoices choices;
  choices.optimize.ordering.trust = trust;
  const replay::Options options = replayOptions(choices);
  auto lift = [&](const Lines &text) {
    return liftModule(SourceText("kernel.cpp", joined(text)), frontendOptions(machine));
  };
  llvm::Expected<Module> before = lift(lines);
  if (!before)
    return {{"parse", path + ": " + llvm::toString(before.takeError())}};
  const std::vector<Bracket> brackets = bracketsOf(lines);
  RandomSource random(RandomSource::mix(lines.size()));
  std::vector<Violation> violations;
  for (std::size_t tries = 4 * most, made = 0; tries > 0 && made < most && !brackets.empty(); --tries) {
    const Bracket &bracket = random.pick(brackets);
    const std::int64_t change = random.below(4), otherId = random.below(12);
    const std::optional<FileMutant> mutant = mutate(lines, bracket, change, otherId);
    if (!mutant)
      continue;
    ++made;
    llvm::Expected<Module> after = lift(mutant->lines);
    if (!after) {
      violations.push_back({"parse", path + ": " + llvm::toString(after.takeError())});
      continue;
    }
    llvm::Expected<replay::Verdict> verdict =
        replay::verify(*before, *after, machine, options, {Section::Both}, replay::Unanalysable::Skip);
    if (!verdict)
      return {{"parse", path + ": " + llvm::toString(verdict.takeError())}};
    if (Violation violation =
            judge(*mutant, path, lossOf(*before, *after, machine, options), *verdict, counts[mutant->kind]))
      violations.push_back(std::move(violation));
  }
  return violations;
}

} // namespace ptosync::fuzz
