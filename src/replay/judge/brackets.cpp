#include "replay/judge/brackets.h"

#include <map>

namespace ptosync::replay {

const char *bracketFaultName(BracketFaultKind kind) {
  switch (kind) {
  case BracketFaultKind::Nested: return "bracket-nested";
  case BracketFaultKind::NotHeld: return "bracket-not-held";
  case BracketFaultKind::OtherPipe: return "bracket-other-pipe";
  case BracketFaultKind::OtherMode: return "bracket-other-mode";
  case BracketFaultKind::Open: return "bracket-open";
  }
  return "?";
}

std::vector<BracketFault> bracketFaults(const Trace &trace, bool whole) {
  std::vector<BracketFault> faults;
  std::map<std::int64_t, const Statement *> holders; // by id, of those that are held
  for (const Event &event : trace.events) {
    if (!event.isBuffer())
      continue;
    const bool gets = event.kind == Event::Kind::GetBuffer;
    auto held = holders.find(event.id);
    const Statement *holder = held == holders.end() ? nullptr : held->second;
    auto fault = [&](BracketFaultKind kind) { faults.push_back({kind, event.id, event.statement, holder}); };
    if (gets) {
      if (holder)
        fault(BracketFaultKind::Nested);
      holders[event.id] = event.statement;
      continue;
    }
    if (!holder) {
      fault(BracketFaultKind::NotHeld);
      continue;
    }
    const Sync &get = std::get<Sync>(holder->action), &release = std::get<Sync>(event.statement->action);
    if (get.source != release.source)
      fault(BracketFaultKind::OtherPipe);
    else if (get.mode != release.mode)
      fault(BracketFaultKind::OtherMode);
    holders.erase(held);
  }
  for (const auto &[id, holder] : holders)
    if (whole)
      faults.push_back({BracketFaultKind::Open, id, holder, holder});
  return faults;
}

std::vector<BracketFault> newBracketFaults(const std::vector<BracketFault> &before,
                                           const std::vector<BracketFault> &after) {
  std::map<std::pair<BracketFaultKind, std::int64_t>, std::size_t> known;
  for (const BracketFault &fault : before)
    ++known[{fault.kind, fault.id}];
  std::vector<BracketFault> fresh;
  for (const BracketFault &fault : after) {
    std::size_t &left = known[{fault.kind, fault.id}];
    if (left == 0)
      fresh.push_back(fault);
    else
      --left;
  }
  return fresh;
}

std::set<std::int64_t> idsAmiss(const std::vector<BracketFault> &faults) {
  std::set<std::int64_t> ids;
  for (const BracketFault &fault : faults)
    ids.insert(fault.id);
  return ids;
}

std::string describe(const BracketFault &fault) {
  const std::string buffer = "buffer id " + std::to_string(fault.id);
  const std::string line = std::to_string(fault.statement->line);
  const std::string holder = fault.holder ? std::to_string(fault.holder->line) : "";
  switch (fault.kind) {
  case BracketFaultKind::Nested:
    return buffer + " is taken at line " + line + " while the get at line " + holder + " holds it";
  case BracketFaultKind::NotHeld: return buffer + " is released at line " + line + " while nothing holds it";
  case BracketFaultKind::OtherPipe:
    return buffer + " is released at line " + line + " on another pipe than the get at line " + holder;
  case BracketFaultKind::OtherMode:
    return buffer + " is released at line " + line + " in another mode than the get at line " + holder;
  case BracketFaultKind::Open: return buffer + " is taken at line " + line + " and not released when the kernel ends";
  }
  return buffer;
}

} // namespace ptosync::replay
