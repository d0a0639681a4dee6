#include "profile/profile.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace ptosync::timing {
namespace {

/// Cycles that are covered by the pipe's own work, whatever overlaps.
void fillBusy(CoreProfile &profile) {
  std::array<double, kPipeCount> reached{};
  for (const ProfileEvent &event : profile.events) {
    const ProfileRow &row = profile.rows[event.row];
    if (row.kind != ProfileKind::Work || !row.pipe || *row.pipe == Pipe::All)
      continue;
    double &end = reached[index(*row.pipe)];
    profile.busy[index(*row.pipe)] += std::max(0.0, event.end - std::max(event.start, end));
    end = std::max(end, event.end);
  }
}

} // namespace

std::string_view formatName(ProfileFormat format) {
  switch (format) {
  case ProfileFormat::InstrExe: return "instr_exe csv";
  case ProfileFormat::RawLogs: return "raw logs";
  case ProfileFormat::Trace: return "trace.json";
  }
  return "?";
}

ProfileBuilder::ProfileBuilder(std::string core, ProfileFormat format, std::string file) {
  profile.core = std::move(core);
  profile.format = format;
  profile.file = std::move(file);
}

std::uint32_t ProfileBuilder::rowOf(const ProfileRow &row) {
  auto [place, fresh] = known.try_emplace({row.kind, row.queue, row.name, row.source, row.destination,
                                           row.id.value_or(std::numeric_limits<std::int64_t>::max())},
                                          static_cast<std::uint32_t>(profile.rows.size()));
  if (fresh)
    profile.rows.push_back(row);
  return place->second;
}

void ProfileBuilder::count(std::uint32_t row, double count, double cycles) {
  profile.rows[row].count += count;
  profile.rows[row].cycles += cycles;
}

void ProfileBuilder::execution(std::uint32_t row, double start, double end, std::uint32_t order) {
  count(row, 1, end - start);
  first = any ? std::min(first, start) : start;
  last = any ? std::max(last, end) : end;
  any = true;
  full |= profile.events.size() >= kMostProfileEvents;
  if (!full)
    profile.events.push_back({start, end, row, order});
}

void ProfileBuilder::address(std::uint64_t address, std::uint32_t row, double count, double cycles) {
  profile.addresses.push_back({address, row, count, cycles});
}

CoreProfile ProfileBuilder::finish() {
  if (full) // a part of them would be taken for the whole
    std::vector<ProfileEvent>().swap(profile.events);
  std::vector<std::uint32_t> order, place(profile.rows.size());
  for (const auto &[key, row] : known)
    order.push_back(row);
  std::vector<ProfileRow> rows;
  for (std::uint32_t row : order) {
    place[row] = static_cast<std::uint32_t>(rows.size());
    rows.push_back(std::move(profile.rows[row]));
  }
  profile.rows = std::move(rows);
  for (ProfileAddress &address : profile.addresses)
    address.row = place[address.row];
  std::stable_sort(profile.addresses.begin(), profile.addresses.end(),
                   [](const ProfileAddress &a, const ProfileAddress &b) { return a.address < b.address; });
  for (ProfileEvent &event : profile.events) {
    event.row = place[event.row];
    event.start -= first;
    event.end -= first;
  }
  std::stable_sort(profile.events.begin(), profile.events.end(), [](const ProfileEvent &a, const ProfileEvent &b) {
    return a.start != b.start ? a.start < b.start : a.order < b.order;
  });
  profile.cycles = any ? last - first : 0;
  fillBusy(profile);
  return std::move(profile);
}

} // namespace ptosync::timing
