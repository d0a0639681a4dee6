#include "rewrite/line_matcher.h"

#include <cstddef>
#include <optional>
#include <utility>

namespace ptosync {
namespace {

using Lines = std::vector<std::uint32_t>;

/// Lines [oldBegin, oldEnd) against [newBegin, newEnd).
struct Box {
  std::ptrdiff_t oldBegin, oldEnd, newBegin, newEnd;
  std::ptrdiff_t height() const { return oldEnd - oldBegin; }
  std::ptrdiff_t width() const { return newEnd - newBegin; }
};

/// A place between lines of both sides, relative to the begin of a box.
struct Point {
  std::ptrdiff_t oldLine, newLine;
};

/// One of the two searches: how far each diagonal (old line - new line) was reached with the edits
/// spent so far, counted from the search's own corner.
class Frontier {
public:
  Frontier(const Box &box, std::ptrdiff_t limit)
      : height(box.height()), width(box.width()), offset(limit), reach(static_cast<std::size_t>(2 * limit + 2), -1) {
    at(1) = 0;
  }

  /// Spends one more edit on every diagonal in reach and follows equal lines. `equal(x, y)`
  /// compares lines x and y counted from this corner; `meets(diagonal, x)` stops the search.
  template <typename Equal, typename Meets>
  std::optional<Point> advance(std::ptrdiff_t edits, const Equal &equal, const Meets &meets) {
    for (std::ptrdiff_t diagonal = -edits + skipLow; diagonal <= edits - skipHigh; diagonal += 2) {
      bool fromAbove = diagonal == -edits || (diagonal != edits && at(diagonal - 1) < at(diagonal + 1));
      std::ptrdiff_t x = fromAbove ? at(diagonal + 1) : at(diagonal - 1) + 1;
      std::ptrdiff_t y = x - diagonal;
      while (x < height && y < width && equal(x, y))
        ++x, ++y;
      at(diagonal) = x;
      // Diagonals that left the box are not followed any further.
      if (x > height)
        skipHigh += 2;
      else if (y > width)
        skipLow += 2;
      else if (meets(diagonal, x))
        return Point{x, y};
    }
    return std::nullopt;
  }

  /// -1 if the diagonal was not reached.
  std::ptrdiff_t reached(std::ptrdiff_t diagonal) const {
    std::ptrdiff_t slot = diagonal + offset;
    return slot >= 0 && slot < static_cast<std::ptrdiff_t>(reach.size()) ? reach[static_cast<std::size_t>(slot)] : -1;
  }

  /// False if the search left the box, or never came to `x`, on that diagonal.
  bool inside(std::ptrdiff_t diagonal, std::ptrdiff_t x) const {
    return x >= 0 && x <= height && x - diagonal >= 0 && x - diagonal <= width;
  }

private:
  std::ptrdiff_t &at(std::ptrdiff_t diagonal) { return reach[static_cast<std::size_t>(diagonal + offset)]; }

  std::ptrdiff_t height, width, offset;
  std::ptrdiff_t skipLow = 0, skipHigh = 0;
  std::vector<std::ptrdiff_t> reach;
};

class Matcher {
public:
  Matcher(const Lines &before, const Lines &after) : before(before), after(after) {
    changed.removed.resize(before.size());
    changed.added.resize(after.size());
  }

  ChangedLines run() && {
    match({0, static_cast<std::ptrdiff_t>(before.size()), 0, static_cast<std::ptrdiff_t>(after.size())});
    return std::move(changed);
  }

private:
  bool equal(std::ptrdiff_t oldLine, std::ptrdiff_t newLine) const {
    return before[static_cast<std::size_t>(oldLine)] == after[static_cast<std::size_t>(newLine)];
  }

  void match(Box box) {
    while (box.height() > 0 && box.width() > 0 && equal(box.oldBegin, box.newBegin))
      ++box.oldBegin, ++box.newBegin;
    while (box.height() > 0 && box.width() > 0 && equal(box.oldEnd - 1, box.newEnd - 1))
      --box.oldEnd, --box.newEnd;
    std::optional<Point> half;
    if (box.height() > 0 && box.width() > 0)
      half = halfWay(box);
    if (!half)
      return markAll(box);
    match({box.oldBegin, box.oldBegin + half->oldLine, box.newBegin, box.newBegin + half->newLine});
    match({box.oldBegin + half->oldLine, box.oldEnd, box.newBegin + half->newLine, box.newEnd});
  }

  /// Empty if the box has no line in common. The box begins and ends with a difference.
  std::optional<Point> halfWay(const Box &box) const {
    std::ptrdiff_t limit = (box.height() + box.width() + 1) / 2 + 1;
    std::ptrdiff_t delta = box.height() - box.width();
    bool odd = delta % 2 != 0; // then the searches meet in a forward step
    Frontier forward(box, limit), backward(box, limit);
    for (std::ptrdiff_t edits = 0; edits < limit; ++edits) {
      auto fromFront = [&](std::ptrdiff_t x, std::ptrdiff_t y) { return equal(box.oldBegin + x, box.newBegin + y); };
      auto meetsBack = [&](std::ptrdiff_t diagonal, std::ptrdiff_t x) {
        std::ptrdiff_t other = backward.reached(delta - diagonal);
        return odd && backward.inside(delta - diagonal, other) && x + other >= box.height();
      };
      if (std::optional<Point> point = forward.advance(edits, fromFront, meetsBack))
        return point;
      auto fromBack = [&](std::ptrdiff_t x, std::ptrdiff_t y) { return equal(box.oldEnd - 1 - x, box.newEnd - 1 - y); };
      auto meetsFront = [&](std::ptrdiff_t diagonal, std::ptrdiff_t x) {
        std::ptrdiff_t other = forward.reached(delta - diagonal);
        return !odd && forward.inside(delta - diagonal, other) && x + other >= box.height();
      };
      if (std::optional<Point> point = backward.advance(edits, fromBack, meetsFront))
        return Point{box.height() - point->oldLine, box.width() - point->newLine};
    }
    return std::nullopt;
  }

  void markAll(const Box &box) {
    for (std::ptrdiff_t line = box.oldBegin; line < box.oldEnd; ++line)
      changed.removed[static_cast<std::size_t>(line)] = true;
    for (std::ptrdiff_t line = box.newBegin; line < box.newEnd; ++line)
      changed.added[static_cast<std::size_t>(line)] = true;
  }

  const Lines &before, &after;
  ChangedLines changed;
};

} // namespace

ChangedLines matchLines(const Lines &before, const Lines &after) { return Matcher(before, after).run(); }

} // namespace ptosync
