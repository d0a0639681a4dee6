// What a run may take: that it stays spent, what a part of it leaves alone, and what is said.
#include "base/allowance.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>
#include <vector>

using namespace ptosync;

TEST_CASE("allowance: without bounds it is never spent, and the default one does not count") {
  const Allowance none, counting{Allowance::Bounds()};
  for (int i = 0; i < 5; ++i) {
    CHECK_FALSE(none.spent(WorkUnit::Trial));
    CHECK_FALSE(counting.spent(WorkUnit::Trial));
  }
  CHECK(none.taken().units == Allowance::Taken().units);
  CHECK(counting.taken().units[static_cast<std::size_t>(WorkUnit::Trial)] == 5);
  CHECK_FALSE(none.exceeded());
  CHECK_FALSE(counting.hadPart());
  CHECK_FALSE(counting.part(0.5).over());
}

TEST_CASE("allowance: what is spent stays spent, for every copy, and is not counted") {
  Allowance::Bounds bounds;
  bounds.asked = 3;
  const Allowance allowance(bounds), copy = allowance;
  CHECK_FALSE(allowance.spent(WorkUnit::Trial));
  CHECK_FALSE(copy.over());
  CHECK_FALSE(allowance.exceeded());
  CHECK(copy.spent(WorkUnit::Trial));
  CHECK(allowance.exceeded());
  CHECK(allowance.spent(WorkUnit::Trial));
  CHECK(allowance.taken().units[static_cast<std::size_t>(WorkUnit::Trial)] == 2);
}

TEST_CASE("allowance: a part ends earlier and leaves the whole alone; the whole ends its parts") {
  Allowance::Bounds bounds;
  bounds.asked = 11;
  const Allowance whole(bounds);
  CHECK_FALSE(whole.over());
  const Allowance part = whole.part(0.5); // of the ten that are left
  for (int i = 0; i < 4; ++i)
    CHECK_FALSE(part.spent(WorkUnit::Run));
  CHECK(part.spent(WorkUnit::Run));
  CHECK(part.exceeded());
  CHECK_FALSE(whole.exceeded());
  CHECK(whole.hadPart());
  CHECK(whole.taken().units[static_cast<std::size_t>(WorkUnit::Run)] == 5);
  const Allowance other = whole.part(1);
  while (!whole.over())
    continue;
  CHECK(other.over());
  CHECK(other.exceeded());
}

TEST_CASE("allowance: a time that is over, and the message about it") {
  Allowance::Bounds bounds;
  bounds.seconds = 0.0;
  const Allowance allowance(bounds);
  allowance.stage("reading");
  allowance.stage("deciding");
  CHECK(allowance.reason().empty());
  CHECK(allowance.spent(WorkUnit::Trial));
  CHECK(allowance.reason() == "its 0 s (--time-limit) were over while deciding, after 1 trial");
  CHECK(
      llvm::toString(allowance.error("k.cpp")) ==
      "k.cpp: is left as it is, since its 0 s (--time-limit) were over while deciding, after 1 trial; allow more with "
      "--time-limit, or leave it out with --exclude");
  CHECK(allowance.error("k.cpp").isA<LimitError>());
}

TEST_CASE("allowance: stages, and no time that passes behind the end") {
  const Allowance allowance{Allowance::Bounds()};
  allowance.stage("reading");
  allowance.stage("deciding");
  allowance.sized({2, 30, 4});
  allowance.sized({1, 1, 1});
  allowance.end();
  const Allowance::Taken taken = allowance.taken(), again = allowance.taken();
  REQUIRE(taken.stages.size() == 2);
  CHECK(taken.stages[0].first == "reading");
  CHECK(allowance.ended());
  CHECK(taken.seconds == again.seconds);
  CHECK(taken.size.statements == 30);
}

TEST_CASE("allowance: the first that asks past the memory gives up, and the others go on until it has") {
  std::uint64_t inUse = 0, free = 0; // of the process
  Allowance::Bounds bounds;
  bounds.memory =
      std::make_shared<MemoryBound>(2 << 20, [&](bool giveBack) { return giveBack ? inUse : inUse + free; });
  auto ask = [](const Allowance &allowance) {
    std::this_thread::sleep_for(std::chrono::milliseconds(12)); // it is measured now and then
    return allowance.over();
  };
  const Allowance first(bounds), second(bounds);
  CHECK_FALSE(ask(first));
  free = 5 << 20; // what is kept for later is nobody's
  CHECK_FALSE(ask(first));
  inUse = 3 << 20;
  CHECK(ask(first));
  CHECK(first.reason() == "the process had reached its 2 MB (--memory-limit)");
  CHECK_FALSE(ask(second));
  first.end();
  CHECK(ask(second));
}
