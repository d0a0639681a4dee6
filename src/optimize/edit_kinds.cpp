#include "optimize/edit_kinds.h"

#include "optimize/edit_session.h"
#include "optimize/move_flag.h"
#include "optimize/remove_barrier.h"
#include "optimize/remove_generation.h"
#include "optimize/remove_handshake.h"
#include "optimize/remove_web.h"

namespace ptosync {

static constexpr EditKind kEditKinds[] = {
    {Turn::Once, removeBarriers},
    {Turn::Once, removeWebs},
    // What a generation leaves of its web may go as a whole, and what only kept another flag from being set again too
    // early may go with that flag.
    {Turn::WhileSyncsGo, removeGenerations},
    {Turn::WhileSyncsGo, removeBarriersAgain},
    {Turn::WhileSyncsGo, removeWebs},
    {Turn::WhileSyncsGo, removeHandshakes, true},
    // A barrier that was kept as a link to an open pair may be none once a flag has moved.
    {Turn::WhileFlagsMove, moveFlags, true},
    {Turn::WhileFlagsMove, removeBarriersAgain},
};

std::span<const EditKind> editKinds() { return kEditKinds; }

static void runTurn(EditSession &session, Turn turn, std::span<const EditKind> kinds) {
  std::vector<std::size_t> seen(kinds.size(), kNone); // edits that a kind has seen
  for (bool ran = true; ran;) {
    ran = false;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (kinds[i].turn != turn || seen[i] == session.decisions().editCount())
        continue;
      seen[i] = session.decisions().editCount();
      kinds[i].run(session);
      if (kinds[i].settles)
        seen[i] = session.decisions().editCount();
      ran = turn != Turn::Once;
    }
  }
}

void runEditKinds(EditSession &session, std::span<const EditKind> kinds) {
  for (Turn turn : {Turn::Once, Turn::WhileSyncsGo, Turn::WhileFlagsMove})
    runTurn(session, turn, kinds);
}

} // namespace ptosync
