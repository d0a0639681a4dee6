#include "a5_register.h"

#include <algorithm>

namespace a5 {

Lanes elements(unsigned count, unsigned size) {
  Lanes lanes;
  for (unsigned i = 0; i < count && i * size < kBytes; ++i)
    lanes.set(i * size);
  return lanes;
}

Lanes whole(const Lanes &first, unsigned size) {
  Lanes lanes;
  for (unsigned i = 0; i < kBytes; i += size)
    if (first[i])
      for (unsigned j = 0; j < size; ++j)
        lanes.set(i + j);
  return lanes;
}

namespace {
std::vector<std::uint32_t> &pendingReads() {
  static std::vector<std::uint32_t> addresses;
  return addresses;
}

void addSorted(Pieces &pieces, bool write, std::vector<std::uint32_t> &addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
  for (std::uint32_t at : addresses)
    recorder::add(pieces, write, Space::UB, at, at + 1);
  addresses.clear();
}

} // namespace

void use(const Register &value, const Lanes &lanes) {
  for (const Source &source : value.sources) {
    Lanes used = source.each ? source.lanes & lanes : lanes.any() ? source.lanes : Lanes{};
    for (unsigned i = 0; i < kBytes; ++i)
      if (used[i] && (*source.addresses)[i])
        pendingReads().push_back((*source.addresses)[i]);
  }
}

void record(const char *name, std::vector<std::uint32_t> written) {
  Pieces pieces;
  addSorted(pieces, false, pendingReads());
  addSorted(pieces, true, written);
  if (!pieces.empty())
    recorder::access("PIPE_V", name, pieces);
}

void settle(Register &value) {
  if (value.sources.size() <= 64)
    return;
  use(value, Lanes{}.set());
  record("vector function");
  value.sources.clear();
}

Register loaded(std::uint64_t base, const Table &table) {
  auto addresses = std::make_shared<Addresses>();
  for (unsigned i = 0; i < kBytes; ++i)
    (*addresses)[i] = table[i] < 0 ? 0 : static_cast<std::uint32_t>(base + table[i]);
  return {{Source{addresses, Lanes{}.set(), true}}};
}

void permute(Register &result, const Register &input, const Table &table) {
  for (const Source &source : input.sources) {
    Source moved{nullptr, {}, source.each};
    if (!source.each) {
      moved = source;
    } else {
      auto addresses = std::make_shared<Addresses>();
      addresses->fill(0);
      for (unsigned i = 0; i < kBytes; ++i) {
        if (table[i] < 0 || !source.lanes[table[i]])
          continue;
        (*addresses)[i] = (*source.addresses)[table[i]];
        moved.lanes.set(i);
      }
      moved.addresses = std::move(addresses);
    }
    if (moved.lanes.any())
      result.sources.push_back(std::move(moved));
  }
}

void join(Register &result, const Register &input, const Lanes &lanes) {
  for (const Source &source : input.sources) {
    Source part = source;
    if (part.each)
      part.lanes &= lanes;
    else if (lanes.none())
      continue;
    if (part.lanes.none())
      continue;
    bool known = std::any_of(result.sources.begin(), result.sources.end(), [&](Source &other) {
      if (other.addresses != part.addresses || other.each != part.each)
        return false;
      other.lanes |= part.lanes;
      return true;
    });
    if (!known)
      result.sources.push_back(std::move(part));
  }
}

void gather(Register &result, const Register &input, const Lanes &lanes) {
  for (const Source &source : input.sources) {
    Source part{source.addresses, source.each ? source.lanes & lanes : lanes.any() ? source.lanes : Lanes{}, false};
    if (part.lanes.any())
      result.sources.push_back(std::move(part));
  }
}

void store(const Register &value, std::uint64_t base, const Store &how, const Mask &mask) {
  std::vector<std::uint32_t> written;
  Lanes used;
  for (unsigned i = 0; i < (how.one ? how.element : kBytes); i += how.element) {
    if (!mask.may[i])
      continue;
    for (unsigned j = 0; j < how.kept; ++j) {
      used.set(i + j);
      written.push_back(static_cast<std::uint32_t>(base + i / how.element * how.kept + j));
    }
  }
  use(value, used);
  record("vsts", std::move(written));
}

} // namespace a5
