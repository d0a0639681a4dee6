// Entry point: command line in, exit code out.
#include "tool/audit_command.h"
#include "tool/explain_command.h"
#include "tool/model_command.h"
#include "tool/opt_command.h"
#include "tool/options.h"
#include "tool/patch_command.h"
#include "tool/patterns_command.h"
#include "tool/verify_command.h"

#include <llvm/Support/InitLLVM.h>

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  ptosync::ParsedCommandLine parsed = ptosync::parseCommandLine(argc, argv);
  if (parsed.exitCode >= 0)
    return parsed.exitCode;
  if (parsed.options.command == ptosync::Command::Optimize)
    return ptosync::runOpt(parsed.options);
  if (parsed.options.command == ptosync::Command::Audit)
    return ptosync::runAudit(parsed.options);
  if (parsed.options.command == ptosync::Command::Explain)
    return ptosync::runExplain(parsed.options);
  if (parsed.options.command == ptosync::Command::Verify)
    return ptosync::runVerify(parsed.options);
  if (parsed.options.command == ptosync::Command::Model)
    return ptosync::runModel(parsed.options);
  if (parsed.options.command == ptosync::Command::PatchVecBarriers)
    return ptosync::runPatch(parsed.options);
  return ptosync::runPatterns(parsed.options);
}
