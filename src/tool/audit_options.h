// The options of `ptosync audit`, which the other commands do not have.
// Tested by tests/tool/audit_options_test.cpp.
#pragma once

#include "audit/config.h"

#include <llvm/Support/CommandLine.h>

#include <string>
#include <vector>

namespace ptosync {

enum class AuditFormat { Text, Json, Github };

struct AuditCommandOptions {
  std::vector<std::string> inputs; // files and directories
  AuditFormat format = AuditFormat::Text;
  std::string print; // "" or "config"
  std::string sarif; // file to write; empty: none
  std::string baseline;
  bool writeBaseline = false;
  bool fixes = false; // also say what mends each finding
  unsigned jobs = 0;  // 0: as many as the machine has
  AuditConfig given;  // what the command line says; wins over .ptosync.json
};

/// llvm::cl definitions for the subcommand `audit`.
class AuditDefinitions {
public:
  AuditDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);

  /// Empty, or what is wrong with the values.
  std::string read(AuditCommandOptions &options) const;

private:
  llvm::cl::list<std::string> inputs;
  llvm::cl::opt<std::string> format, sarif, baseline, severity, jobs;
  llvm::cl::opt<bool> github, writeBaseline, fixes;
  llvm::cl::list<std::string> rules;
};

/// The findings with their severities and summaries, for the command's help.
std::string findingHelp();

} // namespace ptosync
