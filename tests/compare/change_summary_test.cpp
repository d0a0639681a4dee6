#include "compare/change_summary.h"

#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;
using compare::ChangeSummary;

namespace {

ChangeSummary summaryOf(const std::string &a, const std::string &b) {
  const ComparedTexts texts(vectorKernel(a), vectorKernel(b));
  const Machine &machine = machineOf("a3");
  return compare::summarize(texts.result, replay::verify(texts.a, texts.b, machine, {}, {Section::Both}), texts.a,
                            texts.b, machine, {});
}

const std::string kTiles = tile("v1", "float", 4, 64, 0) + tile("v2", "float", 4, 64, 4096);
const std::string kAddText = "  TADDS(v1, v1, 1.0f);\n", kMul = "  TMULS(v1, v1, 2.0f);\n",
                  kOtherText = "  TEXP(v2, v2);\n", kBarrierText = "  pipe_barrier(PIPE_V);\n";

} // namespace

TEST_CASE("change summary: the same text differs in nothing") {
  const ChangeSummary summary =
      summaryOf(kTiles + kAddText + kBarrierText + kMul, kTiles + kAddText + kBarrierText + kMul);
  CHECK(!summary.differs());
  CHECK(changeLine(summary) == "no difference that counts");
  CHECK(summary.lost == 0u);
  CHECK(summary.unknown.empty());
}

TEST_CASE("change summary: a sync that goes with an order, and one that goes with none") {
  const ChangeSummary lost = summaryOf(kTiles + kAddText + kBarrierText + kMul, kTiles + kAddText + kMul);
  CHECK(lost.lost == 1u);
  CHECK(lost.gone == 1);
  REQUIRE(lost.findings.size() == 1);
  CHECK(lost.findings[0].find("kernel.cpp:") == 0);
  CHECK(changeLine(lost).find("1 order lost; syncs: 1 gone") == 0);
  const ChangeSummary harmless =
      summaryOf(kTiles + kAddText + kBarrierText + kOtherText, kTiles + kAddText + kOtherText);
  CHECK(harmless.lost == 0u);
  CHECK(harmless.gone == 1);
  CHECK(harmless.differs());
}

TEST_CASE("change summary: a barrier of every pipe, new or widened to") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  const ChangeSummary widened = summaryOf(kTiles + kAddText + kBarrierText + kMul, kTiles + kAddText + all + kMul);
  CHECK(widened.barriersAll == 1);
  CHECK(widened.moved == 1);
  CHECK(widened.gone + widened.added == 0);
  CHECK(summaryOf(kTiles + kAddText + kMul, kTiles + kAddText + all + kMul).barriersAll == 1);
  CHECK(summaryOf(kTiles + kAddText + all + kMul, kTiles + kAddText + kBarrierText + kMul).barriersAll == 0);
  CHECK(summaryOf(kTiles + kAddText + all + kMul, kTiles + kAddText + all + kMul).barriersAll == 0);
}

TEST_CASE("change summary: other instructions, counted or by their operands, leave lost orders open") {
  const ChangeSummary other =
      summaryOf(kTiles + kAddText + kBarrierText + kMul, kTiles + kAddText + kBarrierText + kMul + kOtherText);
  CHECK(other.instructionsNew == 1);
  CHECK(other.instructionsGone == 0);
  CHECK(instructionText(other) == "1 new");
  CHECK(!other.lost);
  CHECK(!other.unknown.empty());
  const ChangeSummary operands =
      summaryOf(kTiles + kAddText + kBarrierText + kMul, kTiles + kAddText + kBarrierText + "  TMULS(v1, v2, 2.0f);\n");
  CHECK(operands.otherInstructions);
  CHECK(instructionText(operands) == "others");
}

TEST_CASE("change summary: a flag that is at fault is no lost order") {
  const std::string set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
                    wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n";
  const ChangeSummary summary = summaryOf(kTiles + kAddText + set + wait, kTiles + kAddText + set);
  CHECK(summary.faults == 1u);
  CHECK(summary.lost.value_or(0) == 0u);
}

TEST_CASE("change summary: event ids of one pair of pipes in use at once") {
  auto flags = [](int many) {
    std::string sets, waits;
    for (int id = 0; id < many; ++id) {
      const std::string rest = "_flag(PIPE_V, PIPE_MTE3, EVENT_ID" + std::to_string(id) + ");\n";
      sets += "  set" + rest;
      waits += "  wait" + rest;
    }
    return kTiles + kAddText + sets + waits;
  };
  const ChangeSummary summary = summaryOf(flags(1), flags(3));
  CHECK(summary.idsA == 1u);
  CHECK(summary.idsB == 3u);
  CHECK(changeLine(summary).find("event ids in use at once 1 -> 3") != std::string::npos);
  CHECK(compare::idPressure(lift(vectorKernel(kTiles + kAddText)), machineOf("a3"), {}) == 0u);
}
