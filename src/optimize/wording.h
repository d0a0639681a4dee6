// Names things for the reports: pieces of one line that every textual report shares.
//
//   Conflict -> "RAW on UB [0, 128): line 12 TROWSUM(v84, v58, v62) -> line 14 TADD(v128, v128, v129)"
//
// Text that comes from the kernel is made printable first (base/messages.h).
// Tested by tests/optimize/wording_test.cpp.
#pragma once

#include "base/messages.h"
#include "optimize/decision.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// The most places of one moved statement that a line of a report lists.
constexpr std::size_t kMostPlaces = 8;

/// Returns the lines in front of which a moved statement now stands, ascending.
std::vector<std::uint32_t> movedLines(const SourceText &source, const SiteDecision &decision);

/// Returns "attention (cube)", or the name alone of a kernel that is both.
std::string describeKernel(std::string_view kernel, Section section);

/// Returns "line 12 TADD(a, b, c)" or "line 12 (called from line 97) TADD(a, b, c)".
std::string describeInstruction(const InstructionPlace &place);

/// Returns "RAW on UB [0, 128): <earlier> -> <later>", and ", carried round the loop" behind it if the conflict is
/// loop-carried.
std::string describeConflict(const Conflict &conflict);

/// Returns the stable id for reports: "sync", "rule", "library", "nothing", "web", "bracket" or "place".
const char *evidenceName(Evidence::By by);

/// Returns what orders the conflict: "sync at lines 10 and 11: <text>", "machine rule same-access-chain: <text>",
/// "barrier inside the library call at line 12: <text>" or "no conflict: <text>".
std::string describeEvidence(const Evidence &evidence);

/// Returns why a sync is never edited, of one that something protects: "it is the kernel's end fence".
std::string protectionText(const SyncSite &site);

/// Returns what a kept reason means, for a reader who does not know the ids.
std::string_view explainReason(KeptReason reason);

} // namespace ptosync
