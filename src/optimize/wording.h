// How the reports name things: pieces of one line that every textual report shares.
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

/// `text` on one line: each run of white space or control bytes is one space, none at the ends.
std::string printable(std::string_view text);

/// "no barriers", "1 barrier", "7 barriers".
std::string countOf(std::size_t count, std::string_view singular);

/// "line 4", "lines 4 and 9", "lines 4, 9, 12 and 14 more": at most `limit` numbers, ascending, each once.
std::string describeLines(std::vector<std::uint32_t> lines, std::size_t limit);

/// "a, b and 4 more": the first `limit` of them.
std::string firstOf(const std::vector<std::string> &names, std::size_t limit, const std::string &separator = ", ");

/// Places of one moved statement that a line of a report lists.
constexpr std::size_t kMostPlaces = 8;

/// The lines in front of which a moved statement now stands, ascending.
std::vector<std::uint32_t> movedLines(const SourceText &source, const SiteDecision &decision);

/// "attention (cube)", or the name alone of a kernel that is both.
std::string describeKernel(std::string_view kernel, Section section);

/// "line 12 TADD(a, b, c)" or "line 12 (called from line 97) TADD(a, b, c)".
std::string describeInstruction(const InstructionPlace &place);

/// "RAW on UB [0, 128): <earlier> -> <later>", with ", carried round the loop" if so.
std::string describeConflict(const Conflict &conflict);

/// Stable id for reports: "sync", "rule", "library", "nothing", "web" or "place".
const char *evidenceName(Evidence::By by);

/// What orders the conflict: "sync at lines 10 and 11: <text>", "machine rule same-access-chain: <text>",
/// "barrier inside the library call at line 12: <text>" or "no conflict: <text>".
std::string describeEvidence(const Evidence &evidence);

/// What a kept reason means, for a reader who does not know the ids.
std::string_view explainReason(KeptReason reason);

} // namespace ptosync
