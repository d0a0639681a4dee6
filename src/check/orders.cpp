#include "check/orders.h"

#include "check/text.h"

#include <algorithm>

namespace ptosync::check {
namespace {

constexpr std::size_t kMostWays = 64; // of one occurrence at one place

bool among(const Rows &part, const Rows &whole) { return (part & ~whole).none(); }

bool before(const Rows &a, const Rows &b) {
  for (std::size_t i = 0; i < kRows; ++i)
    if (a[i] != b[i])
      return b[i];
  return false;
}

} // namespace

void Ways::add(const Way &way) {
  for (const Way &one : list)
    if (among(way.unknown, one.unknown) && among(way.known, one.known))
      return;
  std::erase_if(list, [&](const Way &one) { return among(one.unknown, way.unknown) && among(one.known, way.known); });
  auto less = [](const Way &a, const Way &b) {
    return a.unknown == b.unknown ? before(a.known, b.known) : before(a.unknown, b.unknown);
  };
  list.insert(std::lower_bound(list.begin(), list.end(), way, less), way);
  if (list.size() > kMostWays)
    throw Refused{"too many ways to one place"};
}

void Ways::unite(const Ways &other) {
  if (list == other.list)
    return;
  for (const Way &way : other)
    add(way);
}

void Ways::change(const std::function<void(Way &)> &how) {
  if (list.size() == 1)
    return how(list[0]);
  std::vector<Way> all = std::move(list);
  list.clear();
  for (Way &way : all) {
    how(way);
    add(way);
  }
}

void Orders::join(const Orders &other) {
  for (const auto &[instance, ways] : other.running)
    running[instance].unite(ways);
  for (const auto &[row, state] : other.tokens)
    if (auto [entry, fresh] = tokens.try_emplace(row, 2); !fresh && entry->second != state)
      entry->second = 2;
  for (auto &[row, state] : tokens)
    if (!other.tokens.count(row))
      state = 2;
  if (held != other.held)
    throw Refused{"a buffer id is held on some ways only"};
}

void Orders::rename(const std::function<Instance(const Instance &)> &to) {
  std::map<Instance, Ways> renamed;
  for (auto &[instance, ways] : running) {
    auto [entry, fresh] = renamed.try_emplace(to(instance));
    fresh ? void(entry->second = std::move(ways)) : entry->second.unite(ways);
  }
  running = std::move(renamed);
}

void Orders::age(int loop, const std::function<bool(const Instance &)> &within, int most) {
  rename([&](const Instance &one) {
    return !within(one) ? one : Instance{one.node, loop, one.loop == loop ? std::min(one.age + 1, most) : 1};
  });
}

void Orders::leave(int loop) {
  rename([&](const Instance &one) { return one.loop == loop ? Instance{one.node, 0, 0} : one; });
}

void Orders::change(std::size_t pipes, const std::function<void(const Instance &, Way &)> &how) {
  Rows ofPipes;
  for (std::size_t p = 0; p < pipes; ++p)
    ofPipes.set(p);
  for (auto at = running.begin(); at != running.end();) {
    at->second.change([&](Way &way) { how(at->first, way); });
    bool over = std::all_of(at->second.begin(), at->second.end(),
                            [&](const Way &way) { return (way.unknown & ofPipes).none(); });
    at = over ? running.erase(at) : std::next(at);
  }
}

} // namespace ptosync::check
