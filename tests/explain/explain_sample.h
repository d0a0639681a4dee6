// A small explanation with one of everything.
#pragma once

#include "explain/explain_report.h"

namespace ptosync::test {

inline Conflict sampleConflict(std::uint32_t earlier, std::uint32_t later, std::vector<std::uint32_t> calls = {}) {
  Conflict conflict;
  conflict.earlier = {"TADD(a, b, c)", Pipe::V, earlier, calls};
  conflict.later = {"TMUL(d, a, c)", Pipe::V, later, std::move(calls)};
  conflict.storage = "UB [0, 128)";
  return conflict;
}

inline SyncExplanation sampleSync() {
  SyncExplanation sync;
  sync.answer = "Needed: for a reason";
  sync.statements = {{0, 12, "pipe_barrier(PIPE_V)", Verdict::Kept}};
  sync.decision.site = 0;
  sync.decision.reason = KeptReason::Hazard;
  sync.decision.pattern = "gu";
  SyncEffect effect;
  effect.kernel = "k";
  effect.section = Section::Vec;
  effect.needed = {{sampleConflict(10, 13, {90}), ""}, {sampleConflict(11, 14, {90}), "m-accumulate-order"}};
  Evidence evidence;
  evidence.by = Evidence::By::Sync;
  evidence.conflict = sampleConflict(10, 16, {90});
  evidence.lines = {15};
  evidence.text = "completes the earlier one first";
  Evidence also = evidence;
  also.by = Evidence::By::Library;
  also.relied = false;
  also.text = "counts with --trust=library";
  effect.otherwise = {evidence, also};
  effect.suspected = {sampleConflict(8, 13, {90})};
  sync.effects = {effect};
  sync.conditions = {{RemovalCondition::Kind::Option, "with an option"}};
  return sync;
}

inline InstructionExplanation sampleInstruction() {
  InstructionExplanation explained;
  explained.answer = "TMUL(d, a, c) runs on PIPE_V";
  explained.kernel = "k";
  explained.section = Section::Vec;
  explained.place = {"TMUL(d, a, c)", Pipe::V, 12, {90}};
  explained.alsoAt = {"kernel k (vec), called from line 91"};
  explained.pipes = {Pipe::V};
  explained.accesses = {{"d", "writes", "UB [0, 128)", ""}, {"a", "reads", "UB, unknown bytes", "why"}};
  explained.library = {{Pipe::V, false, {"a", "c"}, {"d"}}, {Pipe::V, true, {}, {}}};
  explained.remarks = {"an opaque fence"};
  OrderedConflict link;
  link.conflict = sampleConflict(10, 12, {90});
  link.meets = {{{"RAW", "WAR"}, "UB [0, 128)"}, {{"WAW"}, "UB [256, 512)"}};
  link.order = {PairOrder::By::Barrier, "", {11}, "pipe_barrier(PIPE_V) at line 11"};
  explained.producers = {link};
  return explained;
}

inline TileExplanation sampleTile() {
  TileExplanation tile;
  tile.answer = "Tile a lies there";
  tile.name = "a";
  tile.kernel = "k";
  tile.line = 12;
  tile.declared = "Vec float 4 x 8";
  tile.storage = {"UB [0, 128)"};
  tile.others = {"b UB [64, 128)"};
  tile.uses = {{{"TADD(a, b, c)", Pipe::V, 13, {}}, {"a", "writes", "UB [0, 128)", ""}, false},
               {{"TMUL(d, b, c)", Pipe::V, 14, {}}, {"b", "reads", "UB [64, 128)", "2 rows"}, true}};
  return tile;
}

inline ExplainReport sampleExplanation() {
  ExplainReport report;
  report.file = "k.cpp";
  report.line = 12;
  report.arch = "a3";
  report.toolVersion = "0.1.0";
  report.explanation.syncs = {sampleSync()};
  report.explanation.instructions = {sampleInstruction()};
  report.explanation.tiles = {sampleTile()};
  report.explanation.skipped = {{"other", Section::Cube, 30, "for a reason"}};
  return report;
}

} // namespace ptosync::test
