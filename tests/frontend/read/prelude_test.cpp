#include "frontend/lifted.h"
#include "frontend/read/headers.h"
#include "frontend/read/parse.h"
#include "frontend/read/prelude.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/tokens_of.h"
#include "frontend/vendor_header.h"
#include "support/corpus.h"
#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Names = std::set<std::string>;

bool mentions(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("known names are found by where they stand") {
  Names known = {"TADD", "TSUB", "TPUT", "TGET", "TMUL", "TMOV", "ul"};
  MentionedNames names = mentionedNames(
      "TADD(v1, _TMUL); pto::TSUB<3u>(a.b); pto::comm::TPUT(c); comm ::TGET 0x1fTMUL 12ul TMOV \n <T>()", known);
  CHECK(names.functions == Names{"TADD", "TGET", "TMOV", "TSUB"});
  CHECK(names.commFunctions == Names{"TPUT"});
  CHECK(names.explicitArguments == Names{"TMOV", "TSUB"});
}

TEST_CASE("an empty text mentions nothing") {
  MentionedNames names = mentionedNames("", {"TADD"});
  CHECK(names.functions.empty());
  CHECK(names.commFunctions.empty());
}

TEST_CASE("only names that are asked for are declared") {
  std::string text = preludeText({{"TADD"}, {"TPUT"}, {}}, {});
  CHECK(mentions(text, "ptosync_any TADD(...);"));
  CHECK(mentions(text, "using ::TADD;"));
  CHECK(mentions(text, "ptosync_any TPUT(...);"));
  CHECK_FALSE(mentions(text, "TSUB"));
  CHECK_FALSE(mentions(text, "using ::TPUT;")); // it stays in pto::comm
  CHECK(preludeFor("TADD(a); pto::comm::TPUT(b); TSUB;", {"TADD", "TPUT"}, {}) == text);
}

TEST_CASE("what the prelude declares itself is not declared again") {
  for (const char *name :
       {"set_flag", "wait_flag", "pipe_barrier", "get_block_idx", "Tile", "GlobalTensor", "TPipe", "Shape", "Stride"})
    CHECK(preludeDeclares(name));
  CHECK_FALSE(preludeDeclares("TADD"));
  CHECK_FALSE(mentions(preludeText({{"set_flag"}, {}, {}}, {}), "ptosync_any set_flag"));
}

TEST_CASE("additions are declared in their place") {
  PreludeAdditions additions;
  CHECK(additions.empty());
  additions.scopes[""].functions.insert("TFROBNICATE");
  additions.scopes["comm"].functions.insert("TZAP");
  additions.scopes[""].enumerators["RoundMode"].insert("CAST_WOW");
  additions.scopes[""].enumerators["Speed"] = {"Fast", "Slow"};
  additions.scopes["comm"].enumerators["NotifyOp"] = {"Shout"};
  CHECK_FALSE(additions.empty());
  CHECK(additions.functions() == Names{"TFROBNICATE", "TZAP"});
  std::string text = preludeText({}, additions);
  CHECK(mentions(text, "using ::TFROBNICATE;"));
  CHECK(mentions(text, "namespace comm {\nptosync_any TZAP(...);"));
  CHECK(mentions(text, "CAST_ODD, CAST_WOW };"));
  CHECK(mentions(text, "enum class Speed : int { Fast, Slow, };"));
  CHECK(mentions(text, "enum class NotifyOp : int { AtomicAdd, Set, Shout, };"));
}

TEST_CASE("unknown types, templates, constants and members are declared without a meaning") {
  PreludeAdditions additions;
  additions.scopes[""].types = {"Wow"};
  additions.scopes["Wow"].functions = {"Make"};
  additions.scopes["Wow"].constants = {"kSize"};
  additions.scopes["far::off"].types = {"Thing"};
  additions.scopes[""].classTemplates["Box"] = "TV";
  additions.scopes[""].constants = {"LIMIT"};
  additions.memberFunctions = {"Poke"};
  additions.memberValues = {"colour"};
  std::string text = preludeText({}, additions);
  CHECK(mentions(text, "struct Wow : ptosync_unknown"));
  CHECK(mentions(text, "static const int kSize;"));
  CHECK(mentions(text, "static ptosync_any Make(...);"));
  CHECK_FALSE(mentions(text, "namespace Wow"));
  CHECK(mentions(text, "namespace far::off {\nstruct Thing : ptosync_unknown"));
  CHECK(mentions(text, "template <typename = void, auto = 0> struct Box"));
  CHECK(mentions(text, "extern const int LIMIT;"));
  CHECK(mentions(text, "static ptosync_any Poke(...);"));
  CHECK(mentions(text, "static ptosync_any colour;"));
  additions.argumentKinds["Box"] = {{0, 'V'}};
  CHECK(mentions(preludeText({}, additions), "template <auto = 0, auto = 0> struct Box"));
}

TEST_CASE("merging says whether there was anything new") {
  PreludeAdditions additions, more;
  more.scopes["comm"].types = {"Wow"};
  more.signatures["TADD"] = {"TV"};
  CHECK(additions.merge(more));
  CHECK_FALSE(additions.merge(more));
  more.signatures["TADD"] = {"VT"};
  CHECK(additions.merge(more));
  CHECK(additions.signatures["TADD"] == Names{"TV", "VT"});
}

TEST_CASE("calls written with a mix of template arguments get an overload of that mix alone") {
  PreludeAdditions additions;
  additions.signatures["TADD"] = {"VTTTT"};
  std::string text = preludeText({{"TADD"}, {}, {"TADD"}}, additions);
  CHECK(mentions(text, "template <auto, typename, typename, typename, typename> ptosync_any TADD(...);"));
  CHECK_FALSE(mentions(text, "template <typename...> ptosync_any TADD"));
}

TEST_CASE("template overloads are declared only where template arguments are written") {
  CHECK_FALSE(mentions(preludeText({{"TADD"}, {}, {}}, {}), "template <typename...> ptosync_any TADD"));
  CHECK(mentions(preludeText({{"TADD"}, {}, {"TADD"}}, {}), "template <typename...> ptosync_any TADD"));
}

namespace {

/// The errors of Clang in a text, and nothing else.
std::string errorsIn(const std::string &text) {
  struct Errors : clang::DiagnosticConsumer {
    void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
      llvm::SmallString<128> message;
      info.FormatDiagnostic(message);
      if (level >= clang::DiagnosticsEngine::Error)
        list += message.str().str() + "\n";
    }
    std::string list;
  } errors;
  UnitRequest request;
  request.text = text;
  request.name = "data.hpp";
  request.arguments = {"-xc++", "-std=c++17", "-w", "-fsyntax-only", "-nostdinc", "--target=x86_64-pc-linux-gnu"};
  return parseUnit(request, errors) ? errors.list : "no tree";
}

std::string dataFile(const std::string &name) { return readText(PTOSYNC_SOURCE_DIR "/src/frontend/library/" + name); }

/// The enumerations, types and constants that types.hpp declares, by "scope::name".
Names declaredTypes() {
  Names names;
  const TokenStream types = tokensOf(dataFile("types.hpp"));
  for (const std::string scope : {"", "comm", "comm::sdma", "comm::urma", "GlobalTensorDim"})
    for (const SourceToken &token : types.tokens())
      if (libraryType(scope, token.text))
        names.insert(nameWithin(scope, token.text.str()));
  return names;
}

/// Identifiers of one or two letters, digits behind one included, but for keywords and for names of the library.
Names shortNames() {
  static const Names kTaken = {"do", "if", "or", "ND", "DN", "NZ", "ZN", "ZZ",
                               "NV", "ON", "EQ", "NE", "LT", "LE", "GT", "GE"};
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", digits = "0123456789";
  Names names;
  for (char first : letters) {
    names.insert(std::string(1, first));
    for (char second : letters + digits)
      if (std::string name{first, second}; !kTaken.count(name))
        names.insert(name);
  }
  return names;
}

} // namespace

TEST_CASE("the declarations in data files are C++, as they stand and as they are served") {
  CHECK(errorsIn("int a = b;") == "use of undeclared identifier 'b'\n");
  const std::string prelude = dataFile("prelude.hpp");
  CHECK(errorsIn(prelude) == "");
  CHECK(errorsIn(prelude + "namespace pto {\n" + dataFile("types.hpp") + "}\n") == "");
  PreludeAdditions all;
  all.library = declaredTypes();
  CHECK(all.library.size() > 60);
  CHECK(errorsIn(preludeText({{"TADD"}, {"TPUT"}, {"TADD"}}, all)) == "");
  CHECK(errorsIn(compilerText({})) == "");
  std::string served = preludeText({}, {});
  for (const char *part : {"integers", "tensor.h", "intrinsic.h"})
    served += headerPart("headers.hpp", part);
  CHECK(errorsIn(served) == "");
}

TEST_CASE("no macro with a short name that a kernel's build defines breaks what is served") {
  PreludeAdditions library;
  library.library = declaredTypes();
  std::string defines;
  std::size_t count = 0;
  for (const std::string &name : shortNames()) {
    defines += "#define " + name + " 1\n";
    ++count;
  }
  CHECK(count > 3000);
  CHECK(errorsIn(defines + preludeText({{"TADD"}, {"TPUT"}, {"TADD"}}, library)) == "");
  CHECK(errorsIn(defines + compilerText({})) == "");
  std::string served = preludeText({}, {});
  for (const char *part : {"integers", "tensor.h", "intrinsic.h"})
    served += headerPart("headers.hpp", part);
  CHECK(errorsIn(defines + served) == "");
  CHECK(errorsIn("#define ND 1\n" + preludeText({}, {})) != ""); // a name of the library's own
}

TEST_CASE("a kernel is read under every short -D that it does not use itself") {
  FrontendOptions options = frontendOptions(machineOf("a3"));
  for (const std::string &name : shortNames())
    options.defines.push_back({name, "1"});
  const std::string text = kHead + std::string("extern \"C\" __global__ AICORE void kernel(__gm__ float *input) {\n") +
                           tile("tile_a", "float", 16, 64, 0) + "  TADDS(tile_a, tile_a, 1.0f);\n}\n";
  llvm::Expected<Module> module = liftModule(SourceText("kernel.cpp", text), options);
  REQUIRE(bool(module));
  CHECK(module->kernels.front().analysable);
}

TEST_CASE("each type of the library compiles with what it needs and nothing else") {
  for (const std::string &name : declaredTypes()) {
    PreludeAdditions one;
    one.library = {name};
    INFO(name);
    CHECK(errorsIn(preludeText({}, one)) == "");
  }
  CHECK(libraryType("", "FixpipeParams")->needs == Names{"ClipReluMode_t", "LayoutMode_t"});
  CHECK(libraryType("", "PrefetchAsyncContext")->needs == Names{"comm::AsyncSession"});
  CHECK(libraryType("", "PrefetchAsyncContext")->acts);
  CHECK_FALSE(libraryType("comm", "AsyncSession")->acts);
}

TEST_CASE("types of the library are found by scope and name") {
  REQUIRE(libraryType("", "QuantType"));
  CHECK(libraryType("", "QuantType")->name == "QuantType");
  CHECK_FALSE(libraryType("comm", "QuantType"));
  CHECK(libraryType("comm::sdma", "SdmaBaseConfig"));
  CHECK_FALSE(libraryType("", "Wow"));
}

TEST_CASE("a type comes with what it needs, in front of it") {
  std::string text = libraryTypesText({"FixpipeParams"});
  CHECK(text.find("struct FixpipeParams") != std::string::npos);
  CHECK(text.find("QuantType") == std::string::npos);
  CHECK(libraryTypesText({"PrefetchAsyncContext"}).find("AsyncSession : ptosync_data") != std::string::npos);
  CHECK(libraryTypesText({}) == "");
}

TEST_CASE("every type of the library can be named") {
  for (const char *use :
       {"pto::QuantType q = pto::QuantType::MXFP8; TADD(q);", "pto::FixpipeParams<> p; TADD(p);",
        "TileShape2D<float, 4, 16, Layout::ND> s; TADD(s);", "pto::comm::ParallelGroup<int> g; TADD(g);",
        "pto::comm::AsyncEvent e; e.Wait(e);", "TRandomKey k = {1, 2}; TADD(k);",
        "pto::PrefetchAsyncContext c((uint8_t *) in); TADD(c.session);", "pto::comm::urma::UrmaSession s; TADD(s);",
        "TADD(GlobalTensorDim::DIM_4, FFTS_MODE_VAL, DYNAMIC);"}) {
    CAPTURE(use);
    Module module = liftBody(use);
    CHECK(kernelNamed(module, "k").analysable);
  }
}

TEST_CASE("plain data is made without effect, a class that acts is an instruction") {
  CHECK(statements("pto::MrgSortExecutedNumList list;\npto::comm::AsyncSession s;") == "");
  CHECK(statements("pto::PrefetchAsyncContext c((uint8_t *) in);").find("PrefetchAsyncContext(") != std::string::npos);
}

// A file that is read again starts where its first reading ended, and is read as without that.
namespace {

std::string printed(llvm::Expected<Module> module) {
  if (!module)
    return llvm::toString(module.takeError());
  std::string text;
  for (const Kernel &kernel : module->kernels)
    text += printKernel(kernel);
  for (const SyncSite &site : module->sites)
    text +=
        std::to_string(site.line) + " " + site.text + " " + std::to_string(static_cast<int>(site.protection)) + "\n";
  for (const UnknownCall &call : module->unknownCalls)
    text += call.name + "\n";
  return text;
}

} // namespace

TEST_CASE("a file that is read again with what it was found to lack is read as without") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions alone = frontendOptions(machineOf("a3"));
  alone.includeDirectory = headers.path;
  FrontendOptions remembering = alone;
  remembering.memory = std::make_shared<HeaderMemory>();
  SourceText first("k.cpp", kernelText("TFROB(in, n);\npipe_barrier(PIPE_V);\nTWOW(out);\npipe_barrier(PIPE_V);"));
  SourceText edited("k.cpp", kernelText("TFROB(in, n);\nTWOW(out);\npipe_barrier(PIPE_V);"));
  // Another text of the same name, which defines what the first one lacked, and lacks something else.
  SourceText other("k.cpp", kernelText("TFROB(n);\nTZAP(in);", "AICORE void TFROB(int n) { pipe_barrier(PIPE_V); }\n"));
  // And one that cannot be read at all.
  SourceText wrong("k.cpp", kernelText("TFROB(in, n) 3;"));
  for (const SourceText *text : {&first, &edited, &other, &wrong, &first}) {
    CAPTURE(text->text());
    CHECK(printed(liftModule(*text, remembering)) == printed(liftModule(*text, alone)));
  }
}

TEST_CASE("what was found is kept by file, architecture and section") {
  HeaderMemory memory;
  HeaderMemory::Found found;
  found.parses = 2;
  memory.remember("k.cpp", "a3", Section::Vec, found);
  CHECK(memory.find("k.cpp", "a3", Section::Vec)->parses == 2);
  CHECK_FALSE(memory.find("k.cpp", "a3", Section::Cube));
  CHECK_FALSE(memory.find("k.cpp", "a5", Section::Vec));
  CHECK_FALSE(memory.find("other.cpp", "a3", Section::Vec));
}

TEST_CASE("the second reading of a file parses once") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  options.memory = std::make_shared<HeaderMemory>();
  SourceText text("k.cpp", kernelText("TFROB(in);"));
  llvm::Expected<ParsedSection> parsed = parseSection(TokenStream(text), Section::Vec, options);
  if (!parsed)
    FAIL(llvm::toString(parsed.takeError()));
  std::optional<HeaderMemory::Found> found = options.memory->find("k.cpp", "a3", Section::Vec);
  REQUIRE(found);
  CHECK(found->parses == 1);
  CHECK(found->additions.functions() == std::set<std::string>{"TFROB"});
}
