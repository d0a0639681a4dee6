#include "replay/skip/repetition.h"

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

namespace {

const std::string kProofTiles = tile("a", "float", 1, 8, 0) + tile("b", "float", 1, 8, 0x4000);

/// The iterations of the only loop that were run, "0 1 2 38 39 40", and how the run ended.
std::string iterationsRun(const std::string &body, std::int64_t n = 1, const std::string &trips = "200") {
  Replayed kernel(vectorKernel(kProofTiles + "  for (int32_t i = 0; i < " + trips + "; i += 1) {\n" + body + "  }\n"));
  Inputs inputs;
  inputs.arguments[2] = n;
  const Trace &trace = kernel.run(inputs);
  std::string text = trace.ending == Ending::Returned ? "" : "cut ";
  std::set<std::uint64_t> numbers;
  for (const Iteration &iteration : trace.iterations)
    numbers.insert(iteration.number);
  numbers.erase(200); // the visit that ends it
  for (auto number = numbers.begin(); number != numbers.end();) {
    const std::uint64_t first = *number;
    std::uint64_t last = first;
    while (++number != numbers.end() && *number == last + 1)
      ++last;
    text += std::to_string(first) + "-" + std::to_string(last) + " ";
  }
  return text;
}

std::string place(const std::string &offset) {
  return "  TASSIGN(b, (uint64_t) (" + offset + ")); TADDS(b, a, 1.0f);\n";
}

} // namespace

TEST_CASE("proof: a loop is left out up to where something else happens, and again behind it") {
  CHECK(iterationsRun(place("0x4000")) == "0-2 197-199 ");
  const std::string around40 = "0-2 38-43 197-199 ";
  CHECK(iterationsRun(place("i == 40 ? 0 : 0x4000")) == around40);
  CHECK(iterationsRun("  if (i == 40) { TEXP(a, a); }\n  TADDS(a, a, 1.0f);\n") == around40);
  CHECK(iterationsRun(place("(i == 40) * 0x4000")) == around40);
  CHECK(iterationsRun(place("(i * 3 == 120 ? 0 : 0x4000)")) == around40);
  CHECK(iterationsRun(place("(i - n == 39 ? 0 : 0x4000)")) == around40);
  CHECK(iterationsRun("  event_t e = (event_t) (i == 40);\n  set_flag(PIPE_V, PIPE_MTE3, e); wait_flag(PIPE_V, "
                      "PIPE_MTE3, e);\n") == around40);
}

TEST_CASE("proof: thresholds, quotients and remainders") {
  CHECK(iterationsRun(place("i < 100 ? 0 : 0x4000")) == "0-2 98-102 197-199 ");
  CHECK(iterationsRun(place("(i / 64) * 0x100")) == "0-2 62-66 126-130 190-194 197-199 ");
  CHECK(iterationsRun(place("(i % 64) / 63 * 0x100")) == "0-2 61-66 125-130 189-194 197-199 ");
  CHECK(iterationsRun(place("(i % 2) * 0x100")) == "0-5 194-199 ");
}

TEST_CASE("proof: what does not move evenly is run") {
  const std::string all = "0-199 ";
  CHECK(iterationsRun(
            "  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, 8, 1>, pto::Layout::ND> g(in "
            "+ i * i);\n  TLOAD(a, g);\n") == all);
  CHECK(iterationsRun(place("(i * i == 1600 ? 0 : 0x4000)")) == all);
  CHECK(iterationsRun(place("((i ^ 40) == 0 ? 0 : 0x4000)")) == all);
  // Whether a counter has come to what memory holds depends on what it holds: a place stands for all of that, a branch
  // does not.
  const std::string load = "  int32_t c = ((__gm__ int32_t *) in)[0];\n";
  CHECK(iterationsRun(load + place("i < c ? 0 : 0x4000")) == all);
  CHECK(iterationsRun(load + "  if (i < c) { TEXP(a, a); }\n  TADDS(a, a, 1.0f);\n") == "0-2 197-199 ");
}

TEST_CASE("proof: loops inside that were not run in full count with all their iterations") {
  auto nested = [](const std::string &inner) {
    Replayed kernel(vectorKernel(kProofTiles +
                                 "  for (int32_t i = 0; i < 50; i += 1)\n  for (int32_t j = 0; j < 60; j += 1) {\n" +
                                 inner + "  }\n"));
    const Trace &trace = kernel.run();
    CHECK(trace.ending == Ending::Returned);
    std::set<std::uint64_t> outer;
    for (const Iteration &iteration : trace.iterations)
      if (iteration.parent == kNone)
        outer.insert(iteration.number);
    return outer.size();
  };
  CHECK(nested(place("0x4000")) == 7); // with the visit that ends it
  // In the 30th row a place is another one, in an iteration that no row runs.
  CHECK(nested(place("i * 60 + j == 1830 ? 0 : 0x4000")) > 6);
  CHECK(nested(place("i * 60 + j == 1830 ? 0 : 0x4000")) < 20);
  CHECK(nested(place("i * j == 900 ? 0 : 0x4000")) == 51);
}

TEST_CASE("proof: a loop that only a counter of its type ends is endless") {
  Replayed kernel(vectorKernel(kProofTiles + "  for (int32_t i = 0; ; i += 1) { TEXP(a, a); }\n"));
  CHECK(kernel.run().ending == Ending::Endless);
  Replayed found(
      vectorKernel(kProofTiles + "  for (int64_t i = 0; ; i += 1) { TEXP(a, a); if (i == 1000000) break; }\n"));
  CHECK(found.run().ending == Ending::Returned);
}
