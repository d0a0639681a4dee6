// The page of `opt`: what a kernel's syncs become, proved and replayed.
//
//   text --lift--> Module --rewrites--> Module --decide: remove and move, or place anew--> decisions --patch--> text
//        --lift again, replay against the first--> agreed, with times if they are asked for --> OptimizedFile
//
// A rewrite is proved twice, like every edit: by the analysis (optimize/fifo_slots.h) and by replaying the rewritten
// kernel against the input (replay/relayout.h). The optimiser then starts from the rewritten kernel, so that a sync
// that the new layout needs is kept.
//
// The replay shares no analysis with what decided the edits. It reads the patched text again, compares what stands
// outside the edited syncs by shape in every function of the file, and must find that no order is lost. Where it
// disagrees one of the two engines is wrong, and nobody can tell which from the outside: the run then fails with a
// Disagreement, which holds everything that is needed to find out, and nothing is published.
//
// Times are of the input's runs with the removed syncs left out. If a flag was moved or added, the patched text is
// lifted and run instead.
//
// Tested by tests/run/opt_test.cpp, tests/run/rewrite_test.cpp and tests/tool/opt_command_test.cpp.
#pragma once

#include "optimize/decision.h"
#include "optimize/fifo_slots.h"
#include "replay/verify.h"
#include "report/html_report.h"
#include "report/needed_syncs.h"
#include "rewrite/approval.h"
#include "run/progress.h"
#include "run/run.h"
#include "synthesis/resync.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Reads "fifo-local-slots", "fifo-local-slots=2" or "fifo-local-slots=auto". Fails with a SettingError if that names
/// no rewrite, one that is not for this architecture, or a count outside the rewrite's bounds.
llvm::Expected<RewriteRequest> readRewrite(const std::string &text, const Catalogue &catalogue, const Machine &machine);

struct Rewritten {
  std::optional<Module> module; // empty: nothing changed
  std::vector<FifoDecision> decisions;
};

/// Makes the rewrites in front of everything else. Errors: a SettingError for a count that a FIFO cannot have; that the
/// engines disagree.
llvm::Expected<Rewritten> rewriteModule(const Module &module, const std::vector<RewriteRequest> &requests,
                                        const Machine &machine, const RunChoices &choices);

/// Places the syncs of each kernel anew where that is better. Errors: an argument that no kernel has, of class
/// replay::ArgumentError.
llvm::Expected<synthesis::ResyncResult> placeSyncsAnew(const Module &module, const Machine &machine,
                                                       const Catalogue &catalogue, const timing::CostTable &costs,
                                                       const RunChoices &choices);

/// Replays `patched` against the kernel that it was made of, in the core sections that were edited. Runs are sought
/// that reach the edited statements of `aims`, lines of `before`. Errors: the text no longer parses, the edits change
/// more than syncs, or it cannot be replayed.
llvm::Expected<replay::Verdict> replayPatched(const Module &before, const std::string &patched,
                                              const std::set<Section> &sections, const std::set<std::uint32_t> &aims,
                                              const Machine &machine, const RunChoices &choices);

/// Returns the lines of the statements that were removed or moved.
std::set<std::uint32_t> editedLines(const Module &module, const OptimizeResult &result);

/// Returns the removed or moved statements that no run of the replay reached in one of the kernels that run through
/// them. They are proved to be needless, and nothing else speaks for it.
std::set<SiteId> editsNotReached(const Module &module, const OptimizeResult &result, const replay::Verdict &verdict);

/// The two engines disagree about an output, which is therefore not published.
class Disagreement : public llvm::ErrorInfo<Disagreement> {
public:
  static inline char ID = 0;
  using Files = std::vector<std::pair<std::string, std::string>>;
  Disagreement(const std::string &witness, Files reproducer);
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

  /// Name and text of every file of a folder that shows the disagreement again: both kernels, the witness, the machine
  /// model if one was given, and `reproduce.sh`, which exits with 1 while the engines disagree.
  const Files &reproducer() const { return files; }

private:
  std::string shown; // the first of the witness
  Files files;
};

/// Replays `patched`, which `result` makes of `before`, and returns editsNotReached. Errors: as of replayPatched; a
/// Disagreement if an order is lost. `placed`: what placing from nothing made of the kernels, those that came broken
/// among them: their orders in `before` are asked for by nobody.
llvm::Expected<std::set<SiteId>> checkByReplay(const Module &before, const std::string &patched,
                                               const OptimizeResult &result, const Subject &subject,
                                               const std::vector<synthesis::KernelResync> &placed = {});

enum class Times : std::uint8_t { LeftOut, Estimated, Drawn };

struct OptRequest {
  std::vector<std::string> rewrites; // as readRewrite reads them
  bool resync = false;               // place the syncs anew
  Times times = Times::LeftOut;
  const Approval *approval = nullptr; // null: every edit is made
  bool needed = false;                // ask of each sync that stays whether some run needs it (run/needed.h)
};

struct Costs {
  CostReport report;
  std::vector<DrawnKernel> drawn; // before and after, if they were asked for
};

struct OptimizedFile {
  Subject subject;
  std::vector<std::string> patternIds;         // of the patterns that could nominate
  Rewritten rewritten;                         // its module stands in the place of the input, if it has one
  OptimizeResult result;                       // its decisions refer to the sites of `module()`
  std::optional<ApprovalOutcome> approval;     // what an approval let through, if one was given
  std::vector<synthesis::KernelResync> resync; // where the syncs were placed anew
  std::string patched;                         // the text that is published
  std::set<SiteId> notReplayed;                // edits that no run of the replay reached
  std::optional<Costs> costs;
  std::optional<NeededSyncs> needed; // if it was asked for

  const Module &source() const { return subject.modules.front(); }
  /// Those that `sync` could not synchronise.
  std::vector<const synthesis::KernelResync *> leftAsTheyCame() const;
  const Module &module() const { return rewritten.module ? *rewritten.module : source(); }
};

/// Errors: a SettingError for settings, patterns, rewrites, ids and lines without a sync; replay::ArgumentError; a
/// Disagreement; that the kernel cannot be analysed.
llvm::Expected<OptimizedFile> optimizeFile(const RunInput &input, const OptRequest &request, Progress &progress);

/// Prints the kernels as they were read: `what` is "kernel", "chains", "flags" or "prelude". Fails where optimizeFile
/// would fail before it decides anything.
llvm::Expected<std::string> printFile(const RunInput &input, const OptRequest &request, const std::string &what);

/// Returns the input of the reports. It refers to `file`.
ReportInput reportInput(const OptimizedFile &file, const OptRequest &request);

/// Returns the page for reviewers. Times must have been drawn.
std::string reviewPage(const OptimizedFile &file, const OptRequest &request);

} // namespace ptosync
