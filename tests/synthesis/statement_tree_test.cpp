#include "synthesis/statement_tree.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::synthesis;

namespace {

StatementTree read(const std::string &text) {
  SourceText source("k.cpp", text);
  return llvm::cantFail(StatementTree::read(source, 0));
}

std::string childText(const std::string &text, const Child &child) {
  return text.substr(child.begin, child.end - child.begin);
}

std::string problem(const std::string &text) {
  SourceText source("k.cpp", text);
  llvm::Expected<StatementTree> tree = StatementTree::read(source, 0);
  return tree ? "" : llvm::toString(tree.takeError());
}

} // namespace

TEST_CASE("the children of a body are its statements, directives and lone semicolons") {
  std::string text = "{\n  int a = f(1, {2, 3});\n#if X\n  g(\"}\", '}'); // } {\n#endif\n  /* { */ ;\n}";
  StatementTree tree = read(text);
  REQUIRE(tree.lists().size() == 1);
  const std::vector<Child> &children = tree.lists()[0].children;
  REQUIRE(children.size() == 5);
  CHECK(childText(text, children[0]) == "int a = f(1, {2, 3});");
  CHECK(childText(text, children[1]) == "#if X");
  CHECK(children[1].directive);
  CHECK(childText(text, children[2]) == "g(\"}\", '}');");
  CHECK(children[3].directive);
  CHECK(children[4].empty);
  CHECK(text[tree.lists()[0].close] == '}');
}

TEST_CASE("arms, loops and blocks are lists of their own, else-if chains one child") {
  std::string text =
      "{ for (int i = 0; i < n; ++i) { a(); } if (x) { b(); } else if (y) { c(); } else { d(); } { e(); } "
      "do { f(); } while (z); if (w) g(); else h(); }";
  StatementTree tree = read(text);
  REQUIRE(tree.lists()[0].children.size() == 5);
  CHECK(tree.lists()[0].children[1].lists.size() == 3);
  std::vector<ListRole> roles;
  for (const synthesis::StatementList &list : tree.lists())
    roles.push_back(list.role);
  CHECK(roles == std::vector<ListRole>{ListRole::Body, ListRole::Loop, ListRole::Arm, ListRole::Arm, ListRole::Arm,
                                       ListRole::Block, ListRole::Loop});
  CHECK(childText(text, tree.lists()[0].children[4]) == "if (w) g(); else h();");
  CHECK(tree.lists()[0].children[4].lists.empty());
}

TEST_CASE("a path leads from the body to a statement that begins at an offset") {
  std::string text = "{ a(); for (;;) { b(); c(); } }";
  StatementTree tree = read(text);
  auto offset = [&](const char *what) { return static_cast<std::uint32_t>(text.find(what)); };
  Anchor anchor{offset("{ b"), offset("c()")};
  CHECK(tree.pathTo(anchor) == TreePath{{0, 1}, {1, 1}});
  CHECK(tree.pathTo({offset("{ b"), offset("a()")}).empty());
  CHECK(tree.pathTo({offset("a()"), offset("c()")}).empty());
  CHECK(tree.loopsAround(1) == 1);
  CHECK(tree.loopsAround(0) == 0);
}

TEST_CASE("the body of a helper is a list inside the call") {
  std::string text = "{ a();\n help();\n}\nvoid help() { b(); }";
  SourceText source("k.cpp", text);
  StatementTree tree = read(text);
  TreePath call = tree.pathToLine(source, 0, 2);
  REQUIRE(call == TreePath{{0, 1}});
  auto open = static_cast<std::uint32_t>(text.rfind('{'));
  REQUIRE_FALSE(static_cast<bool>(tree.addBody(source, open, call.back())));
  CHECK(tree.pathTo({open, static_cast<std::uint32_t>(text.find("b()"))}) == TreePath{{0, 1}, {1, 0}});
}

TEST_CASE("what is not followed is named with its line") {
  CHECK(problem("{\n  switch (x) { case 1: break; }\n}") == "line 2: 'switch' is not followed");
  CHECK(problem("{\n  goto out;\n}") == "line 2: 'goto' is not followed");
  CHECK_FALSE(problem("{ f(; }").empty());
  CHECK_FALSE(problem("{ if (x) { a(); }").empty());
  CHECK_FALSE(problem("{ f(R\"(})\"); }").empty());
  CHECK_FALSE(problem("f();").empty());
}

TEST_CASE("what stands in front of a statement stands in front of the pragmas about it") {
  std::string text =
      "{\n  f();\n#pragma unroll\n  #  pragma ivdep\n  for (;;) {\n    g();\n  }\n#if X\n  h();\n#endif\n}";
  StatementTree tree = read(text);
  const std::vector<Child> &children = tree.lists()[0].children;
  REQUIRE(children.size() == 7);
  CHECK(children[0].front == children[0].begin);
  CHECK(childText(text, children[3]).find("for") == 0);
  CHECK(children[3].front == text.find("#pragma unroll"));
  CHECK(children[5].front == children[5].begin); // `#if` is not about the statement behind it
}

TEST_CASE("a _Pragma is part of the statement behind it") {
  StatementTree tree = read("{ _Pragma(\"unroll\") for (;;) { f(); } g(); }");
  REQUIRE(tree.lists().size() == 2);
  CHECK(tree.lists()[0].children.size() == 2);
  CHECK(tree.lists()[1].role == ListRole::Loop);
}

TEST_CASE("a comment goes on behind a backslash at the end of its line") {
  std::string text = "{\n  f(); // no \\\n  } { g();\\ \n  } h();\n  i();\n}";
  CHECK(endOfJoinedLine(text, text.find("//")) == text.find("\n  i();"));
  StatementTree tree = read(text);
  REQUIRE(tree.lists().size() == 1);
  CHECK(tree.lists()[0].children.size() == 2);
  CHECK(endOfJoinedLine("// at the end \\", 0) == 15);
}

TEST_CASE("a directive goes on as a comment does, whatever ends its lines") {
  for (const std::string end : {"\n", "\r\n", " \n"}) {
    std::string text = "{\n#define F(x) \\" + end + "  } { x; \\" + end + "  }\n  f();\n}";
    CAPTURE(text);
    StatementTree tree = read(text);
    REQUIRE(tree.lists().size() == 1);
    REQUIRE(tree.lists()[0].children.size() == 2);
    CHECK(childText(text, tree.lists()[0].children[1]) == "f();");
  }
}
