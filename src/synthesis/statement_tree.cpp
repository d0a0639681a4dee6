#include "synthesis/statement_tree.h"

#include <algorithm>

namespace ptosync::synthesis {
namespace {

/// The child whose text, with the pragmas that are about it, holds a byte; the number of children if none does.
std::uint32_t childAt(const BraceList &list, std::uint32_t offset) {
  auto child = std::upper_bound(list.children.begin(), list.children.end(), offset,
                                [](std::uint32_t at, const BraceList::Child &one) { return at < one.front; });
  if (child == list.children.begin() || offset >= std::prev(child)->end)
    return static_cast<std::uint32_t>(list.children.size());
  return static_cast<std::uint32_t>(std::prev(child) - list.children.begin());
}

/// By context that has a statement in a list: the body which that is in, a list of the kernel. What runs in front of a
/// body, in the same context, may stand in the caller's: the first of them in the text is meant.
std::map<std::uint32_t, ListId> bodiesOf(const Kernel &kernel) {
  std::map<std::uint32_t, ListId> byOpen;
  for (ListId list = 0; list < kernel.lists.size(); ++list)
    byOpen.emplace(kernel.lists[list].open, list);
  std::map<std::uint32_t, ListId> bodies;
  auto see = [&](std::uint32_t context, Anchor anchor) {
    auto list = byOpen.find(anchor.list);
    if (list == byOpen.end())
      return;
    ListId body = list->second;
    while (kernel.lists[body].parent != kNone)
      body = kernel.lists[body].parent;
    auto [known, inserted] = bodies.try_emplace(context, body);
    if (kernel.lists[body].open < kernel.lists[known->second].open)
      known->second = body;
  };
  for (const Block &block : kernel.blocks) {
    for (const Statement &statement : block.statements)
      see(statement.context, statement.anchor);
    see(block.terminator.context, block.terminator.anchor);
  }
  return bodies;
}

} // namespace

llvm::Expected<StatementTree> StatementTree::read(const Kernel &kernel) {
  const std::map<std::uint32_t, ListId> bodies = bodiesOf(kernel);
  auto body = bodies.find(0);
  if (body == bodies.end())
    return llvm::createStringError("it has no statements of its own");
  StatementTree tree;
  if (llvm::Error error = tree.addBody(kernel, body->second, {}))
    return std::move(error);
  tree.opened.insert(0);
  for (std::uint32_t context = 1; context < kernel.contexts.size(); ++context)
    if (llvm::Error error = tree.addHelper(kernel, context, bodies))
      return std::move(error);
  return tree;
}

llvm::Error StatementTree::addBody(const Kernel &kernel, ListId body, ChildPlace call) {
  if (!kernel.lists[body].notFollowed.empty())
    return llvm::createStringError(kernel.lists[body].notFollowed);
  const ListId first = static_cast<ListId>(all.size());
  auto own = [&](ListId list) { return list - body + first; };
  for (ListId list = body; list < kernel.lists.size() && (list == body || kernel.lists[list].parent != kNone); ++list) {
    BraceList &added = all.emplace_back(kernel.lists[list]);
    byOpen[added.open] = own(list);
    added.parent = list == body ? call.list : own(added.parent);
    added.parentChild = list == body ? call.child : added.parentChild;
    for (BraceList::Child &child : added.children)
      for (ListId &inner : child.lists)
        inner = own(inner);
  }
  return llvm::Error::success();
}

llvm::Error StatementTree::addHelper(const Kernel &kernel, std::uint32_t context,
                                     const std::map<std::uint32_t, ListId> &bodies) {
  const CallContext &call = kernel.contexts[context];
  if (!opened.count(call.parent)) {
    calls[context] = calls[call.parent];
    return llvm::Error::success();
  }
  TreePath path;
  if (auto around = bodies.find(call.parent); around != bodies.end() && call.callBegin != kNone)
    path = pathToOffset(byOpen.at(kernel.lists[around->second].open), call.callBegin);
  calls[context] = path;
  const auto same = std::count_if(kernel.contexts.begin() + 1, kernel.contexts.end(),
                                  [&](const CallContext &other) { return other.callee == call.callee; });
  auto body = bodies.find(context);
  if (path.empty() || same != 1 || body == bodies.end() || byOpen.count(kernel.lists[body->second].open))
    return llvm::Error::success();
  if (llvm::Error error = addBody(kernel, body->second, path.back()))
    return error;
  opened.insert(context);
  return llvm::Error::success();
}

TreePath StatementTree::pathOf(const Statement &statement) const {
  if (opened.count(statement.context))
    return pathTo(statement.anchor);
  auto call = calls.find(statement.context);
  return call == calls.end() ? TreePath{} : call->second;
}

TreePath StatementTree::pathTo(Anchor anchor) const {
  auto list = byOpen.find(anchor.list);
  if (list == byOpen.end() || anchor.begin == kNone)
    return {};
  const std::uint32_t child = childAt(all[list->second], anchor.begin);
  return child < all[list->second].children.size() ? pathOf({list->second, child}) : TreePath{};
}

/// To the innermost child under `list` that a byte is part of, bodies of helpers aside; empty if there is none.
TreePath StatementTree::pathToOffset(ListId list, std::uint32_t offset) const {
  const std::uint32_t child = childAt(all[list], offset);
  if (child == all[list].children.size())
    return {};
  for (ListId inner : all[list].children[child].lists)
    if (TreePath path = pathToOffset(inner, offset); !path.empty())
      return path;
  return pathOf({list, child});
}

StatementOrder::StatementOrder(const std::vector<BraceList> &lists) : lists(lists) {
  for (const BraceList &list : lists)
    for (const BraceList::Child &child : list.children) {
      marks.push_back(child.begin);
      if (!child.lists.empty())
        marks.push_back(lists[child.lists.back()].close);
    }
  std::sort(marks.begin(), marks.end());
}

std::uint32_t StatementOrder::before(std::uint32_t offset) const {
  return static_cast<std::uint32_t>(std::lower_bound(marks.begin(), marks.end(), offset) - marks.begin());
}

std::uint32_t StatementOrder::depthAt(std::uint32_t offset) const {
  ListId innermost = kNone;
  for (ListId list = 0; list < lists.size(); ++list)
    if (lists[list].open < offset && offset < lists[list].close &&
        (innermost == kNone || lists[list].open > lists[innermost].open))
      innermost = list;
  std::uint32_t depth = 0;
  for (; innermost != kNone; innermost = lists[innermost].parent)
    ++depth;
  return depth;
}

TreePath StatementTree::pathOf(ChildPlace place) const {
  TreePath path;
  while (place.list != kNone) {
    path.insert(path.begin(), place);
    place = {all[place.list].parent, all[place.list].parentChild};
  }
  return path;
}

} // namespace ptosync::synthesis
