#include "frontend/read/host_text.h"

#include "frontend/lifted.h"
#include "frontend/read/syntax_unit.h"

using namespace ptosync;
using namespace ptosync::test;

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
  if (!breakHostFunctions(unit->getASTContext(), request.text, places.offsets))
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
