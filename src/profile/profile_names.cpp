#include "profile/profile_names.h"

#include "base/json.h"

#include <llvm/ADT/StringRef.h>

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
