// Names things for the reports: pieces of one line that every textual report shares.
//
//   Conflict -> "RAW on UB [0, 128): line 12 TROWSUM(v84, v58, v62) -> line 14 TADD(v128, v128, v129)"
//
// Text that comes from the kernel is made printable first: control bytes would break a line or
// drive the reader's terminal. Bytes above 127 stay as they are.
// Tested by tests/optimize/wording_test.cpp.
#pragma once

#include "optimize/decision.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

/// Returns `text` on one line. Each run of white space or control bytes becomes one space, and there is none at the
/// ends.
std::string printable(std::string_view text);

/// Returns "no barriers", "1 barrier" or "7 barriers".
std::string countOf(std::size_t count, std::string_view singular);

/// Returns "line 4", "lines 4 and 9" or "lines 4, 9, 12 and 14 more": at most `limit` numbers, ascending, each once.
std::string describeLines(std::vector<std::uint32_t> lines, std::size_t limit);

/// Returns "a, b and 4 more", with the first `limit` of the names.
std::string firstOf(const std::vector<std::string> &names, std::size_t limit, const std::string &separator = ", ");

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

/// Returns the stable id for reports: "sync", "rule", "library", "nothing", "web" or "place".
const char *evidenceName(Evidence::By by);

/// Returns what orders the conflict: "sync at lines 10 and 11: <text>", "machine rule same-access-chain: <text>",
/// "barrier inside the library call at line 12: <text>" or "no conflict: <text>".
std::string describeEvidence(const Evidence &evidence);

/// Returns what a kept reason means, for a reader who does not know the ids.
std::string_view explainReason(KeptReason reason);

} // namespace ptosync
