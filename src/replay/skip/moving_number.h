// Numbers that move evenly while loops go on, and for how many periods they do.
//
//   in the last period that was run     and p periods later
//   i = 3                               3 + p
//   i * 64 = 192                        192 + 64 p
//   i == 40: false                      false up to p = 36: the course is cut short to that
//   i % 4 = 3                           not known beyond p = 0: cut short, or not known at all
//
// A Course is the periods that are gone through at once: some of one loop, which may become fewer while it is
// gone through, and fixed numbers of loops inside. What it computes of moving numbers is what C++ computes in each of
// its periods: a result is right throughout the course as it then is, or `known` is false. Where an operation is even
// only for a while, the course is cut short to that while, but not below the period that was run. A comparison of
// moving numbers of which memory decides one is not known, unless what this run has drawn is all that is asked about.
// Tested by tests/replay/skip/moving_number_test.cpp, against each period computed by itself.
#pragma once

#include "kernel/expression.h"

#include <array>
#include <cstdint>
#include <vector>

namespace ptosync::replay {

/// How deep loops may nest that are gone through at once.
inline constexpr std::size_t kMostCourses = 4;

struct Moving {
  std::int64_t bits = 0;                          // at the beginning of the course
  std::array<std::int64_t, kMostCourses> gains{}; // with each period, by loop, the outermost first; modulo 2^64
  bool known = true;                              // false: nothing is said of it
  bool byMemory = false;                          // memory contents have a part in it
  bool steady() const;                            // known, and the same throughout the course
  bool operator==(const Moving &) const = default;
};

class Course {
public:
  /// Up to `most` periods behind the one that was run.
  explicit Course(std::uint64_t most) : most(most) {}

  /// So many periods behind the one that was run are still part of the course.
  std::uint64_t periods() const { return most; }
  /// Why they are no more: what `because` was when they became so few.
  int limit() const { return limitedBy; }
  void because(int reason) { reasonNow = reason; }

  /// A loop inside, of which `periods` periods behind one that was run are gone through at once from here on; false if
  /// loops nest too deep.
  bool enter(std::uint64_t periods);
  void leave();
  std::size_t depth() const { return 1 + inner.size(); }

  /// `operands` is the type of both operands.
  Moving binary(Operator op, IntegerType operands, const Moving &left, const Moving &right);
  /// A comparison, with what memory holds as it was drawn.
  Moving comparedAsDrawn(Operator op, IntegerType operands, Moving left, Moving right);
  Moving unary(Operator op, IntegerType type, const Moving &value);
  Moving converted(Moving value, IntegerType type);
  /// Whether it is not 0: 1 or 0.
  Moving truth(const Moving &value, IntegerType type);

private:
  using Wide = __int128;
  /// The same as a Moving that wraps nowhere.
  struct Line {
    Wide now = 0;
    std::array<Wide, kMostCourses> gains{};
  };

  static Line lineOf(const Moving &value);
  void cut(Wide periods);
  bool keepWithin(const Line &line, Wide low, Wide high);
  bool keepIn(const Moving &value, IntegerType type);
  Moving compared(Operator op, IntegerType type, const Moving &left, const Moving &right);
  bool keepOutcome(Operator op, const Line &difference, bool outcome);
  Moving product(IntegerType type, const Moving &left, const Moving &right);
  bool divide(const Moving &value, Wide divisor, Moving &quotient, Moving &rest);
  Moving quotient(Operator op, IntegerType type, const Moving &left, const Moving &right);
  Moving shifted(Operator op, IntegerType type, const Moving &left, const Moving &right);
  Moving masked(const Moving &value, std::int64_t mask, bool byMemory);

  std::uint64_t most;
  std::vector<std::uint64_t> inner;
  int limitedBy = 0, reasonNow = 0;
};

} // namespace ptosync::replay
