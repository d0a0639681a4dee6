// From kernel files to modules, read for the architecture that was chosen, or for the one that the text shows.
//
//   sources --guess, lift--> modules --signs--> the architecture; lifted again if the guess was wrong
//
// An architecture that the text contradicts is refused, however it was chosen. Tested by
// tests/pipeline/lift_step_test.cpp and, with every way of choosing, by tests/tool/options_test.cpp.
#pragma once

#include "machine/arch_signs.h"
#include "pipeline/run_choices.h"

#include <llvm/Support/Error.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

/// The models that a text is held against, by architecture: those of a3 and of a5.
using Machines = std::map<std::string, std::shared_ptr<const Machine>>;

struct Lifted {
  ArchChoice choice;
  std::vector<Module> modules; // one for each source
};

/// The sources are of one kernel (`verify` has two). Where nothing is `chosen`, the text decides, or the default.
/// `shapes`: FrontendOptions::shapes. Thread-safe.
llvm::Expected<Lifted> liftSources(const std::vector<SourceText> &sources, std::optional<ArchChoice> chosen,
                                   const Machines &machines, const RunChoices &choices, bool shapes);

} // namespace ptosync
