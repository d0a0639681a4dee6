// Whether two accesses must be ordered: they meet in memory, or one is a fence to the other, and no rule orders them.
//
//   TLOAD(a) one iteration ago, TADD(c, a, b) now     a at 512 * (i % 2): other storage; no meeting
//   TLOAD(a) two or more iterations ago               the same storage: to be ordered
//
// Addresses are linear forms. An unknown is the same for both only if no loop that it changes with may be in another
// iteration; the counter of the loop that lies between the two differs by the distance; every other unknown of the
// earlier one is taken for one of its own. The difference is then held against the sizes, by bounds and by remainders.
// Answers true in doubt. Rules of the machine excuse a pair only where docs/machine.md grades them A or B.
// Tested by tests/check/check_test.cpp.
#pragma once

#include "check/walk.h"

namespace ptosync::check {

class Meetings {
public:
  explicit Meetings(Scene &scene) : scene(scene), machine(scene.machine), numbers(scene.numbers), nodes(scene.nodes) {}

  /// Returns true if the earlier one must be over before the later one starts; `later` -1: before the kernel ends.
  bool mustOrder(const Instance &earlier, int later);

private:
  Number asSeenFrom(const Number &value, const Instance &earlier, const Node &later);
  bool overlaps(const Access &a, const Instance &earlier, const Access &b, const Node &later);
  bool isFence(const Node &earlier, const Node &later, bool sameIteration) const;
  bool holds(const Node &call, const Node &other) const;
  bool argumentsDistinct() const;
  Number unwrapped(const Number &value, std::int64_t &modulus) const;
  Number withoutWraps(const Number &value) const;
  Number wholeSum(const Number &value, int bits, std::map<int, Number> &seen) const;
  bool apart(const Number &distance, const Bytes &one, const Bytes &other) const;
  bool excused(const Instance &earlier, const Node &later,
               const std::vector<std::pair<const Access *, const Access *>> &hits);
  bool isAt(const Access &access, const Access &of, const Instance &earlier, const Node &later);
  bool chained(const Instance &earlier, const Node &later,
               const std::vector<std::pair<const Access *, const Access *>> &hits);
  std::set<int> together(const Instance &earlier, const Node &later) const;

  const Scene &scene;
  const Machine &machine;
  Numbers &numbers;
  const std::vector<Node> &nodes;
};

} // namespace ptosync::check
