#include "frontend/lifted.h"
#include "frontend/vendor_header.h"

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string protection(const SyncSite &site) {
  switch (site.protection) {
  case Protection::None: return "free";
  case Protection::KeepComment: return "keep(" + site.keepReason + ")";
  case Protection::Tail: return "tail";
  case Protection::Flush: return "flush";
  case Protection::NotOneStatement: return "not one statement";
  }
  return "?";
}

/// "line:column protection" of every site, one a line; "sole" if it is a body without braces.
std::string sites(const Module &module) {
  std::string text;
  for (const SyncSite &site : module.sites)
    text += std::to_string(site.line) + ":" + std::to_string(site.column) + " " + protection(site) +
            (site.soleBody ? " sole" : "") + "\n";
  return text;
}

/// What would be cut out for each site.
std::vector<std::string> cuts(const Module &module) {
  std::vector<std::string> texts;
  for (const SyncSite &site : module.sites)
    texts.emplace_back(module.source.slice(site.range));
  return texts;
}

std::string unknownCalls(const Module &module) {
  std::string text;
  for (const UnknownCall &call : module.unknownCalls) {
    text += (text.empty() ? "" : " ") + call.name + "@";
    for (std::size_t i = 0; i < call.lines.size(); ++i)
      text += (i ? "," : "") + std::to_string(call.lines[i]);
  }
  return text;
}

std::string failure(const std::string &text) {
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), frontendOptions(machineOf("a3")));
  return module ? "no error" : llvm::toString(module.takeError());
}

std::string decisions(const Module &module) {
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  OptimizeResult result = optimize(module, machineOf("a3"), all, {});
  std::string text;
  for (const SiteDecision &decision : result.decisions)
    text += std::to_string(module.sites[decision.site].line) + " " +
            (decision.verdict == Verdict::Removed ? "removed " + decision.pattern : "kept") + "\n";
  return text;
}

bool works(const Kernel &kernel) {
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (std::holds_alternative<Instruction>(statement.action))
        return true;
  return false;
}

/// How each kernel that issues an instruction prints, with tiles: what engines see.
std::string everything(const Module &module) {
  std::string text;
  for (const Kernel &kernel : module.kernels) {
    if (!works(kernel))
      continue;
    text += printKernel(kernel);
    for (const Tile &tile : kernel.tiles)
      text += tile.name + " " + tile.location + " " + tile.element + " " + std::to_string(tile.rows) + "x" +
              std::to_string(tile.cols) + " valid " + std::to_string(tile.staticValidRows) + "x" +
              std::to_string(tile.staticValidCols) + "\n";
    for (const Tensor &tensor : kernel.tensors)
      text += tensor.name + " " + tensor.element + " " + std::to_string(tensor.shape[4]) + " " +
              std::to_string(tensor.stride[3]) + "\n";
  }
  return text;
}

} // namespace

TEST_CASE("a kernel whose name a macro makes is a kernel, on the line where the name is used") {
  std::string text = std::string(kHead) +
                     "#define JOIN(a, b) a##b\n#define CASE Add\n#define JOINED(a, b) JOIN(a, b)\n"
                     "__global__ AICORE void JOINED(run, CASE)(__gm__ float *in) {\n  pipe_barrier(PIPE_V);\n}\n";
  llvm::Expected<Module> module = liftModule(SourceText("k.cpp", text), frontendOptions(machineOf("a3")));
  if (!module)
    FAIL(llvm::toString(module.takeError()));
  CHECK(kernelNames(*module) == "runAdd");
  CHECK(module->kernels[0].line == 6);
  CHECK(sites(*module) == "7:3 free\n");
}

TEST_CASE("kernels are the functions marked as such, and device functions that nobody calls") {
  std::string head = kHead;
  CHECK(kernelNames(lift(head + "extern \"C\" __global__ AICORE void a() {}\n__global__ AICORE void b() { }\n")) ==
        "a b");
  CHECK(kernelNames(lift(head + "AICORE void helper() {}\nAICORE void entry() { helper(); }\n")) == "entry");
  CHECK(kernelNames(lift(head + "void host() {}\nAICORE void alone() {}\n")) == "alone");
  CHECK(kernelNames(lift(head + "AICORE void declared();\n")) == "");
  // A kernel stays one even if another calls it.
  CHECK(kernelNames(lift(head + "__global__ AICORE void a() {}\n__global__ AICORE void b() { a(); }\n")) == "a b");
  CHECK(kernelNames(lift("")) == "");
}

TEST_CASE("methods, templates and emitted boilerplate are no kernels") {
  std::string head = kHead;
  CHECK(kernelNames(lift(
            head + "struct S { AICORE void f() {} };\ntemplate <typename T> AICORE void g(T) {}\n"
                   "AICORE void ptoas_auto_sync_tail() {}\nAICORE void PTOAS__X() {}\nAICORE void k() {}\n")) == "k");
}

TEST_CASE("a helper that only a template calls is no kernel") {
  CHECK(kernelNames(lift(std::string(kHead) +
                         "AICORE void f(int a) {}\ntemplate <typename T> AICORE void g(T a) { f(a); }\n"
                         "__global__ AICORE void k() { g(3); }\n")) == "k");
}

TEST_CASE("a helper that one section calls is no kernel in the other") {
  Module module =
      liftBody("#if defined(__DAV_VEC__)\nwork();\n#endif", "static AICORE void work() { pipe_barrier(PIPE_V); }\n");
  CHECK(kernelNames(module) == "k:cube k:vec");
}

TEST_CASE("a file without sections is one program for both cores") {
  Module module = liftBody("TADD();");
  CHECK(kernelNames(module) == "k");
  CHECK(module.kernels[0].section == Section::Both);
  CHECK(module.kernels[0].line == 3);
}

TEST_CASE("a file with sections is two programs, cube first") {
  Module module = liftBody("TADD();\n#if defined(__DAV_CUBE__)\nTMATMUL();\npipe_barrier(PIPE_M);\n#endif\n"
                           "#if defined(__DAV_VEC__)\nTSUB();\npipe_barrier(PIPE_V);\n#endif\npipe_barrier(PIPE_ALL);");
  REQUIRE(kernelNames(module) == "k:cube k:vec");
  CHECK(Interpreter(module.kernels[0], 0).run() == "TADD TMATMUL barrier:M barrier:ALL");
  CHECK(Interpreter(module.kernels[1], 0).run() == "TADD TSUB barrier:V barrier:ALL");
  // The barrier in shared code is one site of both.
  CHECK(sites(module) == "7:1 free\n11:1 free\n13:1 free\n");
}

TEST_CASE("one section alone still makes two programs") {
  Module module = liftBody("#if defined(__DAV_VEC__)\nTSUB();\n#endif");
  REQUIRE(kernelNames(module) == "k:cube k:vec");
  CHECK(Interpreter(module.kernels[0], 0).run() == "");
  CHECK(Interpreter(module.kernels[1], 0).run() == "TSUB");
}

TEST_CASE("code under other preprocessor conditions is a program that was not looked at") {
  Module module = liftBody("#ifdef DEBUG\npipe_barrier(PIPE_V);\n#endif\nTADD();");
  CHECK_FALSE(module.kernels[0].analysable);
  CHECK(module.kernels[0].reason.find("the preprocessor condition on line 4 selects code that is not analysed") !=
        std::string::npos);
}

TEST_CASE("a file that is another program in another build is read, and not edited") {
  const std::string why = "another build of it is another program: the "
                          "preprocessor condition on line 4 selects line 5; say "
                          "with -D or -U what FAST is";
  for (const char *text :
       {"constexpr int rows =\n#ifdef FAST\n32\n#else\n64\n#endif\n;\n", "enum {\n#ifdef FAST\n  A,\n#endif\n  B\n};\n",
        "\n#ifdef FAST\nvoid top(float *p) { k<<<1, nullptr, nullptr>>>(p); }\n#endif\n"}) {
    INFO(text);
    Module module = liftBody("pipe_barrier(PIPE_V);", text);
    CHECK(module.kernels[0].analysable);
    CHECK(module.notEdited == why);
    CHECK(module.sites.at(0).keepReason == why);
  }
  Module module = liftBody("pipe_barrier(PIPE_V);", "#ifndef __gm__\n#define __gm__\n#endif\n");
  CHECK(module.notEdited.empty());
  CHECK(module.sites.at(0).protection == Protection::None);
}

TEST_CASE("sites have their place, their text and their range with the semicolon") {
  Module module = liftBody("  pipe_barrier(PIPE_V);\n  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)  ; wait_flag(PIPE_V,\n"
                           "    PIPE_MTE3, EVENT_ID0);");
  REQUIRE(module.sites.size() == 3);
  CHECK(sites(module) == "4:3 free\n5:3 free\n5:45 free\n");
  CHECK(cuts(module) == std::vector<std::string>{"pipe_barrier(PIPE_V);", "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)  ;",
                                                 "wait_flag(PIPE_V,\n    PIPE_MTE3, EVENT_ID0);"});
  CHECK(module.sites[0].text == "pipe_barrier(PIPE_V)");
  CHECK(module.sites[0].kind == SyncKind::Barrier);
  CHECK(module.sites[0].source == Pipe::V);
  CHECK(module.sites[1].kind == SyncKind::SetFlag);
  CHECK(module.sites[1].destination == Pipe::MTE3);
  CHECK(module.sites[2].kind == SyncKind::WaitFlag);
}

TEST_CASE("every sync of a kernel knows its site") {
  Module module = liftBody("pipe_barrier(PIPE_V);\nset_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\npipe_barrier(PIPE_ALL);");
  std::vector<SiteId> found;
  for (const Statement &statement : module.kernels[0].blocks[0].statements)
    if (auto *sync = std::get_if<Sync>(&statement.action))
      found.push_back(sync->site);
  CHECK(found == std::vector<SiteId>{0, 1, 2});
}

TEST_CASE("a sync that is not one statement of the text stays") {
  CHECK(sites(liftBody("SYNC();\nPART;\n(void) pipe_barrier(PIPE_V);\npipe_barrier(PIPE_V), n = 3;\n"
                       "pipe_barrier(PIPE_V) /* why */;\nint x = (pipe_barrier(PIPE_V), 1);",
                       "#define SYNC() pipe_barrier(PIPE_V)\n#define PART pipe_barrier(PIPE_M)\n")) ==
        "6:1 not one statement\n7:1 not one statement\n8:8 not one statement\n9:1 not one statement\n"
        "10:1 not one statement\n11:10 not one statement\n");
}

TEST_CASE("two syncs in one macro share a place that is never edited") {
  Module module = liftBody("BOTH;", "#define BOTH pipe_barrier(PIPE_V); pipe_barrier(PIPE_MTE2)\n");
  CHECK(sites(module) == "5:1 not one statement\n");
  CHECK(trace(module, 0) == "barrier:V barrier:MTE2");
}

TEST_CASE("a returned sync, or one in the head of a loop or an if, is not a statement of its own") {
  CHECK(sites(liftBody("if (n) return pipe_barrier(PIPE_V);")) == "4:15 not one statement\n");
  CHECK(sites(liftBody("for (pipe_barrier(PIPE_V); n > 0; pipe_barrier(PIPE_V)) n -= 1;")) ==
        "4:6 not one statement\n4:35 not one statement\n");
  CHECK(sites(liftBody("if (pipe_barrier(PIPE_V); n) TADD();")) == "4:5 not one statement\n");
  CHECK(sites(liftBody("switch (pipe_barrier(PIPE_V); n) { default: TADD(); }")) == "4:9 not one statement\n");
}

TEST_CASE("a sync that is a whole body without braces is marked") {
  CHECK(sites(liftBody(
            "if (n) pipe_barrier(PIPE_V);\nelse pipe_barrier(PIPE_M);\nfor (;n;) pipe_barrier(PIPE_V);\n"
            "while (n) pipe_barrier(PIPE_V);\ndo pipe_barrier(PIPE_V); while (n);\nhere: pipe_barrier(PIPE_V);\n"
            "switch (n) { case 1: pipe_barrier(PIPE_V); }\nif (n) { pipe_barrier(PIPE_V); }\npipe_barrier(PIPE_V);")) ==
        "4:8 free sole\n5:6 free sole\n6:11 free sole\n7:11 free sole\n8:4 free sole\n9:7 free sole\n"
        "10:22 free sole\n11:10 free\n12:1 free\n");
}

TEST_CASE("keep comments protect their own line, or alone on a line the next one") {
  CHECK(sites(liftBody("pipe_barrier(PIPE_V); // ptosync: keep(timing)\n"
                       "  // ptosync: keep(from above)\n  pipe_barrier(PIPE_V);\n"
                       "/* ptosync: keep(block) */\npipe_barrier(PIPE_V);\n"
                       "pipe_barrier(PIPE_V); /* ptosync: keep(open\n*/ TADD();\n")) ==
        "4:1 keep(timing)\n6:3 keep(from above)\n8:1 keep(block)\n9:1 keep(open)\n");
}

TEST_CASE("a keep comment of another statement protects nothing here") {
  CHECK(sites(liftBody("TADD(); // ptosync: keep(statement)\npipe_barrier(PIPE_V);\n"
                       "// ptosync: keep(two above)\n\npipe_barrier(PIPE_V);\n"
                       "pipe_barrier(PIPE_V); // ptosyn keep(not the tool)\n"
                       "// keep(without the tool's name)\npipe_barrier(PIPE_V);\n"
                       "pipe_barrier(PIPE_V);\n// ptosync: keep(below)\n")) ==
        "5:1 free\n8:1 free\n9:1 free\n11:1 free\n12:1 free\n");
}

TEST_CASE("a keep comment behind the last line of a statement protects it") {
  CHECK(sites(liftBody("wait_flag(PIPE_V,\n  PIPE_MTE3, EVENT_ID0); // ptosync: keep(last line)")) ==
        "4:1 keep(last line)\n");
}

TEST_CASE("a keep comment in a file with CRLF line ends") {
  CHECK(
      sites(liftBody(
          "pipe_barrier(PIPE_V); // ptosync: keep(timing)\r\n// ptosync: keep(above)\r\npipe_barrier(PIPE_V);\r\n")) ==
      "4:1 keep(timing)\n6:1 keep(above)\n");
}

TEST_CASE("PIPE_ALL in front of a cache flush stays") {
  CHECK(sites(liftBody(
            "pipe_barrier(PIPE_ALL);\ndcci(in, 0);\npipe_barrier(PIPE_ALL);\nint x = n + 1;\ndsb((mem_dsb_t) 0);\n"
            "pipe_barrier(PIPE_ALL);\nTADD();\ndsb((mem_dsb_t) 0);")) == "4:1 flush\n6:1 flush\n9:1 free\n");
}

TEST_CASE("a flush inside a helper of the file counts") {
  CHECK(sites(liftBody("pipe_barrier(PIPE_ALL);\nPTOAS__DCCI_SINGLE_CACHE_LINE(in);",
                       "template <typename Ptr>\nstatic AICORE inline void PTOAS__DCCI_SINGLE_CACHE_LINE(Ptr ptr) { "
                       "dcci((__gm__ void *) ptr, SINGLE_CACHE_LINE); }\n")) == "6:1 flush\n");
}

TEST_CASE("the end fence has a site of its own kind") {
  Module module = liftBody("pipe_barrier(PIPE_V);\nptoas_auto_sync_tail();",
                           "static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_ALL); }\n");
  CHECK(sites(module) == "5:1 free\n6:1 tail\n");
}

TEST_CASE("an end fence that does not drain every pipe is a helper like any other") {
  Module module = liftBody("ptoas_auto_sync_tail();",
                           "static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_V); }\n");
  CHECK(trace(module, 0) == "barrier:V");
}

TEST_CASE("a template whose sync differs from one instantiation to the next is not edited") {
  CHECK(sites(liftBody("f<PIPE_V>(); f<PIPE_M>();",
                       "template <pipe_t P> static AICORE void f() { pipe_barrier(P); }\n")) ==
        "3:46 not one statement\n");
}

TEST_CASE("unknown calls are listed by name with their lines") {
  Module module = liftBody("TFROB(in);\nTZAP<float, 3>(in);\nTFROB(out);\npto::comm::TWOW(in);\nTADD(in);");
  CHECK(unknownCalls(module) == "TFROB@4,6 TWOW@7 TZAP@5");
  CHECK(unknownCalls(liftBody("TADD(in);")) == "");
}

TEST_CASE("unknown calls of both sections are listed once") {
  CHECK(unknownCalls(liftBody("TFROB(in);\n#if defined(__DAV_VEC__)\nTZAP(in);\n#endif")) == "TFROB@4 TZAP@6");
}

TEST_CASE("an unknown enumerator, header or call does not stop the parse") {
  Module module = liftBody("TADD(RoundMode::CAST_WOW, Speed::Fast); TFROB(in);", "#include \"pto/extra/new.hpp\"\n");
  CHECK(kernelNames(module) == "k");
  CHECK(unknownCalls(module) == "TFROB@5");
}

TEST_CASE("a header that leads out of the library's folder is the file's own") {
  const std::string included = "#include \"pto/../mine.hpp\"\n", text = kernelText("TADD(in);", included);
  CHECK(failure(text).find("'pto/../mine.hpp' file not found") != std::string::npos);
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  headers.write("mine.hpp", "static AICORE inline void work() { pipe_barrier(PIPE_V); }\n");
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  auto kernelOf = [&](const std::string &header) {
    return everything(llvm::cantFail(
        liftModule(SourceText("k.cpp", kernelText("work();", "#include \"" + header + "\"\n")), options)));
  };
  CHECK(kernelOf("pto/../mine.hpp") == kernelOf("mine.hpp"));
}

TEST_CASE("what is not C++ is an error with file, line and column") {
  CHECK(failure(kernelText("int x = y;")) == "k.cpp:4:9: error: use of undeclared identifier 'y'\n");
  CHECK(failure("AICORE void f() {").rfind("k.cpp:1:", 0) == 0);
}

TEST_CASE("an error in one section is reported from a file with two") {
  std::string message = failure(kernelText("#if defined(__DAV_CUBE__)\nint x = y;\n#endif"));
  CHECK(message.find("k.cpp:5:9: error: use of undeclared identifier 'y'\n") == 0);
}

TEST_CASE("comments, strings and names may hold any bytes") {
  Module module = liftBody("// \xff\xfe caf\xe9\npipe_barrier(PIPE_V); // \x80\nTFROB(\"\xff\");");
  CHECK(sites(module) == "5:1 free\n");
}

TEST_CASE("the vendor's headers give the same kernels and decisions as the built-in declarations") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  for (const char *folder : {"helper_call", "branch_arms", "zero_trip_loop"}) {
    CAPTURE(folder);
    SourceText source("kernel.cpp", readText(corpusPath(std::string(folder) + "/kernel.cpp")));
    FrontendOptions options = frontendOptions(machineOf("a3"));
    Module builtIn = llvm::cantFail(liftModule(source, options));
    options.includeDirectory = headers.path;
    llvm::Expected<Module> vendor = liftModule(source, options);
    if (!vendor)
      FAIL(llvm::toString(vendor.takeError()));
    CHECK(everything(*vendor) == everything(builtIn));
    CHECK(sites(*vendor) == sites(builtIn));
    CHECK(unknownCalls(*vendor) == unknownCalls(builtIn));
    CHECK(decisions(*vendor) == decisions(builtIn));
  }
}

TEST_CASE("with the vendor's headers a kernel that only calls helpers is a kernel") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  std::string text = kernelText("work();", "static AICORE void work() { pipe_barrier(PIPE_V); }\n");
  CHECK(kernelNames(llvm::cantFail(liftModule(SourceText("k.cpp", text), options))) == "k");
}

TEST_CASE("with the vendor's headers a chip's older name of a core tells the cores apart") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  std::string text = kernelText("Tile<TileType::Vec, float, 8, 64> a, b, c;\n"
                                "TASSIGN(a, 0); TASSIGN(b, 8192); TASSIGN(c, 4096);\nTADD(a, c, c);\n"
                                "pipe_barrier(PIPE_V);\n#ifdef __DAV_C220_CUBE__\nTADD(b, a, a);\n#endif\n");
  Module module = llvm::cantFail(liftModule(SourceText("k.cpp", text), options));
  CHECK(kernelNames(module) == "k:cube k:vec");
  CHECK(decisions(module) == "7 kept\n");
}

TEST_CASE("with the vendor's headers what they lack is invented") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  llvm::Expected<Module> module =
      liftModule(SourceText("k.cpp", kernelText("TFROB(in); pipe_barrier(PIPE_V);")), options);
  // Nothing declares it, and the vendor's headers cannot be added to: either an error or a fence.
  if (module)
    CHECK(unknownCalls(*module) == "TFROB@4");
  else
    CHECK(llvm::toString(module.takeError()).find("k.cpp:4:1: error: use of undeclared identifier 'TFROB'") == 0);
}

TEST_CASE("every real kernel lifts, and no call of theirs is unknown") {
  for (const std::string &path : sharedKernels()) {
    CAPTURE(path);
    std::string arch = path.find("/a5") != std::string::npos ? "a5" : "a3";
    Module module = lift(readText(path), arch, path);
    CHECK_FALSE(module.kernels.empty());
    for (const Kernel &kernel : module.kernels)
      CHECK(kernel.reason == "");
    CHECK(unknownCalls(module) == "");
  }
}

TEST_CASE("every kernel of the corpus lifts to analysable kernels") {
  for (const std::string &folder : corpusFolders()) {
    CAPTURE(folder);
    Module module = lift(readText(corpusPath(folder + "/kernel.cpp")));
    CHECK_FALSE(module.kernels.empty());
    CHECK_FALSE(module.sites.empty());
  }
}
