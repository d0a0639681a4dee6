#include "report/report.h"

#include "report/sample.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("a site counts once, in the row of its sections") {
  sample::Sample sample = sample::rich();
  Counts counts = countSites(sample.input());
  CHECK(counts.barriers == Tally{9, 2});
  CHECK(counts.flags == Tally{3, 0, 1});
  CHECK(counts.tails == Tally{1, 0});
  REQUIRE(counts.sections.size() == 4);
  CHECK(counts.sections[SectionRow::Vec].barriers[Pipe::V] == Tally{6, 2});
  CHECK(counts.sections[SectionRow::Vec].barriers[Pipe::MTE3] == Tally{1, 0});
  CHECK(counts.sections[SectionRow::Vec].flags == Tally{3, 0, 1});
  CHECK(counts.sections[SectionRow::Cube].barriers[Pipe::M] == Tally{1, 0});
  CHECK(counts.sections[SectionRow::Both].barriers[Pipe::All] == Tally{1, 0});
  CHECK(counts.sections[SectionRow::Nowhere].tails == Tally{1, 0});
}

TEST_CASE("sections fold into one row") {
  CHECK(sectionRow({}) == SectionRow::Nowhere);
  CHECK(sectionRow({Section::Cube}) == SectionRow::Cube);
  CHECK(sectionRow({Section::Vec}) == SectionRow::Vec);
  CHECK(sectionRow({Section::Both}) == SectionRow::Both);
  CHECK(sectionRow({Section::Cube, Section::Vec}) == SectionRow::Both);
}

TEST_CASE("patterns count what they claimed and what went") {
  sample::Sample sample = sample::rich();
  ReportInput input = sample.input();
  input.patternIds = {"softmax-exp-sum", "gu"};
  Counts counts = countSites(input);
  REQUIRE(counts.patterns.size() == 4);
  CHECK(counts.patterns[0].id == "softmax-exp-sum");
  CHECK(counts.patterns[0].sites == Tally{0, 0});
  CHECK(counts.patterns[1].id == "gu");
  CHECK(counts.patterns[1].sites == Tally{2, 1});
  CHECK(counts.patterns[2].id == "final-div");
  CHECK(counts.patterns[2].sites == Tally{1, 1});
  CHECK(counts.patterns[3].id == "sink-wait");
  CHECK(counts.patterns[3].sites == Tally{1, 0, 1});
}

TEST_CASE("kept sites count under their reason") {
  sample::Sample sample = sample::rich();
  std::map<KeptReason, std::uint32_t> expected = {{KeptReason::Hazard, 2},      {KeptReason::Unresolved, 1},
                                                  {KeptReason::Protected, 2},   {KeptReason::NotNominated, 1},
                                                  {KeptReason::NotAnalysed, 1}, {KeptReason::Unbalanced, 2},
                                                  {KeptReason::Limit, 1}};
  CHECK(countSites(sample.input()).kept == expected);
}

TEST_CASE("a file without sites has no rows") {
  sample::Sample sample;
  Counts counts = countSites(sample.input());
  CHECK(counts.barriers == Tally{});
  CHECK(counts.sections.empty());
  CHECK(counts.kept.empty());
}
