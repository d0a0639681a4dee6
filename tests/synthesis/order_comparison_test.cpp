// Versions of a kernel held against each other: by instance, path by path, every kind of order.
#include "synthesis/order_comparison.h"

#include "ordering/analysis.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;
using namespace ptosync::synthesis;

namespace {

const std::string kMeet = "  SYNCALL();\n";
const std::string kLeaveEarly = "  if (n > 3) return;\n";

std::string inLoop(const std::string &body) { return "  for (int32_t i = 0; i < n; ++i) {\n" + body + "  }\n"; }
std::string onRarePath(const std::string &body) { return "  if (n % 1009 == 640) {\n" + body + "  }\n"; }

/// The kind of the order that the second version has lost; empty if none.
std::optional<ObligationKind> lost(const std::string &before, const std::string &after) {
  const Module was = lift(smallBody(before)), is = lift(smallBody(after));
  std::optional<LostOrder> found = llvm::cantFail(lostOrder(was.kernels.front(), is.kernels.front(), machineOf("a3"),
                                                            OrderingOptions(), PathCheck::FaultyFlags::MayOrder));
  return found ? std::optional(found->kind) : std::nullopt;
}

} // namespace

TEST_CASE("order comparison: one open instance excuses no other, and no other path") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  // The call is open to its own earlier iterations on the common path, before and after.
  CHECK(lost(inLoop(kMeet + onRarePath(all)), inLoop(kMeet + onRarePath(all))) == std::nullopt);
  CHECK(lost(inLoop(kMeet + onRarePath(all)), inLoop(kMeet + onRarePath(""))) == ObligationKind::Fence);
  CHECK(lost(inLoop(kMeet + onRarePath("")), inLoop(kMeet + onRarePath(all))) == std::nullopt);
  // On one path of two that are alike.
  const std::string other = "  if (n % 1013 == 12) {\n" + all + "  }\n";
  CHECK(lost(inLoop(kMeet + onRarePath(all) + other), inLoop(kMeet + onRarePath("") + other)) == ObligationKind::Fence);
}

TEST_CASE("order comparison: what only a contested rule orders, flags set again, and the end") {
  const std::string load = "  TLOAD(a, g);\n", barrier = "  pipe_barrier(PIPE_MTE2);\n";
  CHECK(lost(load + onRarePath(barrier) + load, load + onRarePath("") + load) == ObligationKind::Conflict);
  CHECK(lost(load + onRarePath(barrier) + load, load + barrier + onRarePath("") + load) == std::nullopt);

  auto pair = [](const std::string &pipes, const std::string &id) {
    return "  set_flag(" + pipes + ", EVENT_ID" + id + ");\n  wait_flag(" + pipes + ", EVENT_ID" + id + ");\n";
  };
  const std::string use = load + pair("PIPE_MTE2, PIPE_V", "0") + "  TADDS(a, a, 1.0f);\n";
  const std::string back = pair("PIPE_V, PIPE_MTE2", "1"), again = pair("PIPE_MTE2, PIPE_V", "0");
  CHECK(lost(use + onRarePath(back) + again, use + onRarePath("") + again) == ObligationKind::FlagReuse);
  CHECK(lost(use + onRarePath(back) + again, use + onRarePath(back) + again) == std::nullopt);
  // A flag that is new has no excuse in a kernel that does not have it.
  CHECK(lost(use, use + again) == ObligationKind::FlagReuse);

  const std::string all = "  pipe_barrier(PIPE_ALL);\n";
  CHECK(lost(kMeet + onRarePath(all) + kLeaveEarly, kMeet + onRarePath("") + kLeaveEarly) == ObligationKind::End);
  CHECK(lost(kMeet + onRarePath(all) + kLeaveEarly, kMeet + all + onRarePath("") + kLeaveEarly) == std::nullopt);
}

TEST_CASE("order comparison: versions that cannot be merged keep what is seen to be kept, and no more") {
  const std::string all = "  pipe_barrier(PIPE_ALL);\n", work = "  TADDS(a, b, 1.0f);\n  TADDS(c, a, 1.0f);\n";
  CHECK(lost("  TADDS(a, b, 1.0f);\n" + all, "  TADDS(a, b, 1.0f);\n  if (n > 3) {\n" + all + "  }\n") ==
        std::nullopt); // nothing is open
  CHECK(lost(inLoop(kMeet + all), inLoop(kMeet + "  if (n > 3) {\n" + all + "  }\n")) == ObligationKind::Fence);
}
