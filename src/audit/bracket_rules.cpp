#include "audit/audit_context.h"
#include "audit/path_search.h"
#include "ordering/buffers.h"

#include <map>
#include <set>

namespace ptosync {

// Brackets of buffer ids: nested-bracket, open-bracket, unmatched-release, idle-bracket, id-out-of-range.
//
//   get_buf(PIPE_MTE2, 0, 0);
//   get_buf(PIPE_MTE3, 0, 0);    nested-bracket: id 0 is held, and what the hardware does then is not said
//   TPUT(dst, src, tile);
//   rls_buf(PIPE_MTE2, 0, 0);
//
// Each fault is shown by a single path from the kernel's start, as those of flags are (token_rules.cpp); without a
// certain path it is a warning. Faults behind the first one of an id on a path are its consequences. A bracket in which
// nothing of its pipe runs, but something of another one, most likely names the wrong pipe; an empty one is a pure wait
// or signal, which kernels use. Tested by tests/audit/bracket_rules_test.cpp.

namespace {

class BracketRules {
public:
  BracketRules(AuditContext &context, const Analysis &kernel)
      : context(context), kernel(kernel), program(kernel.program()) {}

  void run() {
    if (!program.bufferFaults.empty())
      reportFaults();
    const BracketContents contents = contentsOfBrackets(program);
    for (StepId step : program.order)
      for (std::uint32_t i = 0; i < program.steps[step].size(); ++i)
        if (const Event &event = program.steps[step][i]; event.isBuffer() && seen.insert(event.statement).second) {
          checkRange(event);
          if (auto inside = contents.pipes.find({step, i}); inside != contents.pipes.end())
            checkWork(event, inside->second);
        }
  }

private:
  void reportFaults() {
    PathSearch search(program, kernel.hazards());
    std::set<std::pair<const Statement *, BufferFault::Kind>> shown;
    for (const BracketDefect &defect : search.bracketDefects()) {
      shown.emplace(defect.statement, defect.kind);
      Finding finding = findingOf(defect.kind, defect.id, *defect.statement, defect.holder);
      finding.path = describePath(context, kernel, defect.path);
      finding.demotion = defect.path.certain ? 0 : 1;
      context.report(std::move(finding));
    }
    if (search.complete())
      return;
    for (const BufferFault &fault : program.bufferFaults) {
      const Statement *holder =
          fault.holder.first == kNone ? nullptr : program.steps[fault.holder.first][fault.holder.second].statement;
      const Statement *statement = fault.event == kNone ? holder : program.steps[fault.step][fault.event].statement;
      if (!shown.emplace(statement, fault.kind).second)
        continue;
      Finding finding = findingOf(fault.kind, fault.id, *statement, holder);
      finding.demotion = 1;
      context.report(std::move(finding));
    }
  }

  Finding findingOf(BufferFault::Kind kind, std::int64_t id, const Statement &statement,
                    const Statement *holder) const {
    const std::string buffer = "buffer id " + std::to_string(id), text = context.text(statement);
    const std::string line = holder ? " on line " + std::to_string(holder->line) : "";
    auto make = [&](const char *rule, const std::string &message) {
      Finding finding = context.at(rule, kernel, statement, message);
      finding.parts.push_back(buffer);
      if (holder && holder != &statement)
        finding.notes.push_back(context.note(*holder, "this takes " + buffer));
      return finding;
    };
    switch (kind) {
    case BufferFault::Kind::Nested:
      if (holder == &statement)
        return make("open-bracket", text + " is not released before the next iteration takes " + buffer + " again");
      return make("nested-bracket", text + " takes " + buffer + " while " + context.text(*holder) + line +
                                        " holds it: brackets of one id must not nest, on whatever pipes");
    case BufferFault::Kind::NotHeld:
      return make("unmatched-release", text + " releases " + buffer + ", which nothing holds there");
    case BufferFault::Kind::OtherPipe:
      return make("unmatched-release",
                  text + " releases " + buffer + " on another pipe than " + context.text(*holder) + line + " took it");
    case BufferFault::Kind::OtherMode:
      return make("unmatched-release",
                  text + " releases " + buffer + " in another mode than " + context.text(*holder) + line + " took it");
    case BufferFault::Kind::OpenAtEnd: break;
    }
    return make("open-bracket",
                text + " takes " + buffer + ", and on some way to the kernel's end nothing releases it");
  }

  void checkRange(const Event &event) {
    const auto count = static_cast<std::int64_t>(context.machine.bufferIds());
    if (count == 0) {
      context.report(context.at("id-out-of-range", kernel, *event.statement,
                                context.text(*event.statement) + ": " + context.machine.arch() +
                                    " has no buffer ids; its pipes are ordered by flags"));
      return;
    }
    auto outside = [&](std::int64_t id) { return id < 0 || id >= count; };
    auto bad = std::find_if(event.ids.begin(), event.ids.end(), outside);
    if (bad == event.ids.end())
      return;
    Finding finding = context.at("id-out-of-range", kernel, *event.statement,
                                 "buffer id " + std::to_string(*bad) + ": " + context.machine.arch() + " has 0 to " +
                                     std::to_string(count - 1) + ", one pool for all pipes of a core");
    finding.demotion = std::all_of(event.ids.begin(), event.ids.end(), outside) ? 0 : 1;
    context.report(std::move(finding));
  }

  void checkWork(const Event &get, const PipeSet &inside) {
    if (inside.empty() || inside.contains(get.source))
      return;
    std::string others;
    for (Pipe pipe : kPipes)
      if (inside.contains(pipe))
        others += (others.empty() ? "" : " and ") + std::string(pipeName(pipe));
    context.report(context.at("idle-bracket", kernel, *get.statement,
                              context.text(*get.statement) + " brackets work of " + others + " and none of " +
                                  std::string(pipeName(get.source)) + ": it orders nothing of what stands inside"));
  }

  AuditContext &context;
  const Analysis &kernel;
  const Program &program;
  std::set<const Statement *> seen;
};

} // namespace

void auditBrackets(AuditContext &context) {
  for (const Analysis &kernel : context.kernels())
    BracketRules(context, kernel).run();
}

} // namespace ptosync
