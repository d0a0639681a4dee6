#include "frontend/lifted.h"

#include <algorithm>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("an if runs one of its arms") {
  std::string body = "if (n == 1) { TADD(); } else if (n == 2) TSUB(); else { TMUL(); }; TDIV();";
  CHECK(trace(body, 1) == "TADD TDIV");
  CHECK(trace(body, 2) == "TSUB TDIV");
  CHECK(trace(body, 3) == "TMUL TDIV");
}

TEST_CASE("a constant if of the language is decided by the parser") {
  CHECK(trace("if constexpr (sizeof(int) == 4) TADD(); else TSUB();") == "TADD");
}

TEST_CASE("an if may declare") {
  CHECK(trace("if (int m = n + 1; m > 2) SHOW(m);", 4) == "SHOW(5)");
  CHECK(trace("if (int m = n) SHOW(m); TADD();", 0) == "TADD");
}

TEST_CASE("a for loop runs its body, then its step") {
  CHECK(trace("for (int i = 0; i < n; ++i) SHOW(i); TADD();", 3) == "SHOW(0) SHOW(1) SHOW(2) TADD");
  CHECK(trace("for (size_t i = (size_t) n; i < (size_t) 10; i += (size_t) 4) SHOW((int) i);", 1) ==
        "SHOW(1) SHOW(5) SHOW(9)");
  CHECK(trace("for (int i = 0; i < n; ++i) SHOW(i); TADD();", 0) == "TADD");
  CHECK(trace("for (int i = 5; ; i--) { if (i == 3) break; SHOW(i); }") == "SHOW(5) SHOW(4)");
}

TEST_CASE("continue takes the step of a for loop and the test of the others") {
  CHECK(trace("for (int i = 0; i < 4; ++i) { if (i == n) continue; SHOW(i); }", 2) == "SHOW(0) SHOW(1) SHOW(3)");
  CHECK(trace("while (n > 0) { n -= 1; if (n == 1) continue; SHOW(n); }", 3) == "SHOW(2) SHOW(0)");
  CHECK(trace("do { TADD(); if (n == 1) continue; TSUB(); } while (n-- > 0);", 2) == "TADD TSUB TADD TADD TSUB");
}

TEST_CASE("while and do-while test before and after") {
  CHECK(trace("while (n > 0) { TADD(); n = n - 1; }", 0) == "");
  CHECK(trace("while (n > 0) { TADD(); n = n - 1; }", 2) == "TADD TADD");
  CHECK(trace("do { TADD(); n = n - 1; } while (n > 0);", 0) == "TADD");
  CHECK(trace("while (n > 0) { TADD(); n -= 1; if (n == 1) break; }", 5) == "TADD TADD TADD TADD");
}

TEST_CASE("break and continue belong to the innermost loop") {
  CHECK(trace("for (int i = 0; i < 2; ++i) { for (int j = 0; j < 5; ++j) { if (j == n) break; SHOW(j); } TADD(); }",
              1) == "SHOW(0) TADD SHOW(0) TADD");
}

TEST_CASE("a switch falls through until a break") {
  std::string body =
      "switch (n) { case 1: TADD(); case 2: case 5: TSUB(); break; default: TMUL(); case 3: TDIV(); } TEXP();";
  CHECK(trace(body, 1) == "TADD TSUB TEXP");
  CHECK(trace(body, 2) == "TSUB TEXP");
  CHECK(trace(body, 5) == "TSUB TEXP");
  CHECK(trace(body, 3) == "TDIV TEXP");
  CHECK(trace(body, 4) == "TMUL TDIV TEXP");
}

TEST_CASE("a switch without a default may run nothing, and continue leaves it") {
  CHECK(trace("switch (n) { case 1: TADD(); } TSUB();", 7) == "TSUB");
  CHECK(trace("for (int i = 0; i < 3; ++i) { switch (i) { case 1: continue; default: break; } SHOW(i); }") ==
        "SHOW(0) SHOW(2)");
}

TEST_CASE("case labels may stand inside inner blocks") {
  CHECK(trace("switch (n) { case 1: { TSUB(); case 2: TADD(); } }", 2) == "TADD");
  CHECK(trace("switch (n) { case 1: { TSUB(); case 2: TADD(); } }", 1) == "TSUB TADD");
}

TEST_CASE("goto goes forward, backward and out of loops") {
  CHECK(trace("int i = 0;\nagain: SHOW(i); i += 1; if (i < n) goto again;\nTADD();", 3) ==
        "SHOW(0) SHOW(1) SHOW(2) TADD");
  CHECK(trace("TADD(); goto end; TSUB(); end: TMUL();") == "TADD TMUL");
  CHECK(trace("for (;;) { for (;;) { TADD(); goto out; } } out: TSUB();") == "TADD TSUB");
}

TEST_CASE("an early return skips what follows") {
  CHECK(trace("TADD(); if (n) return; TSUB();", 1) == "TADD");
  CHECK(trace("TADD(); if (n) return; TSUB();", 0) == "TADD TSUB");
}

TEST_CASE("empty statements and attributes change nothing") {
  CHECK(trace(";; TADD();; { ; }") == "TADD");
  CHECK(trace("[[pto::last_use(0)]] TADD();\n[[pto::last_use(1, 2)]] pipe_barrier(PIPE_V);") == "TADD barrier:V");
}

TEST_CASE("statements that the tool does not understand give the kernel up, with the place") {
  CHECK(statements("TADD();\ntry { TSUB(); } catch (...) { }").rfind("not analysable: line 5: ", 0) == 0);
}

TEST_CASE("inline assembly gives the kernel up, unless it is empty") {
  for (const char *text :
       {"asm volatile(\"nop\");", "asm volatile(\"bar.all\" ::: \"memory\");", "int x; asm(\"\" : \"=r\"(x));",
        "asm volatile(\"\" :: \"r\"(n));", "asm volatile(\"\" : \"+r\"(n));", "asm goto(\"\" :::: out); out:;",
        "int x = ({ asm volatile(\"nop\"); n; });"}) {
    CAPTURE(text);
    CHECK(statements(liftBody(std::string("TADD();\n") + text)).rfind("not analysable: line 5: ", 0) == 0);
  }
}

TEST_CASE("empty inline assembly counts as touching everything: syncs around it stay") {
  auto kept = [](const std::string &text) {
    Module module =
        liftBody("  Tile<TileType::Vec, float, 8, 8> a, b;\n  TASSIGN(a, 0);\n  TASSIGN(b, 4096);\n  TADD(a, a, a);\n"
                 "  pipe_barrier(PIPE_V);\n  " +
                 text + "\n  pipe_barrier(PIPE_V);\n  TADD(b, b, b);");
    OptimizeResult result = optimize(module, machineOf("a3"), llvm::cantFail(Catalogue::builtIn()), {});
    return std::count_if(result.decisions.begin(), result.decisions.end(),
                         [](const SiteDecision &decision) { return decision.verdict == Verdict::Kept; });
  };
  CHECK(kept(";") == 0);
  CHECK(kept("asm volatile(\"\");") == 2);
  CHECK(kept("__asm__ __volatile__(\"\" ::: \"memory\");") == 2);
}

TEST_CASE("statements carry their line and their bytes") {
  Module module = liftBody("  TADD(n);\n  int x =\n    n + 1;\n  SHOW(x);");
  const Kernel &kernel = module.kernels.front();
  std::vector<std::string> seen;
  for (const Statement &statement : kernel.blocks[0].statements)
    if (std::holds_alternative<Instruction>(statement.action))
      seen.push_back(std::to_string(statement.line) + " " + std::string(module.source.slice(statement.range)));
  CHECK(seen == std::vector<std::string>{"4 TADD(n)", "7 SHOW(x)"});
}
