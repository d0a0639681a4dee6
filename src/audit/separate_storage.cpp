#include "audit/separate_storage.h"

#include "audit/first_touch.h"
#include "optimize/pins.h"
#include "ordering/kernel_analysis.h"

#include <algorithm>

namespace ptosync {
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

} // namespace ptosync
