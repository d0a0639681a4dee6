#include "replay/repetition.h"

#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

/// A history with these fingerprints, and one variable with these values at the visits.
History history(const std::vector<std::uint64_t> &notes, const std::vector<std::int64_t> &values) {
  History made;
  for (std::size_t i = 0; i < values.size(); ++i) {
    made.close({Value{values[i], Origin::Fixed, {}}});
    if (i < notes.size())
      made.note(notes[i]);
  }
  return made;
}

} // namespace

TEST_CASE("replay: three equal periods make a repetition") {
  CHECK(history({7, 7, 7}, {0, 4, 8, 12}).period(2) == 1);
  CHECK(history({7, 8, 7, 8, 7, 8}, {0, 1, 2, 3, 4, 5, 6}).period(2) == 2);
  CHECK(history({7, 7}, {0, 4, 8}).period(2) == 0);        // too few
  CHECK(history({7, 7, 7}, {0, 4, 8, 12}).period(5) == 0); // a deeper ring than that
  CHECK(history({7, 7, 9}, {0, 4, 8, 12}).period(2) == 0);
}

TEST_CASE("replay: more than three periods, where that is asked") {
  CHECK(history({7, 7, 7, 7}, {0, 4, 8, 12, 16}).period(2, 5) == 0);
  CHECK(history({7, 7, 7, 7, 7}, {0, 4, 8, 12, 16, 20}).period(2, 5) == 1);
  CHECK(history({9, 7, 7, 7, 7}, {0, 4, 8, 12, 16, 20}).period(2, 5) == 0);
  CHECK(history({9, 7, 7, 7, 7}, {0, 4, 8, 12, 16, 20}).period(2) == 1);
}

TEST_CASE("replay: what every fourth iteration does is part of the period") {
  const std::vector<std::int64_t> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  for (std::size_t visits = 2; visits < values.size(); ++visits) {
    std::vector<std::uint64_t> notes;
    for (std::size_t i = 0; i + 1 < visits; ++i)
      notes.push_back(i % 4 == 3 ? 9 : 7);
    INFO(visits);
    CHECK(history(notes, {values.begin(), values.begin() + static_cast<std::ptrdiff_t>(visits)}).period(4) == 0);
  }
  CHECK(history({7, 7, 7, 9, 7, 7, 7, 9, 7, 7, 7, 9}, values).period(4) == 4);
  CHECK(history({9, 7, 7, 7, 7, 7}, {0, 1, 2, 3, 4, 5, 6}).period(4) == 1);
}

TEST_CASE("replay: a variable that does not move evenly is no repetition") {
  CHECK(history({7, 7, 7}, {0, 1, 2, 4}).period(2) == 0);
  CHECK(history({7, 7, 7}, {1, 2, 4, 8}).period(2) == 0);
}

TEST_CASE("replay: the last iterations of a loop with any kind of condition are run") {
  for (const char *head : {"for (int32_t i = 0; i < 1000; i += 3)", "for (int32_t i = 2997; i > 0; i -= 3)",
                           "for (int32_t i = 0; i != 3000; i += 3)", "for (size_t i = 0; i <= 2999; i += 3)"}) {
    INFO(head);
    std::string body = tile("v1", "float", 16, 64, 0) + "  int32_t count = 0;\n  " + head +
                       " { count += 1; TEXP(v1, v1); }\n" + "  if (count == ";
    std::string expected = std::string(head).find("1000;") != std::string::npos  ? "334"
                           : std::string(head).find("2997") != std::string::npos ? "999"
                                                                                 : "1000";
    Replayed kernel(vectorKernel(body + expected + ") TADDS(v1, v1, 1.0f);\n"));
    const Trace &trace = kernel.run();
    CHECK(trace.ending == Ending::Returned);
    CHECK(trace.skips.size() == 1);
    CHECK(issued(trace).find("TADDS") != std::string::npos);
  }
}

TEST_CASE("replay: a loop left from its middle is skipped up to there") {
  Replayed kernel(vectorKernel(tile("v1", "float", 16, 64, 0) +
                               "  for (int32_t i = 0; ; i += 1) { TEXP(v1, v1); if (i == 40) break; }\n"));
  const Trace &trace = kernel.run();
  CHECK(trace.ending == Ending::Returned);
  REQUIRE(trace.skips.size() == 1);
  CHECK(trace.instances.size() + trace.skips[0].periods == 42);
}
