// Many kernels in one run: which they are, what they share, where their results go, and what is told of all of them.
//
//   operands --readBatch--> Batch --the command's page, one kernel each, in parallel--> KernelOutcome[] --publish-->
//   files
//
//   opt DIR --in-place                DIR/a.cpp, DIR/b/c.cpp are written over
//   opt DIR --output-dir=OUT          OUT/a.cpp, OUT/b/c.cpp are written
//   opt DIR --check                   nothing is written; exit code 1 if a kernel would change
//
//   verify OLD NEW, compare OLD NEW   two folders: kernels are matched by their paths below them
//
// Every kernel has the configuration of its own folder, and of two versions that of the first one's. The models are
// read once. A kernel that cannot be dealt with says why and stays as it is, and the others are dealt with all the
// same. Results are published in the order of the command line when all of them are there, so that the order in which
// threads run shows nowhere, and no kernel is written while another one may still read it.
//
// A run may be a shard of a larger one (--shard): it has every N-th kernel of the list, and says of these what one run
// over the whole list says. What that depends on of the others is read in every shard: their names, their
// configurations, and what they include. The documents say which shard they are of, for `ptosync merge`.
//
// A kernel that another kernel of the run includes is left as it is. Edits are proved in the file's own program: that a
// sync is needless there says nothing of a program into which the file is included. A kernel that somebody else has
// changed since it was read is left as well.
//
// Tested by tests/tool/batch_test.cpp and tests/tool/pairs_command_test.cpp.
#pragma once

#include "audit/sarif.h"
#include "report/kernel_table.h"
#include "run/progress.h"
#include "run/run.h"
#include "tool/files.h"
#include "tool/options.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/Support/Error.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// Which of two folders have a kernel.
enum class Versions : std::uint8_t { One, Both, OnlyBefore, OnlyAfter }; // One: there are no two folders

struct BatchKernel : KernelFile {
  Settings settings;
  std::optional<std::string> text = {}; // of what can be read only once: standard input, a FIFO
  std::string shown = {};               // what messages call it
  Versions versions = Versions::One;
  std::string after = {}; // Both: the path of the second version; `path` is that of the first
  bool leftOut = false;   // standard input whose name is excluded: it passes through as it is
  bool alone() const { return versions == Versions::OnlyBefore || versions == Versions::OnlyAfter; }
};

struct Batch {
  RunChoices choices;
  std::shared_ptr<const Models> models;
  std::vector<BatchKernel> kernels;
  std::vector<std::pair<std::string, std::string>> unread; // folders that could not be looked through, and why
  RunWatch *watch = nullptr;                               // looks after each kernel's run; null: nobody does
  // Of a run that is divided; without one, nothing.
  std::optional<Shard> shard = {};      // `kernels` and `unread` are what it has of the whole list
  std::vector<BatchKernel> others = {}; // the kernels of the other shards, in the order of the list
  /// Returns how many kernels the whole run has.
  std::size_t total() const { return kernels.size() + others.size(); }
};

/// Reads what the options name and lists the kernels, without those that --exclude or the configuration leaves out.
/// Fails with a SettingError.
llvm::Expected<Batch> readBatch(const ToolOptions &options);

/// The same of the kernels below two folders, by their names from there; those that one folder alone has are listed
/// too.
llvm::Expected<Batch> readPairs(const ToolOptions &options, const std::string &before, const std::string &after);

/// Reads kernel number `number`, of two folders both versions. What is read for it is noted in the `reads` of the
/// result alone. Fails with a SettingError.
llvm::Expected<RunInput> readKernel(const Batch &batch, std::size_t number);

/// What a run has made of one kernel. A new member goes into tool/outcome_record.cpp as well, which does not compile
/// before.
struct KernelOutcome {
  std::string problem;              // why it is as it was; empty: it was dealt with
  int exitCode = kExitDone;         // of this kernel alone
  std::optional<std::string> text;  // the kernel as it is published; nothing where there is a problem
  bool changed = false;             // `text` is another one than the input; of two versions: they differ
  std::string notes;                // lines for standard error: what was asked for and changes nothing
  std::string summary, diff;        // for a person
  std::string report, page;         // JSON and HTML, where they are asked for
  std::string certificate;          // likewise (run/certify.h)
  std::string change;               // "3 removed, 1 moved"; empty: none
  TableRow row;                     // its cells are the command's
  std::shared_ptr<ReadFiles> reads; // what was read for it
  std::set<std::string> editsMet;   // opt --approved: the fingerprints of its edits
  std::vector<SarifResult> scan;    // opt --sarif, --github: its edits
  std::string input;                // what it was read as, where --in-place is to write over it
  bool mayBeKept = true;            // for another run; false where time, memory or luck had a part in it
};

/// Returns the message with the kernel's name in front, unless it names the kernel already.
std::string naming(const BatchKernel &kernel, std::string problem);

/// Adds the rule of --depfile, if it is asked for, to what is to be written: its target is the name without ".d". Fails
/// where a rule can't say what was read.
llvm::Error addDependencies(const ToolOptions &options, std::vector<std::pair<std::string, std::string>> &outputs);

/// Certifies what became of a kernel, where --certificate or --certify ask for it: writes it into the outcome, and
/// takes back what is not certified where it has to be. `ordered`: as for certify().
void addCertificate(const ToolOptions &options, const Subject &subject, const std::string &before, bool ordered,
                    KernelOutcome &outcome);

/// Makes the outcome of what went wrong with one kernel.
KernelOutcome outcomeOf(llvm::Error error);

/// Calls `job` for every kernel, several at a time, and shows how far it is. A kernel of its own shows its stages. It
/// is not called for a kernel that only one of two folders has: its outcome says so. Nor is it called where a cache
/// holds the result; `inputs` is what `job` depends on beside the kernel and the options, the texts of files say.
std::vector<KernelOutcome> runBatch(const ToolOptions &options, const std::string &command, const Batch &batch,
                                    llvm::function_ref<KernelOutcome(const RunInput &, Progress &)> job,
                                    const std::vector<std::string> &inputs = {});

/// Returns true if the summary of each kernel is printed: of one, or where --verbose asks for them.
bool printsSummaries(const ToolOptions &options);

/// Publishes the outcomes as the options say, and returns the exit code of the run: the gravest of all. Where a kernel
/// was changed meanwhile, its outcome says so afterwards. `table`: the command's columns (report/command_table.h), of
/// which the first is the kernel's name and the last one its problem. `more`: makes further files of the outcomes, path
/// and text; the shard that they tell of has its exit code.
int publish(
    const ToolOptions &options, const Batch &batch, std::vector<KernelOutcome> &outcomes, KernelTable table,
    llvm::function_ref<std::vector<std::pair<std::string, std::string>>(const std::optional<Shard> &)> more = nullptr);

} // namespace ptosync
