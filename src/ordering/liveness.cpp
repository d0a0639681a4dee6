#include "ordering/liveness.h"

#include <algorithm>

namespace ptosync {

FlagLiveness::FlagLiveness(const Program &program, const SyncLayout &layout, const TokenStates &states)
    : program(program) {
  for (StepId step : program.order) {
    if (!states.reached(step))
      continue;
    Tokens tokens = states.entry(step);
    layout.forEach(program, step, [&](EventKey key, const Event &event) {
      std::vector<std::uint32_t> &here = live[key];
      for (std::uint32_t flag = 0; flag < tokens.size(); ++flag)
        if (tokens[flag] != Token::Empty)
          here.push_back(flag);
      TokenStates::apply(program, event, tokens);
      return true;
    });
  }
}

const std::vector<std::uint32_t> &FlagLiveness::liveAt(EventKey place) const {
  static const std::vector<std::uint32_t> none;
  auto found = live.find(place);
  return found == live.end() ? none : found->second;
}

std::set<std::int64_t> FlagLiveness::freeIds(EventKey place, Pipe source, Pipe destination) const {
  std::set<std::int64_t> free;
  for (unsigned id = 0; id < program.machine->flagIds(); ++id)
    free.insert(id);
  auto take = [&](std::uint32_t flag) {
    if (program.flags[flag].source == source && program.flags[flag].destination == destination)
      free.erase(program.flags[flag].id);
  };
  for (std::uint32_t flag : liveAt(place))
    take(flag);
  const Event &event = program.steps[place.first][place.second];
  if (event.kind == Event::Kind::Access)
    for (std::uint32_t flag : program.nodes[event.node].inside)
      take(flag);
  return free;
}

std::size_t FlagLiveness::pressure(Pipe source, Pipe destination) const {
  std::size_t most = 0;
  for (const auto &[key, flags] : live)
    most = std::max<std::size_t>(most, std::count_if(flags.begin(), flags.end(), [&](std::uint32_t flag) {
                                   return program.flags[flag].source == source &&
                                          program.flags[flag].destination == destination;
                                 }));
  return most;
}

} // namespace ptosync
