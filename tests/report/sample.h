// A small file with every kind of decision, built by hand, for the report tests.
#pragma once

#include "report/report.h"

#include <string>
#include <utility>

namespace ptosync::sample {

struct Sample {
  Module module;
  OptimizeResult result;

  /// Refers to this sample.
  ReportInput input() const {
    ReportInput input;
    input.module = &module;
    input.result = &result;
    input.toolVersion = "1.0.0";
    input.arch = "a3";
    input.library = "2026-06";
    input.patterns = "default";
    input.patternIds = {"gu", "final-div", "softmax-exp-sum"};
    return input;
  }

  /// Adds a site at `line`, column 3, and its decision: kept, not nominated, in the vec section.
  SiteDecision &site(SyncKind kind, Pipe source, std::uint32_t line, std::string text) {
    SyncSite site;
    site.kind = kind;
    site.source = source;
    site.destination = kind == SyncKind::Barrier ? Pipe::All : Pipe::MTE3;
    site.text = std::move(text);
    site.line = line;
    site.column = 3;
    SiteDecision decision;
    decision.site = static_cast<SiteId>(module.sites.size());
    decision.reason = KeptReason::NotNominated;
    decision.kernels = {"attention"};
    decision.sections = {Section::Vec};
    module.sites.push_back(std::move(site));
    result.decisions.push_back(std::move(decision));
    return result.decisions.back();
  }

  SiteDecision &barrier(std::uint32_t line, Pipe pipe = Pipe::V) {
    return site(SyncKind::Barrier, pipe, line, "pipe_barrier(" + std::string(pipeName(pipe)) + ")");
  }
};

inline InstructionPlace place(std::uint32_t line, std::string text, Pipe pipe = Pipe::V) {
  return {std::move(text), pipe, line, {}};
}

inline Conflict conflict(std::uint32_t earlier, std::uint32_t later) {
  return {place(earlier, "TROWSUM(v84, v58, v62)"), place(later, "TADD(v128, v128, v129)"), HazardKind::ReadAfterWrite,
          "UB [98304, 98432)", false};
}

inline void keep(SiteDecision &decision, KeptReason reason, std::string detail) {
  decision.reason = reason;
  decision.detail = std::move(detail);
}

inline void keepFor(SiteDecision &decision, KeptReason reason, Conflict witness) {
  decision.reason = reason;
  decision.witness = std::move(witness);
}

inline void remove(SiteDecision &decision, std::string pattern, std::vector<Evidence> evidence,
                   std::uint32_t edit = 0) {
  decision.verdict = Verdict::Removed;
  decision.edit = edit;
  decision.reason = KeptReason::None;
  decision.pattern = std::move(pattern);
  decision.evidence = std::move(evidence);
}

/// In front of byte `before` of the source.
inline void move(SiteDecision &decision, std::string pattern, std::uint32_t before, Evidence evidence,
                 std::uint32_t edit = 0) {
  decision.verdict = Verdict::Moved;
  decision.edit = edit;
  decision.movedTo = {{before, 0}};
  decision.reason = KeptReason::None;
  decision.pattern = std::move(pattern);
  decision.evidence = {std::move(evidence)};
}

inline std::vector<Evidence> everyEvidence() {
  using By = Evidence::By;
  Conflict carried = conflict(30, 12);
  carried.loopCarried = true;
  carried.kind = HazardKind::WriteAfterRead;
  carried.later.calledFrom = {97, 120};
  return {{By::Sync, conflict(12, 17), "", {13, 16}, "barriers on both sides", true},
          {By::Rule, conflict(12, 14), "same-access-chain", {}, "one access of 4096 elements", true},
          {By::Library, carried, "", {12}, "", false}};
}

inline Kernel kernel(std::string name, Section section) {
  Kernel kernel;
  kernel.name = std::move(name);
  kernel.section = section;
  return kernel;
}

/// One site of every verdict, reason and kind, and every kind of trouble.
inline Sample rich() {
  Sample sample;
  sample.module.source = SourceText("k.cpp", "first\nsecond\n");
  sample.module.kernels.push_back(kernel("attention", Section::Cube));
  sample.module.kernels.push_back(kernel("attention", Section::Vec));
  remove(sample.barrier(13), "final-div", everyEvidence(), 1);
  remove(sample.barrier(15), "gu", {{Evidence::By::Nothing, std::nullopt, "", {}, "nothing was pending", true}}, 2);
  SiteDecision &hazard = sample.barrier(16);
  hazard.pattern = "gu";
  keepFor(hazard, KeptReason::Hazard, conflict(12, 17));
  keepFor(sample.barrier(21), KeptReason::Hazard, conflict(20, 22));
  Conflict unknown = conflict(24, 26);
  unknown.storage = "GM argument v1, unknown bytes";
  keepFor(sample.barrier(25, Pipe::MTE3), KeptReason::Unresolved, unknown);
  sample.result.decisions.back().detail = "the pair may be ordered by this barrier";
  SiteDecision &shared = sample.barrier(28, Pipe::All);
  keep(shared, KeptReason::Protected, "keep(timing)");
  shared.sections = {Section::Cube, Section::Vec};
  sample.barrier(29);
  SiteDecision &skipped = sample.barrier(31, Pipe::M);
  keep(skipped, KeptReason::NotAnalysed, "kernel attention could not be analysed");
  skipped.sections = {Section::Cube};
  keep(sample.barrier(33), KeptReason::Limit, "");
  keep(sample.site(SyncKind::SetFlag, Pipe::V, 35, "set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)"), KeptReason::Unbalanced,
       "its flag is not set and waited for in turn on every path");
  keep(sample.site(SyncKind::WaitFlag, Pipe::V, 36, "wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0)"), KeptReason::Unbalanced,
       "its flag is not set and waited for in turn on every path");
  SiteDecision &tail = sample.site(SyncKind::Tail, Pipe::All, 40, "ptoas_auto_sync_tail()");
  keep(tail, KeptReason::Protected, "end fence");
  tail.sections = {};
  tail.kernels = {};
  move(sample.site(SyncKind::WaitFlag, Pipe::MTE2, 45, "wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1)"), "sink-wait", 6,
       {Evidence::By::Place, conflict(44, 46), "", {}, "the first that needs it", true}, 3);
  sample.module.unknownCalls = {{"TFUTURE", {50, 52}}};
  sample.result.skipped = {{"attention", Section::Cube, 5, "irreducible control flow"}};
  sample.result.unresolved = {{"attention", Section::Vec, unknown, ""},
                              {"attention", Section::Both, conflict(61, 62), "m-accumulate"}};
  sample.result.tokenFaults = {{"attention", Section::Vec, "set at line 35 twice", 35}};
  return sample;
}

} // namespace ptosync::sample
