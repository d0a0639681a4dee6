// Fingerprints: what a finding or an edit is, whatever line it stands on and however an assembler has numbered its
// names.
//
//   "TADD(v66, v66, v70)" --StableNames--> "TADD(#0, #0, #1)" --fingerprintOf--> "5f0c.."
//
// Two texts that differ in numbered names alone, each name in the place of one other, have one fingerprint. So the
// baseline of the audit and the approval of edits outlive a new run of the assembler. It does not judge what belongs to
// the identity of a thing: that is for whoever puts the text together, who also tells equal ones apart by an ordinal.
// Tested by tests/base/fingerprint_test.cpp.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ptosync {

/// Replaces the names that an assembler numbers anew on every run by their order of appearance: `v12`, `t__tmp_v12`,
/// and those that end in an address, `GT_93898135670608`.
class StableNames {
public:
  /// Returns the text with its numbered names replaced. A name keeps its number through all texts of one object.
  std::string stable(std::string_view text);

private:
  std::map<std::string, std::size_t> numbers;
};

/// Returns the first `digits` hex digits of a digest of the text, at most 40.
std::string fingerprintOf(std::string_view text, std::size_t digits);

} // namespace ptosync
