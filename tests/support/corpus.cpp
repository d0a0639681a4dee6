#include "support/corpus.h"

#include "rewrite/sync_edits.h"
#include "support/applied_diff.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace ptosync::test {

namespace fs = std::filesystem;

RunOptions parseOptions(const std::vector<std::string> &options) {
  RunOptions run;
  for (const std::string &option : options) {
    OrderingOptions &ordering = run.optimize.ordering;
    std::string value = option.substr(option.find('=') + 1);
    if (option.rfind("--trust=", 0) == 0)
      ordering.trust = value == "library" ? Trust::Library : Trust::Tile;
    else if (option.rfind("--arch=", 0) == 0)
      run.arch = value;
    else if (option.rfind("--patterns=", 0) == 0)
      run.patterns = value;
    else if (option == "--gm-may-alias")
      ordering.argumentsMayAlias = true;
    else if (option == "--strict-copies")
      ordering.strictCopies = true;
    else if (option == "--m-accumulate-order")
      ordering.accumulateOrder = true;
    else if (option == "--a5-vector-order=off")
      ordering.vectorOrder = false;
    else if (option.rfind("--max-removals=", 0) == 0)
      run.optimize.maxRemovals = std::stoul(value);
    else if (option.rfind("--rewrite=", 0) == 0 || option == "--resync" || option.rfind("--effort=", 0) == 0)
      continue; // what a rewrite changes is in the golden files; syncs are decided as without it
    else
      throw std::runtime_error("unknown option in a test: " + option);
  }
  return run;
}

const Machine &machineOf(const std::string &arch) {
  static std::map<std::string, Machine> machines;
  auto found = machines.find(arch);
  if (found == machines.end())
    found = machines.emplace(arch, llvm::cantFail(Machine::builtIn(arch))).first;
  return found->second;
}

Module lift(const std::string &text, const std::string &arch, const std::string &name) {
  llvm::Expected<Module> module = liftModule(SourceText(name, text), frontendOptions(machineOf(arch)));
  if (!module)
    throw std::runtime_error(llvm::toString(module.takeError()));
  return std::move(*module);
}

Outcome run(const std::string &text, const RunOptions &options, const std::string &name) {
  Outcome outcome;
  outcome.module = lift(text, options.arch, name);
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  Catalogue selected = llvm::cantFail(all.select(options.patterns));
  outcome.result = optimize(outcome.module, machineOf(options.arch), selected, options.optimize);
  return outcome;
}

std::string patched(const Outcome &outcome) {
  llvm::Expected<std::string> text = patchedText(outcome.module, outcome.result);
  if (!text)
    throw std::runtime_error(llvm::toString(text.takeError()));
  return *text;
}

std::string vectorKernel(const std::string &body) {
  return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float *in, __gm__ float *out, int32_t n) {\n" +
         body + "  pipe_barrier(PIPE_ALL);\n  dsb((mem_dsb_t) 0);\n}\n";
}

namespace {
std::string declaration(const std::string &name, const std::string &element, unsigned rows, unsigned cols,
                        const char *layout, unsigned address) {
  std::string shape = std::to_string(rows) + ", " + std::to_string(cols);
  return "  Tile<TileType::Vec, " + element + ", " + shape + ", BLayout::" + layout + ", " + shape +
         ", SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> " + name + "; TASSIGN(" + name + ", (uint64_t) " +
         std::to_string(address) + ");\n";
}
} // namespace

std::string tile(const std::string &name, const std::string &element, unsigned rows, unsigned cols, unsigned address) {
  return declaration(name, element, rows, cols, "RowMajor", address);
}

std::string columnTile(const std::string &name, const std::string &element, unsigned rows, unsigned address) {
  return declaration(name, element, rows, 1, "ColMajor", address);
}

const SiteDecision &decisionAt(const Outcome &outcome, unsigned line) {
  for (SiteId site = 0; site < outcome.module.sites.size(); ++site)
    if (outcome.module.sites[site].line == line)
      return outcome.result.decisions[site];
  throw std::runtime_error("no sync on line " + std::to_string(line));
}

std::string readText(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string corpusPath(const std::string &relative) { return std::string(PTOSYNC_SOURCE_DIR) + "/corpus/" + relative; }

std::string patchedCorpusKernel(const std::string &folder, const std::string &caseName) {
  return applyDiff(readText(corpusPath(folder + "/kernel.cpp")),
                   readText(corpusPath(folder + "/expected/" + caseName + ".diff")));
}

std::vector<std::string> corpusFolders() {
  std::vector<std::string> folders;
  for (const auto &entry : fs::directory_iterator(corpusPath("")))
    if (entry.is_directory())
      folders.push_back(entry.path().filename());
  std::sort(folders.begin(), folders.end());
  return folders;
}

std::string nameOf(const std::string &path) { return path.substr(path.rfind('/') + 1); }

std::string archOf(const std::string &path) { return path.find("/a5") != std::string::npos ? "a5" : "a3"; }

std::vector<std::string> sharedKernels() {
  std::vector<std::string> kernels;
  fs::path root = fs::path(PTOSYNC_SOURCE_DIR) / ".." / "shared" / "kernels";
  std::error_code none;
  for (auto entry = fs::recursive_directory_iterator(root, none); entry != fs::recursive_directory_iterator(); ++entry)
    if (entry->path().extension() == ".cpp")
      kernels.push_back(entry->path());
  std::sort(kernels.begin(), kernels.end());
  return kernels;
}

} // namespace ptosync::test
