// Why no flag can be put into a file whose events get their ids from the run: the id that a new flag takes might be one
// of theirs (SyncSite::namedId).
// Tested by tests/synthesis/named_ids_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <algorithm>
#include <optional>
#include <string>

namespace ptosync::synthesis {

/// The reason; empty if every flag of the file has an id of the text.
inline std::optional<std::string> idsOfTheRun(const Module &module) {
  auto found =
      std::find_if(module.sites.begin(), module.sites.end(), [](const SyncSite &site) { return site.namedId; });
  if (found == module.sites.end())
    return std::nullopt;
  return "the run gives out the id of the event on line " + std::to_string(found->line) +
         ", which a new flag might take as well";
}

} // namespace ptosync::synthesis
