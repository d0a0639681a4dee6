// Where tiles lie: space-overflow, hidden-scratch-overlap, scratch-alias.
//
// Bytes of a tile are its declared rows and columns; 4-bit elements are declared in two ways and never make an
// error. Scratch on top of data is wrong only if the data is read afterwards: that is followed along every path.
// Tested by tests/audit/storage_rules_test.cpp.
#include "audit/audit_context.h"
#include "audit/first_touch.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync {
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

} // namespace ptosync
