#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string get(const std::string &pipe, int id, int mode = 0) {
  return "  get_buf(PIPE_" + pipe + ", " + std::to_string(id) + ", " + std::to_string(mode) + ");\n";
}
std::string release(const std::string &pipe, int id, int mode = 0) {
  return "  rls_buf(PIPE_" + pipe + ", " + std::to_string(id) + ", " + std::to_string(mode) + ");\n";
}
std::string bracketed(const std::string &pipe, int id, const std::string &work) {
  return get(pipe, id) + work + release(pipe, id);
}

const std::string kBracketLoad = "  TLOAD(a, g);\n", kBracketAdd = "  TADDS(b, a, 1.0f);\n",
                  kBracketStore = "  TSTORE(h, b);\n";

Audited auditedBrackets(const std::string &statements) {
  return Audited(shortTiles(statements), "a5", Severity::Warning);
}

} // namespace

TEST_CASE("brackets: what the assembler emits has no finding") {
  CHECK(auditedBrackets(bracketed("MTE2", 0, kBracketLoad) + bracketed("V", 0, bracketed("V", 1, kBracketAdd)) +
                        bracketed("MTE3", 1, kBracketStore))
            .all()
            .empty());
  CHECK(auditedBrackets("  for (int i = 0; i < n; ++i) {\n" + bracketed("MTE2", 0, kBracketLoad) +
                        bracketed("V", 0, bracketed("V", 1, kBracketAdd)) + bracketed("MTE3", 1, kBracketStore) +
                        "  pipe_barrier(PIPE_MTE3);\n  }\n")
            .all()
            .empty());
}

TEST_CASE("brackets: a pair that no bracket orders is missing") {
  Audited other = auditedBrackets(bracketed("MTE2", 0, kBracketLoad) + bracketed("V", 1, kBracketAdd));
  CHECK(other.severity("missing-sync") == "error");
  // The next load does not wait for the reader: its bracket is of another id.
  Audited carried =
      auditedBrackets("  for (int i = 0; i < n; ++i) {\n" + bracketed("MTE2", 0, kBracketLoad) +
                      bracketed("V", 0, kBracketAdd) + bracketed("MTE2", 1, "  TLOAD(b, g);\n") + "  }\n");
  CHECK(carried.severity("missing-sync") == "error");
}

TEST_CASE("brackets: on one pipe they order nothing, and that is said") {
  Audited store =
      auditedBrackets(bracketed("MTE3", 0, "  TSTORE(h, a);\n") + bracketed("MTE3", 0, "  TSTORE(h, b);\n"));
  CHECK(store.severity("bracket-no-barrier") == "error");
  CHECK(store.count("missing-sync") == 0);
  Audited barrier = auditedBrackets(bracketed("MTE3", 0, "  TSTORE(h, a);\n") + "  pipe_barrier(PIPE_MTE3);\n" +
                                    bracketed("MTE3", 0, "  TSTORE(h, b);\n"));
  CHECK(barrier.all().empty());
}

TEST_CASE("brackets: nesting of one id, whatever the pipes") {
  CHECK(auditedBrackets(get("MTE2", 0) + get("MTE3", 0) + kBracketLoad + release("MTE2", 0) + release("MTE3", 0))
            .severity("nested-bracket") == "error");
  CHECK(auditedBrackets(get("MTE2", 0) + get("MTE2", 1) + kBracketLoad + release("MTE2", 0) + release("MTE2", 1))
            .all()
            .empty());
}

TEST_CASE("brackets: a release without its get, of another pipe, in another mode") {
  CHECK(auditedBrackets(kBracketLoad + release("MTE2", 0)).severity("unmatched-release") == "error");
  CHECK(auditedBrackets(get("MTE2", 0) + kBracketLoad + release("MTE3", 0)).severity("unmatched-release") == "error");
  CHECK(auditedBrackets(get("MTE2", 0) + kBracketLoad + release("MTE2", 0, 1)).severity("unmatched-release") ==
        "error");
}

TEST_CASE("brackets: open at the end, on one arm, or in the next iteration") {
  CHECK(auditedBrackets(get("MTE2", 0) + kBracketLoad).severity("open-bracket") == "error");
  CHECK(auditedBrackets(get("MTE2", 0) + kBracketLoad + "  if (n > 3) {\n" + release("MTE2", 0) + "  }\n")
            .severity("open-bracket") == "error");
  CHECK(auditedBrackets("  if (n > 3) {\n" + get("MTE2", 0) + "  }\n" + kBracketLoad + release("MTE2", 0))
            .severity("unmatched-release") == "error");
  CHECK(auditedBrackets("  for (int i = 0; i < 4; ++i) {\n" + get("MTE2", 0) + kBracketLoad + "  }\n")
            .severity("open-bracket") == "error");
  // One condition in two places is one decision.
  CHECK(auditedBrackets("  if (n > 3) {\n" + get("MTE2", 0) + "  }\n" + kBracketLoad + "  if (n > 3) {\n" +
                        release("MTE2", 0) + "  }\n")
            .all()
            .empty());
}

TEST_CASE("brackets: ids beyond the pool, and an architecture without any") {
  CHECK(auditedBrackets(bracketed("MTE2", 32, kBracketLoad)).severity("id-out-of-range") == "error");
  CHECK(auditedBrackets(bracketed("MTE2", 31, kBracketLoad)).all().empty());
  CHECK(Audited(shortTiles(bracketed("MTE2", 0, kBracketLoad)), "a3").severity("id-out-of-range") == "error");
}

TEST_CASE("brackets: a pipe on which nothing inside runs; an empty one is a pure wait") {
  CHECK(auditedBrackets(bracketed("MTE3", 0, kBracketLoad)).severity("idle-bracket") == "warning");
  CHECK(
      auditedBrackets(bracketed("MTE2", 0, kBracketLoad) + get("V", 0) + release("V", 0) + kBracketAdd).all().empty());
}
