#include "synthesis/repair_context.h"

#include "synthesis/sync_text.h"

namespace ptosync::synthesis {

std::vector<AddedSync> RepairContext::additions(const Proposal &proposal, std::int64_t id) const {
  std::vector<AddedSync> added = additionsOf(proposal, id, module.source, tree);
  for (AddedSync &sync : added) {
    sync.kernel = kernel().name;
    sync.section = kernel().section;
  }
  return added;
}

PlaceOf RepairContext::placesOf(const Kernel &version) const {
  std::map<const Statement *, const Statement *> own;
  std::vector<const Statement *> theirs = numberedStatements(version), ours = numberedStatements(kernel());
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i)
    own[theirs[i]] = ours[i];
  const StatementTree &places = tree;
  return [own = std::move(own), &places](const Statement &statement) -> StatementPlace {
    auto found = own.find(&statement);
    if (found == own.end())
      return {};
    return {places.pathOf(*found->second), found->second->line};
  };
}

std::string betweenPipes(Pipe source, Pipe destination) {
  return "from " + std::string(pipeName(source)) + " to " + std::string(pipeName(destination));
}

} // namespace ptosync::synthesis
