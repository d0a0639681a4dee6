#include "tokens/print_flags.h"

#include "tokens/liveness.h"
#include "tokens/web.h"

namespace ptosync {
namespace {

/// " 4 12", or " nowhere".
std::string lines(const std::vector<SiteId> &ids, const std::vector<SyncSite> &sites) {
  std::string text;
  for (SiteId id : ids)
    text += " " + std::to_string(sites[id].line);
  return text.empty() ? " nowhere" : text;
}

template <typename Numbers> std::string list(const Numbers &numbers) {
  std::string text;
  for (auto number : numbers)
    text += (text.empty() ? "" : ",") + std::to_string(number);
  return text.empty() ? "none" : text;
}

std::string printPair(const Program &program, const FlagLiveness &liveness, const std::vector<Web> &webs, Pipe source,
                      Pipe destination, const std::vector<SyncSite> &sites) {
  std::string text;
  std::set<std::int64_t> free; // at every set of the pair
  bool first = true;
  for (StepId step : program.order)
    for (std::uint32_t i = 0; i < program.steps[step].size(); ++i) {
      const Event &event = program.steps[step][i];
      if (event.kind != Event::Kind::Set || event.source != source || event.destination != destination)
        continue;
      std::set<std::int64_t> here = liveness.freeIds({step, i}, source, destination);
      if (first)
        free = here;
      else
        std::erase_if(free, [&](std::int64_t id) { return !here.count(id); });
      first = false;
    }
  for (const Web &web : webs)
    if (web.source == source && web.destination == destination)
      text += "    ids " + list(web.ids) + ": set at" + lines(web.sets, sites) + "; wait at" + lines(web.waits, sites) +
              (web.balanced ? "" : "; left alone: " + web.trouble) + "\n";
  if (text.empty())
    return text;
  return "  " + std::string(pipeName(source)) + " -> " + std::string(pipeName(destination)) + ": at most " +
         std::to_string(liveness.pressure(source, destination)) + " set at once; ids free at every set: " + list(free) +
         "\n" + text;
}

} // namespace

std::string printFlags(const Kernel &kernel, const Machine &machine, const OrderingOptions &options,
                       const std::vector<SyncSite> &sites) {
  std::string head = "kernel " + kernel.name + " (" + std::string(sectionName(kernel.section)) + ")\n";
  if (!kernel.analysable)
    return head + "  not analysed: " + kernel.reason + "\n";
  llvm::Expected<Program> program = buildProgram(kernel, machine, options);
  if (!program)
    return head + "  not analysed: " + llvm::toString(program.takeError()) + "\n";
  SyncLayout layout;
  TokenStates tokens(*program, layout);
  FlagLiveness liveness(*program, layout, tokens);
  std::vector<Web> webs = findWebs(*program, layout, tokens);
  for (Pipe source : kPipes)
    for (Pipe destination : kPipes)
      head += printPair(*program, liveness, webs, source, destination, sites);
  return head;
}

} // namespace ptosync
