// Who is known to be complete, in both versions of a kernel at once: the state of the checker's walk.
//
//   of each occurrence of an access that may still run: the ways to here, each as two sets of rows
//     unknown   AFTER: the pipes (and flags, and releases of buffer ids) that may not know it to be complete
//     known     BEFORE: those that may know it
//
//   1  TLOAD(a)                       1: unknown V MTE3 .., known -
//   2  set_flag(MTE2, V, 0)           the flag knows it, in both
//   3  wait_flag(MTE2, V, 0)          1: unknown MTE3 .., known V            (both versions have it)
//      pipe_barrier(V)                of BEFORE alone: known gains V's own work
//   4  TADDS(c, a)                    V is not among the unknown: AFTER orders 1 before 4
//
// An order is lost where some way comes to the later access with its pipe both unknown and known. Syncs act on each
// occurrence by itself, so ways are exact: an order that both versions have on some ways only is not taken for lost.
// `unknown` only shrinks and `known` only grows as a way goes on, and a way whose rows are among those of another one
// shows nothing that the other does not, so it is left out; so is an occurrence that every pipe of AFTER knows.
// Joins unite the ways. Tested by tests/check/check_test.cpp.
#pragma once

#include <array>
#include <bitset>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::check {

/// An occurrence of a node: in this iteration of every loop around it (`loop` 0), or so many iterations of `loop` ago.
struct Instance {
  int node = 0, loop = 0, age = 0;
  auto operator<=>(const Instance &) const = default;
};

constexpr std::size_t kRows = 256; // pipes first; then flags and releases as they are met
using Rows = std::bitset<kRows>;

struct Way {
  Rows unknown, known;
  bool operator==(const Way &) const = default;
};

/// Ways of which none shows what another one shows; in an order of their own.
class Ways {
public:
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  std::size_t size() const { return list.size(); }
  void add(const Way &way);
  void unite(const Ways &other);
  /// Every way becomes another one.
  void change(const std::function<void(Way &)> &how);
  bool operator==(const Ways &) const = default;

private:
  std::vector<Way> list;
};

struct Orders {
  std::map<Instance, Ways> running;
  std::map<int, int> tokens; // AFTER's flags by row: 1 set, 2 not the same on all ways; no entry: empty
  std::set<int> held;        // AFTER's buffer ids, by the row of their releases

  bool operator==(const Orders &) const = default;
  void join(const Orders &other);
  /// What started in this run of `loop` (`within`) is one iteration older, up to `most`.
  void age(int loop, const std::function<bool(const Instance &)> &within, int most);
  /// The loop is left: whichever iteration it was does not matter any more.
  void leave(int loop);
  /// Every way of every occurrence becomes another one; what `pipes` rows of AFTER all know is left out.
  void change(std::size_t pipes, const std::function<void(const Instance &, Way &)> &how);

private:
  void rename(const std::function<Instance(const Instance &)> &to);
};

} // namespace ptosync::check
