#include "patterns/catalogue.h"

#include "base/messages.h"
#include "patterns/pattern_reader.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>

namespace ptosync {
namespace {

bool selectsAll(llvm::StringRef word) { return word == "default" || word == "all"; }

bool selectsNone(llvm::StringRef word) {
  return word == "none" || word == "off" || word == "disable" || word == "disabled";
}

bool askedBefore(const Pattern &left, const Pattern &right) {
  return std::tie(left.priority, left.id) < std::tie(right.priority, right.id);
}

constexpr llvm::StringRef kCasesPart = "#/cases";

bool isPart(llvm::StringRef fileName) { return fileName.ends_with(kCasesPart); }

std::string_view casesOf(llvm::StringRef fileName) {
  for (const auto &[name, text] : embeddedPatterns())
    if (llvm::StringRef file = name; file.consume_back(kCasesPart) && file == fileName)
      return text;
  return {};
}

std::vector<std::string> namesOf(const Pattern &pattern) {
  std::vector<std::string> names = {pattern.id};
  names.insert(names.end(), pattern.aliases.begin(), pattern.aliases.end());
  return names;
}

} // namespace

llvm::Expected<Catalogue> Catalogue::builtIn(PatternCases cases) {
  Catalogue catalogue;
  for (const auto &[fileName, text] : embeddedPatterns()) {
    if (isPart(fileName))
      continue;
    llvm::Expected<Pattern> pattern =
        builtInPattern(text, fileName, cases == PatternCases::Read ? casesOf(fileName) : std::string_view());
    if (!pattern)
      return pattern.takeError();
    if (llvm::Error error = catalogue.add(std::move(*pattern)))
      return error;
  }
  return catalogue;
}

llvm::Error Catalogue::add(Pattern pattern) {
  const std::string place = pattern.file.empty() ? std::string() : pattern.file + ": ";
  const std::string named = place + "pattern '" + pattern.id + "'";
  std::set<std::string> own;
  for (const std::string &name : namesOf(pattern)) {
    if (selectsAll(name) || selectsNone(name))
      return llvm::createStringError(place + llvm::Twine("no pattern can be named '") + name +
                                     "': it selects patterns");
    if (!own.insert(name).second)
      return llvm::createStringError(named + llvm::Twine(" has the name '") + name + "' twice");
    const Pattern *other = find(name);
    if (!other)
      continue;
    std::string where = other->file.empty() ? std::string() : " (" + other->file + ")";
    return llvm::createStringError(named + llvm::Twine(": the name '") + name + "' belongs to pattern '" + other->id +
                                   "'" + where);
  }
  auto position = std::upper_bound(ordered.begin(), ordered.end(), pattern, askedBefore);
  ordered.insert(position, std::move(pattern));
  return llvm::Error::success();
}

llvm::Expected<Catalogue> Catalogue::select(std::string_view spec) const {
  llvm::StringRef whole = llvm::StringRef(spec).trim();
  auto isSync = [](const Pattern &pattern) { return pattern.kind == PatternKind::Sync; };
  if (selectsAll(whole)) {
    Catalogue syncs;
    llvm::copy_if(ordered, std::back_inserter(syncs.ordered), isSync);
    return syncs;
  }
  if (selectsNone(whole))
    return Catalogue();
  llvm::SmallVector<llvm::StringRef> words;
  whole.split(words, ',');
  std::set<std::string> chosen;
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (word.empty())
      return llvm::createStringError("'" + llvm::Twine(spec) + "' has a comma with no pattern name beside it");
    if (selectsAll(word) || selectsNone(word))
      return llvm::createStringError("'" + word + "' selects on its own; it cannot stand in a list of patterns");
    const Pattern *pattern = find(word);
    if (pattern && !isSync(*pattern))
      return llvm::createStringError("pattern '" + pattern->id +
                                     "' is a rewrite; ask for it with --rewrite=" + pattern->id);
    if (pattern) {
      chosen.insert(pattern->id);
      continue;
    }
    std::vector<std::string> known;
    for (const Pattern &one : ordered)
      if (isSync(one))
        llvm::append_range(known, namesOf(one));
    return llvm::createStringError("unknown pattern '" + word + "'" + suggestName(word, known));
  }
  Catalogue selection;
  llvm::copy_if(ordered, std::back_inserter(selection.ordered),
                [&](const Pattern &pattern) { return chosen.count(pattern.id) != 0; });
  return selection;
}

const Pattern *Catalogue::find(std::string_view idOrAlias) const {
  auto found = llvm::find_if(ordered, [&](const Pattern &pattern) { return pattern.answersTo(idOrAlias); });
  return found == ordered.end() ? nullptr : &*found;
}

namespace {

/// A statement that can match or break a sequence.
struct Step {
  const Statement *statement;
  PipeSet pipes; // of an instruction
};

using Run = std::vector<Step>;

/// The block that continues the run of each block; kNone where the run ends.
std::vector<BlockId> runSuccessors(const Kernel &kernel) {
  std::vector<unsigned> entries(kernel.blocks.size(), 0);
  auto enter = [&](BlockId block) {
    if (block < entries.size())
      ++entries[block];
  };
  enter(0); // the caller enters the first block
  for (const Block &block : kernel.blocks) {
    if (block.terminator.kind == Terminator::Kind::Return)
      continue;
    enter(block.terminator.whenTrue);
    if (block.terminator.kind == Terminator::Kind::Branch)
      enter(block.terminator.whenFalse);
  }
  std::vector<BlockId> successors(kernel.blocks.size(), kNone);
  for (BlockId block = 0; block < kernel.blocks.size(); ++block) {
    const Terminator &terminator = kernel.blocks[block].terminator;
    if (terminator.kind == Terminator::Kind::Jump && terminator.whenTrue < entries.size() &&
        entries[terminator.whenTrue] == 1)
      successors[block] = terminator.whenTrue;
  }
  return successors;
}

void appendSteps(const Kernel &kernel, const Block &block, const PipeOf &pipeOf, Run &run) {
  for (const Statement &statement : block.statements) {
    if (std::holds_alternative<Sync>(statement.action)) {
      run.push_back(Step{&statement, PipeSet()});
    } else if (const Instruction *instruction = std::get_if<Instruction>(&statement.action)) {
      PipeSet pipes = pipeOf(kernel, *instruction);
      if (!pipes.empty())
        run.push_back(Step{&statement, pipes});
    }
  }
}

/// Every block belongs to one run at most. Blocks that only reach each other in a circle have no first
/// one and belong to none: the kernel never gets there.
std::vector<Run> straightRuns(const Kernel &kernel, const PipeOf &pipeOf) {
  std::vector<BlockId> successors = runSuccessors(kernel);
  std::vector<bool> continues(kernel.blocks.size(), false);
  for (BlockId successor : successors)
    if (successor != kNone)
      continues[successor] = true;
  std::vector<Run> runs;
  for (BlockId first = 0; first < kernel.blocks.size(); ++first) {
    if (continues[first])
      continue;
    runs.emplace_back();
    for (BlockId block = first; block != kNone; block = successors[block])
      appendSteps(kernel, kernel.blocks[block], pipeOf, runs.back());
  }
  return runs;
}

/// The flag statements or instructions that one element may stand for. A sequence describes what is close
/// together, and the bound keeps the search short when several such elements stand side by side.
constexpr unsigned kReach = 64;

/// Looks for one pattern around one barrier of a run: elements after the barrier first, forwards, then
/// those before it, backwards.
class Search {
public:
  Search(const Kernel &kernel, const Run &run, const Pattern &pattern, const SameStorage &sameStorage)
      : kernel(kernel), run(run), pattern(pattern), sameStorage(sameStorage) {
    auto isBarrier = [](const PatternElement &element) { return element.kind == PatternElement::Kind::Barrier; };
    target = static_cast<std::size_t>(llvm::find_if(pattern.sequence, isBarrier) - pattern.sequence.begin());
  }

  bool matchesAt(std::size_t barrier) const {
    return target < pattern.sequence.size() && matchRest(State{0, barrier, barrier + 1, {}});
  }

private:
  /// The operand that a name was first met at.
  struct Bound {
    std::size_t position;
    const Operand *operand;
  };
  using Bindings = std::map<std::string, Bound>;

  struct State {
    std::size_t matched = 0; // elements, without the barrier
    std::size_t before = 0;  // one past the next position backwards
    std::size_t after = 0;   // the next position forwards
    Bindings bindings;
  };

  bool forwards(std::size_t matched) const { return target + 1 + matched < pattern.sequence.size(); }
  const PatternElement &element(std::size_t matched) const;
  bool matchRest(const State &state) const;
  bool matchMany(const PatternElement &element, bool forward, State state) const;
  bool matchInstruction(const PatternElement &element, bool forward, State state) const;
  bool mayStandFor(const PatternElement &element, const Step &step) const;
  bool bind(const PatternElement &element, std::size_t position, Bindings &bindings) const;
  std::optional<std::size_t> advance(bool forward, State &state) const;

  const Kernel &kernel;
  const Run &run;
  const Pattern &pattern;
  const SameStorage &sameStorage;
  std::size_t target = 0; // index of the barrier in the sequence
};

const PatternElement &Search::element(std::size_t matched) const {
  if (forwards(matched))
    return pattern.sequence[target + 1 + matched];
  std::size_t behind = pattern.sequence.size() - target - 1;
  return pattern.sequence[target - 1 - (matched - behind)];
}

/// The next position in the direction, now behind the search; empty at the end of the run.
std::optional<std::size_t> Search::advance(bool forward, State &state) const {
  if (forward)
    return state.after < run.size() ? std::optional(state.after++) : std::nullopt;
  return state.before > 0 ? std::optional(--state.before) : std::nullopt;
}

bool Search::matchRest(const State &state) const {
  if (state.matched + 1 == pattern.sequence.size())
    return true;
  const PatternElement &next = element(state.matched);
  bool forward = forwards(state.matched);
  State rest = state;
  ++rest.matched;
  if (next.kind == PatternElement::Kind::Instruction)
    return matchInstruction(next, forward, std::move(rest));
  return matchMany(next, forward, std::move(rest));
}

/// Tries the fewest statements first.
bool Search::matchMany(const PatternElement &element, bool forward, State state) const {
  unsigned fewest = element.kind == PatternElement::Kind::Syncs && !element.optional ? 1 : 0;
  for (unsigned taken = 0; taken <= kReach; ++taken) {
    if (taken >= fewest && matchRest(state))
      return true;
    std::optional<std::size_t> position = advance(forward, state);
    if (!position || !mayStandFor(element, run[*position]))
      return false;
  }
  return false;
}

bool Search::matchInstruction(const PatternElement &element, bool forward, State state) const {
  std::optional<std::size_t> position = advance(forward, state);
  return position && bind(element, *position, state.bindings) && matchRest(state);
}

/// True if a flag statement or an instruction may be one of those that `element` stands for.
bool Search::mayStandFor(const PatternElement &element, const Step &step) const {
  const Sync *sync = std::get_if<Sync>(&step.statement->action);
  if (element.kind == PatternElement::Kind::Others)
    return !sync && !step.pipes.contains(pattern.pipe);
  return sync &&
         ((element.waits && sync->kind == SyncKind::WaitFlag) || (element.sets && sync->kind == SyncKind::SetFlag));
}

/// True if the statement is one of the element's instructions and its operands agree with the names met
/// so far, to which its own are added.
bool Search::bind(const PatternElement &element, std::size_t position, Bindings &bindings) const {
  const Statement &statement = *run[position].statement;
  const Instruction *instruction = std::get_if<Instruction>(&statement.action);
  if (!instruction || !llvm::is_contained(element.instructions, instruction->name) ||
      instruction->operands.size() < element.operands.size())
    return false;
  for (std::size_t index = 0; index < element.operands.size(); ++index) {
    if (element.operands[index] == "*")
      continue;
    const Operand &operand = instruction->operands[index];
    auto [known, isNew] = bindings.emplace(element.operands[index], Bound{position, &operand});
    if (isNew)
      continue;
    const Bound &bound = known->second;
    const Statement &other = *run[bound.position].statement;
    bool same = bound.position <= position ? sameStorage(kernel, other, *bound.operand, statement, operand)
                                           : sameStorage(kernel, statement, operand, other, *bound.operand);
    if (!same)
      return false;
  }
  return true;
}

/// The barrier that a step is; null if it is none that an edit could name.
const Sync *barrierOf(const Step &step) {
  const Sync *sync = std::get_if<Sync>(&step.statement->action);
  return sync && sync->kind == SyncKind::Barrier && sync->site != kNone ? sync : nullptr;
}

} // namespace

std::map<SiteId, std::string> nominate(const Kernel &kernel, const Catalogue &catalogue, std::string_view arch,
                                       Trust trust, const SameStorage &sameStorage, const PipeOf &pipeOf) {
  std::vector<const Pattern *> asked;
  for (const Pattern &pattern : catalogue.patterns())
    if (pattern.action == PatternAction::RemoveBarrier && pattern.supports(arch) &&
        (pattern.trust == Trust::Tile || trust == Trust::Library))
      asked.push_back(&pattern);

  std::map<SiteId, std::size_t> first; // index into `asked`
  for (const Run &run : straightRuns(kernel, pipeOf)) {
    for (std::size_t position = 0; position < run.size(); ++position) {
      const Sync *barrier = barrierOf(run[position]);
      if (!barrier)
        continue;
      // A site that another place nominated already can only move to a pattern that is asked earlier.
      auto known = first.find(barrier->site);
      std::size_t end = known == first.end() ? asked.size() : known->second;
      for (std::size_t index = 0; index < end; ++index) {
        if (asked[index]->pipe != barrier->source ||
            !Search(kernel, run, *asked[index], sameStorage).matchesAt(position))
          continue;
        first[barrier->site] = index;
        break;
      }
    }
  }
  std::map<SiteId, std::string> nominated;
  for (auto [site, index] : first)
    nominated.emplace(site, asked[index]->id);
  return nominated;
}

} // namespace ptosync
