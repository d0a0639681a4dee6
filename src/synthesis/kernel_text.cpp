#include "synthesis/kernel_text.h"

#include <algorithm>

namespace ptosync::synthesis {
namespace {

/// The first brace of each context that has a statement in a list.
std::map<std::uint32_t, std::uint32_t> firstBraces(const Kernel &kernel) {
  std::map<std::uint32_t, std::uint32_t> first;
  auto see = [&](std::uint32_t context, Anchor anchor) {
    if (anchor.list == kNone)
      return;
    auto [known, inserted] = first.try_emplace(context, anchor.list);
    known->second = std::min(known->second, anchor.list);
  };
  for (const Block &block : kernel.blocks) {
    for (const Statement &statement : block.statements)
      see(statement.context, statement.anchor);
    see(block.terminator.context, block.terminator.anchor);
  }
  return first;
}

} // namespace

llvm::Expected<KernelText> KernelText::read(const Kernel &kernel, const SourceText &source) {
  std::map<std::uint32_t, std::uint32_t> bodies = firstBraces(kernel);
  auto body = bodies.find(0);
  if (body == bodies.end())
    return llvm::createStringError("it has no statements of its own");
  KernelText text;
  llvm::Expected<StatementTree> tree = StatementTree::read(source, body->second);
  if (!tree)
    return tree.takeError();
  text.statements = std::move(*tree);
  text.opened.insert(0);
  for (std::uint32_t context = 1; context < kernel.contexts.size(); ++context)
    if (llvm::Error error = text.addHelper(kernel, source, context, bodies))
      return std::move(error);
  return text;
}

llvm::Error KernelText::addHelper(const Kernel &kernel, const SourceText &source, std::uint32_t context,
                                  const std::map<std::uint32_t, std::uint32_t> &bodies) {
  const CallContext &call = kernel.contexts[context];
  if (!opened.count(call.parent)) {
    calls[context] = calls[call.parent];
    return llvm::Error::success();
  }
  auto around = bodies.find(call.parent);
  TreePath path;
  if (around != bodies.end())
    if (ListId list = statements.listAt(around->second); list != kNone)
      path = statements.pathToLine(source, list, call.callLine);
  calls[context] = path;
  auto same = std::count_if(kernel.contexts.begin() + 1, kernel.contexts.end(),
                            [&](const CallContext &other) { return other.callee == call.callee; });
  auto body = bodies.find(context);
  if (path.empty() || same != 1 || body == bodies.end() || statements.listAt(body->second) != kNone)
    return llvm::Error::success();
  if (llvm::Error error = statements.addBody(source, body->second, path.back()))
    return error;
  opened.insert(context);
  return llvm::Error::success();
}

TreePath KernelText::pathOf(const Statement &statement) const {
  if (opened.count(statement.context))
    return statements.pathTo(statement.anchor);
  auto call = calls.find(statement.context);
  return call == calls.end() ? TreePath{} : call->second;
}

} // namespace ptosync::synthesis
