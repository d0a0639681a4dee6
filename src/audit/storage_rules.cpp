#include "audit/storage_rules.h"

#include "audit/audit_context.h"
#include "optimize/pins.h"
#include "ordering/follow_instance.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync {
namespace {

constexpr std::size_t kMostStepsSearched = 512;

class FirstTouch {
public:
  FirstTouch(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access)
      : program(program), model(model), id(id), node(program.nodes[id]), left(node.accesses[access]) {}

  std::vector<Touch> run() {
    auto search = [&](StepId step, std::uint32_t first, const FollowedInstance &way) {
      return passes(step, first, program.distanceOf(way.bit)) ? Onward::Follow : Onward::Stop;
    };
    if (std::optional<EventKey> place = firstPlaceOf(program, id))
      followInstance(program, *place, FollowedInstance{node.firstBit}, kMostStepsSearched, search);
    return std::move(readers);
  }

private:
  /// False if something in the step touches the bytes.
  bool passes(StepId step, std::uint32_t first, IterationDistance distance) {
    for (std::uint32_t i = first; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.kind != Event::Kind::Access)
        continue;
      const Node &other = program.nodes[event.node];
      if (other.statement == node.statement && distance.sameIteration())
        continue; // the call's other pipes
      if (other.unknown)
        return false;
      bool reads = false, writes = false;
      for (std::uint32_t k = 0; k < other.accesses.size(); ++k) {
        const Access &access = other.accesses[k];
        if (access.space != left.space ||
            !model.comparison().mustOverlap(left, node.loop, access, other.loop, distance))
          continue;
        bool scratch = access.scratch || access.hidden;
        if (access.reads && !scratch) {
          reads = true;
          if (known.insert({event.node, k}).second)
            readers.push_back({event.node, k});
        }
        writes = writes || access.writes || scratch;
      }
      if (reads || writes)
        return false;
    }
    return true;
  }

  const Program &program;
  const HazardModel &model;
  NodeId id;
  const Node &node;
  const Access &left;
  std::set<std::pair<NodeId, std::uint32_t>> known;
  std::vector<Touch> readers;
};

} // namespace

std::vector<Touch> firstReaders(const Program &program, const HazardModel &model, NodeId id, std::uint32_t access) {
  return FirstTouch(program, model, id, access).run();
}

namespace {

constexpr std::int64_t kElsewhere = std::int64_t{1} << 28; // beyond every on-chip memory, and apart from each other

} // namespace

bool readByItsNameOnly(const Program &program, const HazardModel &model, NodeId writer, std::uint32_t access) {
  const Access &written = program.nodes[writer].accesses[access];
  std::vector<Touch> readers = firstReaders(program, model, writer, access);
  return written.tile && !readers.empty() && std::all_of(readers.begin(), readers.end(), [&](const Touch &touch) {
           const Access &reader = program.nodes[touch.node].accesses[touch.access];
           return reader.tile && reader.tile->address == written.tile->address;
         });
}

bool goesWithSeparateStorage(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                             const std::set<SiteId> &sites, const std::set<VariableId> &addresses) {
  Kernel copy = kernel;
  for (Block &block : copy.blocks)
    for (Statement &statement : block.statements) {
      auto *assign = std::get_if<Assign>(&statement.action);
      auto moved = assign ? addresses.find(assign->variable) : addresses.end();
      if (moved == addresses.end())
        continue;
      std::int64_t place = kElsewhere * (1 + std::distance(addresses.begin(), moved));
      assign->value = copy.expressions.constant(place, kAddress);
    }
  llvm::Expected<Analysis> separate = Analysis::of(copy, machine, options);
  if (!separate) {
    llvm::consumeError(separate.takeError());
    return false;
  }
  const Pins pins(separate->program(), separate->pending());
  if (pins.everything() || !separate->tryEdit({sites, {}}).allowed)
    return false;
  std::vector<ConflictPair> open; // that the sites may have a part in
  auto add = [&](const std::vector<ConflictPair> &pairs) { open.insert(open.end(), pairs.begin(), pairs.end()); };
  for (SiteId site : sites)
    add(pins.ofBarrier(site));
  for (const Web &web : separate->webs())
    if (sites.count(web.firstSite()))
      add(pins.ofWeb(web));
  return !separate->pending().losesOrder(open);
}

// Where tiles lie: space-overflow, hidden-scratch-overlap, scratch-alias.
//
// Bytes of a tile are its declared rows and columns; 4-bit elements are declared in two ways and never make an
// error. Scratch on top of data is wrong only if the data is read afterwards: that is followed along every path.
// Tested by tests/audit/storage_rules_test.cpp.

namespace {

class StorageRules {
public:
  StorageRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), model(kernel.hazards()) {}

  void run() {
    for (NodeId id = 0; id < program.nodes.size(); ++id) {
      const Node &node = program.nodes[id];
      if (node.unknown)
        continue;
      for (std::uint32_t i = 0; i < node.accesses.size(); ++i) {
        const Access &access = node.accesses[i];
        if (access.tile)
          checkBounds(node, access);
        if (access.hidden)
          checkHidden(id, i);
        else if (access.scratch)
          checkScratch(id, i);
      }
    }
  }

private:
  std::string bytesText(const Access &access) const {
    return model.comparison().describe(access, context.machine.spaces()[access.space].name);
  }

  void checkBounds(const Node &node, const Access &access) {
    const MemorySpace &space = context.machine.spaces()[access.space];
    std::vector<std::int64_t> bases = program.scalars->algebra().possibleValues(access.base);
    if (space.bytes == 0 || bases.empty() || access.base.modulus == 1 || access.tile->elementBits == 0)
      return;
    const Tile &tile = *access.tile;
    std::int64_t bytes = (std::int64_t(tile.rows) * tile.cols * tile.elementBits + 7) / 8;
    auto outside = [&](std::int64_t base) { return base < 0 || base + bytes > static_cast<std::int64_t>(space.bytes); };
    auto worst = std::max_element(bases.begin(), bases.end());
    if (std::none_of(bases.begin(), bases.end(), outside))
      return;
    // How much of a scratch is touched is the library's business; a compact tile is as large as its valid region.
    bool compact = tile.compactMode != CompactMode::Null &&
                   *worst + staticElements(tile) * tile.elementBits / 8 <= static_cast<std::int64_t>(space.bytes);
    bool certain = tile.elementBits >= 8 && std::all_of(bases.begin(), bases.end(), outside);
    unsigned demotion = compact || access.doubtful ? 2 : access.scratch || !certain ? 1 : 0;
    if (!overflowing.insert({tile.name, *worst, demotion}).second)
      return;
    Finding finding =
        context.at("space-overflow", kernel, *node.statement,
                   "tile " + tile.name + " at [" + std::to_string(*worst) + ", " + std::to_string(*worst + bytes) +
                       ") reaches beyond " + space.name + ", which has " + std::to_string(space.bytes) + " bytes");
    finding.parts.push_back(tile.name);
    if (tile.line)
      finding.notes.push_back({{tile.line, 1, tile.line, 1}, "declared here"});
    finding.demotion = demotion;
    context.report(std::move(finding));
  }

  void reportClobber(const char *rule, const Node &node, const Access &access, const Touch &touch, unsigned demotion) {
    const Node &reader = program.nodes[touch.node];
    const Access &data = reader.accesses[touch.access];
    if (!clobbered.insert({node.statement, data.name}).second)
      return;
    Finding finding = context.at(rule, kernel, *node.statement,
                                 context.text(*node.statement) + " overwrites " + data.name + " with " +
                                     (access.hidden ? "its hidden scratch" : "its scratch operand " + access.name) +
                                     " on " + bytesText(access) + ", and " + context.text(*reader.statement) +
                                     " on line " + std::to_string(reader.statement->line) + " still reads it");
    finding.parts.push_back(data.name);
    finding.notes.push_back(context.note(*node.statement, "overwritten here"));
    finding.notes.push_back(context.note(*reader.statement, "read here"));
    finding.demotion = demotion;
    context.report(std::move(finding));
  }

  void checkHidden(NodeId id, std::uint32_t index) {
    const Node &node = program.nodes[id];
    std::vector<Touch> readers = firstReaders(program, model, id, index);
    for (const Touch &touch : readers)
      reportClobber("hidden-scratch-overlap", node, node.accesses[index], touch, 0);
    if (!readers.empty() || !context.wants("hidden-scratch-overlap", 2))
      return;
    // Nothing is lost yet: a tile lies there all the same.
    for (const Node &other : program.nodes)
      for (const Access &access : other.accesses)
        if (access.tile && !access.hidden && other.statement != node.statement &&
            access.space == node.accesses[index].space &&
            model.comparison().mustOverlap(node.accesses[index], node.loop, access, other.loop, {}) &&
            lying.insert(access.name).second) {
          Finding finding = context.at("hidden-scratch-overlap", kernel, *other.statement,
                                       "tile " + access.name + " lies on " + bytesText(node.accesses[index]) +
                                           ", the hidden scratch of " + context.text(*node.statement) + " on line " +
                                           std::to_string(node.statement->line));
          finding.notes.push_back(context.note(*node.statement, "writes there"));
          finding.demotion = 2;
          context.report(std::move(finding));
        }
  }

  void checkScratch(NodeId id, std::uint32_t index) {
    const Node &node = program.nodes[id];
    const Access &scratch = node.accesses[index];
    for (const Access &access : node.accesses)
      if (&access != &scratch && !access.scratch && !access.hidden &&
          model.comparison().mustOverlap(scratch, node.loop, access, node.loop, {}) &&
          clobbered.insert({node.statement, access.name}).second) {
        Finding finding = context.at("scratch-alias", kernel, *node.statement,
                                     "scratch operand " + scratch.name + " and operand " + access.name + " of " +
                                         context.text(*node.statement) + " share bytes: " + bytesText(scratch));
        finding.parts.push_back(access.name);
        context.report(std::move(finding));
      }
    for (const Touch &touch : firstReaders(program, model, id, index)) {
      // The scratch tile itself, read later by name, is what the call leaves there on purpose.
      if (program.nodes[touch.node].accesses[touch.access].name != scratch.name)
        reportClobber("scratch-alias", node, scratch, touch, 0);
    }
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  std::set<std::tuple<std::string, std::int64_t, unsigned>> overflowing; // tile, address, demotion
  std::set<std::pair<const Statement *, std::string>> clobbered;
  std::set<std::string> lying;
};

} // namespace

void auditStorage(AuditContext &context) {
  for (const Analysis &kernel : context.kernels())
    StorageRules(context, kernel).run();
}

// serialising-alias: a barrier that is there only because two buffers share storage.
//
// Found by trial: the later buffer is given storage of its own, and the barrier is taken out (above). One
// buffer is moved at a time. Tested by tests/audit/storage_rules_test.cpp.

namespace {

constexpr std::size_t kMostTrials = 16;

class AliasRules {
public:
  AliasRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()), model(kernel.hazards()) {}

  void run() {
    std::set<SiteId> seen;
    for (StepId step : program.order)
      for (const Event &event : program.steps[step])
        if (event.kind == Event::Kind::Barrier && event.site != kNone && seen.insert(event.site).second &&
            context.module.sites[event.site].protection == Protection::None)
          check(event);
  }

private:
  void check(const Event &event) {
    const Pending::Trial trial = kernel.whatIf({{event.site}, {}});
    if (trial.allowed || !trial.witness || trial.fence || trial.witness->laterAccess == kNone)
      return;
    const ConflictPair &pair = *trial.witness;
    if (pair.kind != HazardKind::WriteAfterRead && pair.kind != HazardKind::WriteAfterWrite)
      return;
    const Node &earlier = program.nodes[program.nodeOfBit[pair.bit]], &later = program.nodes[pair.later];
    const Access &kept = earlier.accesses[pair.earlierAccess], &moved = later.accesses[pair.laterAccess];
    if (!kept.tile || !moved.tile || kept.tile->address == moved.tile->address || moved.reads || moved.scratch ||
        !readByItsNameOnly(program, model, pair.later, pair.laterAccess) || trials++ >= kMostTrials ||
        !goesWithSeparateStorage(kernel.kernel(), context.machine, context.options.ordering, {event.site},
                                 {moved.tile->address}))
      return;
    std::int64_t bytes = tileFootprint(*moved.tile, Extent::Whole).value_or(Footprint{}).extent();
    Finding finding = context.at("serialising-alias", kernel, *event.statement,
                                 context.text(*event.statement) + " is there only because " + moved.name +
                                     " shares storage with " + kept.name + ": storage of its own would cost " +
                                     std::to_string(bytes) + " bytes of " + context.machine.spaces()[moved.space].name);
    finding.parts.push_back(kept.name);
    finding.parts.push_back(moved.name);
    finding.notes.push_back(context.note(*earlier.statement, kept.name + " is in use"));
    finding.notes.push_back(context.note(*later.statement, moved.name + " is written on top of it"));
    context.report(std::move(finding));
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  const HazardModel &model;
  std::size_t trials = 0;
};

} // namespace

void auditAliases(AuditContext &context) {
  if (context.wants("serialising-alias"))
    for (const Analysis &kernel : context.kernels())
      AliasRules(context, kernel).run();
}

} // namespace ptosync
