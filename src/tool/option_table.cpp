#include "tool/option_table.h"

#include "base/messages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>

#include <algorithm>
#include <set>
#include <utility>

namespace ptosync {

namespace {

constexpr Commands kOpt = bitOf(Command::Optimize), kSync = bitOf(Command::Synchronise), kAudit = bitOf(Command::Audit),
                   kFix = bitOf(Command::Fix), kExplain = bitOf(Command::Explain), kVerify = bitOf(Command::Verify),
                   kPatch = bitOf(Command::PatchVecBarriers), kTimeline = bitOf(Command::Timeline),
                   kCompare = bitOf(Command::Compare), kModel = bitOf(Command::Model),
                   kList = bitOf(Command::PatternsList), kShow = bitOf(Command::PatternsShow),
                   kTest = bitOf(Command::PatternsTest), kMerge = bitOf(Command::Merge),
                   kRule = bitOf(Command::RuleShow) | bitOf(Command::RuleList);
constexpr Commands kPatterns = kList | kShow | kTest;
/// What reads kernels as the machine orders them, and what of that estimates times.
constexpr Commands kAnalysing = kOpt | kSync | kAudit | kFix | kExplain | kVerify | kPatch | kTimeline | kCompare;
constexpr Commands kBatch = kOpt | kSync | kAudit | kFix | kVerify | kCompare; // they take many kernels
constexpr Commands kEstimating = kOpt | kSync | kTimeline | kCompare;
constexpr Commands kPlacing = kOpt | kSync;    // they report what becomes of every sync
constexpr Commands kDiffing = kPlacing | kFix; // they print diffs
constexpr Commands kEvery = ~Commands{0};

constexpr const char *kKernels = "KERNEL.cpp|DIRECTORY|-...";
constexpr const char *kChanging = "to change kernels", *kAsking = "to ask about kernels",
                     *kLooking = "to look things up";

constexpr CommandRow kCommandRows[] = {
    {Command::Optimize, "opt", "", kKernels, 1, 0, "take out or weaken syncs that order nothing", kChanging,
     "ptosync opt k.cpp --diff                     # show what would change, write nothing\n"
     "ptosync opt k.cpp -o out.cpp --report=r.json # write the patched kernel and a JSON report\n"
     "ptosync opt kernels/ --in-place              # write each kernel that changes over its input\n",
     "o in-place output-dir check diff dry-run report html verbose quiet patterns approved lines exclude resync cost "
     "arch",
     "0 done, 1 --diff or --check has changes, 2 usage, configuration or pattern error, 3 not analysed, or the engines "
     "disagree"},
    {Command::Synchronise, "sync", "", kKernels, 1, 0,
     "place every sync from nothing, proved, whatever the kernel has of them", kChanging,
     "ptosync sync raw.cpp -o out.cpp    # a kernel that was assembled without its syncs\n"
     "ptosync sync k.cpp --diff          # what the kernel would have if its syncs were forgotten\n",
     "o in-place output-dir check diff dry-run report html verbose quiet exclude effort reserve-ids cost arch",
     "0 done, 1 a kernel was left as it came, or --diff or --check has changes, 2 usage error, 3 not analysed, or the "
     "engines disagree"},
    {Command::Fix, "fix", "", kKernels, 1, 0, "put in what is missing from a broken kernel, each change verified",
     kChanging,
     "ptosync fix k.cpp                  # the fewest insertions that make the kernel right, as a diff\n"
     "ptosync fix k.cpp -o mended.cpp    # write the mended kernel\n",
     "", "0 all mended, 1 something is left or --check has changes, 2 usage error, 3 not analysed"},
    {Command::PatchVecBarriers, "patch-vec-barriers", "", "SRC.cpp DST.cpp", 2, 2,
     "take out chosen vector barriers like the script of that name, but proved", kChanging,
     "ptosync patch-vec-barriers in.cpp out.cpp --remove-vec-barriers=418,502\n", "",
     "0 done, 1 unknown pattern or a file that cannot be read or written, 2 usage error, 3 not analysed"},
    {Command::Audit, "audit", "", kKernels, 1, 0,
     "report what is wrong with the synchronisation of kernels; change nothing", kAsking,
     "ptosync audit kernels/                    # errors and warnings of every kernel below\n"
     "ptosync audit k.cpp --severity=note       # what is slow as well\n"
     "ptosync audit kernels/ --baseline=b.json --write-baseline    # adopt what is there\n",
     "", "0 nothing found, 1 findings, 2 usage or configuration error, 3 not analysed"},
    {Command::Explain, "explain", "", "KERNEL.cpp:LINE | KERNEL.cpp:TILE | --memory KERNEL.cpp", 1, 1,
     "say why a sync is there, what an instruction waits for, who touches a tile", kAsking,
     "ptosync explain k.cpp:418         # why this sync is there, or what this instruction waits for\n"
     "ptosync explain k.cpp:v60         # who touches the tile v60\n"
     "ptosync explain --memory k.cpp    # who holds which bytes of each memory, and when\n",
     "", "0 done, 2 usage error, 3 not analysed"},
    {Command::Verify, "verify", "", "BEFORE.cpp AFTER.cpp | BEFORE_DIRECTORY AFTER_DIRECTORY", 2, 2,
     "prove or refute that the second version of a kernel keeps every order", kAsking,
     "ptosync verify before.cpp after.cpp\n"
     "ptosync verify old_kernels/ new_kernels/     # two folders: kernels are matched by their paths\n",
     "", "0 proved, 1 refuted, 2 usage error, 3 not analysed, 4 not refuted and not proved"},
    {Command::Compare, "compare", "", "A.cpp B.cpp | DIRECTORY_A DIRECTORY_B", 2, 2,
     "lay two versions of a kernel beside each other: statements, time, syncs", kAsking,
     "ptosync compare a.cpp b.cpp\n"
     "ptosync compare old_kernels/ new_kernels/    # two folders: kernel by kernel, and a table\n"
     "ptosync compare a.cpp b.cpp --fail-over=5    # exit 1 if b is estimated to be over 5 % slower\n",
     "", "0 done, 1 b is slower than --fail-over allows, 2 usage error, 3 not analysed"},
    {Command::Merge, "merge", "", "FILE...", 0, SIZE_MAX,
     "join what the shards of a run wrote: tables, JSON of audit, SARIF", kAsking,
     "ptosync merge t1.json t2.json -o all.csv         # tables: --table=F.json of each shard\n"
     "ptosync merge a1.json a2.json -o audit.json      # audit --format=json\n"
     "ptosync merge s1.sarif s2.sarif -o all.sarif     # within what code scanning takes\n",
     "",
     "0 done, 1 findings, 2 usage error, or an input is missing, damaged or of another run, 3 not analysed, 4 not "
     "decided: the gravest of the runs"},
    {Command::Timeline, "timeline", "", "KERNEL.cpp", 1, 1, "estimate when each pipe does what, and what it waits for",
     kAsking,
     "ptosync timeline k.cpp --trace=t.json        # for Perfetto and the vendor's viewer\n"
     "ptosync timeline k.cpp --profile=FOLDER      # a recorded simulator run beside the estimate\n",
     "", "0 done, 2 usage error, 3 not analysed"},
    {Command::RuleShow, "rule", "", "ID", 1, 1, "say what a finding, a pattern or a machine rule means", kLooking,
     "ptosync rule missing-sync         # a finding: bad and good example, how to mend it\n"
     "ptosync rule gu                   # a pattern of opt\n"
     "ptosync rule same-access-chain    # a machine rule that a removal relies on\n",
     "", "0 done, 2 usage error, or no such id"},
    {Command::RuleList, "rule", "list", "", 0, 0, "list the findings, patterns and machine rules", kLooking, "", "",
     ""},
    {Command::PatternsList, "patterns", "list", "", 0, 0, "list the patterns that nominate edits", kLooking,
     "ptosync patterns list --arch=a5              # those that may nominate on a5\n"
     "ptosync patterns test --pattern-file=f.json  # try the cases of a pattern of your own\n",
     "", "0 done, 1 a case fails, 2 usage or pattern error"},
    {Command::PatternsShow, "patterns", "show", "ID", 1, 1, "say what one pattern nominates, and why", kLooking, "", "",
     ""},
    {Command::PatternsTest, "patterns", "test", "", 0, 0, "run the cases of every pattern", kLooking, "", "", ""},
    {Command::Model, "model", "", "", 0, 0, "say what the machine model says of calls, and whether it fits a library",
     kLooking,
     "ptosync model --calls=k.cpp                  # of every call: pipes, flags, bytes\n"
     "ptosync model --check --pto-include=DIR      # is this the library that the model was made from?\n",
     "", "0 done, 1 --check has found differences, 2 usage error, 3 not analysed"},
};

constexpr const char *kWritten = "what is written";
constexpr const char *kChosen = "what is looked at";
constexpr const char *kBounded = "what a kernel may take";
constexpr const char *kAnew = "placing syncs anew";
constexpr const char *kTimes = "estimated times";
constexpr const char *kMachine = "what is taken for granted";
constexpr const char *kBuild = "the kernel's build";
constexpr const char *kKept = "results of earlier runs";

constexpr OptionForm kSwitch = OptionForm::Switch, kWord = OptionForm::Word, kValue = OptionForm::Value,
                     kValues = OptionForm::Values, kParts = OptionForm::Parts;

constexpr OptionRow kOptionRows[] = {
    {"o", kValue, kDiffing, "OUT.cpp", kWritten, "write the patched kernel here ('-': standard output)"},
    {"o", kValue, kCompare, "FILE", kWritten, "write the comparison here ('-': standard output)"},
    {"o", kValue, kMerge, "OUT", kWritten,
     "write the result here, a table in the form that the name ends with: .json, .csv, .html, else text"},
    {"in-place", kSwitch, kDiffing, "", kWritten, "write each kernel that changes over its input"},
    {"output-dir", kValue, kDiffing, "DIR", kWritten,
     "write each kernel below this folder, under its name from the given one"},
    {"check", kSwitch, kDiffing, "", kWritten,
     "write no kernel, name those that would change; exit 1 if there are any"},
    {"diff", kSwitch, kPlacing, "", kWritten, "print a unified diff; exit 1 if there are changes"},
    {"dry-run", kSwitch, kDiffing, "", kWritten, "decide and report, write no kernel"},
    {"root", kValue, kDiffing, "DIR", kWritten,
     "the folder that the paths of a diff begin at (default: the top of the file's git work tree)"},
    {"report", kValue, kPlacing, "R.json", kWritten,
     "write the JSON report here ('-': standard output); of several kernels: into this folder"},
    {"html", kValue, kPlacing, "R.html", kWritten,
     "write a page for reviewers: every sync with its reason, timelines; of several kernels: into this folder"},
    {"certificate", kValue, kDiffing, "C.json", kWritten,
     "write a certificate here, which `ptosync-check` checks by itself; of several kernels: into this folder"},
    {"certify", kSwitch, kDiffing, "", kWritten,
     "publish a kernel only if the checker certifies every sync that was removed, moved or added; else exit 3"},
    {"table", kValue, kBatch, "F", kWritten, "write a table over the kernels here: .csv, .json, .html, else text"},
    {"depfile", kValue, kBatch, "OUTPUT.d", kWritten,
     "write a rule of make here: OUTPUT depends on each file that was read"},
    {"html", kValue, kTimeline | kCompare, "R.html", kWritten,
     "write the same as a page to look at, with timelines; of two folders: into this folder"},
    {"print", kWord, kOpt, "chains|flags|kernel|prelude", kWritten,
     "chains: def/use chains per pipe; flags: webs, tokens and free event ids; kernel: the lifted kernel; prelude: the "
     "declarations it is parsed against"},
    {"print", kWord, kAudit, "config", kWritten, "config: the configuration that applies to each file"},
    {"format", kWord, kDiffing, "text|csv|json", kWritten, "what standard output gets: text (default), or the table"},
    {"format", kWord, kAudit, "text|json|sarif|github", kWritten, "what standard output gets: text by default"},
    {"format", kWord, kExplain | kVerify | kModel, "text|json", kWritten, "text (default) or json"},
    {"format", kWord, kCompare, "text|csv|json", kWritten, "text (default), csv or json; of two folders: of the table"},
    {"github", kSwitch, kAudit, "", kWritten, "the same as --format=github"},
    {"github", kSwitch, kPlacing, "", kWritten, "also print the edits as annotations of GitHub Actions"},
    {"sarif", kValue, kPlacing, "F.sarif", kWritten,
     "also write the edits as SARIF 2.1.0 here ('-': on standard output)"},
    {"sarif", kValue, kAudit, "F.sarif", kWritten, "also write SARIF 2.1.0 here ('-': the same as --format=sarif)"},
    {"fixes", kSwitch, kAudit, "", kWritten, "say which findings `fix` mends; SARIF gets the changes, each verified"},
    {"trace", kValue, kTimeline, "T.json", kWritten,
     "write the timeline here as trace JSON, for Perfetto and the vendor's viewer"},
    {"require-proof", kSwitch, kVerify, "", kWritten,
     "exit 1 unless it is proved that no order is lost, also where no run has a finding"},
    {"fail-over", kValue, kCompare, "PCT", kWritten,
     "exit 1 if B's estimated time is more than so many percent above A's in any section"},
    {"verbose", kSwitch, kPlacing | kVerify | kPatterns | kCompare, "", kWritten,
     "list every sync with its reason, loops with their trip counts, cases"},
    {"quiet", kSwitch, kEvery, "", kWritten, "print findings, errors and what was asked for, no summary, no progress"},
    {"color", kWord, kDiffing | kAudit, "auto|always|never", kWritten,
     "colours, and the source's lines below findings; auto (default): on a terminal, without NO_COLOR"},
    {"timings", kSwitch, kPlacing | kVerify, "", kWritten, "print how long each stage took"},

    {"patterns", kValue, kOpt | kExplain, "ID,...", kChosen,
     "default, all, none (off, disable, disabled), or a list of ids"},
    {"pattern-file", kValues, kOpt | kExplain | kPatterns | kRule, "F.json", kChosen,
     "add a pattern of your own (repeatable)"},
    {"rewrite", kValues, kOpt, "ID[=N|auto]", kChosen,
     "also make this rewrite, with a value or the one the tool proves (repeatable; `patterns list` names them)"},
    {"lines", kParts, kOpt, "L1,L2,...", kChosen, "consider only syncs on these lines; each must hold one"},
    {"approved", kValue, kOpt, "F.json", kChosen,
     "make the edits that this file approves; name the new and rejected ones"},
    {"needed", kSwitch, kPlacing, "", kChosen,
     "ask of each sync that stays whether some run needs it, and name the run, the two instructions and the bytes"},
    {"needed", kSwitch, kExplain, "", kChosen,
     "also ask runs of the file as it stands whether one needs the sync of the line"},
    {"minimal", kSwitch, kPlacing, "", kChosen, "the same, and exit 1 if no run is known to need one of them"},
    {"max-removals", kValue, kPlacing, "N", kChosen, "stop after N edits, removals or moves"},
    {"bisect", kSwitch, kPlacing, "", kChosen, "list the edits by number; with --max-removals=N show the N-th alone"},
    {"only", kWord, kPlacing, "removed|moved|kept", kChosen,
     "restrict the text report to the syncs of this verdict, with their reasons"},
    {"severity", kWord, kAudit, "note|warning|error", kChosen,
     "lowest that is reported, and that makes the exit code 1 (default: warning)"},
    {"rule", kValues, kAudit, "ID=LEVEL", kChosen,
     "severity of one kind of finding: off, note, warning, error (repeatable)"},
    {"baseline", kValue, kAudit, "F.json", kChosen,
     "leave out the findings that this file holds (default: what .ptosync.json names)"},
    {"write-baseline", kSwitch, kAudit, "", kChosen,
     "write what is found into the file of --baseline, beside what it holds for other files, and succeed"},
    {"new-from-rev", kValue, kAudit, "REV", kChosen,
     "leave out the findings that the files had in this revision of git, but for those on changed lines"},
    {"exclude", kValues, kBatch, "PATTERN", kChosen,
     "leave out what a folder has under such a name: 'old_*', 'tests/*'; repeatable"},
    {"files-from", kValue, kMerge, "F", kChosen, "also the inputs that this file names, one a line"},
    {"stdin-name", kValue, kBatch, "NAME", kChosen,
     "the name of what '-' reads, in messages and for the configuration; stdin.cpp by default"},
    {"shard", kValue, kBatch, "I/N", kChosen,
     "deal with every N-th kernel, from the I-th on; `merge` joins the documents (also TEST_SHARD_INDEX, from 0, and "
     "TEST_TOTAL_SHARDS)"},
    {"jobs", kValue, kBatch, "N", kChosen, "kernels at a time (default: as many as the machine has cores)"},
    {"time-limit", kValue, kAnalysing | kModel, "T", kBounded,
     "a kernel that takes longer is left as it is: 10 (seconds), 500ms, 2m; --resync keeps what it has proved by then"},
    {"memory-limit", kValue, kAnalysing | kModel, "SIZE", kBounded,
     "a kernel during which the process grows larger is left as it is: 500M, 2G"},
    {"stats", kValue, kAnalysing | kModel, "F.json", kBounded,
     "write here what each kernel has taken: time by stage, work, memory"},
    {"memory", kSwitch, kExplain, "", kChosen,
     "who holds which bytes of each memory and when, peak and slack, of a whole file"},
    {"calls", kValue, kModel, "KERNEL.cpp", kChosen,
     "what the model says of every call of a kernel file: form, pipes, flags, bytes"},
    {"check", kSwitch, kModel, "", kChosen, "is the library of --pto-include the one that the model was made from?"},
    {"hashes", kValue, kModel, "NAME", kChosen,
     "print the hashes of the library of --pto-include, for src/machine/library_*.json, under this name"},
    {"remove-vec-barriers", kValue, kPatch, "L1,L2,...", kChosen,
     "lines whose pipe_barrier(PIPE_V) is to go; also FA_REMOVE_VEC_BARRIERS"},
    {"remove-vec-barrier-patterns", kValue, kPatch, "ID,...", kChosen,
     "gu (default), softmax-exp-sum, softmax-sum-add, or none; also FA_REMOVE_VEC_BARRIER_PATTERNS"},
    {"unsafe", kSwitch, kPatch, "", kChosen, "take requested lines even where they are not proved redundant"},

    {"resync", kSwitch, kOpt, "", kAnew, "place syncs anew where that is estimated faster, and proved"},
    {"effort", kValue, kPlacing, "N", kAnew, "how many ways of placing are tried for each kernel, 1 to 9 (default 3)"},
    {"from", kWord, kSync, "nothing|input", kAnew,
     "input: a kernel whose own syncs are right keeps them where none are better (default nothing)"},
    {"tokens", kWord, kSync, "flags|buffers", kAnew,
     "buffers: a5's buffer ids in place of flags, in kernels that are no slower for it (default flags)"},
    {"reserve-ids", kParts, kDiffing, "ID,...", kAnew, "event ids that no flag gets which is put in"},

    {"cost", kSwitch, kPlacing, "", kTimes,
     "estimate the time before and after; also the data-flow limit and what each sync costs"},
    {"timing", kValue, kEstimating, "F.json", kTimes, "durations of your own, over the built-in ones"},
    {"limit", kSwitch, kTimeline, "", kTimes,
     "without any sync, in the order that the data demands: the data-flow limit"},
    {"profile", kValue, kTimeline, "FOLDER", kTimes,
     "lay this simulator run over the estimate: raw logs, instr_exe csv or trace.json"},
    {"profile-core", kParts, kTimeline, "CORE,...", kTimes,
     "cores of the profile, one of a kind (default: those of lowest number)"},
    {"calibrate", kValue, kTimeline, "F.json", kTimes,
     "fit the durations to the profile and write them here, for --timing"},
    {"arg", kValues, kEstimating | kVerify, "NAME=VALUE", kTimes, "value of an integer kernel argument (repeatable)"},

    {"assume", kValues, kAnalysing, "COMPARISONS", kMachine,
     "what holds of arguments in every launch, as \"n >= 0 && n < 48\" (repeatable); the comment is ptosync: assume"},
    {"arch", kWord, kAnalysing | kModel, "a3|a5", kMachine,
     "architecture; default: what the environment, the configuration or the text says, else a3"},
    {"arch", kWord, kList, "a3|a5", kMachine, "only the patterns that may nominate on this architecture"},
    {"trust", kWord, kPlacing | kAudit | kFix | kExplain | kVerify | kPatch, "tile|library", kMachine,
     "tile (default): a library call is one opaque access; library: the barriers inside library calls count"},
    {"machine", kValue, kAnalysing | kModel, "F.json", kMachine, "machine model to use instead of the built-in one"},
    {"gm-may-alias", kSwitch, kAnalysing, "", kMachine, "pointer arguments of a kernel may overlap"},
    {"strict-copies", kSwitch, kAnalysing, "", kMachine, "copies inside UB are opaque fences"},
    {"a5-vector-order", kWord, kAnalysing, "on|off", kMachine, "on (default): a5 orders vector instructions by itself"},
    {"m-accumulate-order", kSwitch, kAnalysing, "", kMachine,
     "rely on the order of accumulations on one Acc tile (contested)"},
    {"chain", kWord, kAnalysing, "distance|assembler", kMachine,
     "distance (default): a vector result is in order with its reader if every byte is read late enough; assembler: if "
     "the result is long enough"},

    {"pto-include", kValue, kAnalysing | kModel, "DIR", kBuild, "directory of the real PTO headers"},
    {"I", kValues, kAnalysing | kModel, "DIR", kBuild,
     "folder of the kernel's own headers, as its build has it (repeatable)"},
    {"D", kValues, kAnalysing | kModel, "NAME[=VALUE]", kBuild,
     "macro that the kernel's build defines; answers conditions (repeatable)"},
    {"U", kValues, kAnalysing | kModel, "NAME", kBuild, "macro that the kernel's build does not define (repeatable)"},

    {"cache-dir", kValue, kBatch, "DIR", kKept,
     "keep the result of each kernel in this folder, and use what is kept there; also PTOSYNC_CACHE_DIR; off: neither"},
    {"cache-size", kValue, kBatch, "SIZE", kKept,
     "what the folder may hold, 500M or 2G (default 1G); what was unused for longest goes first"},
    {"remote-cache", kValue, kBatch, "URL", kKept,
     "also share results through this HTTP server, http://HOST:PORT/PREFIX; also PTOSYNC_REMOTE_CACHE; off: none"},
    {"remote-cache-read-only", kSwitch, kBatch, "", kKept, "use what the server has, and send it nothing"},
};

/// Options that a letter stands for as well.
constexpr std::pair<llvm::StringLiteral, llvm::StringLiteral> kLetters[] = {{"q", "quiet"}, {"v", "verbose"}};

llvm::Error wrong(const std::string &command, const std::string &text) {
  return llvm::createStringError(command + ": " + text);
}

std::string suggestion(llvm::StringRef name, const std::vector<std::string> &known) {
  std::optional<std::string> nearest = nearestName(name.str(), known);
  return nearest ? "; did you mean '" + withDashes(*nearest) + "'?" : "";
}

/// Reads what stands behind a command's name.
class ArgumentReader {
public:
  /// `mine`: the commands of that name, several where it has verbs.
  ArgumentReader(llvm::StringRef name, Commands mine) : name(name), mine(mine) {}

  llvm::Expected<GivenOptions> read(llvm::ArrayRef<std::string> arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      llvm::StringRef argument = arguments[i];
      if (argument == "--") {
        given.operands.insert(given.operands.end(), arguments.begin() + i + 1, arguments.end());
        break;
      }
      if (!argument.starts_with("-") || argument == "-") {
        given.operands.push_back(argument.str());
        continue;
      }
      bool tookNext = false;
      if (llvm::Error error = readOption(argument, arguments.drop_front(i + 1), tookNext))
        return std::move(error);
      i += tookNext;
    }
    if (given.answer.empty())
      if (llvm::Error error = chooseCommand())
        return std::move(error);
    return std::move(given);
  }

private:
  llvm::Error readOption(llvm::StringRef argument, llvm::ArrayRef<std::string> behind, bool &tookNext) {
    auto [spelled, value] = argument.drop_while([](char c) { return c == '-'; }).split('=');
    if (const OptionRow *joined = joinedOption(argument)) {
      given.values[joined->name].push_back(argument.drop_front(2).str());
      return llvm::Error::success();
    }
    for (const auto &[letter, option] : kLetters)
      if (spelled == letter)
        spelled = option;
    const bool dashes = argument.starts_with("---"), hasValue = argument.contains('=');
    const bool help = spelled == "help" || spelled == "h";
    if (!dashes && help && hasValue && value != "all")
      return wrong(name.str(), argument.str() + ": expected --help or --help=all");
    if (!dashes && (help || (spelled == "version" && !hasValue))) {
      given.answer = help ? helpText(name, hasValue ? HelpLength::All : HelpLength::Short) : versionText();
      return llvm::Error::success();
    }
    const OptionRow *row = dashes ? nullptr : optionOf(spelled, mine);
    if (!row)
      return unknown(argument.split('=').first, spelled);
    const std::string option = withDashes(spelled);
    const bool repeats = row->form == OptionForm::Values || row->form == OptionForm::Parts;
    if (!seen.insert(spelled.str()).second && !repeats)
      return wrong(name.str(), option + " is given twice");
    if (row->form == OptionForm::Switch) {
      if (hasValue)
        return wrong(name.str(), option + "=" + value.str() + ": is a switch, it takes no value");
      given.values[row->name] = {};
      return llvm::Error::success();
    }
    std::string text = value.str();
    if (!hasValue) {
      if (behind.empty() || (behind.front().size() > 1 && behind.front()[0] == '-'))
        return wrong(name.str(), option + ": expected a value, " + row->value +
                                     (behind.empty() ? ""
                                                     : ", but '" + behind.front() + "' is an option (" + option +
                                                           "=VALUE takes any value)"));
      text = behind.front();
      tookNext = true;
    }
    return take(*row, option, text);
  }

  llvm::Error take(const OptionRow &row, const std::string &option, const std::string &text) {
    // The script that `patch-vec-barriers` replaces takes empty lists.
    if (text.empty() && !llvm::StringRef(row.name).starts_with("remove-vec-barrier"))
      return wrong(name.str(), option + "=: expected a value, " + row.value);
    std::vector<std::string> &values = given.values[row.name];
    if (row.form == OptionForm::Word) {
      std::vector<std::string> words = wordsOf(row);
      if (!llvm::is_contained(words, text))
        return llvm::createStringError(option + "=" + text + ": expected " + anyOf(words));
    }
    if (row.form != OptionForm::Parts) {
      values.push_back(text);
      return llvm::Error::success();
    }
    llvm::SmallVector<llvm::StringRef> parts;
    llvm::StringRef(text).split(parts, ',');
    for (llvm::StringRef part : parts)
      values.push_back(part.str());
    return llvm::Error::success();
  }

  /// Returns the row of `-Iinclude`, `-DNAME=VALUE` or `-UNAME`, written as compilers take them; null for any other.
  const OptionRow *joinedOption(llvm::StringRef argument) const {
    bool joined =
        argument.size() > 2 && argument[0] == '-' && llvm::StringRef("IDU").contains(argument[1]) && argument[2] != '=';
    return joined ? optionOf(argument.slice(1, 2), mine) : nullptr;
  }

  static const OptionRow *optionOf(llvm::StringRef name, Commands commands) {
    for (const OptionRow &row : optionRows())
      if (name == row.name && (row.commands & commands))
        return &row;
    return nullptr;
  }

  /// An option that the command does not have: who has it, or what was probably meant.
  llvm::Error unknown(llvm::StringRef written, llvm::StringRef spelled) const {
    const std::string see = " (see ptosync " + name.str() + " --help)";
    if (std::vector<std::string> owners = ownersOf(spelled); !owners.empty() && !written.starts_with("---"))
      return wrong(name.str(), "'" + written.str() + "' is an option of " + anyOf(owners) + see);
    std::vector<std::string> known = {"help", "version"};
    for (const OptionRow &row : optionRows())
      if (row.commands & mine)
        known.emplace_back(row.name);
    std::sort(known.begin(), known.end());
    return wrong(name.str(), "unknown option '" + written.str() + "'" + suggestion(spelled, known) + see);
  }

  static std::vector<std::string> ownersOf(llvm::StringRef option, Commands among = ~Commands{0}) {
    std::vector<std::string> owners;
    for (const CommandRow &row : commandRows())
      if (optionOf(option, bitOf(row.command) & among))
        owners.push_back(commandName(row));
    return owners;
  }

  /// Settles the verb, if there are any, and counts the operands.
  llvm::Error chooseCommand() {
    const CommandRow *row = nullptr;
    for (const CommandRow &one : commandRows())
      if (name == one.name && (!*one.verb || (!given.operands.empty() && given.operands.front() == one.verb)))
        row = &one;
    const bool verbs = row == nullptr || *row->verb;
    const std::size_t count = given.operands.size() - (row && *row->verb ? 1 : 0);
    if (verbs && (!row || count < row->least))
      return wrong(name.str(), "expected list, show ID or test");
    if (*row->verb)
      given.operands.erase(given.operands.begin());
    given.command = row->command;
    for (const auto &[option, values] : given.values)
      if (!optionOf(option, bitOf(row->command)))
        return wrong(commandName(*row), withDashes(option) + " is an option of " + anyOf(ownersOf(option, mine)));
    if (count < row->least)
      return wrong(name.str(), std::string("expected ") + row->operands + " (see ptosync " + name.str() + " --help)");
    const bool any = row->most == 0 && row->least != 0;
    if (!any && count > row->most)
      return wrong(commandName(*row), "'" + given.operands[row->most] + "': one argument too many" +
                                          (*row->operands ? ", expected " + std::string(row->operands) : ""));
    for (const std::string &word : given.operands)
      if (word.empty())
        return wrong(name.str(), std::string("an argument is empty, expected ") + row->operands);
    return llvm::Error::success();
  }

  llvm::StringRef name;
  Commands mine;
  GivenOptions given;
  std::set<std::string> seen;
};

} // namespace

llvm::ArrayRef<CommandRow> commandRows() { return kCommandRows; }
llvm::ArrayRef<OptionRow> optionRows() { return kOptionRows; }

bool isRare(const OptionRow &row) {
  const llvm::StringRef group = row.group;
  return (group == kMachine || group == kBuild || group == kBounded || group == kKept) &&
         llvm::StringRef(row.name) != "arch";
}

llvm::StringRef letterOf(llvm::StringRef name) {
  for (const auto &[letter, option] : kLetters)
    if (name == option)
      return letter;
  return {};
}

std::string withDashes(llvm::StringRef name) { return (name.size() == 1 ? "-" : "--") + name.str(); }

std::string commandName(const CommandRow &row) { return *row.verb ? std::string(row.name) + " " + row.verb : row.name; }

std::vector<std::string> wordsOf(const OptionRow &row) {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(row.value).split(words, '|');
  return {words.begin(), words.end()};
}

std::string anyOf(llvm::ArrayRef<std::string> words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : &word == &words.back() ? " or " : ", ") + word;
  return text;
}

std::string GivenOptions::value(std::string_view name, std::string_view otherwise) const {
  auto found = values.find(name);
  return found == values.end() || found->second.empty() ? std::string(otherwise) : found->second.back();
}

std::vector<std::string> GivenOptions::list(std::string_view name) const {
  auto found = values.find(name);
  return found == values.end() ? std::vector<std::string>() : found->second;
}

namespace {

bool isCommand(llvm::StringRef name) {
  return llvm::any_of(commandRows(), [&](const CommandRow &row) { return name == row.name; });
}

/// Reads what stands in the place of a command, `help`, --help and the like; empty text if nothing of the kind does.
llvm::Expected<std::string> readAnswer(llvm::ArrayRef<std::string> arguments) {
  auto [name, value] = llvm::StringRef(arguments.front()).split('=');
  const bool help = name == "help" || name == "--help" || name == "-help" || name == "-h";
  const bool version = name == "version" || name == "--version" || name == "-version";
  const bool shell = name == "--completion", manual = name == "--man-page";
  if (!help && !shell && !version && !manual)
    return std::string();
  const bool hasValue = name.size() != arguments.front().size();
  if (shell && completion(value).empty())
    return llvm::createStringError(arguments.front() +
                                   ": expected --completion=bash, --completion=zsh or --completion=fish");
  if (hasValue && !shell && !(help && value == "all"))
    return llvm::createStringError(name.str() + " takes no value" + (help ? " but 'all'" : ""));
  const bool ofCommand = help && arguments.size() > 1 && isCommand(arguments[1]);
  if (name == "help" && arguments.size() > 1 && !ofCommand)
    return llvm::createStringError("help: no command '" + arguments[1] + "' (see ptosync help)");
  const std::size_t taken = ofCommand ? 2 : 1;
  if (arguments.size() > taken)
    return llvm::createStringError("'" + arguments[taken] + "': one argument too many behind " + name.str());
  return ofCommand ? helpText(arguments[1], hasValue ? HelpLength::All : HelpLength::Short)
         : help    ? helpText()
         : shell   ? completion(value)
         : version ? versionText()
                   : manPage();
}

} // namespace

llvm::Expected<GivenOptions> readArguments(llvm::ArrayRef<std::string> arguments) {
  std::vector<std::string> names;
  for (const CommandRow &row : commandRows())
    if (!llvm::is_contained(names, row.name))
      names.emplace_back(row.name);
  names.insert(names.end(), {"help", "version"});
  const std::string expected = anyOf(names);
  if (arguments.empty())
    return llvm::createStringError("expected a command: " + expected + " (see ptosync --help)");
  llvm::StringRef first = arguments.front();
  llvm::Expected<std::string> answer = readAnswer(arguments);
  if (!answer)
    return answer.takeError();
  if (!answer->empty()) {
    GivenOptions given;
    given.answer = std::move(*answer);
    return given;
  }
  if (first.starts_with("-")) {
    llvm::StringRef name = first.drop_while([](char c) { return c == '-'; }).split('=').first;
    std::string hint = suggestion(name, {"help", "version", "man-page", "completion"});
    return llvm::createStringError("unknown option '" + first.split('=').first.str() + "'" +
                                   (hint.empty() ? "; a command comes first: " + expected : hint));
  }
  Commands mine = 0;
  for (const CommandRow &row : commandRows())
    if (first == row.name)
      mine |= bitOf(row.command);
  if (mine)
    return ArgumentReader(first, mine).read(arguments.drop_front());
  std::optional<std::string> nearest = nearestName(first.str(), names);
  return llvm::createStringError("unknown command '" + first.str() + "'; " +
                                 (nearest ? "did you mean '" + *nearest + "'?" : "expected " + expected));
}

} // namespace ptosync
