#include "audit/path_text.h"

#include "kernel/kernel.h"

namespace ptosync {
namespace {

std::string branchText(const Analysis &kernel, const PathStop &stop) {
  const Terminator &end = kernel.kernel().blocks[stop.block].terminator;
  std::string condition = oneLine(printExpression(kernel.kernel(), end.condition));
  BlockId target = stop.taken ? end.whenTrue : end.whenFalse;
  for (LoopId loop = kernel.program().graph->loopOf(stop.block); loop != kNone;
       loop = kernel.program().graph->loops()[loop].parent)
    if (!kernel.program().graph->loopContains(loop, target))
      return "the loop is left: " + condition + (stop.taken ? " holds" : " does not hold");
  return condition + (stop.taken ? " holds" : " does not hold");
}

} // namespace

std::vector<FindingNote> describePath(const AuditContext &context, const Analysis &kernel, const FoundPath &path) {
  std::vector<FindingNote> notes;
  for (const PathStop &stop : path.stops) {
    FindingNote note;
    if (stop.statement) {
      note = context.note(*stop.statement, context.text(*stop.statement));
    } else {
      std::uint32_t line = kernel.kernel().blocks[stop.block].terminator.line;
      note = {{line, 1, line, 1}, branchText(kernel, stop)};
    }
    if (notes.empty() || notes.back().place != note.place || notes.back().text != note.text)
      notes.push_back(std::move(note));
  }
  return notes;
}

} // namespace ptosync
