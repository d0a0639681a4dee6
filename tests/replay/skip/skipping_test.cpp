// What a run leaves out of a loop is what the loop does: runs with skips, filled in again, against runs in full.
#include "fuzz/random_source.h"
#include "replay/replayed.h"
#include "replay/skip/skipping.h"

using namespace ptosync;
using namespace ptosync::replay;
using namespace ptosync::test;
using ptosync::fuzz::RandomSource;

namespace {

/// An event with all that may differ from one iteration to another.
struct Issued {
  const Statement *statement = nullptr;
  std::vector<std::int64_t> numbers;
  bool operator==(const Issued &) const = default;
};

Issued issuedBy(const Replayed &kernel, const Trace &trace, const replay::Event &event) {
  Issued one{event.statement, {event.id}};
  if (event.kind != replay::Event::Kind::Instruction)
    return one;
  const Work &work = kernel.subject->works[trace.instances[event.instance].work];
  one.numbers.insert(one.numbers.end(), work.scalars.begin(), work.scalars.end());
  for (const Phase &phase : work.phases)
    for (const replay::Access &access : phase.accesses)
      one.numbers.insert(one.numbers.end(), {access.bytes.address, access.bytes.footprint.rows,
                                             access.bytes.footprint.rowBytes, access.bytes.footprint.stride});
  return one;
}

/// Fills in the periods that were left out: each is the one before, moved on as that one was.
class FilledIn {
public:
  FilledIn(const Replayed &kernel, const Trace &trace) : kernel(kernel), trace(trace) {}

  std::vector<Issued> all() {
    for (const Skip &skip : trace.skips) {
      addUpTo(skip.events);
      repeat(skip);
    }
    addUpTo(trace.events.size());
    return std::move(list);
  }

private:
  void addUpTo(std::size_t event) {
    for (; next < event; ++next) {
      places.push_back(list.size());
      list.push_back(issuedBy(kernel, trace, trace.events[next]));
    }
  }

  /// The first event of the iteration `back` iterations of its loop before the skip.
  std::size_t startOf(const Skip &skip, std::uint64_t back) const {
    std::uint32_t iteration = skip.iterations, parent = kNone;
    for (std::uint64_t found = 0; found < back;) {
      REQUIRE(iteration > 0);
      const Iteration &visit = trace.iterations[--iteration];
      if (visit.loop != skip.loop || (found && visit.parent != parent))
        continue;
      parent = visit.parent;
      ++found;
    }
    std::size_t event = next;
    while (event > 0 && trace.events[event - 1].iteration != kNone && trace.events[event - 1].iteration >= iteration)
      --event;
    return event < next ? places[event] : list.size();
  }

  void repeat(const Skip &skip) {
    const std::size_t last = startOf(skip, skip.period), before = startOf(skip, 2 * skip.period), end = list.size();
    REQUIRE(end - last == last - before);
    for (std::uint64_t period = 1; period <= skip.periods; ++period)
      for (std::size_t i = last; i < end; ++i) {
        const Issued &one = list[i], &earlier = list[i - (end - last)];
        REQUIRE(one.statement == earlier.statement);
        Issued moved = one;
        for (std::size_t n = 0; n < moved.numbers.size(); ++n)
          moved.numbers[n] += (one.numbers[n] - earlier.numbers[n]) * static_cast<std::int64_t>(period);
        list.push_back(std::move(moved));
      }
  }

  const Replayed &kernel;
  const Trace &trace;
  std::vector<Issued> list;
  std::vector<std::size_t> places; // in the list, by event
  std::size_t next = 0;
};

std::size_t differAt(const std::vector<Issued> &one, const std::vector<Issued> &other) {
  std::size_t i = 0;
  while (i < one.size() && i < other.size() && one[i] == other[i])
    ++i;
  return i;
}

class RandomLoops {
public:
  explicit RandomLoops(std::uint64_t seed) : random(seed) {}

  std::string body() {
    std::string text = tile("a", "float", 1, 8, 0) + tile("b", "float", 1, 8, 0x4000) +
                       "  int32_t s = 0; int32_t t = 1; int64_t w = 3;\n" + "  int32_t ids[3] = {0, 2, 5};\n";
    text += loop("i", random.pick(std::vector<std::string>{"40", "70", "n", "200"}), 2);
    return text + "  TADDS(b, b, 1.0f);\n";
  }

private:
  std::string loop(const std::string &counter, const std::string &trips, int depth) {
    counters.push_back(counter);
    std::string text;
    switch (random.below(5)) {
    case 0:
      text = "  for (int64_t " + counter + " = " + trips + "; " + counter + " > 0; " + counter + " -= 2) {\n";
      break;
    case 1:
      text = "  for (int32_t " + counter + " = 1; " + counter + " <= " + trips + " * 3; " + counter + " += 3) {\n";
      break;
    default: text = "  for (int32_t " + counter + " = 0; " + counter + " < " + trips + "; ++" + counter + ") {\n";
    }
    for (std::int64_t statements = random.between(2, 4); statements > 0; --statements)
      text += statement(depth);
    text += "  }\n";
    counters.pop_back();
    return text;
  }

  std::string statement(int depth) {
    switch (random.below(depth > 0 ? 10 : 7)) {
    case 0: return "  { G g(in + (int64_t) (" + number(2) + ")); TLOAD(a, g); }\n";
    case 1: return "  { G g(out + (int64_t) (" + number(2) + ")); TSTORE(g, b); }\n";
    case 2: return "  TASSIGN(b, (uint64_t) ((" + condition() + ") ? 0x4000 : 0x8000)); TADDS(b, a, 2.0f);\n";
    case 3:
      return "  { event_t e = (event_t) " + std::string(random.chance(50) ? "ids[" + rest(3) + "]" : rest(4)) +
             "; set_flag(PIPE_V, PIPE_MTE3, e); wait_flag(PIPE_V, PIPE_MTE3, e); }\n";
    case 4: return "  " + variable() + " = (int32_t) (" + number(1) + ");\n";
    case 5: return "  " + variable() + " += " + std::to_string(random.between(-2, 3)) + ";\n";
    case 6:
      return "  if (" + condition() + ") { TEXP(a, a); }" +
             (random.chance(30) ? " else { TADDS(a, a, 1.0f); }\n" : "\n");
    case 7: return "  if (" + condition() + ") {\n" + statement(depth - 1) + "  }\n";
    default:
      return loop(std::string(1, static_cast<char>('i' + counters.size())),
                  random.pick(std::vector<std::string>{"3", "9", "20", "s % 5 + 9"}), depth - 1);
    }
  }

  std::string variable() { return random.pick(std::vector<std::string>{"s", "t", "w"}); }
  std::string rest(int count) { return "((uint32_t) (" + number(1) + ") % " + std::to_string(count) + ")"; }

  std::string condition() {
    static const std::vector<std::string> comparisons = {"==", "<", ">=", "!=", "<=", ">"};
    return number(1) + " " + random.pick(comparisons) + " " + number(random.chance(80) ? 0 : 1);
  }

  std::string number(int depth) {
    if (depth == 0 || random.chance(20))
      return std::to_string(random.pick(std::vector<int>{0, 1, 2, 3, 5, 7, 16, 30, 40, 64, 100}));
    if (random.chance(40))
      return random.chance(75) ? random.pick(counters) : variable();
    const std::string left = number(depth - 1),
                      constant = std::to_string(random.pick(std::vector<int>{2, 3, 4, 8, 16, 40}));
    switch (random.below(9)) {
    case 0: return "(" + left + " % " + constant + ")";
    case 1: return "(" + left + " / " + constant + ")";
    case 2: return "(" + left + " & " + random.pick(std::vector<std::string>{"1", "3", "7", "~7"}) + ")";
    case 3: return "(" + left + " * " + constant + ")";
    case 4: return "(" + left + " >> 2)";
    case 5: return "(" + left + " < " + constant + " ? " + left + " : " + constant + ")";
    case 6: return "(" + left + " - " + random.pick(counters) + ")";
    case 7: return "(" + left + " * " + random.pick(counters) + ")";
    default: return "(" + left + " + " + random.pick(counters) + ")";
    }
  }

  RandomSource random;
  std::vector<std::string> counters;
};

/// A kernel whose tensors are rows of eight floats.
std::string kernelWith(const std::string &body) {
  return vectorKernel(
      "  using G = GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, 8, 1>, pto::Layout::ND>;\n" +
      body);
}

} // namespace

TEST_CASE("replay: runs that leave out iterations are runs in full, filled in") {
  std::size_t skips = 0, several = 0, nested = 0, compared = 0;
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    const std::string body = RandomLoops(seed).body();
    Replayed kernel(kernelWith(body));
    kernel.options.budget.instructions = 20000;
    kernel.subject->ways(); // choices are noted, too
    Inputs inputs;
    inputs.arguments[2] = 55;
    inputs.seed = seed % 2; // with others, what iterations that are left out draw is their own
    const Trace full = kernel.run(inputs, Skipping::Forbidden);
    const Trace partly = kernel.run(inputs, Skipping::Allowed);
    if (full.ending != Ending::Returned)
      continue;
    INFO("seed " << seed << "\n" << body);
    REQUIRE(partly.ending == Ending::Returned);
    ++compared;
    skips += partly.skips.size();
    several += partly.skips.size() > 1;
    nested += std::any_of(partly.skips.begin(), partly.skips.end(), [](const Skip &skip) { return skip.depth > 1; });
    std::vector<Issued> expected;
    for (const replay::Event &event : full.events)
      expected.push_back(issuedBy(kernel, full, event));
    const std::vector<Issued> filled = FilledIn(kernel, partly).all();
    const std::size_t apart = differAt(filled, expected);
    CHECK(apart == expected.size());
    CHECK(filled.size() == expected.size());
    CHECK(partly.blocks == full.blocks);
    CHECK(partly.ways == full.ways);
    CHECK(partly.trips == full.trips);
  }
  CHECK(compared > 200);
  CHECK(skips > 150);
  CHECK(several > 30);
  CHECK(nested > 20);
}

TEST_CASE("skipping: the example in the header") {
  Replayed kernel(liftCorpus("swept_places"), "swept_places");
  const Trace &trace = kernel.run();
  REQUIRE(trace.skips.size() == 1);
  CHECK(trace.skips[0].visit == 4); // v12 = 3
  CHECK(trace.skips[0].period == 1);
  CHECK(trace.skips[0].periods == 58);
  CHECK(*trace.trips.begin()->second.begin() == 64);
  CHECK(skippedMeetOthers(*kernel.subject, trace, kernel.rules));
}
