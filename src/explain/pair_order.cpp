#include "explain/pair_order.h"

#include "optimize/wording.h"

#include <algorithm>

namespace ptosync {
namespace {

constexpr std::size_t kShownLines = 6;

std::vector<std::uint32_t> linesOf(const AnalysedFile &file, const std::vector<SiteId> &sites) {
  std::vector<std::uint32_t> lines;
  for (SiteId site : sites)
    lines.push_back(file.module.sites[site].line);
  return lines;
}

const Web *webOf(const Analysis &kernel, SiteId site) {
  for (const Web &web : kernel.webs())
    if (std::count(web.waits.begin(), web.waits.end(), site))
      return &web;
  return nullptr;
}

/// One sync of the chain; its lines go to `order`.
std::string syncText(const AnalysedFile &file, const Analysis &kernel, const Event &event, PairOrder &order) {
  std::uint32_t line = event.statement->line;
  if (event.kind == Event::Kind::Barrier) {
    bool library = event.site == kNone;
    order.by = library ? PairOrder::By::Library : PairOrder::By::Barrier;
    order.lines.push_back(line);
    return (library ? "the barrier inside the library call at line "
                    : "pipe_barrier(" + std::string(event.source == Pipe::All ? "PIPE_ALL" : pipeName(event.source)) +
                          ") at line ") +
           std::to_string(line);
  }
  order.by = PairOrder::By::Flags;
  order.lines.push_back(line);
  const Web *web = webOf(kernel, event.site);
  if (!web)
    return "the wait at line " + std::to_string(line);
  std::vector<std::uint32_t> sets = linesOf(file, web->sets);
  order.lines.insert(order.lines.end(), sets.begin(), sets.end());
  return webText(*web) + " (set at " + describeLines(std::move(sets), kShownLines) + ", awaited at line " +
         std::to_string(line) + ")";
}

} // namespace

std::string webText(const Web &web) {
  std::string text = "flag " + std::string(pipeName(web.source)) + " -> " + std::string(pipeName(web.destination)) +
                     (web.ids.size() == 1 ? ", id " : ", ids ");
  bool first = true;
  for (std::int64_t id : web.ids) {
    text += (first ? "" : ",") + std::to_string(id);
    first = false;
  }
  return text;
}

PairOrder pairOrder(const AnalysedFile &file, std::size_t number, const ChainLink &link) {
  const Analysis &kernel = file.kernels()[number];
  PairOrder order;
  std::string syncs;
  for (EventKey key : link.syncs)
    syncs +=
        (syncs.empty() ? "" : ", then ") + syncText(file, kernel, kernel.program().steps[key.first][key.second], order);
  std::sort(order.lines.begin(), order.lines.end());
  order.lines.erase(std::unique(order.lines.begin(), order.lines.end()), order.lines.end());
  order.text = syncs;
  if (link.excuse == Excuse::Justified) {
    const MachineRule *rule = file.machine.rule(link.rule);
    std::string text = "machine rule " + link.rule + (rule ? " (" + rule->title + ")" : "");
    order.rule = link.rule;
    order.text = syncs.empty() ? text : syncs + "; also " + text;
    if (syncs.empty())
      order.by = PairOrder::By::Rule;
  } else if (link.open && link.excuse == Excuse::Silenced) {
    order.by = PairOrder::By::Contested;
    order.rule = link.rule;
    order.text = "NOT ORDERED but by the contested machine rule " + link.rule;
  } else if (link.open) {
    order.by = PairOrder::By::Nothing;
    order.text = syncs.empty() ? "NOT ORDERED" : "NOT ORDERED on some path; on others by " + syncs;
  } else if (syncs.empty()) {
    order.by = PairOrder::By::Elsewhere;
    order.text = "ordered by syncs that differ from path to path";
  }
  return order;
}

} // namespace ptosync
