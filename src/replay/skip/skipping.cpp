#include "replay/skip/skipping.h"

#include "replay/skip/repetition.h"

#include <algorithm>

namespace ptosync::replay {

class Skipper::Watch {
public:
  Watch(Subject &subject, const RunRequest &request, Evaluator &values, Tape &tape)
      : subject(subject), request(request), values(values), tape(tape), repetition(subject, values),
        proof(subject, values, tape, mattersTo(request, subject)), unevenPeriods(subject.nest.loops().size(), 0) {}

  /// A loop that is being run.
  struct Active {
    LoopId loop = kNone;
    History history = {};
    std::uint32_t uneven = 0; // bit n: a period of n iterations does not move evenly
  };
  std::vector<Active> active; // outermost first

  Answer visitHeader(std::uint64_t visits, const Trace &trace) {
    Active &loop = active.back();
    if (loop.history.isFinished())
      return {};
    loop.history.close(repetition.snapshot(loop.loop), tape.size());
    return request.follow ? follow(loop, visits, trace) : find(loop, visits, trace);
  }

private:
  static constexpr std::uint64_t kPeriodsAtTheEnd = 2;
  static constexpr std::uint32_t kMostUneven = 32; // of one loop, over all its activations

  static Matters mattersTo(const RunRequest &request, const Subject &subject) {
    if (request.detail == Detail::Scout)
      return subject.knownWays() ? Matters::Choices : Matters::Control;
    return request.estimate ? Matters::ButGlobalMemory : Matters::Everything;
  }

  Answer find(Active &loop, std::uint64_t visits, const Trace &trace) {
    std::uint64_t period = 0;
    while ((period = loop.history.period(subject.ringDepth, request.periodsFirst, period))) {
      if (loop.uneven >> period & 1)
        continue;
      const Proved proved = proof.prove(loop.loop, loop.history, period);
      if (proved.periods >= kEndlessPeriods || visits >= kEndlessPeriods)
        return {std::nullopt, Ending::Endless};
      if (proved.periods > kPeriodsAtTheEnd)
        return leaveOut(loop,
                        {trace.instances.size(), visits, depth(), period, proved.periods - kPeriodsAtTheEnd, loop.loop},
                        trace);
      if (proved.even && !proved.loopEnds)
        return {}; // something else happens soon
      loop.uneven |= proved.even ? 0 : 1u << period;
      if (proved.even || ++unevenPeriods[loop.loop] == kMostUneven) {
        loop.history.finish(); // it ends soon, or nothing comes of it
        return {};
      }
    }
    return {};
  }

  /// Leaves out what the run to be followed left out here, or gives up.
  Answer follow(Active &loop, std::uint64_t visits, const Trace &trace) {
    if (trace.skips.size() >= request.follow->size())
      return {};
    Skip skip = (*request.follow)[trace.skips.size()];
    if (skip.instance != trace.instances.size() || skip.visit != visits || skip.depth != depth())
      return {};
    skip.loop = loop.loop;
    if (!loop.history.repeats(skip.period) || proof.prove(loop.loop, loop.history, skip.period).periods < skip.periods)
      return {std::nullopt, Ending::OtherSkips};
    return leaveOut(loop, skip, trace);
  }

  Answer leaveOut(Active &loop, Skip skip, const Trace &trace) {
    repetition.advance(loop.loop, loop.history, skip.period, skip.periods);
    loop.history = {}; // what comes next, or the end of the loop, runs for real
    tape.push_back({TapeEntry::Kind::Skip, loop.loop, static_cast<std::int64_t>(skip.periods), skip.period});
    for (VariableId variable : subject.carried(loop.loop))
      tape.push_back({TapeEntry::Kind::Moved, variable, values.variable(variable).bits});
    for (std::size_t outer = 0; outer + 1 < active.size(); ++outer)
      active[outer].history.note(mix(skip.period, skip.periods));
    skip.events = static_cast<std::uint32_t>(trace.events.size());
    skip.iterations = static_cast<std::uint32_t>(trace.iterations.size());
    return {skip, std::nullopt};
  }

  std::uint32_t depth() const { return static_cast<std::uint32_t>(active.size()); }

  Subject &subject;
  const RunRequest &request;
  Evaluator &values;
  Tape &tape;
  Repetition repetition;
  RepetitionProof proof;
  std::vector<std::uint32_t> unevenPeriods; // by loop
};

Skipper::Skipper(Subject &subject, const RunRequest &request, Evaluator &values, Tape &tape)
    : watch(std::make_unique<Watch>(subject, request, values, tape)) {}

Skipper::~Skipper() = default;

void Skipper::enterLoop(LoopId loop) { watch->active.push_back({loop}); }

void Skipper::leaveLoop() { watch->active.pop_back(); }

void Skipper::note(std::uint64_t what) {
  for (Watch::Active &loop : watch->active)
    loop.history.note(what);
}

bool Skipper::isWatching() const {
  return std::any_of(watch->active.begin(), watch->active.end(),
                     [](const Watch::Active &loop) { return !loop.history.isFinished(); });
}

Skipper::Answer Skipper::visitHeader(std::uint64_t visits, const Trace &trace) {
  return watch->visitHeader(visits, trace);
}

} // namespace ptosync::replay
