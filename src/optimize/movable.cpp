#include "optimize/movable.h"

#include <algorithm>

namespace ptosync {
namespace {

bool isConstant(const ExpressionArena &expressions, ExpressionId id) {
  const Expression &expression = expressions[id];
  return expression.kind == Expression::Kind::Constant ||
         (expression.kind == Expression::Kind::Cast && isConstant(expressions, expression.operands[0]));
}

} // namespace

bool hasConstantId(const EditSession &session, SiteId site) {
  for (std::size_t k : session.kernelsOf(site))
    for (EventKey key : session.kernel(k).pending().eventsOf(site)) {
      const Program &program = session.kernel(k).program();
      const auto &sync = std::get<Sync>(program.steps[key.first][key.second].statement->action);
      if (!isConstant(program.kernel->expressions, sync.event))
        return false;
    }
  return true;
}

Directives::Directives(const SourceText &source) {
  const std::string &text = source.text();
  for (std::size_t hash = text.find('#'); hash != std::string::npos; hash = text.find('#', hash + 1)) {
    std::size_t before = hash;
    while (before > 0 && (text[before - 1] == ' ' || text[before - 1] == '\t'))
      --before;
    if (before == 0 || text[before - 1] == '\n')
      offsets.insert(static_cast<std::uint32_t>(hash));
  }
}

bool Directives::between(std::uint32_t offset, std::uint32_t other) const {
  auto next = offsets.lower_bound(std::min(offset, other));
  return next != offsets.end() && *next < std::max(offset, other);
}

bool isLasting(const EditSession::Refusal &refusal) {
  const Pending::Trial &trial = refusal.trial;
  return !trial.token && !(trial.witness && trial.witness->kind == HazardKind::FlagReuse);
}

Evidence limitEvidence(const EditSession &session, const std::optional<EditSession::Refusal> &refusal,
                       const char *needed, const char *atEnd) {
  Evidence evidence;
  evidence.by = Evidence::By::Place;
  evidence.text = atEnd;
  if (!refusal)
    return evidence;
  const Pending::Trial &trial = refusal->trial;
  if (trial.witness && trial.witness->later != kNone)
    evidence.conflict = session.kernel(refusal->kernel).hazards().describe(*trial.witness);
  evidence.text = trial.token ? "its flag is used again" : trial.fence ? "an opaque fence" : needed;
  return evidence;
}

} // namespace ptosync
