// The library's real headers, where they lie beside the repository: what the built-in declarations stand for.
#include "frontend/frontend.h"

#include "frontend/lifted.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace ptosync;
using namespace ptosync::test;

namespace {

namespace fs = std::filesystem;

/// The library beside the repository; empty where there is none.
std::string sharedLibrary() {
  std::error_code none;
  for (const auto &entry : fs::directory_iterator(fs::path(PTOSYNC_SOURCE_DIR) / ".." / "shared" / "library", none))
    if (fs::exists(entry.path() / "include" / "pto" / "pto-inst.hpp"))
      return entry.path();
  return {};
}

FrontendOptions realHeaders(const std::string &arch) {
  FrontendOptions options = frontendOptions(machineOf(arch));
  options.includeDirectory = sharedLibrary() + "/include";
  return options;
}

/// What is decided about every sync, or the error.
std::string decisions(llvm::Expected<Module> module, const std::string &arch) {
  if (!module)
    return llvm::toString(module.takeError());
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  OptimizeResult result = optimize(*module, machineOf(arch), all, {});
  std::string text;
  for (const SiteDecision &decision : result.decisions)
    text += std::to_string(module->sites[decision.site].line) + " " +
            (decision.verdict == Verdict::Removed ? "removed " + decision.pattern : "kept") + "\n";
  return text;
}

/// Not analysed: the reason of the first kernel that is not, or the error; empty if all is read.
std::string notRead(const std::string &path) {
  llvm::Expected<Module> module = liftModule(SourceText(path, readText(path)), realHeaders(archOf(path)));
  if (!module)
    return llvm::toString(module.takeError());
  for (const Kernel &kernel : module->kernels)
    if (!kernel.analysable)
      return kernel.name + ": " + kernel.reason;
  return {};
}

} // namespace

TEST_CASE("real kernels are the same with the library's real headers", "[shared]") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  for (const std::string &path : sharedKernels()) {
    CAPTURE(path);
    SourceText source(path, readText(path));
    CHECK(decisions(liftModule(source, realHeaders(archOf(path))), archOf(path)) ==
          decisions(liftModule(source, frontendOptions(machineOf(archOf(path)))), archOf(path)));
  }
}

TEST_CASE("kernels written by hand are read: instances of templates, launches, host code", "[shared]") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  std::vector<std::string> files;
  for (const char *folder : {"tests", "kernels"})
    for (const auto &entry : fs::recursive_directory_iterator(sharedLibrary() + "/" + folder))
      if (entry.path().extension() == ".cpp" && readText(entry.path()).find("AICORE") != std::string::npos)
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::size_t read = 0, tried = 0;
  std::string reasons;
  for (std::size_t i = 0; i < files.size(); i += 8) {
    ++tried;
    std::string reason = notRead(files[i]);
    read += reason.empty();
    if (!reason.empty())
      reasons += files[i] + ": " + reason.substr(0, 200) + "\n";
  }
  CAPTURE(reasons);
  CHECK(read * 100 >= tried * 90); // scripts/hand-written reads them all
}

TEST_CASE("errors of host code leave the kernels readable and keep their syncs") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  auto text = [](const std::string &host, const std::string &inKernel) {
    return "#include <pto/pto-inst.hpp>\nusing namespace pto;\n" + host +
           "__global__ AICORE void run(__gm__ float *in) {\n  pipe_barrier(PIPE_V);\n" + inKernel + "}\n";
  };
  std::string host = "int host(int n) { n.member = \"a\" * 2; return n; }\n";
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text(host, "")), realHeaders("a3"));
  if (!module)
    FAIL(llvm::toString(module.takeError()));
  REQUIRE(module->kernels.size() == 1);
  CHECK(module->kernels[0].analysable);
  REQUIRE(module->sites.size() == 1);
  CHECK(module->sites[0].protection == Protection::NotOneStatement);
  CHECK(module->sites[0].keepReason.find("host code of the file has errors and was not read") != std::string::npos);
  // Called by a kernel, it is no host's.
  llvm::Expected<Module> called =
      liftModule(SourceText("k.cpp", text(host, "  int n = host(3);\n")), realHeaders("a3"));
  if (!called)
    FAIL(llvm::toString(called.takeError()));
  CHECK_FALSE(called->kernels[0].analysable);
  llvm::Expected<Module> wrong = liftModule(SourceText("k.cpp", text("", "  int n = \"a\" * 2;\n")), realHeaders("a3"));
  CHECK_FALSE(bool(wrong));
  llvm::consumeError(wrong.takeError());
}

TEST_CASE("the library's set and wait in one call is both, and is never edited") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  auto text = [](const std::string &call) {
    return "#include <pto/pto-inst.hpp>\nusing namespace pto;\n__global__ AICORE void k(__gm__ float *in) {\n  " +
           call + "\n}\n";
  };
  for (const auto &[call, id] : {std::pair{"PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();", "0"},
                                 std::pair{"PtoSetWaitFlag<PIPE_MTE2, PIPE_V>(EVENT_ID3, EVENT_ID3);", "3"}}) {
    CAPTURE(call);
    llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text(call)), realHeaders("a3"));
    if (!module)
      FAIL(llvm::toString(module.takeError()));
    std::string flag = "PIPE_MTE2 -> PIPE_V id " + std::string(id) + "\n";
    CHECK(statements(*module) == "set " + flag + "wait " + flag);
    REQUIRE(module->sites.size() == 1);
    CHECK(module->sites[0].protection == Protection::NotOneStatement);
    CHECK(module->unknownCalls.empty());
  }
}

TEST_CASE("a function that only calls members of the host's classes is no kernel") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  std::string text = "#include <pto/pto-inst.hpp>\n#include <vector>\nbool host(int n) { std::vector<int> v(n, 0); "
                     "return v.data() != nullptr; }\n";
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), realHeaders("a5"));
  if (!module)
    FAIL(llvm::toString(module.takeError()));
  CHECK(module->kernels.empty());
}

TEST_CASE("an instance of a kernel is named with its arguments") {
  if (sharedLibrary().empty()) {
    WARN("skipped: no ../shared/library");
    return;
  }
  std::string text =
      "#include <pto/pto-inst.hpp>\n#include \"acl/acl.h\"\nusing namespace pto;\n"
      "template <typename T, int N> __global__ AICORE void run(__gm__ T *in) {\n"
      "  Tile<TileType::Vec, T, 8, N> t;\n  TASSIGN(t, 0);\n  pipe_barrier(PIPE_V);\n}\n"
      "template <typename T> void launch(T *in, aclrtStream s) { run<T, 64><<<1, nullptr, s>>>(in); run<half, 32><<<1, "
      "nullptr, s>>>((half *)in); }\n"
      "template void launch<float>(float *, aclrtStream);\n";
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), realHeaders("a3"));
  if (!module)
    FAIL(llvm::toString(module.takeError()));
  CHECK(kernelNames(*module) == "run<_Float16, 32> run<float, 64>");
  CHECK(module->sites.size() == 1);
}
