#include "synthesis/sync_places.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

namespace ptosync::synthesis {

SyncPlaces::SyncPlaces(const Kernel &kernel, const StatementTree &tree, const SourceText &source,
                       const Program &program)
    : tree(tree), source(source) {
  for (const Node &node : program.nodes)
    if (!node.accesses.empty() || node.fence)
      for (ChildPlace place : tree.pathOf(*node.statement))
        pipes[place].insert(node.pipe);
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *sync = std::get_if<Sync>(&statement.action); sync && sync->kind == SyncKind::Tail)
        for (ChildPlace place : tree.pathOf(statement))
          ends.try_emplace(place.list, place.child);
}

bool SyncPlaces::holdsLoop(ListId list, std::uint32_t child) const {
  for (ListId inner : tree.lists()[list].children[child].lists)
    if (tree.lists()[inner].role == ListRole::Loop)
      return true;
  return false;
}

bool SyncPlaces::runsOn(ListId list, std::uint32_t child, Pipe pipe) const {
  auto found = pipes.find({list, child});
  return found != pipes.end() && found->second.count(pipe);
}

bool SyncPlaces::holds(ListId list, std::uint32_t child, const std::set<std::uint32_t> &offsets) const {
  const BraceList::Child &of = tree.lists()[list].children[child];
  auto first = offsets.lower_bound(of.begin);
  return first != offsets.end() && *first < of.end;
}

std::optional<TextPlace> SyncPlaces::inFront(ListId list, std::uint32_t child) const {
  const std::vector<BraceList::Child> &children = tree.lists()[list].children;
  if (child >= children.size() || children[child].empty)
    return std::nullopt;
  std::uint32_t from = child ? children[child - 1].end : tree.lists()[list].open;
  if (llvm::StringRef(source.text()).slice(from, children[child].begin).contains("ptosync"))
    return std::nullopt; // a comment of the tool's belongs to what stands below it
  return TextPlace{list, child, false, 0};
}

std::optional<TextPlace> SyncPlaces::behind(ListId list, std::uint32_t child) const {
  const std::vector<BraceList::Child> &children = tree.lists()[list].children;
  if (child >= children.size() || children[child].empty)
    return std::nullopt;
  return TextPlace{list, child, true, 0};
}

/// In front of child `child`, or behind the last one.
std::optional<TextPlace> SyncPlaces::gap(ListId list, std::uint32_t child, SyncKind kind) const {
  std::uint32_t count = static_cast<std::uint32_t>(tree.lists()[list].children.size());
  bool loopBehind = child < count && holdsLoop(list, child), loopInFront = child > 0 && holdsLoop(list, child - 1);
  bool front = kind == SyncKind::SetFlag ? loopBehind && !loopInFront : !loopInFront;
  std::optional<TextPlace> first = front ? inFront(list, child) : child > 0 ? behind(list, child - 1) : std::nullopt;
  if (first)
    return first;
  return front ? (child > 0 ? behind(list, child - 1) : std::nullopt) : inFront(list, child);
}

std::vector<TextPlace> SyncPlaces::forFlag(SyncKind kind, Pipe pipe, const std::set<std::uint32_t> &beside) const {
  std::vector<TextPlace> places;
  for (ListId list = 0; list < tree.lists().size(); ++list) {
    const std::vector<BraceList::Child> &children = tree.lists()[list].children;
    auto end = ends.find(list);
    std::uint32_t last = end == ends.end() ? static_cast<std::uint32_t>(children.size()) : end->second;
    for (std::uint32_t child = 0; child <= last && !children.empty(); ++child) {
      bool telling = false;
      for (std::uint32_t next : {child - 1, child})
        if (next < children.size()) {
          bool work = (kind == SyncKind::SetFlag) == (next != child) && runsOn(list, next, pipe);
          telling = telling || work || holdsLoop(list, next) || holds(list, next, beside);
        }
      if (!telling)
        continue;
      if (std::optional<TextPlace> place = gap(list, child, kind))
        places.push_back(*place);
    }
  }
  return places;
}

std::optional<TextPlace> SyncPlaces::inFrontOf(std::uint32_t offset) const {
  for (ListId list = 0; list < tree.lists().size(); ++list)
    for (std::uint32_t child = 0; child < tree.lists()[list].children.size(); ++child)
      if (tree.lists()[list].children[child].begin == offset)
        return inFront(list, child);
  return std::nullopt;
}

bool SyncPlaces::definesBehind(const TextPlace &place, std::uint32_t use, std::string_view expression) const {
  auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  const std::vector<BraceList::Child> &children = tree.lists()[place.list].children;
  for (llvm::StringRef rest(expression.data(), expression.size()); !rest.empty();) {
    rest = rest.drop_until(isWord);
    llvm::StringRef name = rest.take_while(isWord);
    rest = rest.drop_front(name.size());
    if (name.empty() || llvm::isDigit(name.front()))
      continue;
    for (std::uint32_t child = place.behind ? place.child + 1 : place.child; child < use; ++child) {
      llvm::StringRef text = llvm::StringRef(source.text()).slice(children[child].begin, children[child].end);
      for (std::size_t at = text.find(name); at != llvm::StringRef::npos; at = text.find(name, at + 1)) {
        llvm::StringRef after = text.drop_front(at + name.size());
        bool whole = (at == 0 || !isWord(text[at - 1])) && (after.empty() || !isWord(after.front()));
        after = after.ltrim();
        bool call = after.starts_with(")") || after.starts_with(",");
        if (whole && !call)
          return true;
      }
    }
  }
  return false;
}

std::uint32_t SyncPlaces::offsetOf(const TextPlace &place) const {
  const BraceList::Child &child = tree.child({place.list, place.child});
  return place.behind ? child.end : child.begin;
}

std::uint32_t SyncPlaces::lineOf(const TextPlace &place) const { return source.position(offsetOf(place)).line; }

} // namespace ptosync::synthesis
