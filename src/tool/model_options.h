// Command line of `ptosync model`.
#pragma once

#include <llvm/Support/CommandLine.h>

#include <string>

namespace ptosync {

struct ModelCommandOptions {
  std::string calls;  // --calls: the kernel file; empty: not asked
  bool check = false; // --check
  std::string hashes; // --hashes: the version's name; empty: not asked
};

struct ModelDefinitions {
  ModelDefinitions(llvm::cl::SubCommand &command, llvm::cl::OptionCategory &category);
  /// Empty, or what is wrong.
  std::string read(ModelCommandOptions &options) const;

  llvm::cl::opt<std::string> calls;
  llvm::cl::opt<bool> check;
  llvm::cl::opt<std::string> hashes;
};

} // namespace ptosync
