// One run of the library on a text of many kernels, reduced to what the fuzzer compares.
//
//   text --lift, optimize, edit--> patched text --lift--> optimize again; replay against the first
//
// The kernels of a file are decided by one call and parsed by one parse, which is most of the time that a small
// kernel takes; each has an answer of its own.
#pragma once

#include "fuzz/edited_kernel.h"
#include "fuzz/precision.h"
#include "machine/model_choices.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync::fuzz {

/// By the two ends and the kind, the places in memory: where a flag that tells iterations apart has gone, a pair's
/// places are told apart less or more than before, and may not be others.
using OpenConflicts = std::map<std::string, std::set<std::string>>;

/// What was decided about one kernel.
struct ToolRun {
  std::set<std::string> skipped;               // reasons for kernels that were not analysed
  LineEdits edits;                             // by line
  std::map<std::string, std::size_t> patterns; // edits by the pattern that asked for them
  std::size_t flagsRemoved = 0;                // set and wait statements
  std::size_t buffersRemoved = 0;              // statements that take or give back a buffer id
  std::size_t buffersMoved = 0;
  std::map<std::uint32_t, std::string> kept;    // lines of kept barriers, with the reason's name
  std::map<std::string, std::size_t> keptFlags; // kept and not moved, by reason
  std::map<std::string, std::size_t> keptBuffers;
  std::map<std::uint32_t, std::string> witness; // of kept barriers that have one
  OpenConflicts unresolved;                     // described without lines and distances
  std::set<std::string> tokenFaults;            // likewise
  bool rotationRemoved = false;                 // a flag or bracket went whose id hangs on a loop's counter
  bool bracketPhasesRemoved = false;            // of those a bracket
  bool operator==(const ToolRun &) const = default;
};

/// What the replay says about a kernel and its edited form.
struct ReplayRun {
  std::vector<std::string> findings; // empty: agreed
  std::uint64_t runs = 0, instructions = 0;
  Precision precision; // if it is asked for
};

/// By kernel where it is a list.
struct BatchRun {
  std::string error;        // not empty: the text was not accepted, or not edited; nothing else is filled in
  std::string patched;      // the text with the edits
  std::string patchedError; // not empty: the patched text was not accepted, or not replayed
  std::vector<ToolRun> first, repeated, onPatched;
  std::vector<ReplayRun> replayed;
};

enum class Repeat : bool { No, Yes };
enum class CountKept : bool { No, Yes };

/// `text` as printKernels has printed the kernels. Without a second run on it, `repeated` stays empty.
BatchRun runTool(const std::string &text, const std::vector<FuzzKernel> &kernels, const std::string &arch, Trust trust,
                 Repeat repeat, CountKept countKept);

/// One run that places the syncs of a file anew.
struct ResyncRun {
  std::string error;                 // not empty: the text was not accepted, or not edited; nothing else is filled in
  std::string patched;               // the text with the edits
  bool changed = false;              // some kernel was synchronised anew
  bool stripped = false;             // its syncs were taken out first
  bool whole = true;                 // all kernels were synchronised anew that have anything to order
  std::string reason;                // none was: why
  std::string slower;                // not empty: a kernel became slower, by the estimate
  std::vector<std::string> findings; // of the replay; or of what it refuses
  std::set<std::string> tokenFaults; // of the text as it came, if its syncs were not taken out
  bool again = false;                // a second run changes its output
};

/// One run of `fix` on a file that has lost one of its syncs, or all of them.
struct FixRun {
  std::string error;     // not empty: the text was not accepted, or not looked at; nothing else is filled in
  bool sound = false;    // the audit finds nothing in the file as it came
  bool reported = false; // it finds something in what is left of it
  bool whole = false;    // all of which is mended, if there is anything, and nothing else is left
  bool open = false;     // whole, but for orders that may be missing, or that a contested rule alone gives: no findings
  std::size_t added = 0; // statements
  std::string reason;    // not whole: why
  std::string mended;    // the text
};

/// `seed` chooses what is lost: every third time all, otherwise one sync.
FixRun runFix(const std::string &text, const std::string &arch, Trust trust, std::uint64_t seed);

/// What the replay says of a kernel and another version of it.
struct VerifyRun {
  std::vector<std::string> findings; // empty: agreed, or undecided
  bool brackets = false;             // one of them is about a bracket that is amiss
  bool compared = false;             // the kernel can be analysed
};

/// Compares the kernels of two texts, as printKernels has printed both; empty, with `error` filled in, if one of them
/// is not accepted.
std::vector<VerifyRun> runVerify(const std::string &before, const std::string &after,
                                 const std::vector<FuzzKernel> &kernels, const std::string &arch, Trust trust,
                                 std::string &error);

enum class Strip : bool { No, Yes };

/// Strip::Yes: all syncs are taken out of the text first, so that every one that is needed has to be placed; what is
/// `slower` is not asked then. Not where some must stay, which may be half of a flag. `effort` as of the tool,
/// `regionWork` as of ResyncOptions.
ResyncRun runResync(const std::string &text, const std::vector<FuzzKernel> &kernels, const std::string &arch,
                    Trust trust, Repeat repeat, Strip strip, unsigned effort, std::size_t regionWork);

} // namespace ptosync::fuzz
