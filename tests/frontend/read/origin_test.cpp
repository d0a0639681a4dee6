#include "frontend/lifted.h"
#include "frontend/read/origin.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/tokens_of.h"
#include "frontend/vendor_header.h"
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

// Headers of a kernel's own: read like the file, never edited.
namespace {

const char *kKernelObjects = R"(
  Tile<TileType::Vec, float, 8, 64> a, b, c;
  TASSIGN(a, 0); TASSIGN(b, 2048); TASSIGN(c, 4096);
)";

/// The file `k.cpp` beside its headers, with the built-in declarations or those of a vendor.
struct KernelFolder {
  HeaderDirectory folder;
  bool vendor = false;
  std::string arch = "a3";

  llvm::Expected<Module> lift(const std::string &body, const std::string &head = "#include \"own.hpp\"\n") {
    FrontendOptions options = frontendOptions(machineOf(arch));
    if (vendor) {
      folder.write("pto/pto-inst.hpp", vendorHeader());
      options.includeDirectory = folder.path;
    }
    return liftModule(SourceText((folder.path / "k.cpp").string(), kernelText(kKernelObjects + body, head)), options);
  }
  Module lifted(const std::string &body, const std::string &head = "#include \"own.hpp\"\n") {
    llvm::Expected<Module> module = lift(body, head);
    if (!module)
      throw std::runtime_error(llvm::toString(module.takeError()));
    return std::move(*module);
  }
};

/// Instructions and barriers of a kernel, in the order of its blocks.
std::string stepsOf(const Kernel &kernel) {
  if (!kernel.analysable)
    return "not analysable: " + kernel.reason;
  std::string text;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      if (auto *instruction = std::get_if<Instruction>(&statement.action))
        text += (text.empty() ? "" : " ") + instruction->name;
      else if (auto *sync = std::get_if<Sync>(&statement.action))
        text += (text.empty() ? "" : " ") + std::string(sync->kind == SyncKind::Barrier   ? "barrier"
                                                        : sync->kind == SyncKind::SetFlag ? "set"
                                                                                          : "wait");
    }
  return text;
}

std::string stepsOf(const Module &module, const std::string &name = "k") { return stepsOf(kernelNamed(module, name)); }

std::string wentLines(const Module &module) {
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  OptimizeResult result = optimize(module, machineOf("a3"), all, {});
  std::string text;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict != Verdict::Kept || !decision.movedTo.empty())
      text += (text.empty() ? "" : " ") + std::to_string(module.sites[decision.site].line);
  return text;
}

const char *kOwnHeaderText = R"(#pragma once
template <typename T> AICORE inline void twice(T &c, T &a, T &b) {
  pto::TADD(c, a, b);
  pipe_barrier(PIPE_V);
  pto::TADD(c, c, b);
  pipe_barrier(PIPE_V);
}
)";

} // namespace

TEST_CASE("functions of a header beside the kernel are read like those of the file") {
  for (bool vendor : {false, true}) {
    CAPTURE(vendor);
    KernelFolder kernel;
    kernel.vendor = vendor;
    kernel.folder.write("own.hpp", kOwnHeaderText);
    Module module = kernel.lifted("twice(c, a, b);\npipe_barrier(PIPE_V);\nTADD(a, c, c);");
    CHECK(stepsOf(module) == "TADD barrier TADD barrier barrier TADD");
    CHECK(module.unknownCalls.empty());
    // The header's barriers count: the file's own one says the same as the last of them.
    CHECK(wentLines(module) == "9");
  }
}

TEST_CASE("a sync of a header is a site of its own that stands at the call and is not edited") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", kOwnHeaderText);
  Module module = kernel.lifted("TADD(a, b, b);\ntwice(c, a, b);\ntwice(a, b, b);");
  REQUIRE(module.sites.size() == 2);
  for (const SyncSite &site : module.sites) {
    CHECK(site.protection == Protection::NotOneStatement);
    CHECK(site.line == 9);
    CHECK(module.source.slice(site.range) == "twice(c, a, b)");
  }
  CHECK(module.sites[0].text == "pipe_barrier(PIPE_V) in own.hpp:4");
  CHECK(module.sites[0].keepReason == "it stands in the header own.hpp:4, and headers are not edited");
  CHECK(module.sites[1].text == "pipe_barrier(PIPE_V) in own.hpp:6");
  CHECK(wentLines(module).empty());
}

TEST_CASE("nothing is put in front of what stands in a header") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", kOwnHeaderText);
  Module module = kernel.lifted("twice(c, a, b);\nTADD(a, b, b);");
  for (const Block &block : kernelNamed(module, "k").blocks)
    for (const Statement &statement : block.statements)
      if (auto *instruction = std::get_if<Instruction>(&statement.action); instruction && statement.line == 7)
        CHECK(statement.anchor == Anchor{});
}

TEST_CASE("a header that is included twice, or by another, is read once and as one") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", kOwnHeaderText);
  kernel.folder.write("outer.hpp",
                      "#include \"own.hpp\"\n#include \"own.hpp\"\n"
                      "template <typename T> AICORE inline void thrice(T &c, T &a, T &b) { twice(c, a, b); "
                      "TADD(c, c, b); }\n");
  Module module = kernel.lifted("thrice(c, a, b);\ntwice(c, a, b);", "#include \"outer.hpp\"\n#include \"own.hpp\"\n");
  CHECK(Interpreter(kernelNamed(module, "k"), 0).run() ==
        "TADD barrier:V TADD barrier:V TADD TADD barrier:V TADD barrier:V");
  CHECK(module.sites.size() == 2);
}

TEST_CASE("macros of a header are text of the file that uses them, as before") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", "#pragma once\n#define SYNC_VECTOR() pipe_barrier(PIPE_V)\n");
  Module module = kernel.lifted("TADD(c, a, b);\nSYNC_VECTOR();\nTADD(a, c, b);");
  REQUIRE(module.sites.size() == 1);
  CHECK(module.sites[0].line == 9);
  CHECK(module.sites[0].protection == Protection::NotOneStatement);
}

TEST_CASE("classes, constants and pointers of a header are those of the file") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", R"(#pragma once
constexpr int kSteps = 2;
struct Counter {
  int n = 0;
  AICORE void step() { n += 1; }
};
template <typename T> AICORE inline void counted(Counter &counter, T &c, T &a) {
  Counter *same = &counter;
  int left = kSteps;
  int *p = &left;
  *p = 1;
  for (; left > 0; --left) {
    TADDS(c, a, 1.0f);
    same->step();
  }
}
)");
  Module module = kernel.lifted("Counter counter;\ncounted(counter, c, a);\nTMULS(c, a, counter.n);");
  CHECK(Interpreter(kernelNamed(module, "k"), 0).run() == "TADDS TMULS(1)");
}

TEST_CASE("a body under a condition that another build may answer otherwise gives the kernel up") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", "#ifndef OWN_HPP\n#define OWN_HPP\n#ifdef FAST\nAICORE inline void work() {}\n#else\n"
                                 "AICORE inline void work() { pipe_barrier(PIPE_V); }\n#endif\n"
                                 "AICORE inline void plain() { pipe_barrier(PIPE_V); }\n#endif\n");
  CHECK(stepsOf(kernel.lifted("work();")) ==
        "not analysable: line 8: the body of work in own.hpp:6 is not read: the preprocessor condition on its line 3 "
        "selects code that is not analysed");
  CHECK(stepsOf(kernel.lifted("plain();")) == "barrier");
}

TEST_CASE("a header below a folder with the library's name is the kernel's own where the library is not there") {
  KernelFolder kernel;
  kernel.folder.write("pto/own.hpp", "#pragma once\n#ifdef FAST\nconstexpr int rows = 3;\n#endif\n"
                                     "AICORE inline void work() { pipe_barrier(PIPE_V); }\n");
  const std::string head = "#include \"pto/own.hpp\"\n";
  CHECK(kernel.lifted("work();", head).notEdited ==
        "another build of it is another program: the preprocessor condition on "
        "own.hpp:2 selects own.hpp:3; "
        "say with -D or -U what FAST is");
  kernel.vendor = true;
  CHECK(kernel.lifted("work();", head).notEdited.empty());
}

TEST_CASE("a header that tells the cores apart has the file read for each") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp",
                      "#pragma once\nAICORE inline void work() {\n#ifdef __DAV_CUBE__\n  pipe_barrier(PIPE_M);\n"
                      "#else\n  pipe_barrier(PIPE_V);\n  pipe_barrier(PIPE_V);\n#endif\n}\n");
  Module module = kernel.lifted("work();");
  REQUIRE(module.kernels.size() == 2);
  CHECK(module.kernels[0].section == Section::Cube);
  CHECK(stepsOf(module.kernels[0]) == "barrier");
  CHECK(module.kernels[1].section == Section::Vec);
  CHECK(stepsOf(module.kernels[1]) == "barrier barrier");
}

// Each of them is another kernel for the other core, although its own text and what it calls are the same.
TEST_CASE("a header whose constants, classes or macros tell the cores apart has the file read for each") {
  for (const char *kind : {"constexpr int kPlace = ", "struct Off { int n = ", "#define PLACE "}) {
    CAPTURE(kind);
    std::string start = kind, end = start.find("struct") == 0 ? "; };\n" : start[0] == '#' ? "\n" : ";\n";
    KernelFolder kernel;
    kernel.folder.write("own.hpp", "#pragma once\n#ifdef __DAV_CUBE__\n" + start + "0" + end + "#else\n" + start +
                                       "8192" + end + "#endif\n");
    std::string place = start[0] == 's' ? "Off().n" : start[0] == '#' ? "PLACE" : "kPlace";
    Module module = kernel.lifted("TASSIGN(b, " + place + ");\nTADD(a, c, c);\npipe_barrier(PIPE_V);\nTADD(c, b, b);");
    REQUIRE(module.kernels.size() == 2);
    CHECK(module.kernels[0].section == Section::Cube);
    CHECK(module.kernels[1].section == Section::Vec);
  }
}

TEST_CASE("a constant of a header that differs by core keeps the sync that one of the cores needs") {
  KernelFolder kernel;
  kernel.folder.write(
      "own.hpp",
      "#pragma once\n#ifdef __DAV_CUBE__\nconstexpr int kPlace = 0;\n#else\nconstexpr int kPlace = 8192;\n#endif\n");
  // `b` is what the first addition writes, to the cube core alone.
  std::string body = "Tile<TileType::Vec, float, 8, 64> d;\nTASSIGN(d, 16384);\nTASSIGN(b, kPlace);\nTADD(a, c, c);\n"
                     "pipe_barrier(PIPE_V);\nTADD(d, b, b);";
  CHECK(wentLines(kernel.lifted(body)).empty());
}

TEST_CASE("a body of a header with errors is not read") {
  KernelFolder kernel;
  kernel.vendor = true;
  kernel.folder.write("own.hpp",
                      "#pragma once\nAICORE inline void work() { int n = \"a\" * 2; pipe_barrier(PIPE_V); }\n");
  CHECK(stepsOf(kernel.lifted("work();")).find("its header has errors") != std::string::npos);
}

TEST_CASE("an object whose class in a header destroys it by code of its own gives the kernel up") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", "#pragma once\nstruct Guard { int n; AICORE ~Guard() { pipe_barrier(PIPE_V); } };\n");
  CHECK(stepsOf(kernel.lifted("Guard guard{1};\nTADD(c, a, b);")).find("not analysable") == 0);
}

// The header runs a function of the file: an edit there must be right for that run as well.
TEST_CASE("what a header calls back is run by the kernel, and unread text of a header protects it") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", "#pragma once\ntemplate <typename F> AICORE inline void run(F f) { f(); }\n"
                                 "AICORE void helper();\nAICORE inline void runs() { helper(); }\n");
  CHECK(stepsOf(kernel.lifted("run([&] { TADD(c, a, b); pipe_barrier(PIPE_V); });")) == "TADD barrier");
  std::string helper = "#include \"own.hpp\"\nAICORE void helper() {\n  pipe_barrier(PIPE_MTE3);\n}\n";
  Module both = kernel.lifted("runs();\nhelper();", helper);
  CHECK(stepsOf(both) == "barrier barrier");
  REQUIRE(both.sites.size() == 1);
  CHECK(both.sites[0].protection == Protection::None);
  // Nobody was seen to run `runs`: who does is not known.
  Module one = kernel.lifted("helper();", helper);
  REQUIRE(one.sites.size() == 1);
  CHECK(one.sites[0].protection == Protection::NotOneStatement);
  CHECK(one.sites[0].keepReason.find("own.hpp:4 names helper") != std::string::npos);
}

TEST_CASE("a barrier of a header tells which architecture the file is not for, where the file runs it") {
  KernelFolder kernel;
  kernel.folder.write("own.hpp", "#pragma once\nAICORE inline void used() { pipe_barrier(PIPE_V); }\n"
                                 "AICORE inline void unused() { pipe_barrier(PIPE_M); }\n");
  Module module = kernel.lifted("used();");
  std::string names;
  for (const CalledName &called : module.calledNames)
    names += called.name + "@" + std::to_string(called.line) + " ";
  CHECK(names.find("pipe_barrier(PIPE_V)@8 ") != std::string::npos);
  CHECK(names.find("PIPE_M") == std::string::npos);
}

namespace {

const std::string kMarks = "#define AICORE __attribute__((annotate(\"ptosync_aicore\")))\n";

/// "ok: f g" for the functions that are broken then, or "no".
std::string broken(const std::string &body) {
  UnitRequest request;
  request.text = kMarks + body;
  request.name = "k.cpp";
  request.arguments = {"-xc++", "-std=c++17", "-w", "-fsyntax-only"};
  struct Places : clang::DiagnosticConsumer {
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
      if (level >= clang::DiagnosticsEngine::Error)
        offsets.push_back(info.getSourceManager().getFileOffset(info.getLocation()));
    }
    std::vector<std::uint32_t> offsets;
  } places;
  std::unique_ptr<SyntaxUnit> unit = parseUnit(request, places);
  if (places.offsets.empty())
    return "no errors";
  if (!breakHostFunctions(unit->getASTContext(), tokensOf(request.text), places.offsets))
    return "no";
  std::string names = "ok:";
  for (clang::Decl *declaration : unit->getASTContext().getTranslationUnitDecl()->decls())
    if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration->getAsFunction() ? declaration->getAsFunction()
                                                                                          : declaration))
      if (isBrokenFunction(function))
        names += " " + function->getNameAsString();
  return names;
}

} // namespace

TEST_CASE("host text: errors inside functions without a mark are theirs") {
  const std::string kernel = "AICORE void k() {}\n";
  CHECK(broken(kernel + "void host() { unknown(); }\nvoid other() {}\n") == "ok: host");
  CHECK(broken(kernel + "template <int N> void host() { missing::f(); }\n") == "ok: host");
  CHECK(broken(kernel + "struct S { void host() { unknown(); } };\n") == "ok:"); // a member, invalid all the same
}

TEST_CASE("host text: errors anywhere else stay errors") {
  CHECK(broken("AICORE void k() { unknown(); }\n") == "no");
  CHECK(broken("AICORE void k() {}\nint number = unknown();\n") == "no");
  CHECK(broken("AICORE void k() {}\nvoid host(Unknown argument) {}\n") == "no");
  CHECK(broken("AICORE void k() {}\nconstexpr int size() { return unknown(); }\n") == "no");
  CHECK(broken("AICORE void k() {}\nvoid host() { unknown(); }\nint number = unknown();\n") == "no");
  CHECK(broken("void k() {}\nvoid host() { unknown(); }\n") == "no"); // no marks: anything may be a kernel
}

TEST_CASE("host text: a body that swallows what follows is not taken for the host's") {
  CHECK(broken("AICORE void m() {}\n#define OPEN {\nvoid host() { OPEN unknown(); }\nAICORE void k() {}\nAICORE void "
               "l() {} }\n") == "no");
  CHECK(broken("AICORE void k() {}\nvoid host() { unknown(\"}\"); /* } */ }\n") == "ok: host");
  CHECK(broken("AICORE void k() {}\nvoid host() { // don't }\n  unknown(); }") ==
        "ok: host"); // the last byte closes it
}
