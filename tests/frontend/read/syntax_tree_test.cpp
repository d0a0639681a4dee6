#include "frontend/read/syntax_tree.h"
#include "frontend/tokens_of.h"
#include <catch2/catch.hpp>
#include <clang/AST/ExprCXX.h>
#include <clang/Tooling/Tooling.h>
#include <string>
#include <vector>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Names of functions and lambdas as they are entered and left, of what is called, and of written types.
class Recorder : public SyntaxWalker {
public:
  explicit Recorder(bool instantiations, bool implicitCode = false, std::string stopAt = "")
      : SyntaxWalker({instantiations, implicitCode}), stopAt(std::move(stopAt)) {}
  std::string text;

private:
  bool enter(clang::Decl *declaration) override {
    auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (!function || !function->getBody())
      return walkInto(declaration);
    text += function->getNameAsString() + "{ ";
    bool result = walkInto(declaration);
    text += "} ";
    return result;
  }
  bool enter(clang::LambdaExpr *lambda) override {
    text += "lambda ";
    return walkInto(lambda);
  }
  bool visit(clang::Stmt *statement) override {
    if (auto *construct = llvm::dyn_cast<clang::CXXConstructExpr>(statement))
      text += "make " + construct->getConstructor()->getNameAsString() + " ";
    auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    text += callee->getNameAsString() + " ";
    return callee->getNameAsString() != stopAt;
  }
  bool visit(clang::TypeLoc location) override {
    if (auto record = location.getAs<clang::RecordTypeLoc>())
      text += "type " + record.getDecl()->getNameAsString() + " ";
    return true;
  }

  std::string stopAt;
};

std::string walked(const std::string &code, Recorder recorder) {
  std::unique_ptr<clang::ASTUnit> unit = clang::tooling::buildASTFromCode(code);
  REQUIRE(unit);
  recorder.walkMainFile(unit->getASTContext(), SyntaxWalker::Written::Expanded);
  return recorder.text;
}

} // namespace

TEST_CASE("statements come in the order of the text, between entering and leaving their function") {
  CHECK(walked("void a(); void b(); void f() { a(); if (true) b(); a(); } void g() { b(); }", Recorder(false)) ==
        "f{ a b a } g{ b } ");
}

TEST_CASE("instances of a template are walked where that is asked for") {
  const char *code = "void a(); template <int N> void f() { a(); } void g() { f<1>(); }";
  CHECK(walked(code, Recorder(false)) == "f{ a } g{ f } ");
  CHECK(walked(code, Recorder(true)) == "f{ a } f{ a } g{ f } ");
}

TEST_CASE("types that are written are visited, and lambdas entered") {
  CHECK(walked("struct S { int x; }; void a(); void f() { S s; auto l = [] { a(); }; }", Recorder(false))
            .find("f{ type S make S lambda ") != std::string::npos);
}

TEST_CASE("what the compiler adds is walked where that is asked for") {
  const char *code = "struct S { S() {} }; struct T { S s; T() {} };";
  CHECK(walked(code, Recorder(false)).find("make S") == std::string::npos);
  CHECK(walked(code, Recorder(false, true)).find("T{ make S ") != std::string::npos);
}

TEST_CASE("a search that has found what it looks for stops the walk") {
  CHECK(walked("void a(); void b(); void f() { a(); b(); a(); } void g() { b(); }", Recorder(false, false, "b")) ==
        "f{ a b } ");
}

TEST_CASE("the chip's extensions are read as plain C++ of the same length") {
  CHECK(plainText(tokensOf("[aicore] void f();")) == "__aicor_ void f();");
  CHECK(plainText(tokensOf("f<3><<<1, nullptr, s>>>(a, g(b));")) == "f<3>" + std::string(28, ' ') + ";");
  CHECK(plainText(tokensOf("f<<<1>>>(\\\n a);")) == "f        \\\n   ;"); // in a macro
  CHECK(plainText(tokensOf("f<<<1,\n2>>>\n(a,\nb);")) == "f     \n    \n   \n  ;");
  CHECK(plainText(tokensOf("k<<<1>>>(a, b /* :-( */);")) == "k" + std::string(23, ' ') + ";");
  std::string text = "k<<<1>>>(a); k<<<2>>>(b);";
  CHECK(plainText(tokensOf(text)).size() == text.size());
  CHECK(plainText(tokensOf(text)).find('<') == std::string::npos);
}

TEST_CASE("what is no launch stays") {
  for (const char *text :
       {"a <<< b;", "// <<<", "x = a << b;", "\"<<<>>>\";", "k<<<1>>> x;", "k<<<1>>>(a", "k<<<1", "",
        // From one comment to another, over what stands between them; over the end of a statement or a line.
        "// <<< tuned\nf(a);\n// >>> (end)\n", "// k<<<1, a,\n//   b>>>(c)\nf();", "k<<<1>>>(a, b;\n} // :-)\n",
        "k<<<1>>>(a,\n#if A\nb)\n#endif\n", "k<<<{1}>>>(a)", "k<< <1>>>(a)", "k<<<1>> >(a)"})
    CHECK(plainText(tokensOf(text)) == text);
}
