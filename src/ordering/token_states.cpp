#include "ordering/token_states.h"

namespace ptosync {

TokenStates::TokenStates(const Program &program, const SyncLayout &layout)
    : program(&program), entries(program.blocks.size()) {
  if (program.order.empty() || program.flags.empty())
    return;
  solve(layout);
  for (StepId step : program.order)
    if (reached(step))
      findFaults(layout, step);
}

void TokenStates::apply(const Program &program, const Event &event, Tokens &tokens) {
  switch (event.kind) {
  case Event::Kind::Barrier:
    return;
  case Event::Kind::Access:
    for (std::uint32_t lane : program.nodes[event.node].inside)
      if (tokens[lane] != Token::Empty)
        tokens[lane] = Token::Maybe; // the call may have consumed the kernel's own setting
    return;
  case Event::Kind::Set:
    for (std::uint32_t lane : event.lanes)
      tokens[lane] = event.lanes.size() == 1 && tokens[lane] == Token::Empty ? Token::Full : Token::Maybe;
    return;
  case Event::Kind::Wait:
    for (std::uint32_t lane : event.lanes)
      tokens[lane] = event.lanes.size() == 1 ? Token::Empty : Token::Maybe;
    return;
  }
}

bool TokenStates::join(StepId target, const Tokens &source) {
  Tokens &tokens = entries[target];
  if (tokens.empty()) {
    tokens = source;
    return true;
  }
  bool changed = false;
  for (std::size_t flag = 0; flag < tokens.size(); ++flag)
    if (tokens[flag] != source[flag] && tokens[flag] != Token::Maybe) {
      tokens[flag] = Token::Maybe;
      changed = true;
    }
  return changed;
}

void TokenStates::solve(const SyncLayout &layout) {
  const std::vector<StepId> &order = program->order;
  entries[order.front()].assign(program->flags.size(), Token::Empty);
  std::vector<bool> dirty(program->blocks.size(), false);
  dirty[order.front()] = true;
  for (bool again = true; again;) {
    again = false;
    for (StepId step : order) {
      if (!dirty[step])
        continue;
      dirty[step] = false;
      Tokens tokens = entries[step];
      layout.forEach(*program, step, [&](EventKey, const Event &event) {
        apply(*program, event, tokens);
        return true;
      });
      for (const Edge &edge : program->edges[step])
        if (join(edge.to, tokens)) {
          dirty[edge.to] = true;
          again = true;
        }
    }
  }
}

void TokenStates::findFaults(const SyncLayout &layout, StepId step) {
  Tokens tokens = entries[step];
  layout.forEach(*program, step, [&](EventKey key, const Event &event) {
    if (event.kind == Event::Kind::Access)
      for (std::uint32_t lane : program->nodes[event.node].inside)
        if (tokens[lane] != Token::Empty)
          faultList.push_back({step, key.second, lane, tokens[lane]});
    Token expected = event.kind == Event::Kind::Set ? Token::Empty : Token::Full;
    if (event.lanes.size() == 1 && tokens[event.lanes[0]] != expected)
      faultList.push_back({key.first, key.second, event.lanes[0], tokens[event.lanes[0]]});
    apply(*program, event, tokens);
    return true;
  });
  if (program->kernel->blocks[program->blockOf[step]].terminator.kind != Terminator::Kind::Return)
    return;
  for (std::uint32_t flag = 0; flag < tokens.size(); ++flag)
    if (tokens[flag] != Token::Empty)
      faultList.push_back({step, kNone, flag, tokens[flag]});
}

} // namespace ptosync
