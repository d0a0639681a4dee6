#include "synthesis/sync_text.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <tuple>

namespace ptosync::synthesis {
namespace {

struct Spot {
  std::uint32_t offset;
  AddedSync::Line line;
};

/// Where text behind a child goes: at the end of its line, if nothing but its own semicolon and comments follow there.
Spot spotBehind(const SourceText &source, const Child &child) {
  const std::string &text = source.text();
  std::size_t end = text.find('\n', child.end);
  if (end == std::string::npos)
    end = text.size();
  llvm::StringRef rest = llvm::StringRef(text).slice(child.end, end).trim();
  while (rest.consume_front(";"))
    rest = rest.ltrim();
  bool own = rest.empty() || (rest.starts_with("//") && endOfJoinedLine(text, child.end) == end) ||
             (rest.starts_with("/*") && rest.ends_with("*/"));
  if (!own)
    return {child.end, AddedSync::Line::Shared};
  if (end > 0 && text[end - 1] == '\r')
    --end;
  return {static_cast<std::uint32_t>(end), AddedSync::Line::Behind};
}

/// The event of one sync of a flag whose ids begin with `id`.
std::string eventOf(const Proposal &proposal, const NewSync &sync, std::int64_t id) {
  if (!sync.counted)
    return eventName(id + sync.slot);
  std::string count = proposal.counter;
  if (sync.slot != 0)
    count = "(" + count + " + " + std::to_string(sync.slot) + ")";
  std::string first = id == 0 ? "" : std::to_string(id) + " + ";
  return "(event_t) (" + first + count + " % " + std::to_string(proposal.slots) + ")";
}

} // namespace

AddedSync::Line lineInFront(const SourceText &source, std::uint32_t offset) {
  const std::string &text = source.text();
  std::size_t begin = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  begin = begin == std::string::npos ? 0 : begin + 1;
  bool alone = llvm::StringRef(text).slice(begin, offset).trim().empty();
  return alone ? AddedSync::Line::InFront : AddedSync::Line::Shared;
}

void setReason(AddedSync &added, const OrderReason &reason) {
  added.earlier = reason.earlier;
  added.later = reason.later;
  added.earlierLine = reason.earlierLine;
  added.laterLine = reason.laterLine;
}

std::string eventName(std::int64_t id) {
  return id < 8 ? "EVENT_ID" + std::to_string(id) : "(event_t)" + std::to_string(id);
}

std::string statementText(SyncKind kind, Pipe source, Pipe destination, const std::string &event) {
  if (kind == SyncKind::Barrier)
    return "pipe_barrier(" + std::string(pipeName(source)) + ");";
  return std::string(kind == SyncKind::SetFlag ? "set_flag(" : "wait_flag(") + std::string(pipeName(source)) + ", " +
         std::string(pipeName(destination)) + ", " + event + ");";
}

std::string statementText(SyncKind kind, Pipe source, Pipe destination, std::int64_t id) {
  return statementText(kind, source, destination, eventName(id));
}

std::vector<AddedSync> additionsOf(const Proposal &proposal, std::int64_t id, const SourceText &source,
                                   const StatementTree &tree) {
  std::vector<AddedSync> additions;
  for (const NewSync &sync : proposal.syncs) {
    const Child &child = tree.lists()[sync.place.list].children[sync.place.child];
    Spot spot = sync.place.behind ? spotBehind(source, child) : Spot{child.front, lineInFront(source, child.front)};
    AddedSync added;
    added.kind = sync.kind;
    added.source = proposal.source;
    added.destination = proposal.destination;
    added.id = proposal.isBarrier() || sync.counted ? -1 : id + sync.slot;
    added.statement = statementText(sync.kind, proposal.source, proposal.destination, eventOf(proposal, sync, id));
    added.guard = sync.guard;
    added.offset = spot.offset;
    added.line = spot.line;
    added.beside = child.begin;
    added.rank = sync.place.rank;
    setReason(added, proposal.reasonOf(sync));
    additions.push_back(std::move(added));
  }
  return additions;
}

std::string markOf(std::size_t number) { return "#" + std::to_string(number) + "#"; }

std::size_t markBehind(const SourceText &source, const SyncSite &site) {
  llvm::StringRef text(source.text());
  llvm::StringRef rest = text.substr(site.range.end).ltrim(" ");
  if (!rest.consume_front("// ptosync: orders #") && !rest.consume_front("/* ptosync: orders #"))
    return kNone;
  std::size_t number = 0;
  return rest.consumeInteger(10, number) || !rest.starts_with("#") ? kNone : number;
}

void sortByPlace(std::vector<AddedSync> &added) {
  std::stable_sort(added.begin(), added.end(), [](const AddedSync &a, const AddedSync &b) {
    return std::tie(a.offset, a.rank) < std::tie(b.offset, b.rank);
  });
}

} // namespace ptosync::synthesis
