#include "synthesis/repair_context.h"

namespace ptosync::synthesis {

PlaceOf RepairContext::placesOf(const Kernel &version) const {
  std::map<const Statement *, const Statement *> own;
  std::vector<const Statement *> theirs = numberedStatements(version), ours = numberedStatements(kernel());
  for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i)
    own[theirs[i]] = ours[i];
  const KernelText &places = text;
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

std::string flagName(const Flag &flag) {
  return "flag (" + std::string(pipeName(flag.source)) + ", " + std::string(pipeName(flag.destination)) + ", " +
         std::to_string(flag.id) + ")";
}

} // namespace ptosync::synthesis
