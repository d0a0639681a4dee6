// Counts how many syncs a file has, how many went, and how many stayed and why. Every report shows these numbers, so
// they are counted in one place.
//
// A site is a statement of the file and counts once, however many kernels run through it. One that
// both core sections run, or that stands outside any section, counts under `Both`.
// Tested by tests/report/counts_test.cpp.
#pragma once

#include "report/report_input.h"

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptosync {

struct Tally {
  std::uint32_t found = 0, removed = 0, moved = 0;
  std::uint32_t kept() const { return found - removed - moved; }
  bool operator==(const Tally &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Tally &tally);

/// Says where a site runs. `Nowhere` means in a function that no kernel calls.
enum class SectionRow : std::uint8_t { Cube, Vec, Both, Nowhere };

/// Returns the name of a row: "cube", "vec", "both" or "unused".
std::string_view sectionRowName(SectionRow row);

struct SectionCounts {
  std::map<Pipe, Tally> barriers;
  Tally flags; // set_flag and wait_flag statements
  Tally tails; // end fences
};

struct PatternCount {
  std::string id;
  Tally sites; // found: the sites it claimed
};

struct Counts {
  Tally barriers, flags, tails;
  std::map<SectionRow, SectionCounts> sections;
  std::vector<PatternCount> patterns; // the enabled ones in their order, then others by id
  std::map<KeptReason, std::uint32_t> kept;
};

Counts countSites(const ReportInput &input);

/// Returns the row of a decision, by its sections.
SectionRow sectionRow(const std::vector<Section> &sections);

} // namespace ptosync
