#include "explain/explain.h"

#include "explain/explain_sync.h"
#include "kernel/kernel.h"
#include "optimize/wording.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptosync {
namespace {

std::string doesText(const Access &access) {
  if (access.scratch)
    return "scratch";
  if (access.reads && access.writes)
    return "reads and writes";
  return access.reads ? "reads" : access.writes ? "writes" : "names";
}

/// What a base that is no number depends on.
std::string dependsText(const Program &program, const ScalarValue &base) {
  bool loop = false, argument = false, other = base.modulus == 1;
  for (const Term &term : base.terms) {
    const Atom &atom = program.scalars->algebra()[term.atom];
    loop = loop || atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table;
    argument = argument || atom.kind == Atom::Kind::Argument;
    other = other || atom.kind == Atom::Kind::Opaque || atom.kind == Atom::Kind::Choice;
  }
  std::string text;
  for (const auto &[holds, word] : {std::pair{loop, "a loop's iteration"}, std::pair{argument, "a kernel argument"},
                                    std::pair{other, "a value that is not followed"}})
    if (holds)
      text += (text.empty() ? "" : " and ") + std::string(word);
  return text.empty() ? "a value that is not followed" : text;
}

std::string shapeText(const Footprint &bytes) {
  if (bytes.rows == 1)
    return {};
  return std::to_string(bytes.rows) + " rows of " + std::to_string(bytes.rowBytes) + " bytes, " +
         std::to_string(bytes.stride) + " apart";
}

std::string detailText(const Program &program, const Node &node, const Access &access) {
  if (node.unknown)
    return "the machine model does not know the call";
  bool global = access.space == program.globalMemory;
  if (global) {
    if (!program.scalars->algebra().pointerRoot(access.base))
      return "it is not known which argument it points into, so all of global memory counts";
    return access.bytes ? shapeText(*access.bytes)
                        : "its shape or strides are known at run time only, so all that the argument points to counts";
  }
  if (!access.bytes)
    return "its extent is not known, so all of the memory counts";
  std::string text = shapeText(*access.bytes);
  auto add = [&](const std::string &more) { text += (text.empty() ? "" : "; ") + more; };
  if (program.scalars->algebra().possibleValues(access.base).empty())
    add("its address depends on " + dependsText(program, access.base) + ", so every place that it may be counts");
  if (access.tile && !access.scratch && (access.tile->staticValidRows < 0 || access.tile->staticValidCols < 0))
    add("its valid region is known at run time only, so the whole tile counts");
  return text;
}

} // namespace

AccessText accessText(const Program &program, const HazardModel &model, const Node &node, const Access &access) {
  return {access.name, doesText(access),
          model.comparison().describe(access, program.machine->spaces()[access.space].name),
          detailText(program, node, access)};
}

void addAccess(AccessText access, std::vector<AccessText> &list) {
  for (AccessText &known : list)
    if (known.name == access.name && known.storage == access.storage) {
      bool both = known.does != access.does && known.does != "scratch" && access.does != "scratch";
      if (both)
        known.does = "reads and writes";
      return;
    }
  list.push_back(std::move(access));
}

std::string placesText(const std::string &storage) {
  constexpr std::size_t kMostPlaces = 3;
  std::size_t others = 0, first = std::string::npos;
  for (std::size_t at = storage.find(" or ["); at != std::string::npos; at = storage.find(" or [", at + 1)) {
    first = std::min(first, at);
    ++others;
  }
  if (others < kMostPlaces)
    return printable(storage);
  return printable(storage.substr(0, first)) + " or one of " + std::to_string(others) + " other places";
}

std::string declaredText(const Tile &tile) {
  auto extent = [](std::int64_t rows, std::int64_t cols) {
    auto number = [](std::int64_t value) { return value < 0 ? std::string("run-time") : std::to_string(value); };
    return number(rows) + " x " + number(cols);
  };
  std::string text = tile.location + " " + tile.element + " " + extent(tile.rows, tile.cols);
  if (tile.staticValidRows != tile.rows || tile.staticValidCols != tile.cols)
    text += ", valid " + extent(tile.staticValidRows, tile.staticValidCols);
  return text;
}

namespace {

constexpr std::size_t kShownLines = 6;

std::vector<std::uint32_t> linesOf(const AnalysedFile &file, const std::vector<SiteId> &sites) {
  std::vector<std::uint32_t> lines;
  lines.reserve(sites.size());
  for (SiteId site : sites)
    lines.push_back(file.module.sites[site].line);
  return lines;
}

const Web *webOf(const Analysis &kernel, SiteId site) {
  for (const Web &web : kernel.webs())
    if (std::count(web.waits.begin(), web.waits.end(), site))
      return &web;
  return nullptr;
}

/// One sync of the chain; its lines go to `order`.
std::string syncText(const AnalysedFile &file, const Analysis &kernel, const Event &event, PairOrder &order) {
  std::uint32_t line = event.statement->line;
  if (event.kind == Event::Kind::Barrier) {
    bool library = event.site == kNone;
    order.by = library ? PairOrder::By::Library : PairOrder::By::Barrier;
    order.lines.push_back(line);
    return (library ? "the barrier inside the library call at line "
                    : "pipe_barrier(" + std::string(event.source == Pipe::All ? "PIPE_ALL" : pipeName(event.source)) +
                          ") at line ") +
           std::to_string(line);
  }
  order.by = PairOrder::By::Flags;
  order.lines.push_back(line);
  const Web *web = webOf(kernel, event.site);
  if (!web)
    return (event.kind == Event::Kind::Get ? "the get at line " : "the wait at line ") + std::to_string(line);
  std::vector<std::uint32_t> sets = linesOf(file, web->sets);
  if (web->bracket)
    return webText(*web) + " (taken at line " + std::to_string(line) + ")";
  order.lines.insert(order.lines.end(), sets.begin(), sets.end());
  return webText(*web) + " (set at " + describeLines(std::move(sets), kShownLines) + ", awaited at line " +
         std::to_string(line) + ")";
}

} // namespace

std::string webText(const Web &web) {
  const std::string source(pipeName(web.source));
  std::string text =
      web.bracket ? "bracket of " + source : "flag " + source + " -> " + std::string(pipeName(web.destination));
  text += web.bracket ? ", buffer" : ",";
  text += web.ids.size() == 1 ? " id " : " ids ";
  bool first = true;
  for (std::int64_t id : web.ids) {
    text += (first ? "" : ",") + std::to_string(id);
    first = false;
  }
  return text;
}

PairOrder pairOrder(const AnalysedFile &file, std::size_t number, const ChainLink &link) {
  const Analysis &kernel = file.kernels()[number];
  PairOrder order;
  std::string syncs;
  for (EventKey key : link.syncs)
    syncs +=
        (syncs.empty() ? "" : ", then ") + syncText(file, kernel, kernel.program().steps[key.first][key.second], order);
  std::sort(order.lines.begin(), order.lines.end());
  order.lines.erase(std::unique(order.lines.begin(), order.lines.end()), order.lines.end());
  order.text = syncs;
  if (link.excuse == Excuse::Justified) {
    const MachineRule *rule = file.machine.rule(link.rule);
    std::string text = "machine rule " + link.rule + (rule ? " (" + rule->title + ")" : "");
    order.rule = link.rule;
    order.text = syncs.empty() ? text : syncs + "; also " + text;
    if (syncs.empty())
      order.by = PairOrder::By::Rule;
  } else if (link.open && link.excuse == Excuse::Silenced) {
    order.by = PairOrder::By::Contested;
    order.rule = link.rule;
    order.text = "NOT ORDERED but by the contested machine rule " + link.rule;
  } else if (link.open) {
    order.by = PairOrder::By::Nothing;
    order.text = syncs.empty() ? "NOT ORDERED" : "NOT ORDERED on some path; on others by " + syncs;
  } else if (syncs.empty()) {
    order.by = PairOrder::By::Elsewhere;
    order.text = "ordered by syncs that differ from path to path";
  }
  return order;
}

namespace {

class InstructionExplainer {
public:
  InstructionExplainer(const AnalysedFile &file, std::size_t number, const Statement &statement)
      : file(file), number(number), kernel(file.kernels()[number]), program(kernel.program()), model(kernel.hazards()),
        statement(statement), instruction(std::get<Instruction>(statement.action)) {
    for (NodeId id = 0; id < program.nodes.size(); ++id)
      if (program.nodes[id].statement == &statement && program.nodes[id].libraryFlag == kNone)
        nodes.push_back(id);
  }

  InstructionExplanation run() {
    explained.kernel = kernel.kernel().name;
    explained.section = kernel.kernel().section;
    describePlace();
    describeAccesses();
    describeLibrary();
    describeMachine();
    collectLinks();
    explained.answer = answer();
    return std::move(explained);
  }

private:
  void describePlace() {
    if (!nodes.empty()) {
      explained.place = model.place(nodes.front());
    } else {
      explained.place.text = printable(instruction.name);
      explained.place.line = statement.line;
    }
    for (NodeId id : nodes)
      if (std::find(explained.pipes.begin(), explained.pipes.end(), program.nodes[id].pipe) == explained.pipes.end())
        explained.pipes.push_back(program.nodes[id].pipe);
  }

  void describeAccesses() {
    for (NodeId id : nodes)
      if (!program.nodes[id].unknown)
        for (const Access &access : program.nodes[id].accesses)
          addAccess(accessText(program, model, program.nodes[id], access), explained.accesses);
  }

  void describeLibrary() {
    Effects inside = effectsOf(kernel.kernel(), instruction, file.machine, Trust::Library);
    Effects outside = effectsOf(kernel.kernel(), instruction, file.machine, Trust::Tile);
    if (!inside.known || inside.phases.size() == outside.phases.size())
      return;
    explained.libraryCounts = file.options.ordering.trust == Trust::Library;
    for (const EffectPhase &phase : inside.phases) {
      PhaseText text{phase.pipe, phase.barrier, {}, {}};
      for (const EffectAccess &access : phase.accesses) {
        std::string name = access.operand ? instruction.operands[*access.operand].spelling : "hidden scratch";
        if (access.reads)
          text.reads.push_back(name);
        if (access.writes)
          text.writes.push_back(name);
      }
      explained.library.push_back(std::move(text));
    }
  }

  void describeMachine() {
    auto remark = [&](std::string text) { explained.remarks.push_back(std::move(text)); };
    Effects effects = effectsOf(kernel.kernel(), instruction, file.machine, file.options.ordering.trust);
    if (!effects.known)
      remark("the machine model does not know this call: it is taken to touch all memory on all pipes, and no order "
             "relative to it is ever changed");
    else if (effects.fence == FenceKind::All)
      remark("it is an opaque fence on every pipe: no order relative to it is ever changed");
    else if (effects.fence == FenceKind::Pipes)
      remark("it is an opaque fence on its pipes and the scalar unit: no order relative to it is ever changed");
    else if (effects.fence == FenceKind::Acquire)
      remark("it is an opaque fence for what follows it on its pipes, which stays behind it");
    else if (effects.fence == FenceKind::Release)
      remark("it is an opaque fence for what precedes it on its pipes, which stays in front of it");
    for (const HiddenFlag &flag : effects.flags)
      remark("the library sets and awaits flag " + std::string(pipeName(flag.source)) + " -> " +
             std::string(pipeName(flag.destination)) + ", id " + std::to_string(flag.id) + " inside");
    if (placesTile(effects.assigns))
      remark(std::string("the call gives the tile its address: the next slot of the FIFO's ") +
             (effects.assigns == Assigns::Address ? "local ring" : "ring"));
    if (explained.pipes.size() > 1 && effects.known && effects.form && effects.form->pipes.size() > 1)
      remark("sources name several pipes for it, or it runs on several: all of them count");
  }

  void collectLinks() {
    std::vector<const ChainLink *> producers, consumers;
    for (const ChainLink &link : file.kernels()[number].links()) {
      if (program.nodes[link.later].statement == &statement)
        producers.push_back(&link);
      if (program.nodes[link.earlier].statement == &statement)
        consumers.push_back(&link);
    }
    std::stable_sort(producers.begin(), producers.end(),
                     [](const ChainLink *a, const ChainLink *b) { return a->earlier > b->earlier; });
    addLinks(producers, explained.producers);
    addLinks(consumers, explained.consumers);
  }

  void addLinks(const std::vector<const ChainLink *> &links, std::vector<OrderedConflict> &list) {
    std::set<std::string> seen; // the same on several pipes or phases
    std::set<Instances> ordered;
    for (const ChainLink *link : links)
      if (!link->open)
        ordered.insert(instancesOf(*link));
    for (const ChainLink *link : links) {
      OrderedConflict entry;
      entry.conflict = model.describe(link->pairs.front());
      entry.order = pairOrder(file, number, *link);
      if (entry.order.by == PairOrder::By::Nothing && ordered.count(instancesOf(*link))) {
        entry.order.disputed = true;
        entry.order.text += " on this pipe, which only some sources name";
      }
      for (const ConflictPair &pair : link->pairs)
        addKind(model.describe(pair), entry.meets);
      if (seen.insert(describeConflict(entry.conflict) + entry.order.text).second)
        list.push_back(std::move(entry));
    }
  }

  /// Two statements and whether an iteration lies between them: an instruction of several pipes has several links.
  using Instances = std::tuple<const Statement *, const Statement *, bool>;
  Instances instancesOf(const ChainLink &link) const {
    return {program.nodes[link.earlier].statement, program.nodes[link.later].statement,
            program.distanceOf(link.pairs.front().bit).sameIteration()};
  }

  /// Kinds of one place stand together: "RAW/WAW on UB [0, 128)".
  static void addKind(const Conflict &conflict, std::vector<MeetingText> &meets) {
    std::string kind = hazardKindName(conflict.kind);
    for (MeetingText &known : meets)
      if (known.storage == conflict.storage) {
        if (std::find(known.kinds.begin(), known.kinds.end(), kind) == known.kinds.end())
          known.kinds.push_back(kind);
        return;
      }
    meets.push_back({{kind}, conflict.storage});
  }

  std::string answer() const {
    std::string text = printable(explained.place.text);
    if (nodes.empty())
      return text + " occupies no pipe and touches no memory: no sync concerns it";
    text += " runs on ";
    for (std::size_t i = 0; i < explained.pipes.size(); ++i)
      text += (i ? i + 1 == explained.pipes.size() ? " and " : ", " : "") + std::string(pipeName(explained.pipes[i]));
    std::size_t ordered = 0, unordered = 0, disputed = 0;
    for (const auto *list : {&explained.producers, &explained.consumers})
      for (const OrderedConflict &entry : *list) {
        bool open = entry.order.by == PairOrder::By::Nothing || entry.order.by == PairOrder::By::Contested;
        ++(!open ? ordered : entry.order.disputed ? disputed : unordered);
      }
    std::size_t before = explained.producers.size(), after = explained.consumers.size();
    text += "; it waits for " + countOf(before, "earlier instruction") + ", and " + countOf(after, "later one") +
            (after == 1 ? " waits" : " wait") + " for it";
    if (before + after == 0)
      return text;
    text += unordered ? ": " + std::to_string(unordered) + " of these NOT ORDERED" : ": all ordered";
    return text + (disputed ? ", but for " + std::to_string(disputed) + " on a pipe that only some sources name" : "");
  }

  const AnalysedFile &file;
  std::size_t number;
  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  const Statement &statement;
  const Instruction &instruction;
  std::vector<NodeId> nodes;
  InstructionExplanation explained;
};

/// Everything but from where it was called.
std::string substance(const InstructionExplanation &explained) {
  std::string text = explained.answer;
  for (const AccessText &access : explained.accesses)
    text += "\n" + access.name + access.does + access.storage + access.detail;
  for (const std::string &remark : explained.remarks)
    text += "\n" + remark;
  for (const auto *list : {&explained.producers, &explained.consumers})
    for (OrderedConflict entry : *list) {
      entry.conflict.earlier.calledFrom.clear();
      entry.conflict.later.calledFrom.clear();
      text += "\n" + describeConflict(entry.conflict) + entry.order.text;
    }
  return text;
}

std::string placeOf(const InstructionExplanation &explained) {
  std::string text = "kernel " + explained.kernel;
  if (explained.section != Section::Both)
    text += " (" + std::string(sectionName(explained.section)) + ")";
  for (std::uint32_t line : explained.place.calledFrom)
    text += ", called from line " + std::to_string(line);
  return text;
}

} // namespace

InstructionExplanation explainInstruction(const AnalysedFile &file, std::size_t kernel, const Statement &statement) {
  return InstructionExplainer(file, kernel, statement).run();
}

void mergeEqual(std::vector<InstructionExplanation> &explanations) {
  std::vector<InstructionExplanation> merged;
  std::map<std::string, std::size_t> known;
  for (InstructionExplanation &explained : explanations) {
    auto [entry, inserted] = known.try_emplace(substance(explained), merged.size());
    if (inserted)
      merged.push_back(std::move(explained));
    else
      merged[entry->second].alsoAt.push_back(placeOf(explained));
  }
  explanations = std::move(merged);
}

namespace {

class TileExplainer {
public:
  TileExplainer(const AnalysedFile &file, std::size_t number, TileId id)
      : kernel(file.kernels()[number]), program(kernel.program()), model(kernel.hazards()), id(id),
        tile(kernel.kernel().tiles[id]) {}

  TileExplanation run() {
    explained.name = tile.name;
    explained.kernel = kernel.kernel().name;
    explained.section = kernel.kernel().section;
    explained.line = tile.line;
    explained.declared = declaredText(tile);
    findOwn();
    findUses();
    explained.answer = answer();
    return std::move(explained);
  }

private:
  struct Place {
    const Node *node;
    Access access; // of the whole tile
  };

  bool names(const Node &node, const Access &access) const {
    const auto *instruction = std::get_if<Instruction>(&node.statement->action);
    return instruction &&
           std::any_of(instruction->operands.begin(), instruction->operands.end(), [&](const Operand &operand) {
             return operand.kind == Operand::Kind::Tile && operand.index == id && operand.spelling == access.name;
           });
  }

  void findOwn() {
    std::set<std::string> seen;
    for (const Node &node : program.nodes)
      for (const Access &access : node.accesses) {
        if (!access.tile || access.hidden || !names(node, access))
          continue;
        Access whole = access;
        whole.bytes = tileFootprint(*access.tile, Extent::Whole);
        AccessText text = accessText(program, model, node, whole);
        if (seen.insert(text.storage).second) {
          explained.storage.push_back(text.storage);
          if (text.storage.find("unknown") != std::string::npos && !text.detail.empty())
            explained.storage.back() += " (" + text.detail + ")";
        }
        own.push_back({&node, std::move(whole)});
      }
  }

  bool shares(const Node &node, const Access &access) const {
    return std::any_of(own.begin(), own.end(), [&](const Place &place) {
      LoopId loop = program.graph->commonLoop(place.node->loop, node.loop);
      IterationDistance other{loop, 1, true};
      const AccessComparer &comparer = model.comparison();
      return comparer.mayOverlap(place.access, place.node->loop, access, node.loop, {}) ||
             (loop != kNone && comparer.mayOverlap(place.access, place.node->loop, access, node.loop, other));
    });
  }

  void findUses() {
    std::map<const Statement *, std::vector<std::size_t>> known; // places in the list
    std::set<std::string> others;
    for (NodeId node = 0; node < program.nodes.size() && !own.empty(); ++node)
      for (const Access &access : program.nodes[node].accesses) {
        bool mine = access.tile && !access.hidden && names(program.nodes[node], access);
        if (program.nodes[node].unknown || (!mine && !shares(program.nodes[node], access)))
          continue;
        AccessText text = accessText(program, model, program.nodes[node], access);
        if (!mine)
          others.insert(text.name + " " + text.storage);
        addUse(known[program.nodes[node].statement], {model.place(node), std::move(text), !mine});
      }
    explained.others.assign(others.begin(), others.end());
    bool oneCall = std::all_of(explained.uses.begin(), explained.uses.end(), [&](const TileExplanation::Use &use) {
      return use.place.calledFrom == explained.uses.front().place.calledFrom;
    });
    if (oneCall && !explained.uses.empty())
      explained.calledFrom = explained.uses.front().place.calledFrom;
  }

  /// The same operand of one statement is one use, whether on several pipes or read and written.
  void addUse(std::vector<std::size_t> &known, TileExplanation::Use use) {
    for (std::size_t at : known) {
      std::vector<AccessText> list = {explained.uses[at].access};
      addAccess(use.access, list);
      if (list.size() == 1) {
        explained.uses[at].access = std::move(list.front());
        return;
      }
    }
    known.push_back(explained.uses.size());
    explained.uses.push_back(std::move(use));
  }

  std::string answer() const {
    std::string text = "Tile " + printable(tile.name) + " (" + explained.declared + ")";
    if (own.empty())
      return text + " is not used by anything that a path reaches";
    text += " lies at ";
    for (std::size_t i = 0; i < explained.storage.size(); ++i)
      text += (i ? " or " : "") + placesText(explained.storage[i]);
    std::size_t under = static_cast<std::size_t>(std::count_if(
        explained.uses.begin(), explained.uses.end(), [](const TileExplanation::Use &use) { return use.other; }));
    return text + "; " + countOf(explained.uses.size() - under, "use") + " by its name, " +
           (under ? std::to_string(under) : "none") + " of the same bytes under " +
           (under > 1 ? "other names" : "another");
  }

  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  TileId id;
  const Tile &tile;
  std::vector<Place> own;
  TileExplanation explained;
};

} // namespace

TileExplanation explainTile(const AnalysedFile &file, std::size_t kernel, TileId tile) {
  return TileExplainer(file, kernel, tile).run();
}

namespace {

class Explainer {
public:
  Explainer(const AnalysedFile &file, const ExplainSubject &subject) : file(file), subject(subject) {}

  Explanation run() {
    if (subject.line)
      explainSyncs();
    for (std::size_t k = 0; k < file.kernels().size(); ++k) {
      if (subject.line)
        explainInstructions(k);
      explainTiles(k);
    }
    mergeEqual(explanation.instructions);
    mergeTiles();
    if (subject.line) {
      explainSkipped();
      if (explanation.empty())
        findNearby();
    }
    return std::move(explanation);
  }

private:
  void explainSyncs() {
    std::set<SiteId> done;
    for (SiteId site = 0; site < file.module.sites.size(); ++site) {
      if (file.module.sites[site].line != subject.line || done.count(site))
        continue;
      explanation.syncs.push_back(explainSync(file, site));
      for (const SyncExplanation::Statement &statement : explanation.syncs.back().statements)
        done.insert(statement.site);
    }
  }

  void explainInstructions(std::size_t k) {
    const Analysis &kernel = file.kernels()[k];
    for (BlockId block : kernel.program().graph->order())
      for (const Statement &statement : kernel.kernel().blocks[block].statements)
        if (statement.line == subject.line && std::holds_alternative<Instruction>(statement.action))
          explanation.instructions.push_back(explainInstruction(file, k, statement));
  }

  bool isMeant(const Kernel &kernel, const Tile &tile) const {
    if (!subject.line)
      return tile.name == subject.tile;
    return tile.line == subject.line && tile.address != kNone && isDeclaration(kernel, tile);
  }

  /// A tile that an expression makes on its way (a choice between two) has a line too, but no name.
  static bool isDeclaration(const Kernel &kernel, const Tile &tile) {
    return !tile.name.empty() &&
           std::all_of(tile.name.begin(), tile.name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  }

  void explainTiles(std::size_t k) {
    const Kernel &kernel = file.kernels()[k].kernel();
    for (TileId tile = 0; tile < kernel.tiles.size(); ++tile)
      if (isMeant(kernel, kernel.tiles[tile]))
        explanation.tiles.push_back(explainTile(file, k, tile));
  }

  /// A helper that is expanded several times declares its tiles as often; so does a line that both sections run.
  void mergeTiles() {
    std::set<std::string> known;
    std::erase_if(explanation.tiles, [&](const TileExplanation &tile) {
      std::string text = tile.answer + "\n" + std::to_string(tile.line) + tile.kernel;
      for (const TileExplanation::Use &use : tile.uses)
        text += "\n" + std::to_string(use.place.line) + use.access.name + use.access.storage;
      return !known.insert(text).second;
    });
    // Of several tiles of one name those that nothing uses say little.
    bool used = std::any_of(explanation.tiles.begin(), explanation.tiles.end(),
                            [](const TileExplanation &tile) { return !tile.uses.empty(); });
    if (used)
      std::erase_if(explanation.tiles, [](const TileExplanation &tile) { return tile.uses.empty(); });
  }

  void explainSkipped() {
    for (const auto &[kernel, reason] : file.skipped()) {
      bool here = kernel->line == subject.line;
      for (const Block &block : kernel->blocks)
        for (const Statement &statement : block.statements)
          here = here || statement.line == subject.line;
      if (here || covers(*kernel))
        explanation.skipped.push_back({kernel->name, kernel->section, kernel->line, reason});
    }
  }

  /// A kernel that was not lifted has no statements: it covers the lines from its own to the next one's.
  bool covers(const Kernel &kernel) const {
    if (!kernel.blocks.empty() || kernel.line > subject.line)
      return false;
    return std::none_of(file.module.kernels.begin(), file.module.kernels.end(),
                        [&](const Kernel &other) { return other.line > kernel.line && other.line <= subject.line; });
  }

  void findNearby() {
    std::map<std::uint32_t, std::string> lines;
    for (const SyncSite &site : file.module.sites)
      lines.emplace(site.line, printable(site.text));
    for (const Analysis &kernel : file.kernels()) {
      for (const Block &block : kernel.kernel().blocks)
        for (const Statement &statement : block.statements)
          if (const auto *instruction = std::get_if<Instruction>(&statement.action))
            lines.emplace(statement.line, printable(printInstruction(*instruction)));
      for (const Tile &tile : kernel.kernel().tiles)
        if (isDeclaration(kernel.kernel(), tile))
          lines.emplace(tile.line, "tile " + tile.name);
    }
    findCall();
    auto below = lines.upper_bound(subject.line);
    if (below != lines.begin())
      explanation.nearby.push_back({std::prev(below)->first, std::prev(below)->second});
    if (below != lines.end())
      explanation.nearby.push_back({below->first, below->second});
  }

  /// The line may call a helper, whose statements have lines of their own.
  void findCall() {
    for (const Analysis &kernel : file.kernels())
      for (std::uint32_t context = 1; context < kernel.kernel().contexts.size(); ++context) {
        if (kernel.kernel().contexts[context].callLine != subject.line)
          continue;
        std::set<std::uint32_t> lines;
        for (const Block &block : kernel.kernel().blocks)
          for (const Statement &statement : block.statements)
            if (statement.context == context)
              lines.insert(statement.line);
        if (lines.empty())
          continue;
        explanation.calls = "it calls " + kernel.kernel().contexts[context].callee +
                            ", whose statements are on lines " + std::to_string(*lines.begin()) + " to " +
                            std::to_string(*lines.rbegin());
        return;
      }
  }

  const AnalysedFile &file;
  const ExplainSubject &subject;
  Explanation explanation;
};

} // namespace

const char *removalConditionName(RemovalCondition::Kind kind) {
  switch (kind) {
  case RemovalCondition::Kind::Option: return "option";
  case RemovalCondition::Kind::Replace: return "replace";
  case RemovalCondition::Kind::Join: return "join";
  case RemovalCondition::Kind::Storage: return "storage";
  case RemovalCondition::Kind::Sync: return "sync";
  case RemovalCondition::Kind::None: return "none";
  }
  return "?";
}

const char *pairOrderName(PairOrder::By by) {
  switch (by) {
  case PairOrder::By::Barrier: return "barrier";
  case PairOrder::By::Flags: return "flags";
  case PairOrder::By::Library: return "library";
  case PairOrder::By::Rule: return "rule";
  case PairOrder::By::Elsewhere: return "elsewhere";
  case PairOrder::By::Contested: return "contested";
  case PairOrder::By::Nothing: return "nothing";
  }
  return "?";
}

Explanation explain(const Module &module, const Machine &machine, const Catalogue &patterns,
                    const Catalogue &allPatterns, const OptimizeOptions &options, const ExplainSubject &subject) {
  AnalysedFile file(module, machine, patterns, allPatterns, options);
  return Explainer(file, subject).run();
}

} // namespace ptosync
