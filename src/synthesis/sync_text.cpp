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

/// Where a comment that begins with `//` ends: at the end of its line, or of the last that a backslash joins to it.
std::size_t endOfJoinedLine(llvm::StringRef text, std::size_t at) {
  while (true) {
    at = std::min(text.find('\n', at), text.size());
    if (at == text.size() || !text.take_front(at).rtrim(" \t\r").ends_with("\\"))
      return at;
    ++at;
  }
}

/// Where a child ends, with the lone semicolons behind it that nothing but white space parts from it: `};`.
std::uint32_t endOf(const StatementTree &tree, const SourceText &source, ChildPlace place) {
  const std::vector<BraceList::Child> &children = tree.lists()[place.list].children;
  std::uint32_t last = place.child;
  auto parted = [&](std::uint32_t next) {
    return !llvm::StringRef(source.text()).slice(children[last].end, children[next].begin).trim().empty();
  };
  while (last + 1 < children.size() && children[last + 1].empty && !parted(last + 1))
    ++last;
  return children[last].end;
}

/// Where text behind a statement that ends at `begin` goes: at the end of its line, if nothing but comments follow
/// there.
Spot spotBehind(const SourceText &source, std::uint32_t begin) {
  const std::string &text = source.text();
  std::size_t end = text.find('\n', begin);
  if (end == std::string::npos)
    end = text.size();
  llvm::StringRef rest = llvm::StringRef(text).slice(begin, end).trim();
  bool own = rest.empty() || (rest.starts_with("//") && endOfJoinedLine(text, begin) == end) ||
             (rest.starts_with("/*") && rest.ends_with("*/"));
  if (!own)
    return {begin, AddedSync::Line::Shared};
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
    const ChildPlace place{sync.place.list, sync.place.child};
    const BraceList::Child &child = tree.child(place);
    Spot spot = sync.place.behind ? spotBehind(source, endOf(tree, source, place))
                                  : Spot{child.front, lineInFront(source, child.front)};
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
    // Where the two statements have nothing between them, what is behind the one and in front of the other begin at one
    // byte.
    added.rank = static_cast<std::uint8_t>(sync.place.rank + (sync.place.behind ? 0 : kRanks));
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
