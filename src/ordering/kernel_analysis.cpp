#include "ordering/kernel_analysis.h"

#include "ordering/follow_instance.h"
#include "ordering/syncs.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ptosync {

static constexpr const char *kLimitText = "its run has met a limit";

llvm::Expected<Analysis> Analysis::of(const Kernel &kernel, const Machine &machine, const OrderingOptions &options) {
  if (!kernel.analysable)
    return llvm::createStringError(kernel.reason);
  if (options.allowance.spent(WorkUnit::Analysis))
    return llvm::createStringError(kLimitText);
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return program.takeError();
  if (options.allowance.over())
    return llvm::createStringError(kLimitText);
  return Analysis(std::move(*program));
}

Pending &Analysis::sets() const {
  if (!pendingSets)
    pendingSets = std::make_unique<Pending>(*made);
  return *pendingSets;
}

const std::vector<Web> &Analysis::webs() const {
  if (!webList)
    webList = findWebs(*made, pending().layout(), pending().tokens());
  return *webList;
}

const std::vector<ChainLink> &Analysis::links() const {
  if (!linkList)
    linkList = findChainLinks(*made, pending());
  return *linkList;
}

static bool waitsForScalars(const Program &program) {
  for (const std::vector<Event> &events : program.steps)
    for (const Event &event : events)
      if ((event.kind == Event::Kind::Wait && event.destination == Pipe::S) ||
          (event.kind == Event::Kind::Get && event.source == Pipe::S))
        return true;
  return false;
}

const Analysis &Analysis::whereScalarWaitsHold() const {
  if (!made->machine->rules().scalarWaitDispatch || !waitsForScalars(*made))
    return *this;
  if (!held) {
    OrderingOptions options = made->options;
    options.scalarWaitsHoldDispatch = true;
    // What cannot be analysed with one set of options cannot be with any, and this kernel can, but for a limit.
    llvm::Expected<Analysis> other = of(kernel(), *made->machine, options);
    if (!other) {
      llvm::consumeError(other.takeError());
      return *this;
    }
    held = std::make_unique<Analysis>(std::move(*other));
  }
  return *held;
}

Pending::Trial Analysis::whatIf(const SyncEdit &edit) const {
  Pending::Trial trial = sets().tryEdit(edit);
  sets().abandon();
  return trial;
}

void Analysis::commit() {
  sets().commit();
  webList.reset();
  linkList.reset();
}

FileAnalysis::FileAnalysis(const Module &module, const Machine &machine, const OrderingOptions &options) {
  for (const Kernel &kernel : module.kernels)
    if (llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options))
      analysed.push_back(std::move(*analysis));
    else
      left.emplace_back(&kernel, llvm::toString(analysis.takeError()));
}

const std::vector<Web> &FileAnalysis::webs() const {
  if (!webList) {
    std::vector<std::vector<Web>> all;
    all.reserve(analysed.size());
    for (const Analysis &kernel : analysed)
      all.push_back(kernel.webs());
    webList = joinWebs(all);
  }
  return *webList;
}

namespace {

constexpr std::size_t kMostStepsSearched = 64; // for each copy of the blocks

class LinkFinder {
public:
  LinkFinder(const Program &program, const Pending &pending)
      : program(program), pending(pending), model(pending.hazards()) {
    for (const OpenObligation &open : pending.open(ObligationKind::Conflict))
      openPairs.insert({open.pair.bit, open.pair.later});
    std::size_t blocks = program.kernel->blocks.size();
    mostSteps = kMostStepsSearched * std::max<std::size_t>(1, blocks ? program.steps.size() / blocks : 1);
  }

  std::vector<ChainLink> run() {
    for (NodeId node = 0; node < program.nodes.size(); ++node)
      if (std::optional<EventKey> place = firstPlaceOf(program, node); place && !program.nodes[node].accesses.empty())
        follow(node, *place);
    return std::move(links);
  }

private:
  /// One instance on its way: its bit at the present distance, the accesses that nothing has overwritten, and by pipe
  /// the syncs that told it of the completion.
  struct Way {
    std::uint32_t bit;
    std::vector<bool> alive;
    std::array<std::vector<EventKey>, kPipeCount> told;
  };

  void follow(NodeId id, EventKey place) {
    const Node &node = program.nodes[id];
    std::set<std::pair<NodeId, bool>> linked; // by later node and whether an earlier iteration is meant
    Way start{node.firstBit, std::vector<bool>(node.accesses.size(), true), {}};
    auto run = [&](StepId step, std::uint32_t first, Way &way) {
      for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
        const Event &event = program.steps[step][i];
        if (event.kind == Event::Kind::Access)
          meet(id, way, event.node, linked);
        else
          note(id, way, {step, i}, event);
      }
      bool alive = std::find(way.alive.begin(), way.alive.end(), true) != way.alive.end();
      return alive ? Onward::Follow : Onward::Stop;
    };
    followInstance(program, place, std::move(start), mostSteps, run);
  }

  void meet(NodeId id, Way &way, NodeId later, std::set<std::pair<NodeId, bool>> &linked) {
    ChainLink link;
    for (const ConflictPair &pair : model.conflicts(way.bit, later))
      if (way.alive[pair.earlierAccess])
        link.pairs.push_back(pair);
    if (link.pairs.empty())
      return;
    for (const ConflictPair &pair : link.pairs)
      if (overwrites(pair))
        way.alive[pair.earlierAccess] = false;
    if (!linked.insert({later, program.distanceOf(way.bit).sameIteration()}).second)
      return;
    std::stable_sort(link.pairs.begin(), link.pairs.end(),
                     [](const ConflictPair &a, const ConflictPair &b) { return a.kind < b.kind; });
    link.earlier = id;
    link.later = later;
    link.syncs = way.told[index(program.nodes[later].pipe)];
    link.excuse = model.excuse(way.bit, later, &link.rule);
    link.open = openPairs.count({way.bit, later}) != 0;
    links.push_back(std::move(link));
  }

  /// True only if the later access certainly writes every byte of the earlier one.
  bool overwrites(const ConflictPair &pair) const {
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    const Access &a = earlier.accesses[pair.earlierAccess], &b = later.accesses[pair.laterAccess];
    if (!b.writes || b.scratch || !a.bytes || !b.bytes)
      return false;
    if (model.comparison().sameAccess(a, earlier.loop, b, later.loop, program.distanceOf(pair.bit)))
      return true;
    if (!a.base.isConstant() || !b.base.isConstant() || b.bytes->rows != 1)
      return false;
    std::int64_t distance = wrappedDifference(a.base.constant, b.base.constant); // from the later one's first byte
    return distance >= 0 && distance <= b.bytes->extent() - a.bytes->extent();
  }

  /// Whom the sync tells that the instance is complete.
  void note(NodeId id, Way &way, EventKey key, const Event &event) {
    for (Pipe pipe : kPipes) {
      bool tells = (event.kind == Event::Kind::Barrier && (event.source == pipe || event.source == Pipe::All)) ||
                   (event.kind == Event::Kind::Wait && event.destination == pipe) ||
                   (event.kind == Event::Kind::Get && event.source == pipe);
      if (!tells || !way.told[index(pipe)].empty())
        continue;
      const BitSet *row = pending.rowBefore(key.first, key.second, index(pipe));
      if (!row || !row->contains(way.bit) || pending.rowAfter(key.first, key.second, pipe).contains(way.bit))
        continue;
      // What a flag says of other pipes' work its own source must have been told first.
      std::vector<EventKey> chain;
      if (event.kind == Event::Kind::Wait && event.source != program.nodes[id].pipe)
        chain = way.told[index(event.source)];
      if (event.kind == Event::Kind::Get)
        chain = toldReleaser(id, way, key, event);
      chain.push_back(key);
      way.told[index(pipe)] = std::move(chain);
    }
  }

  /// How the pipe whose release the get waited for came to know of the instance: not at all if it is its own work.
  std::vector<EventKey> toldReleaser(NodeId id, const Way &way, EventKey key, const Event &event) const {
    const std::vector<EventKey> *chain = nullptr;
    for (std::uint32_t buffer : event.buffers) {
      const Pipe releaser = program.buffers[buffer].pipe;
      const BitSet *row = pending.rowBefore(key.first, key.second, program.rowOfBuffer(buffer));
      if (!row || row->contains(way.bit))
        continue;
      if (releaser == program.nodes[id].pipe)
        return {};
      if (!chain && !way.told[index(releaser)].empty())
        chain = &way.told[index(releaser)];
    }
    return chain ? *chain : std::vector<EventKey>();
  }

  const Program &program;
  const Pending &pending;
  const HazardModel &model;
  std::set<std::pair<std::uint32_t, NodeId>> openPairs;
  std::vector<ChainLink> links;
  std::size_t mostSteps = kMostStepsSearched;
};

} // namespace

std::vector<ChainLink> findChainLinks(const Program &program, const Pending &pending) {
  return LinkFinder(program, pending).run();
}

namespace {

class ChainPrinter {
public:
  explicit ChainPrinter(const Analysis &kernel) : program(kernel.program()), model(kernel.hazards()) {
    for (const ChainLink &link : kernel.links()) {
      consumers[link.earlier].push_back(link);
      producers[link.later].push_back(link);
    }
    for (auto &[node, links] : producers)
      std::stable_sort(links.begin(), links.end(), nearerFirst);
  }

  std::string print() {
    std::string text;
    for (Pipe pipe : kPipes) {
      std::string section;
      for (NodeId node = 0; node < program.nodes.size(); ++node)
        if (program.nodes[node].pipe == pipe)
          section += printNode(node);
      if (!section.empty())
        text += std::string(pipeName(pipe)) + "\n" + section;
    }
    return text;
  }

private:
  static bool nearerFirst(const ChainLink &a, const ChainLink &b) { return a.earlier > b.earlier; }

  std::string orderedBy(const ChainLink &link) const {
    std::string text;
    if (!link.syncs.empty()) {
      const Event &event = program.steps[link.syncs.back().first][link.syncs.back().second];
      text = (event.site == kNone ? "library barrier at line " : "line ") + std::to_string(event.statement->line);
    }
    if (link.excuse == Excuse::Justified)
      text += (text.empty() ? "rule " : ", rule ") + link.rule;
    if (!text.empty())
      return text;
    if (!link.open)
      return "an earlier sync";
    return link.excuse == Excuse::Silenced ? "nothing seen (silenced by " + link.rule + ")" : "nothing seen";
  }

  static std::string placeText(const InstructionPlace &place) {
    std::string text = "line " + std::to_string(place.line) + " " + place.text;
    for (std::uint32_t line : place.calledFrom)
      text += " (called from line " + std::to_string(line) + ")";
    return text;
  }

  std::string printNode(NodeId id) {
    std::string text = "  " + placeText(model.place(id)) + "\n";
    auto line = [&](const char *word, const ChainLink &link, bool later) {
      Conflict conflict = model.describe(link.pairs.front());
      const InstructionPlace &other = later ? conflict.later : conflict.earlier;
      return std::string("    ") + word + " " + hazardKindName(conflict.kind) + " " + conflict.storage + ": " +
             std::string(pipeName(other.pipe)) + " " + placeText(other) +
             (conflict.loopCarried ? ", an earlier iteration" : "") + "; ordered by " + orderedBy(link) + "\n";
    };
    for (const ChainLink &link : producers[id])
      text += line("after ", link, false);
    for (const ChainLink &link : consumers[id])
      text += line("before", link, true);
    return text;
  }

  const Program &program;
  const HazardModel &model;
  std::map<NodeId, std::vector<ChainLink>> producers, consumers;
};

} // namespace

/// "kernel softmax (vec)", and below it what `print` says of the analysis.
template <typename Print>
static std::string printAnalysis(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                                 Print print) {
  const std::string head = "kernel " + kernel.name + " (" + std::string(sectionName(kernel.section)) + ")\n";
  llvm::Expected<Analysis> analysis = Analysis::of(kernel, machine, options);
  if (!analysis)
    return head + "  not analysed: " + llvm::toString(analysis.takeError()) + "\n";
  return head + print(*analysis);
}

std::string printChains(const Kernel &kernel, const Machine &machine, const OrderingOptions &options) {
  return printAnalysis(kernel, machine, options,
                       [](const Analysis &analysis) { return ChainPrinter(analysis).print(); });
}

namespace {

/// " 4 12", or " nowhere".
std::string lines(const std::vector<SiteId> &ids, const std::vector<SyncSite> &sites) {
  std::string text;
  for (SiteId id : ids)
    text += " " + std::to_string(sites[id].line);
  return text.empty() ? " nowhere" : text;
}

template <typename Numbers> std::string list(const Numbers &numbers) {
  std::string text;
  for (auto number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text.empty() ? "none" : text;
}

std::string printPair(const Program &program, const FlagLiveness &liveness, const std::vector<Web> &webs, Pipe source,
                      Pipe destination, const std::vector<SyncSite> &sites) {
  std::string text;
  std::set<std::int64_t> free; // at every set of the pair
  bool first = true;
  for (StepId step : program.order)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.kind != Event::Kind::Set || event.source != source || event.destination != destination)
        continue;
      std::set<std::int64_t> here = liveness.freeIds({step, i}, source, destination);
      if (first)
        free = here;
      else
        std::erase_if(free, [&](std::int64_t id) { return !here.count(id); });
      first = false;
    }
  for (const Web &web : webs)
    if (!web.bracket && web.source == source && web.destination == destination)
      text += "    ids " + list(web.ids) + ": set at" + lines(web.sets, sites) + "; wait at" + lines(web.waits, sites) +
              (web.balanced ? "" : "; left alone: " + web.trouble) + "\n";
  if (text.empty())
    return text;
  return "  " + std::string(pipeName(source)) + " -> " + std::string(pipeName(destination)) + ": at most " +
         std::to_string(liveness.pressure(source, destination)) + " set at once; ids free at every set: " + list(free) +
         "\n" + text;
}

/// By buffer id: they are one pool for all pipes.
std::string printBrackets(const std::vector<Web> &webs, const std::vector<SyncSite> &sites) {
  std::map<std::string, std::string> byId;
  for (const Web &web : webs)
    if (web.bracket)
      byId[list(web.ids)] += "    " + std::string(pipeName(web.source)) + ": get at" + lines(web.waits, sites) +
                             "; release at" + lines(web.sets, sites) +
                             (web.balanced ? "" : "; left alone: " + web.trouble) + "\n";
  std::string text;
  for (const auto &[ids, brackets] : byId)
    text += "  buffer id " + ids + ":\n" + brackets;
  return text;
}

} // namespace

std::string printFlags(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                       const std::vector<SyncSite> &sites) {
  return printAnalysis(kernel, machine, options, [&](const Analysis &analysis) {
    const FlagLiveness liveness(analysis.program(), analysis.pending().layout(), analysis.pending().tokens());
    std::string text;
    for (Pipe source : kPipes)
      for (Pipe destination : kPipes)
        text += printPair(analysis.program(), liveness, analysis.webs(), source, destination, sites);
    return text + printBrackets(analysis.webs(), sites);
  });
}

} // namespace ptosync
