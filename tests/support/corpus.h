// Helpers for tests that run the whole library on kernel text.
#pragma once

#include "machine/machine.h"
#include "patterns/catalogue.h"
#include "run/choices.h"

#include <string>
#include <vector>

namespace ptosync::test {

/// What a case of the corpus runs with.
struct RunOptions {
  std::string arch = "a3";
  std::string patterns = "default";
  OptimizeOptions optimize;
};

/// Throws (failing the test) on an unknown option.
RunOptions parseOptions(const std::vector<std::string> &options);

/// A module and what was decided about it; the decisions refer to the module.
struct Outcome {
  Module module;
  OptimizeResult result;
};

const Machine &machineOf(const std::string &arch);
Module lift(const std::string &text, const std::string &arch = "a3", const std::string &name = "kernel.cpp");
Outcome run(const std::string &text, const RunOptions &options = {}, const std::string &name = "kernel.cpp");

/// The text with the decisions carried out; throws if its edits overlap.
std::string patched(const Outcome &outcome);

/// `body` inside one vector kernel, `extern "C" __global__ AICORE void k(__gm__ float *in, __gm__ float *out,
/// int32_t n)`; its first line is line kBodyLine.
std::string vectorKernel(const std::string &body);
inline constexpr unsigned kBodyLine = 4;

/// A Vec tile declaration with its address: `tile("v1", "float", 32, 128, 4096)`.
std::string tile(const std::string &name, const std::string &element, unsigned rows, unsigned cols, unsigned address);
/// The same, column-major with one column.
std::string columnTile(const std::string &name, const std::string &element, unsigned rows, unsigned address);

/// The decision about the only sync on `line`; throws if there is none.
const SiteDecision &decisionAt(const Outcome &outcome, unsigned line);

std::string readText(const std::string &path);
/// Names of the folders below corpus/, in order.
std::vector<std::string> corpusFolders();
std::string corpusPath(const std::string &relative);
/// A kernel of the corpus as one of its cases leaves it: `patchedCorpusKernel("softmax", "tile")`.
std::string patchedCorpusKernel(const std::string &folder, const std::string &caseName);
/// Real kernels beside the repository, if they are there.
std::vector<std::string> sharedKernels();
/// The last part of a path.
std::string nameOf(const std::string &path);
/// The architecture that a kernel's folder is for.
std::string archOf(const std::string &path);

/// The patterns that `opt` enables by itself.
inline const Catalogue &defaultPatterns() {
  static const Catalogue catalogue = llvm::cantFail(llvm::cantFail(Catalogue::builtIn()).select("default"));
  return catalogue;
}

} // namespace ptosync::test
