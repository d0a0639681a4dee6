#include "synthesis/regions.h"
#include "synthesis/synthesised.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

using namespace ptosync;
using namespace ptosync::test;

using namespace ptosync::synthesis;

namespace {

/// A kernel that is cut.
struct Cut {
  explicit Cut(const std::string &source)
      : module(lift(source)), tree(llvm::cantFail(StatementTree::read(module.kernels.front()))),
        cutter(llvm::cantFail(RegionCutter::of(module, 0, tree, machineOf("a3"), {}))) {}

  /// The lines that have anything in a region's text.
  std::set<std::uint32_t> linesOf(const Region &region, std::size_t margin) const {
    std::istringstream text(cutter.textOf(region, margin));
    std::set<std::uint32_t> lines;
    std::string line;
    for (std::uint32_t number = 1; std::getline(text, line); ++number)
      if (line.find_first_not_of(' ') != std::string::npos)
        lines.insert(number);
    return lines;
  }

  /// The region of the kernel's body that holds the statement of a line alone.
  Region at(std::uint32_t line) const {
    for (std::uint32_t child = 0; child < tree.lists()[0].children.size(); ++child)
      if (module.source.position(tree.child({0, child}).begin).line == line)
        return {0, child, child + 1};
    return {};
  }

  Module module;
  StatementTree tree;
  RegionCutter cutter;
};

std::string loadAndWait(int id) {
  return "  TLOAD(v1, g);\n" + setFlag("MTE2", "V", id) + waitFlag("MTE2", "V", id) + "  TADDS(v2, v1, 1.0f);\n" +
         "  pipe_barrier(PIPE_ALL);\n";
}

std::string roundsOf(unsigned count) {
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) + tensor("g", "in", "0");
  for (unsigned i = 0; i < count; ++i)
    body += loadAndWait(static_cast<int>(i % 8));
  return body;
}

} // namespace

TEST_CASE("regions: a list is cut into parts of about the same work, none above the most") {
  const Cut cut(vectorKernel(roundsOf(12)));
  const std::vector<Region> regions = cut.cutter.regions(25, false);
  REQUIRE(regions.size() == 3);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    CHECK(regions[i].list == 0);
    CHECK(regions[i].first == (i == 0 ? 0 : regions[i - 1].last));
  }
  CHECK(regions.back().last == cut.tree.lists()[0].children.size());
  // The second time the ends lie elsewhere.
  const std::vector<Region> shifted = cut.cutter.regions(25, true);
  REQUIRE(shifted.size() > 2);
  CHECK(std::none_of(shifted.begin() + 1, shifted.end(), [&](const Region &one) {
    return std::any_of(regions.begin() + 1, regions.end(),
                       [&](const Region &other) { return one.first == other.first; });
  }));
}

TEST_CASE("regions: a loop that holds too much is cut inside, and what is in it counts twice") {
  const Cut cut(vectorKernel(tile("v1", "float", 16, 64, 0) + tile("v2", "float", 16, 64, 4096) +
                             tensor("g", "in", "0") + "  for (int32_t i = 0; i < n; ++i) {\n" + loadAndWait(0) +
                             loadAndWait(1) + loadAndWait(2) + loadAndWait(3) + "  }\n"));
  CHECK(cut.cutter.regions(40, false).size() == 1); // twenty statements
  const std::vector<Region> inside = cut.cutter.regions(20, false);
  REQUIRE(inside.size() == 2);
  CHECK(inside.front().list == 1);
  CHECK(inside.back().list == 1);
}

TEST_CASE("regions: everything else is blank, byte for byte, and what gives a name its value stays") {
  const std::string source = vectorKernel("  int32_t a = n + 1;\n"         // 4
                                          "  int32_t b = a + 2;\n" +       // 5
                                          tile("v1", "float", 16, 64, 0) + // 6
                                          "  TMULS(v1, v1, 2.0f);\n"       // 7, 8: TASSIGN is one
                                          "  if (b > 3) {\n    TADDS(v1, v1, 1.0f);\n  }\n"
                                          "  pipe_barrier(PIPE_V);\n  TMULS(v1, v1, 3.0f);\n  int32_t c = b;\n"
                                          "  if (c > 4) {\n    TADDS(v1, v1, 4.0f);\n  }\n");
  const Cut cut(source);
  const auto lineOf = [&](const std::string &text) {
    return cut.module.source.position(static_cast<std::uint32_t>(source.find(text))).line;
  };
  const Region region = cut.at(lineOf("if (b > 3)"));
  REQUIRE(region.list == 0);
  const std::string text = cut.cutter.textOf(region, 0);
  REQUIRE(text.size() == source.size());
  for (std::size_t i = 0; i < text.size(); ++i)
    CHECK((text[i] == source[i] || (text[i] == ' ' && source[i] != '\n')));
  const std::set<std::uint32_t> lines = cut.linesOf(region, 0);
  CHECK(lines.count(lineOf("int32_t a =")) == 1); // for b, of which the region's own text hangs
  CHECK(lines.count(lineOf("int32_t b =")) == 1);
  CHECK(lines.count(lineOf("TADDS(v1, v1, 1.0f)")) == 1);
  CHECK(lines.count(lineOf("TMULS(v1, v1, 2.0f)")) == 0);
  CHECK(lines.count(lineOf("pipe_barrier(PIPE_V)")) == 0);
  CHECK(lines.count(lineOf("int32_t c =")) == 0);
  CHECK(lines.count(lineOf("TADDS(v1, v1, 4.0f)")) == 0);
  // With a margin what stands beside it stays, as far as it has so much work.
  CHECK(cut.linesOf(region, 1).count(lineOf("pipe_barrier(PIPE_V)")) == 1);
  CHECK(cut.linesOf(region, 1).count(lineOf("TMULS(v1, v1, 3.0f)")) == 0);
}

TEST_CASE("regions: syncs whose flags reach out stay whole, and are not to be edited") {
  const std::string ring = tile("v1", "float", 16, 64, 0) + tensor("g", "in", "0") + setFlag("V", "MTE2", 0) +
                           "  for (int32_t i = 0; i < n; ++i) {\n" + waitFlag("V", "MTE2", 0) + "    TLOAD(v1, g);\n" +
                           setFlag("MTE2", "V", 1) + waitFlag("MTE2", "V", 1) + "    TADDS(v1, v1, 1.0f);\n" +
                           setFlag("V", "MTE2", 0) + "  }\n" + "  pipe_barrier(PIPE_V);\n" + waitFlag("V", "MTE2", 0);
  const Cut cut(vectorKernel(ring));
  const Region body{1, 0, static_cast<std::uint32_t>(cut.tree.lists()[1].children.size())};
  const Module inside = llvm::cantFail(cut.cutter.cutOut(body, 0, lifter()));
  std::map<std::string, bool> editable;
  for (const SyncSite &site : inside.sites)
    editable[site.text] = isEditable(site);
  CHECK(inside.sites.size() == 7); // with the end fence, without the barrier
  CHECK(editable.at("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1)"));
  CHECK(editable.at("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1)"));
  CHECK_FALSE(editable.at("set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0)"));
  CHECK_FALSE(editable.at("wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0)"));
  for (const SyncSite &site : inside.sites)
    CHECK(cut.module.sites[cut.cutter.siteAt(site.range.begin)].text == site.text);
  // What is known of a site is not lost where syncs are put into the text.
  const EditedFile edited = llvm::cantFail(EditedFile::read(inside, {}, lifter()));
  for (SiteId site = 0; site < edited.module().sites.size(); ++site)
    CHECK(isEditable(edited.module().sites[site]) == isEditable(inside.sites[site]));
}

TEST_CASE("regions: proposals of a region are proposals of the kernel") {
  const Cut cut(vectorKernel(roundsOf(12)));
  const Region region = cut.cutter.regions(25, false)[1];
  const Module inside = llvm::cantFail(cut.cutter.cutOut(region, 0, lifter()));
  const StatementTree tree = llvm::cantFail(StatementTree::read(inside.kernels.front()));
  Proposal proposal{Pipe::V, Pipe::V, {{SyncKind::Barrier, {0, 4, false, 0}}}, {}};
  std::optional<Proposal> moved = movedTo(cut.tree, proposal, tree);
  REQUIRE(moved);
  const ListPlace &place = moved->syncs.front().place;
  CHECK(cut.tree.child({place.list, place.child}).begin == tree.child({0, 4}).begin);
}

TEST_CASE("regions: drafts that are joined share no handshake, and rings of several loops become one") {
  RegionDraft draft;
  draft.gone = {3};
  draft.proposals = {{Pipe::V, Pipe::MTE2, {}, {}, 7}, {Pipe::MTE2, Pipe::V, {}, {}, 7}, {Pipe::V, Pipe::V, {}, {}}};
  RegionDraft other = draft;
  other.gone = {5};
  const RegionDraft both = joined({draft, other});
  CHECK(both.gone == std::set<SiteId>{3, 5});
  REQUIRE(both.proposals.size() == 6);
  CHECK(both.proposals[0].handshake == both.proposals[1].handshake);
  CHECK(both.proposals[3].handshake == both.proposals[4].handshake);
  CHECK(both.proposals[0].handshake != both.proposals[3].handshake);
  CHECK(both.proposals[2].handshake == kNone);
  CHECK(both.parts == std::vector<std::size_t>{0, 0, 0, 1, 1, 1});
}

TEST_CASE("regions: a kernel that is cut is placed as well as one that is not, and proved") {
  std::string body = tensor("g", "in", "0");
  for (int i = 0; i < 8; ++i)
    body += tile("v" + std::to_string(i), "float", 16, 64, static_cast<unsigned>(i) * 4096);
  for (int i = 0; i < 24; ++i) {
    const std::string name = "v" + std::to_string(i % 8);
    body += "  TLOAD(" + name + ", g);\n  pipe_barrier(PIPE_ALL);\n  TADDS(" + name + ", " + name +
            ", 1.0f);\n  pipe_barrier(PIPE_ALL);\n";
  }
  const Module module = lift(vectorKernel(body));
  ResyncOptions options;
  const ResyncResult whole = resynced(module, options);
  options.regionWork = 30;
  const ResyncResult parts = resynced(module, options);
  REQUIRE(whole.kernels.front().changed);
  REQUIRE(parts.kernels.front().changed);
  CHECK(parts.kernels.front().after < parts.kernels.front().pruned);
  CHECK(parts.kernels.front().after < whole.kernels.front().after * 1.1);
}
