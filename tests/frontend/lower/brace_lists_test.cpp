#include "frontend/lifted.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

using Texts = std::vector<std::string>;

struct Listed {
  explicit Listed(const std::string &body, const std::string &helpers = "") : module(liftBody(body, helpers)) {}

  const std::vector<BraceList> &lists() const { return kernelNamed(module, "k").lists; }
  std::string text(const BraceList::Child &child) const {
    return module.source.text().substr(child.begin, child.end - child.begin);
  }
  Texts children(ListId list) const {
    Texts texts;
    for (const BraceList::Child &child : lists().at(list).children)
      texts.push_back(text(child));
    return texts;
  }

  Module module;
};

std::string problem(const std::string &body) { return Listed(body).lists().at(0).notFollowed; }

} // namespace

TEST_CASE("the children of a body are its statements and lone semicolons, each with its end") {
  Listed listed("  int a = n + 1, b[2] = {2, 3};\n  TADD(\"}\", '}'); // } {\n  /* { */ ;\n  a = b[0]\n    /* x */ ;");
  CHECK(listed.children(0) ==
        Texts{"int a = n + 1, b[2] = {2, 3};", "TADD(\"}\", '}');", ";", "a = b[0]\n    /* x */ ;"});
  REQUIRE(listed.lists().size() == 1);
  CHECK_FALSE(listed.lists()[0].children[1].empty);
  CHECK(listed.lists()[0].children[2].empty);
  CHECK(listed.module.source.text()[listed.lists()[0].open] == '{');
  CHECK(listed.module.source.text()[listed.lists()[0].close] == '}');
}

TEST_CASE("arms, loops and blocks are lists of their own, else-if chains one child") {
  Listed listed("for (int i = 0; i < n; ++i) { TADD(); } if (n == 1) { TSUB(); } else if (n == 2) { TMUL(); } else { "
                "TDIV(); } { TEXP(); } do { TNEG(); } while (n-- > 0); if (n) TABS(); else TLOG();");
  REQUIRE(listed.lists()[0].children.size() == 5);
  CHECK(listed.lists()[0].children[1].lists.size() == 3);
  std::vector<ListRole> roles;
  for (const BraceList &list : listed.lists())
    roles.push_back(list.role);
  CHECK(roles == std::vector<ListRole>{ListRole::Body, ListRole::Loop, ListRole::Arm, ListRole::Arm, ListRole::Arm,
                                       ListRole::Block, ListRole::Loop});
  CHECK(listed.children(0)[3] == "do { TNEG(); } while (n-- > 0);");
  CHECK(listed.children(0)[4] == "if (n) TABS(); else TLOG();");
  CHECK(listed.lists()[0].children[4].lists.empty());
  CHECK(listed.lists()[3].parent == 0);
  CHECK(listed.lists()[3].parentChild == 1);
}

TEST_CASE("what a macro makes of one statement of the text is one child, and its braces are no list") {
  const std::string macros = "#define BOTH(x) TADD(); TSUB()\n#define BLOCK(x) { TMUL(); }\n#define END TDIV();\n";
  Listed listed("BOTH(1);\nBLOCK(2);\nTEXP();\nEND\nBLOCK({ TNEG(); })\nTLOG();", macros);
  CHECK(listed.children(0) == Texts{"BOTH(1);", "BLOCK(2);", "TEXP();", "END", "BLOCK({ TNEG(); })", "TLOG();"});
  CHECK(listed.lists().size() == 1);
  CHECK_FALSE(listed.lists()[0].children[1].empty);
}

TEST_CASE("what stands in front of a statement stands in front of the pragmas about it") {
  Listed listed("  TADD();\n#pragma unroll\n  #  pragma ivdep\n  for (;;) {\n    TSUB();\n  }\n  TMUL();");
  const std::vector<BraceList::Child> &children = listed.lists()[0].children;
  REQUIRE(children.size() == 3);
  CHECK(children[0].front == children[0].begin);
  CHECK(listed.text(children[1]).find("for") == 0);
  CHECK(children[1].front == listed.module.source.text().find("#pragma unroll"));
  CHECK(children[2].front == children[2].begin);
}

TEST_CASE("a _Pragma stands with the statement behind it") {
  Listed listed("TADD(); _Pragma(\"unroll\") for (int i = 0; i < n; ++i) { TSUB(); } TMUL();");
  REQUIRE(listed.lists().size() == 2);
  REQUIRE(listed.lists()[0].children.size() == 3);
  CHECK(listed.lists()[0].children[1].front == listed.module.source.text().find("_Pragma"));
  CHECK(listed.text(listed.lists()[0].children[1]).find("for") == 0);
  CHECK(listed.lists()[1].role == ListRole::Loop);
}

TEST_CASE("comments and directives that go on in the next line are passed, whatever ends their lines") {
  for (const std::string end : {"\n", "\r\n", " \n"}) {
    Listed listed("TADD(); // no \\" + end + " } { TSUB();\n#define F(x) \\" + end + "  } { x; \\" + end +
                  "  }\nTMUL();");
    CHECK(listed.children(0) == Texts{"TADD();", "TMUL();"});
  }
}

TEST_CASE("a raw string is a string") { CHECK(Listed("use(R\"(})\"); TADD();").children(0).size() == 2); }

TEST_CASE("what is not followed is named with its line, the first of it") {
  CHECK(problem("  TADD();\n  if (n) {\n    switch (n) { case 1: goto out; }\n  }\nout:;") ==
        "line 6: 'switch' is not followed");
  CHECK(problem("  goto out;\nout:;") == "line 4: 'goto' is not followed");
  CHECK(problem("  [&] { switch (n) { default: TADD(); } }();").empty()); // of another body
  CHECK(problem("  for (int i = 0; i < n; ++i) TADD();").empty());
}

TEST_CASE("the lists of a template are those of its text, once however often it is called") {
  const std::string helper = "template <int N> AICORE inline void help() {\n  if constexpr (N > 1) { TADD(); } else { "
                             "TSUB(); }\n}\n";
  Listed listed("help<1>(); help<2>();", helper);
  REQUIRE(listed.lists().size() == 4);
  CHECK(listed.children(0) == Texts{"help<1>();", "help<2>();"});
  CHECK(listed.lists()[1].role == ListRole::Body);
  CHECK(listed.lists()[1].children[0].lists == std::vector<ListId>{2, 3});
}
