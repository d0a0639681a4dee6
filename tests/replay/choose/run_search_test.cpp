// Runs are found that take the ways which the usual ones leave, and what is left is told.
#include "replay/choose/run_search.h"

#include "replay/choose/run_choice.h"
#include "replay/replayed.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;

namespace {

struct Searched {
  std::size_t found = 0; // runs
  std::string left;      // lines of ways that none takes
};

Searched searched(const std::string &body, const replay::Options &options = {}) {
  Replayed kernel(vectorKernel(tile("a", "float", 1, 8, 0) + body), options);
  Shown shown;
  const std::vector<Inputs> usual = chooseRuns(*kernel.subject, kernel.options, &shown);
  const SearchResult result = searchRuns(*kernel.subject, kernel.options, usual, shown);
  std::set<Way> open(kernel.subject->ways().open().begin(), kernel.subject->ways().open().end());
  for (const Way &way : shown.ways)
    open.erase(way);
  for (const Inputs &inputs : result.runs)
    for (const Way &way : kernel.run(inputs).ways)
      open.erase(way);
  Searched answer{result.runs.size(), ""};
  for (const Way &way : open)
    if (result.left.count(way)) // of the others no input leads there
      answer.left += (answer.left.empty() ? "" : " ") + std::to_string(kernel.subject->ways().lineOf(way)) +
                     (way.taken ? "+" : "-");
  return answer;
}

const std::string kRareWork = "    TEXP(a, a);\n";

} // namespace

TEST_CASE("run search: a number that turns a condition is found backwards from it") {
  for (const char *condition : {"n == 123457", "(n + 63) / 64 == 911", "n * 3 - 7 == 1000001", "n < -70000",
                                "(n ^ 0x5a5a) == 77", "n - n / 12345 * 12345 == 12001"}) {
    INFO(condition);
    const Searched found = searched("  if (" + std::string(condition) + ")\n" + kRareWork);
    CHECK(found.found > 0);
    CHECK(found.left.empty());
  }
}

TEST_CASE("run search: a way that is not found is told") {
  CHECK(searched("  if (n % 1024 == 513 && n > 100000)\n" + kRareWork).left == "5+"); // two conditions at once
}

TEST_CASE("run search: ways behind one another, and arms") {
  const Searched nested =
      searched("  if (n > 50000) {\n    int32_t m = n - 50000;\n    if (m == 4321)\n" + kRareWork + "  }\n");
  CHECK(nested.left.empty());
  CHECK(searched("  TASSIGN(a, (uint64_t) (n == 7654321 ? 0 : 32));\n" + kRareWork).left.empty());
}

TEST_CASE("run search: what no input turns is not left, and a fixed argument is not changed") {
  CHECK(searched("  if (n * 0 == 1)\n" + kRareWork).left.empty());
  replay::Options fixed;
  fixed.arguments["n"] = 3;
  const Searched none = searched("  if (n == 123457)\n" + kRareWork, fixed);
  CHECK(none.found == 0);
}

TEST_CASE("run search: a kernel whose rare way is broken is objected to") {
  auto body = [](const std::string &between) {
    return tile("a", "float", 1, 8, 0) +
           "  GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, 8, 1>, pto::Layout::ND> g(in);\n"
           "  if ((n + 63) / 64 == 911) {\n    TLOAD(a, g);\n" +
           between + "    TEXP(a, a);\n  }\n";
  };
  const std::string flag =
      "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  CHECK(difference(body(flag), body("")).find("order RAW") == 0);
}

TEST_CASE("run search: the example in the header") {
  Replayed kernel(liftCorpus("rare_paths"), "signal_each_block");
  Shown shown;
  const std::vector<Inputs> usual = chooseRuns(*kernel.subject, kernel.options, &shown);
  for (const Inputs &inputs : usual)
    CHECK(inputs.argument(2) % 1009 != 640);
  const SearchResult result = searchRuns(*kernel.subject, kernel.options, usual, shown);
  CHECK(result.left.empty());
  CHECK(std::any_of(result.runs.begin(), result.runs.end(),
                    [](const Inputs &inputs) { return inputs.argument(1) == 3 && inputs.argument(2) == 640; }));
}
