#include "profile/profile.h"

#include "base/json.h"

#include <llvm/ADT/StringRef.h>

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

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedTimingFiles();
}

namespace ptosync::timing {
namespace {

using llvm::StringRef;

/// The word behind `key` and ':' in a detail, whatever blanks stand inside the key; empty without it.
StringRef detailWord(StringRef detail, std::initializer_list<StringRef> keys) {
  while (!detail.empty()) {
    auto [part, rest] = detail.split(',');
    detail = rest;
    auto [key, value] = part.split(':');
    std::string plain;
    for (char c : key)
      if (c != ' ')
        plain += c;
    for (StringRef wanted : keys)
      if (wanted.equals_insensitive(plain))
        return value.trim();
  }
  return {};
}

/// "core12.": the digits behind `word` and a dot or the end.
bool eatNumbered(StringRef &text, StringRef word) {
  if (!text.consume_front(word))
    return false;
  std::size_t digits = std::min(text.find_if_not([](char c) { return c >= '0' && c <= '9'; }), text.size());
  text = text.drop_front(digits);
  return digits > 0;
}

} // namespace

llvm::Expected<ProfileNames> ProfileNames::builtIn() {
  std::string_view text;
  for (const auto &[file, content] : embeddedTimingFiles())
    if (file == "profile_names.json")
      text = content;
  llvm::Expected<JsonDocument> document = JsonDocument::builtIn(text, "profile_names.json");
  if (!document)
    return document.takeError();
  ProfileNames names;
  JsonNode root = document->root();
  for (const JsonNode &queue : root.at("queues").items()) {
    std::vector<std::string> spelled = queue.at("names").texts();
    std::string pipe = queue.at("pipe").text();
    std::optional<Pipe> known = pipe == "PIPE_ALL" ? Pipe::All : parsePipe(pipe);
    if (!known || spelled.empty()) {
      queue.fail("expected a pipe and its names");
      break;
    }
    for (const std::string &name : spelled)
      names.pipes[name] = *known;
    names.byNumber[queue.at("pid").integer()] = spelled.front();
  }
  for (const JsonNode &queue : root.at("otherQueues").items())
    names.byNumber[queue.at("pid").integer()] = queue.at("name").text();
  auto kind = [&](const char *key, ProfileKind is) {
    for (const std::string &name : root.at(key).texts())
      names.kinds[name] = is;
  };
  kind("sets", ProfileKind::Set);
  kind("waits", ProfileKind::Wait);
  kind("barriers", ProfileKind::Barrier);
  kind("registers", ProfileKind::Registers);
  for (const std::string &name : root.at("noInstructions").texts())
    names.beside.insert(name);
  if (llvm::Error error = document->problem())
    return std::move(error);
  return names;
}

std::optional<Pipe> ProfileNames::pipe(std::string_view queue) const {
  auto known = pipes.find(queue);
  if (known == pipes.end())
    return std::nullopt;
  return known->second;
}

std::string ProfileNames::queueOf(std::int64_t pid) const {
  auto known = byNumber.find(pid);
  return known == byNumber.end() ? "" : known->second;
}

llvm::Expected<ProfileRow> ProfileNames::row(std::string_view queue, std::string_view name,
                                             std::string_view detail) const {
  ProfileRow row;
  row.pipe = pipe(queue);
  row.queue = queue;
  row.name = name;
  if (auto known = kinds.find(name); known != kinds.end())
    row.kind = known->second;
  if (row.kind == ProfileKind::Work || row.kind == ProfileKind::Registers)
    return row;
  std::optional<Pipe> source = pipe(detailWord(detail, {"PIPE", "pipe_type"}));
  if (row.kind == ProfileKind::Barrier) {
    if (!source)
      return llvm::createStringError("expected PIPE:P of a barrier, found \"" + StringRef(detail).str() + "\"");
    row.source = row.destination = *source;
    return row;
  }
  std::optional<Pipe> destination = pipe(detailWord(detail, {"TRIGGERPIPE", "tigger_pipe", "trigger_pipe"}));
  StringRef id = detailWord(detail, {"FLAGID", "event_id"});
  if (!source || !destination || id.empty())
    return llvm::createStringError("expected PIPE:P, TRIGGER PIPE:Q and FLAG ID:N of a flag, found \"" +
                                   StringRef(detail).str() + "\"");
  row.source = *source;
  row.destination = *destination;
  std::uint64_t number = 0;
  if (!id.getAsInteger(0, number) && number < 0xffffffff)
    row.id = static_cast<std::int64_t>(number);
  return row;
}

bool isCoreName(std::string_view name) {
  StringRef text(name);
  if (!eatNumbered(text, "core") || !text.consume_front("."))
    return false;
  return (eatNumbered(text, "veccore") || eatNumbered(text, "cubecore")) && text.empty();
}

std::string coreOfPath(std::string_view path) {
  StringRef text(path);
  for (std::size_t at = path.rfind("core"); at != path.npos; at = at ? path.rfind("core", at - 1) : path.npos) {
    StringRef rest = text.drop_front(at);
    if (!eatNumbered(rest, "core") || !rest.consume_front("."))
      continue;
    if (eatNumbered(rest, "veccore") || eatNumbered(rest, "cubecore"))
      return text.slice(at, text.size() - rest.size()).str();
  }
  return {};
}

} // namespace ptosync::timing
