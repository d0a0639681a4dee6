#include "explain/sync_effect.h"

#include "explain/explained.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::vector<std::string> needed(const SyncEffect &effect) {
  std::vector<std::string> list;
  for (const SyncEffect::Needed &entry : effect.needed)
    list.push_back(shortForm(entry.conflict) + (entry.contested.empty() ? "" : " " + entry.contested));
  return list;
}

std::vector<std::string> otherwise(const SyncEffect &effect) {
  std::vector<std::string> list;
  for (const Evidence &evidence : effect.otherwise) {
    std::string text = shortForm(*evidence.conflict);
    for (std::uint32_t line : evidence.lines)
      text += " by " + std::to_string(line);
    list.push_back(text + (evidence.rule.empty() ? "" : " by " + evidence.rule));
  }
  return list;
}

using Lines = std::vector<std::string>;

} // namespace

TEST_CASE("sync effect: what a barrier alone orders, and what is ordered otherwise too") {
  Explained kernel(fourTiles("  TADDS(a, b, 1.0f);\n  pipe_barrier(PIPE_V); // one\n  TADDS(c, a, 1.0f);\n" // 10 to 12
                             "  pipe_barrier(PIPE_V); // two\n  TADDS(d, a, 1.0f);\n  TADDS(b, d, 1.0f);\n"));
  SyncEffect one = syncEffect(*kernel.file, 0, {kernel.site("// one")});
  CHECK(one.kernel == "k");
  CHECK(needed(one) == Lines{"RAW 10 -> 12"});
  CHECK(otherwise(one) == Lines{"RAW 10 -> 14 by 13"});
  CHECK_FALSE(one.incomplete);
  SyncEffect two = syncEffect(*kernel.file, 0, {kernel.site("// two")});
  CHECK(needed(two) == Lines{}); // line 12 has no conflict with what follows
}

TEST_CASE("sync effect: a web is taken out as a whole") {
  Explained kernel(fourTiles("  TLOAD(a, g);\n  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // set\n"
                             "  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // wait\n  TADDS(b, a, 1.0f);\n"
                             "  pipe_barrier(PIPE_ALL);\n  TADDS(c, a, 1.0f);\n"));
  SyncEffect effect = syncEffect(*kernel.file, 0, {kernel.site("// set"), kernel.site("// wait")});
  CHECK(needed(effect) == Lines{"RAW 10 -> 13"});
  CHECK(otherwise(effect) == Lines{"RAW 10 -> 15 by 14"});
}

TEST_CASE("sync effect: contested rules are named, and do not count") {
  Explained kernel(vectorKernel(productTiles(16, 16, "int8_t") +
                                "  TMATMUL(C, L, R);\n  pipe_barrier(PIPE_M); // acc\n  TMATMUL_ACC(C, C, L, R);\n"));
  CHECK(needed(syncEffect(*kernel.file, 0, {kernel.site("// acc")})) == Lines{"RAW 7 -> 9 m-accumulate-order"});
}

TEST_CASE("sync effect: agrees with the trials that decide, on every barrier of the corpus") {
  std::size_t allowed = 0, refused = 0;
  for (const std::string &folder : corpusFolders()) {
    std::string arch = folder.rfind("a5_", 0) == 0 ? "a5" : "a3";
    Explained kernel(readText(corpusPath(folder + "/kernel.cpp")), {}, "default", arch);
    for (SiteId site = 0; site < kernel.module.sites.size(); ++site)
      for (std::size_t k = 0; k < kernel.file->kernels().size(); ++k) {
        if (kernel.module.sites[site].kind != SyncKind::Barrier || !kernel.file->runsThrough(k, site))
          continue;
        INFO(folder << " line " << kernel.module.sites[site].line);
        const Pending::Trial trial = kernel.file->kernels()[k].whatIf({{site}, {}});
        SyncEffect effect = syncEffect(*kernel.file, k, {site});
        if (trial.allowed) {
          CHECK(effect.needed.empty());
          ++allowed;
        } else if (!trial.atEnd && !trial.fence) {
          CHECK_FALSE(effect.needed.empty());
          ++refused;
        }
      }
  }
  CHECK(allowed > 50);
  CHECK(refused > 50);
}
