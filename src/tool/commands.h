// The commands: each reads what its options name, starts its page of src/run, and prints and writes what comes of it.
//
// Each returns its exit code: 0 done, 1 findings or changes, 2 usage, configuration or pattern error, 3 not analysed.
// Tested by tests/tool/*_command_test.cpp.
#pragma once

#include "report/answers.h"
#include "tool/options.h"

namespace ptosync {

int runOpt(const ToolOptions &options);

int runAudit(const ToolOptions &options);

/// 0: everything is mended, or nothing was wrong; 1: something is left, which the report names with its reason.
int runFix(const ToolOptions &options);

int runExplain(const ToolOptions &options);

/// 0: it is proved that the second file has lost nothing; 1: it has; 4: no run shows that it has, and there is no
/// proof; with --require-proof 1.
int runVerify(const ToolOptions &options);
int exitCodeOf(VerifyAnswer answer, const VerifyCommandOptions &options);

int runCompare(const ToolOptions &options);

// The same of two folders: the gravest exit code of all kernels. A kernel that one folder alone has counts as 1 for
// `verify`, and for `compare` with --fail-over.
int verifyFolders(const ToolOptions &options);
int compareFolders(const ToolOptions &options);

/// The gravest of the exit codes that the merged runs had.
int runMerge(const ToolOptions &options);

int runTimeline(const ToolOptions &options);
int runModel(const ToolOptions &options);
int runPatterns(const ToolOptions &options); // and `rule`

/// Stands where a text script stood that compares the spelling of operands: arguments, environment variables, log lines
/// (on standard error) and exit codes are the script's. 0: done, also where requested barriers stay; 1: unknown
/// pattern, list that is no list, file that cannot be read or written; 2: usage, or a requested line that is no vector
/// barrier; 3: not analysed. The file is written with 0 only.
int runPatch(const ToolOptions &options);

} // namespace ptosync
