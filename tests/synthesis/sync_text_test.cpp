#include "synthesis/sync_text.h"

#include "rewrite/sync_edits.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ptosync;
using namespace ptosync::synthesis;
using namespace ptosync::test;

namespace {

/// In front of a body, which begins in line 2.
const std::string kFunction = "#include \"pto/pto-inst.hpp\"\nAICORE int a(int i = 0) { return i; } "
                              "AICORE int b(int i = 0) { return i; } AICORE int c(int i = 0) { return i; } "
                              "extern \"C\" __global__ AICORE void kernel(int x) ";

std::vector<AddedSync> additions(const Module &module, const Proposal &proposal, std::int64_t id) {
  auto kernel = std::find_if(module.kernels.begin(), module.kernels.end(), [](const Kernel &one) {
    return one.name == "kernel";
  }); // what it does not call is one too
  REQUIRE(kernel != module.kernels.end());
  return additionsOf(proposal, id, module.source, llvm::cantFail(StatementTree::read(*kernel)));
}

/// A body with one proposal put in.
std::string with(const std::string &body, const Proposal &proposal) {
  const Module module = lift(kFunction + body);
  const std::string text =
      llvm::cantFail(applyEdits(module.source, withAdded(module.source, {}, additions(module, proposal, 3))));
  return text.substr(kFunction.size());
}

Proposal flag(TextPlace set, TextPlace wait) {
  return {Pipe::MTE2,
          Pipe::V,
          {{SyncKind::SetFlag, set}, {SyncKind::WaitFlag, wait}},
          {"the write of v1", "the read", 3, 5}};
}

} // namespace

TEST_CASE("statements are spelled as emitted ones are") {
  CHECK(statementText(SyncKind::Barrier, Pipe::V, Pipe::V, -1) == "pipe_barrier(PIPE_V);");
  CHECK(statementText(SyncKind::SetFlag, Pipe::M, Pipe::FIX, 7) == "set_flag(PIPE_M, PIPE_FIX, EVENT_ID7);");
  CHECK(statementText(SyncKind::WaitFlag, Pipe::M, Pipe::FIX, 8) == "wait_flag(PIPE_M, PIPE_FIX, (event_t)8);");
}

TEST_CASE("each sync is a line of its own, with what it orders by the lines of the result") {
  std::string text = "{\n  a();\n  b();\n  c();\n}\n";
  CHECK(with(text, flag({0, 0, true, 0}, {0, 2, false, 1})) ==
        "{\n  a();\n"
        "  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at line "
        "7\n"
        "  b();\n"
        "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at "
        "line 7\n"
        "  c();\n}\n");
}

TEST_CASE("a flag with an id for each slot has them one behind the other, told by its counter") {
  Proposal ring = flag({0, 0, true, 0}, {0, 1, false, 1});
  ring.slots = 3;
  ring.counter = "v40";
  ring.syncs[0].counted = ring.syncs[1].counted = true;
  ring.syncs[0].slot = 2;
  ring.syncs.push_back({SyncKind::WaitFlag, {0, 1, true, 5}, 2});
  std::string text = "{\n  a();\n  b();\n}\n";
  std::string result = with(text, ring); // from id 3 on
  CHECK(result.find("set_flag(PIPE_MTE2, PIPE_V, (event_t) (3 + (v40 + 2) % 3));") != std::string::npos);
  CHECK(result.find("wait_flag(PIPE_MTE2, PIPE_V, (event_t) (3 + v40 % 3));") != std::string::npos);
  CHECK(result.find("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID5);") != std::string::npos);
  std::vector<AddedSync> added = additions(lift(kFunction + text), ring, 0);
  CHECK(added[1].statement == "wait_flag(PIPE_MTE2, PIPE_V, (event_t) (v40 % 3));");
  CHECK(added[1].id == -1);
  CHECK(added[2].id == 2);
}

TEST_CASE("a sync of one trip has an `if` of its own around it, and lines below it are counted with that") {
  Proposal guarded = flag({0, 0, true, 0}, {0, 2, false, 1});
  guarded.syncs[0].guard = "k == 3";
  CHECK(
      with("{\n  a();\n  b();\n  c();\n}\n", guarded) ==
      "{\n  a();\n"
      "  if (k == 3) {\n"
      "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at line "
      "9\n"
      "  }\n"
      "  b();\n"
      "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // ptosync: orders the write of v1 (line 3) before the read at "
      "line 9\n"
      "  c();\n}\n");
  std::string shared = with("{ a(); b(); c(); }", guarded);
  CHECK(shared.find("a(); if (k == 3) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  CHECK(shared.find("*/ } ") != std::string::npos);
}

TEST_CASE("line ends stay what they are, comments stay behind their statement, a shared line is shared") {
  std::string text = "{\r\n  a(); // first\r\n  b();\r\n}\r\n";
  std::string result = with(text, flag({0, 0, true, 0}, {0, 1, false, 1}));
  CHECK(result.find("a(); // first\r\n  set_flag") != std::string::npos);
  CHECK(result.find("line 5\r\n  wait_flag") == std::string::npos);
  CHECK(std::count(result.begin(), result.end(), '\n') == std::count(result.begin(), result.end(), '\r'));
  std::string shared = with("{ a(); b(); }", flag({0, 0, true, 0}, {0, 1, false, 1}));
  CHECK(shared.find("a(); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  INFO(shared);
  std::size_t wait = shared.find("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*");
  CHECK(shared.find("*/") < wait);
  CHECK(wait < shared.find("b();"));
}

TEST_CASE("behind a statement with a comment that goes on in the next line is in front of the comment") {
  std::string text = "{\n  a(); // goes \\\n  on\n  b();\n}\n";
  std::string result = with(text, flag({0, 0, true, 0}, {0, 1, false, 1}));
  INFO(result);
  CHECK(result.find("a(); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); /*") != std::string::npos);
  CHECK(result.find("// goes \\\n  on\n") != std::string::npos);
}

TEST_CASE("behind a branch is behind its last semicolon") {
  std::string result = with("{\n  if (x) {\n    a();\n  };\n  b();\n}\n", flag({0, 0, true, 0}, {0, 2, false, 1}));
  CHECK(result.find("  };\n  set_flag") != std::string::npos);
}
