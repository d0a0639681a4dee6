// Explains a line of a kernel file: each sync, instruction and tile declaration on it.
//
//   Module --analysed_file--> Programs, Pendings, webs, decisions
//   line   --what stands there--> explain_sync | explain_instruction | explain_tile --> Explanation
//
// Uses what `opt` decides by (src/optimize) and what it prints (src/ordering, src/tokens); there is no analysis of its
// own. It explains the kernel as it stands; what `opt` would do is said of each sync. A helper's line is explained for
// each kernel and call that runs through it; calls for which the same holds are joined.
// Tested by tests/explain/explain_test.cpp.
#pragma once

#include "explain/explanation.h"
#include "optimize/optimizer.h"

#include <string>

namespace ptosync {

/// What is to be explained: a line, counted from 1, or, with line 0, every tile of that name.
struct ExplainSubject {
  std::uint32_t line = 0;
  std::string tile;
};

Explanation explain(const Module &module, const Machine &machine, const Catalogue &patterns,
                    const Catalogue &allPatterns, const OptimizeOptions &options, const ExplainSubject &subject);

} // namespace ptosync
