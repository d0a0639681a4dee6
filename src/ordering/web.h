// Webs: the set_flag and wait_flag statements that can feed one another.
//
//   Program --reaching sets--> which sets each wait may consume --union--> webs
//
// A wait and every set that can reach it with no other wait for the flag in between belong together:
// through branches, loops, primes in front of a loop and drains behind it. So do a set and an earlier
// setting that it may overwrite. A web is the smallest thing that can be taken out whole and leave
// every other flag as it was; two uses of one event id that never meet are two webs.
// A web is `balanced` if its flags are binary on every path and each of its statements names one
// flag; nothing may be done to any other.
// Sound: reaching is over-approximated (joins unite), so no statement that matters is left out.
// Tested by tests/ordering/web_test.cpp.
#pragma once

#include "ordering/sync_layout.h"
#include "ordering/token_states.h"

#include <string>

namespace ptosync {

struct Web {
  Pipe source = Pipe::S, destination = Pipe::S;
  std::set<std::int64_t> ids;      // event ids
  std::vector<SiteId> sets, waits; // ascending, which is by position
  bool balanced = true;
  std::string trouble; // why not: one clause

  std::set<SiteId> sites() const;
  /// The first of sites(), of which there is one at least.
  SiteId firstSite() const;
};

/// The webs of one kernel, by their first site. Sites that are out are left out.
std::vector<Web> findWebs(const Program &program, const SyncLayout &layout, const TokenStates &tokens);

/// The webs of a file from those of its kernels: webs that share a statement are one.
std::vector<Web> joinWebs(const std::vector<std::vector<Web>> &webs);

} // namespace ptosync
