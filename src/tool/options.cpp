#include "tool/options.h"

#include "tool/arguments.h"
#include "tool/files.h"
#include "tool/overview.h"
#include "tool/version_text.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>

namespace ptosync {

int usage(const std::string &message) {
  llvm::errs() << "ptosync: " << message << "\n";
  return kExitUsage;
}

namespace {

namespace cl = llvm::cl;

/// Options live here, not at namespace scope: nothing outside parsing sees them.
struct Definitions {
  cl::OptionCategory category{"ptosync options"};
  cl::SubCommand opt{"opt", "take out or weaken syncs that order nothing"};
  cl::SubCommand audit{"audit", "report what is wrong with the synchronisation of kernels; change nothing"};
  cl::SubCommand fix{"fix", "put in what is missing from a broken kernel, each change verified"};
  cl::SubCommand explain{"explain", "say why a sync is there, what an instruction waits for, who touches a tile"};
  cl::SubCommand verify{"verify", "replay two versions of a kernel: has the second one lost any order?"};
  cl::SubCommand timeline{"timeline", "estimate when each pipe does what, and what it waits for"};
  cl::SubCommand compare{"compare", "lay two versions of a kernel beside each other: statements, estimated time, syncs"};
  cl::SubCommand patterns{"patterns", "list, show or test the patterns"};
  cl::SubCommand model{"model", "what the machine model says of calls, and whether it fits a library"};
  cl::SubCommand patch{"patch-vec-barriers", "take out chosen vector barriers, as the text script does, but proved"};

  cl::opt<std::string> input{cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(opt), cl::cat(category), cl::Required};
  cl::opt<std::string> output{"o", cl::desc("write the patched kernel here ('-': standard output)"),
                              cl::value_desc("OUT.cpp"), cl::sub(opt), cl::sub(fix), cl::cat(category)};
  cl::opt<std::string> broken{cl::Positional, cl::desc("KERNEL.cpp"), cl::sub(fix), cl::cat(category), cl::Required};
  cl::opt<std::string> arch{"arch", cl::desc("architecture, a3 or a5 (default: what the environment, the configuration or the text says, else a3)"),
                            cl::value_desc("a3|a5"), cl::sub(opt), cl::sub(audit), cl::sub(fix),
                            cl::sub(explain), cl::sub(verify),
                            cl::sub(patterns),
                            cl::sub(patch), cl::sub(timeline), cl::sub(compare), cl::sub(model), cl::cat(category)};
  cl::opt<std::string> trust{"trust",
                             cl::desc("tile (default): a library call is one opaque access; library: the barriers "
                                      "inside library calls count"),
                             cl::value_desc("tile|library"), cl::init("tile"), cl::sub(opt), cl::sub(audit),
                             cl::sub(fix),
                             cl::sub(explain),
                             cl::sub(verify), cl::sub(patch), cl::cat(category)};
  cl::opt<std::string> patternSpec{"patterns", cl::desc("default, all, none (off, disable, disabled), or a list of ids"),
                                   cl::value_desc("ID,..."), cl::init("default"), cl::sub(opt), cl::sub(explain),
                                   cl::cat(category)};
  cl::list<std::string> patternFiles{"pattern-file", cl::desc("add a pattern of your own (repeatable)"),
                                     cl::value_desc("F.json"), cl::sub(opt), cl::sub(explain), cl::sub(patterns),
                                     cl::cat(category)};
  cl::list<std::string> rewrites{"rewrite",
                                 cl::desc("also make this rewrite, with a value or the one the tool proves "
                                          "(repeatable; `patterns list` names them)"),
                                 cl::value_desc("ID[=N|auto]"), cl::sub(opt), cl::cat(category)};
  cl::opt<bool> resync{"resync", cl::desc("place syncs anew where that is estimated faster, and proved"), cl::sub(opt),
                       cl::cat(category)};
  cl::opt<std::string> effort{"effort", cl::desc("how many ways --resync tries for each kernel, 1 to 9 (default 3)"),
                              cl::value_desc("N"), cl::init("3"), cl::sub(opt), cl::cat(category)};
  cl::list<std::string> reservedIds{"reserve-ids", cl::CommaSeparated,
                                    cl::desc("event ids that --resync and fix give to no flag"),
                                    cl::value_desc("ID,..."), cl::sub(opt), cl::sub(fix), cl::cat(category)};
  cl::opt<std::string> report{"report", cl::desc("write the JSON report here"), cl::value_desc("R.json"), cl::sub(opt),
                              cl::cat(category)};
  cl::opt<bool> diff{"diff", cl::desc("print a unified diff; exit 1 if there are changes"), cl::sub(opt),
                     cl::cat(category)};
  cl::opt<bool> dryRun{"dry-run", cl::desc("decide and report, write no kernel"), cl::sub(opt), cl::sub(fix),
                       cl::cat(category)};
  cl::opt<bool> verbose{"verbose", cl::desc("list every sync with its reason, or every loop with its trip counts"),
                        cl::sub(opt), cl::sub(verify), cl::sub(patterns), cl::sub(compare), cl::cat(category)};
  cl::opt<bool> quiet{"quiet", cl::desc("print no summary where a file is written, and no progress; errors still"),
                      cl::sub(opt), cl::sub(audit), cl::sub(fix), cl::sub(timeline), cl::sub(compare), cl::sub(patch), cl::cat(category)};
  cl::opt<bool> timings{"timings", cl::desc("print how long parsing and analysis took"), cl::sub(opt), cl::sub(verify),
                        cl::cat(category)};
  cl::opt<std::string> maxRemovals{"max-removals", cl::desc("stop after N edits, removals or moves"),
                                   cl::value_desc("N"), cl::sub(opt), cl::cat(category)};
  cl::opt<bool> bisect{"bisect",
                       cl::desc("list the edits by number; with --max-removals=N show the N-th alone"), cl::sub(opt),
                       cl::cat(category)};
  cl::opt<bool> cost{"cost",
                     cl::desc("estimate the time before and after, the data-flow limit and what each sync costs"),
                     cl::sub(opt), cl::cat(category)};
  cl::opt<std::string> timing{"timing", cl::desc("durations of your own, over the built-in ones"),
                              cl::value_desc("F.json"), cl::sub(opt), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<std::string> html{"html", cl::desc("write a page for reviewers here: every sync with its reason, timelines"),
                            cl::value_desc("R.html"), cl::sub(opt), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<std::string> only{"only", cl::desc("restrict the text report to the syncs of this verdict, with their reasons"),
                            cl::value_desc("removed|moved|kept"), cl::sub(opt), cl::cat(category)};
  cl::list<std::string> lines{"lines", cl::desc("consider only syncs on these lines"), cl::value_desc("L1,L2,..."),
                              cl::CommaSeparated, cl::sub(opt), cl::cat(category)};
  cl::opt<std::string> print{"print",
                             cl::desc("chains: def/use chains per pipe; flags: webs, tokens and free event ids; "
                                      "kernel: the lifted kernel; prelude: the declarations it is parsed against"),
                             cl::value_desc("chains|flags|kernel|prelude"), cl::sub(opt), cl::cat(category)};
  cl::opt<std::string> auditPrint{"print", cl::desc("config: the configuration that applies to each file"),
                                  cl::value_desc("config"), cl::sub(audit), cl::cat(category)};
  cl::opt<std::string> machine{"machine", cl::desc("machine model to use instead of the built-in one"),
                               cl::value_desc("F.json"), cl::sub(opt), cl::sub(audit), cl::sub(fix), cl::sub(explain),
                               cl::sub(verify), cl::sub(patch),
                               cl::sub(timeline), cl::sub(compare), cl::sub(model), cl::cat(category)};
  cl::opt<std::string> include{"pto-include", cl::desc("directory of the real PTO headers"), cl::value_desc("DIR"),
                               cl::sub(opt), cl::sub(audit), cl::sub(fix),
                               cl::sub(explain), cl::sub(verify), cl::sub(patch),
                               cl::sub(timeline), cl::sub(compare), cl::sub(model), cl::cat(category)};
  cl::opt<bool> gmMayAlias{"gm-may-alias", cl::desc("pointer arguments of a kernel may overlap"), cl::sub(opt),
                           cl::sub(audit), cl::sub(fix),
                           cl::sub(explain), cl::sub(verify), cl::sub(patch), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<bool> strictCopies{"strict-copies", cl::desc("copies inside UB are opaque fences"), cl::sub(opt),
                             cl::sub(audit), cl::sub(fix),
                             cl::sub(explain), cl::sub(verify), cl::sub(patch), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<std::string> vectorOrder{"a5-vector-order", cl::desc("on (default): a5 orders vector instructions by itself"),
                                   cl::value_desc("on|off"), cl::init("on"), cl::sub(opt), cl::sub(audit), cl::sub(fix),
                                   cl::sub(explain),
                                   cl::sub(verify), cl::sub(patch), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<bool> accumulateOrder{"m-accumulate-order",
                                cl::desc("rely on the order of accumulations on one Acc tile (contested)"),
                                cl::sub(opt), cl::sub(audit), cl::sub(fix),
                                cl::sub(explain), cl::sub(verify), cl::sub(patch),
                                cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<std::string> chain{"chain",
                             cl::desc("distance (default): a vector result is in order with its reader if every byte is "
                                      "read late enough; assembler: if the result is long enough"),
                             cl::value_desc("distance|assembler"), cl::init("distance"), cl::sub(opt), cl::sub(audit),
                             cl::sub(fix),
                             cl::sub(explain), cl::sub(verify), cl::sub(patch), cl::sub(timeline), cl::sub(compare),
                             cl::cat(category)};
  cl::opt<std::string> before{cl::Positional, cl::desc("BEFORE.cpp"), cl::sub(verify), cl::cat(category), cl::Required};
  cl::opt<std::string> after{cl::Positional, cl::desc("AFTER.cpp"), cl::sub(verify), cl::cat(category), cl::Required};
  cl::list<std::string> arguments{"arg", cl::desc("value of an integer kernel argument (repeatable)"),
                                  cl::value_desc("NAME=VALUE"), cl::sub(opt), cl::sub(verify), cl::sub(timeline), cl::sub(compare), cl::cat(category)};
  cl::opt<std::string> format{"format", cl::desc("text (default) or json"), cl::value_desc("text|json"),
                              cl::init("text"), cl::sub(explain), cl::sub(verify), cl::sub(model), cl::cat(category)};
  cl::list<std::string> patternWords{cl::Positional, cl::desc("list | show ID | test"), cl::sub(patterns),
                                     cl::cat(category), cl::ZeroOrMore};
  AuditDefinitions auditOnly{audit, category};
  ExplainDefinitions explainOnly{explain, category};
  ModelDefinitions modelOnly{model, category};
  TimelineDefinitions timelineOnly{timeline, category};
  CompareDefinitions compareOnly{compare, category};
  cl::opt<std::string> source{cl::Positional, cl::desc("SRC.cpp"), cl::sub(patch), cl::cat(category), cl::Required};
  cl::opt<std::string> target{cl::Positional, cl::desc("DST.cpp"), cl::sub(patch), cl::cat(category), cl::Required};
  PatchDefinitions patchOnly{patch, category};
  cl::extrahelp findings{auditHelp()};

  /// Help is one text for all commands.
  static const char *auditHelp() {
    static const std::string text = "\n" + findingHelp();
    return text.c_str();
  }
};

/// Empty if `text` is one of the words; otherwise the message.
std::string oneOf(const char *option, const std::string &text, std::initializer_list<const char *> words) {
  std::string expected;
  for (const char *word : words) {
    if (text == word)
      return {};
    if (*word)
      expected += (expected.empty() ? "" : " or ") + std::string(word);
  }
  return std::string("--") + option + "=" + text + ": expected " + expected;
}

/// The choices that all commands on kernels share.
int readChoices(const Definitions &given, ToolOptions &options) {
  options.machineFile = given.machine;
  options.includeDirectory = given.include;
  options.timings = given.timings;
  options.timingFile = given.timing;
  for (const std::string &problem :
       {oneOf("trust", given.trust, {"tile", "library"}), oneOf("a5-vector-order", given.vectorOrder, {"on", "off"}),
        oneOf("chain", given.chain, {"distance", "assembler"})})
    if (!problem.empty())
      return usage(problem);
  AuditConfig &config = options.given;
  if (given.arch.getNumOccurrences())
    config.arch = given.arch;
  if (given.trust.getNumOccurrences())
    config.trust = given.trust == "library" ? Trust::Library : Trust::Tile;
  if (given.vectorOrder.getNumOccurrences())
    config.vectorOrder = given.vectorOrder == "on";
  if (given.gmMayAlias.getNumOccurrences())
    config.gmMayAlias = given.gmMayAlias;
  if (given.strictCopies.getNumOccurrences())
    config.strictCopies = given.strictCopies;
  if (given.accumulateOrder.getNumOccurrences())
    config.accumulateOrder = given.accumulateOrder;
  if (given.chain.getNumOccurrences())
    config.assemblerChain = given.chain == "assembler";
  if (!options.includeDirectory.empty() && !llvm::sys::fs::is_directory(options.includeDirectory))
    return usage("--pto-include=" + options.includeDirectory + ": no such directory");
  return -1;
}

/// PTOSYNC_ARCH and PTOSYNC_TRUST; empty is as good as not set, and so is what the command line says otherwise. Empty, or
/// what is wrong.
std::string readEnvironment(const Definitions &given, AuditConfig &config) {
  auto value = [](const char *name) {
    const char *text = std::getenv(name);
    return std::string(text ? text : "");
  };
  if (std::string arch = value("PTOSYNC_ARCH"); !arch.empty() && !given.arch.getNumOccurrences()) {
    if (std::string problem = oneOf("arch", arch, {"a3", "a5"}); !problem.empty())
      return "PTOSYNC_ARCH, like " + problem;
    config.arch = arch;
  }
  if (std::string trust = value("PTOSYNC_TRUST"); !trust.empty() && !given.trust.getNumOccurrences()) {
    if (std::string problem = oneOf("trust", trust, {"tile", "library"}); !problem.empty())
      return "PTOSYNC_TRUST, like " + problem;
    config.trust = trust == "library" ? Trust::Library : Trust::Tile;
  }
  return {};
}

/// --arg, of `verify` and of what estimates times.
int readArguments(const Definitions &given, std::map<std::string, std::int64_t> &arguments) {
  for (const std::string &argument : given.arguments) {
    std::size_t equals = argument.find('=');
    long long value = 0;
    if (equals == std::string::npos || equals == 0 || llvm::StringRef(argument).substr(equals + 1).getAsInteger(0, value))
      return usage("--arg " + argument + ": expected NAME=VALUE with an integer value");
    if (!arguments.emplace(argument.substr(0, equals), value).second)
      return usage("--arg " + argument + ": " + argument.substr(0, equals) + " is given twice");
  }
  return -1;
}

/// --quiet where nothing is written would leave nothing; empty, or what is wrong.
std::string wrongQuiet(const Definitions &given, const std::string &command, bool writes) {
  return given.quiet && !writes ? command + ": --quiet leaves nothing: name a file to write, or leave it out" : "";
}

int readVerify(const Definitions &given, ToolOptions &options) {
  options.command = Command::Verify;
  options.input = given.before;
  options.after = given.after;
  options.format = given.format;
  if (std::string problem = oneOf("format", options.format, {"text", "json"}); !problem.empty())
    return usage(problem);
  if (int stop = readArguments(given, options.arguments); stop >= 0)
    return stop;
  return readChoices(given, options);
}

int readReservedIds(const Definitions &given, ToolOptions &options) {
  for (const std::string &text : given.reservedIds) {
    std::int64_t id = 0;
    if (llvm::StringRef(text).getAsInteger(10, id) || id < 0)
      return usage("--reserve-ids: '" + text + "' is no event id: expected numbers from 0 on");
    options.reservedIds.insert(id);
  }
  return -1;
}

/// --resync and what belongs to it.
int readResync(const Definitions &given, ToolOptions &options) {
  options.resync = given.resync;
  if (!options.resync && (given.effort.getNumOccurrences() || given.reservedIds.getNumOccurrences()))
    return usage("opt: --effort and --reserve-ids are for --resync; add it");
  if (llvm::StringRef(given.effort).getAsInteger(10, options.effort) || options.effort < 1 || options.effort > 9)
    return usage("--effort=" + given.effort + ": expected a number from 1 to 9");
  if (int stop = readReservedIds(given, options); stop >= 0)
    return stop;
  if (options.resync && (options.optimize.maxRemovals || !options.optimize.lines.empty()))
    return usage("opt: --resync places the syncs of a kernel together; --lines and --max-removals do not go with it");
  return -1;
}

int readOpt(const Definitions &given, ToolOptions &options) {
  options.input = given.input;
  options.output = given.output;
  options.report = given.report;
  options.patterns = given.patternSpec;
  options.rewrites.assign(given.rewrites.begin(), given.rewrites.end());
  options.diff = given.diff;
  options.dryRun = given.dryRun;
  options.bisect = given.bisect;
  options.print = given.print;
  if (given.maxRemovals.getNumOccurrences()) {
    std::uint32_t most = 0;
    if (llvm::StringRef(given.maxRemovals).getAsInteger(10, most))
      return usage("--max-removals=" + given.maxRemovals + ": expected a number of at least 0");
    options.optimize.maxRemovals = most;
  }
  for (const std::string &text : given.lines) {
    std::uint32_t line = 0;
    if (llvm::StringRef(text).getAsInteger(10, line) || line == 0)
      return usage("--lines: '" + text + "' is no line number");
    options.optimize.lines.insert(line);
  }
  if (int stop = readResync(given, options); stop >= 0)
    return stop;
  if (std::string problem = oneOf("print", options.print, {"", "chains", "flags", "kernel", "prelude"}); !problem.empty())
    return usage(problem);
  if (int stop = readChoices(given, options); stop >= 0)
    return stop;
  if (namesStandardOutput(options.output))
    options.output = "-";
  if (std::string problem = oneOf("only", given.only, {"", "removed", "moved", "kept"}); !problem.empty())
    return usage(problem);
  if (!given.only.empty())
    options.only = given.only == "removed" ? Verdict::Removed : given.only == "moved" ? Verdict::Moved : Verdict::Kept;
  if (options.only && options.bisect)
    return usage("opt: --only restricts the summary, which --bisect replaces by the list of edits; leave one out");
  options.cost = given.cost;
  options.html = given.html;
  if (int stop = readArguments(given, options.costArguments); stop >= 0)
    return stop;
  if (!options.costArguments.empty() && !options.cost && options.html.empty())
    return usage("opt: --arg chooses the run that --cost times; add --cost");
  if (given.timing.getNumOccurrences() && !options.cost && options.html.empty() && !options.resync)
    return usage("opt: --timing is for what is estimated: add --cost, --html or --resync");
  if (options.html == "-" || namesStandardOutput(options.html))
    return usage("opt: --html needs a file name, standard output holds the summary");
  if (std::string problem = wrongQuiet(given, "opt", options.diff || !options.report.empty() || !options.html.empty() ||
                                                         !options.print.empty() || (!options.output.empty() && !options.dryRun));
      !problem.empty())
    return usage(problem);
  if (options.diff && options.output == "-")
    return usage("opt: --diff and -o - both want standard output; give -o a file name");
  if (options.report == "-" || namesStandardOutput(options.report))
    return usage("opt: --report needs a file name, standard output holds the summary");
  if (options.output.empty() && !options.diff && !options.dryRun && options.print.empty())
    return usage("opt: say where to write with -o OUT.cpp, or use --diff or --dry-run");
  return -1;
}

int readAudit(const Definitions &given, ToolOptions &options) {
  options.command = Command::Audit;
  options.print = given.auditPrint;
  std::string problem = given.auditOnly.read(options.audit);
  if (problem.empty())
    problem = oneOf("print", options.print, {"", "config"});
  if (problem.empty())
    problem = wrongQuiet(given, "audit", !options.audit.sarif.empty() || options.audit.writeBaseline);
  for (const std::string &file : {options.audit.sarif, options.audit.baseline})
    if (problem.empty() && (file == "-" || namesStandardOutput(file)))
      problem = "audit: " + file + ": standard output holds the findings; give a file name";
  if (!problem.empty())
    return usage(problem);
  options.given = options.audit.given;
  return readChoices(given, options);
}

int readFix(const Definitions &given, ToolOptions &options) {
  options.command = Command::Fix;
  options.input = given.broken;
  options.output = namesStandardOutput(given.output) ? "-" : given.output.getValue();
  options.dryRun = given.dryRun;
  if (std::string problem = wrongQuiet(given, "fix", !options.dryRun); !problem.empty())
    return usage(problem);
  if (int stop = readReservedIds(given, options); stop >= 0)
    return stop;
  return readChoices(given, options);
}

int readExplain(const Definitions &given, ToolOptions &options) {
  options.command = Command::Explain;
  options.format = given.format;
  options.patterns = given.patternSpec;
  std::string problem = given.explainOnly.read(options.explain);
  if (problem.empty())
    problem = oneOf("format", options.format, {"text", "json"});
  if (!problem.empty())
    return usage(problem);
  return readChoices(given, options);
}

int readTimeline(const Definitions &given, ToolOptions &options) {
  options.command = Command::Timeline;
  if (std::string problem = given.timelineOnly.read(options.timeline); !problem.empty())
    return usage(problem);
  options.html = given.html;
  if (options.html == "-" || namesStandardOutput(options.html))
    return usage("timeline: --html needs a file name, standard output holds the summary");
  if (std::string problem = wrongQuiet(given, "timeline", !options.html.empty() || !options.timeline.trace.empty() || !options.timeline.calibrate.empty()); !problem.empty())
    return usage(problem);
  if (int stop = readArguments(given, options.costArguments); stop >= 0)
    return stop;
  return readChoices(given, options);
}

int readCompare(const Definitions &given, ToolOptions &options) {
  options.command = Command::Compare;
  options.html = given.html;
  std::string problem = given.compareOnly.read(options.compare);
  if (problem.empty())
    problem = wrongQuiet(given, "compare", !options.compare.output.empty() || !options.html.empty());
  if (problem.empty() && (options.html == "-" || namesStandardOutput(options.html)))
    problem = "compare: --html needs a file name, standard output holds the comparison";
  if (!problem.empty())
    return usage(problem);
  if (int stop = readArguments(given, options.costArguments); stop >= 0)
    return stop;
  return readChoices(given, options);
}

int readModel(const Definitions &given, ToolOptions &options) {
  options.command = Command::Model;
  options.format = given.format;
  std::string problem = given.modelOnly.read(options.model);
  if (problem.empty())
    problem = oneOf("format", options.format, {"text", "json"});
  if (!problem.empty())
    return usage(problem);
  return readChoices(given, options);
}

int readPatch(const Definitions &given, ToolOptions &options) {
  options.command = Command::PatchVecBarriers;
  options.input = given.source;
  options.output = given.target;
  options.patch = given.patchOnly.read();
  return readChoices(given, options);
}

int readPatterns(const Definitions &given, ToolOptions &options) {
  const auto &words = given.patternWords;
  if (words.size() == 1 && words[0] == "list")
    options.command = Command::PatternsList;
  else if (words.size() == 2 && words[0] == "show") {
    options.command = Command::PatternsShow;
    options.patternId = words[1];
  } else if (words.size() == 1 && words[0] == "test")
    options.command = Command::PatternsTest;
  else
    return usage("patterns: expected list, show ID or test");
  if (given.arch.getNumOccurrences() && options.command != Command::PatternsList)
    return usage("patterns: --arch is for list; a pattern names its architectures, its cases run on the first of them");
  if (given.arch.getNumOccurrences())
    options.given.arch = given.arch;
  return -1;
}

} // namespace

ParsedCommandLine parseCommandLine(int argc, const char *const *argv) {
  ParsedCommandLine parsed;
  Definitions given;
  std::vector<cl::SubCommand *> commands = {&given.opt,    &given.audit,    &given.fix,      &given.explain,
                                            &given.verify, &given.patterns, &given.patch, &given.timeline, &given.compare,
                                            &given.model};
  for (cl::SubCommand *command : commands)
    cl::HideUnrelatedOptions(given.category, *command);
  cl::HideUnrelatedOptions(given.category);
  cl::SetVersionPrinter([](llvm::raw_ostream &stream) { stream << versionText(); });
  llvm::Expected<std::vector<std::string>> arguments =
      checkArguments(std::vector<std::string>(argv + std::min(argc, 1), argv + argc), commands, given.category);
  if (!arguments) {
    parsed.exitCode = usage(llvm::toString(arguments.takeError()));
    return parsed;
  }
  std::vector<const char *> words;
  for (const std::string &argument : *arguments)
    words.push_back(argument.c_str());
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (!cl::ParseCommandLineOptions(static_cast<int>(words.size()), words.data(), kOverview, &stream)) {
    parsed.exitCode = usage("the command line is not understood: " + problems);
    return parsed;
  }
  ToolOptions &options = parsed.options;
  options.patternFiles.assign(given.patternFiles.begin(), given.patternFiles.end());
  options.verbose = given.verbose;
  options.quiet = given.quiet;
  std::string problem = readEnvironment(given, options.environment);
  if (problem.empty() && given.arch.getNumOccurrences())
    problem = oneOf("arch", given.arch, {"a3", "a5"});
  if (!problem.empty()) {
    parsed.exitCode = usage(problem);
    return parsed;
  }
  if (given.opt)
    parsed.exitCode = readOpt(given, options);
  else if (given.audit)
    parsed.exitCode = readAudit(given, options);
  else if (given.fix)
    parsed.exitCode = readFix(given, options);
  else if (given.explain)
    parsed.exitCode = readExplain(given, options);
  else if (given.verify)
    parsed.exitCode = readVerify(given, options);
  else if (given.model)
    parsed.exitCode = readModel(given, options);
  else if (given.timeline)
    parsed.exitCode = readTimeline(given, options);
  else if (given.compare)
    parsed.exitCode = readCompare(given, options);
  else if (given.patterns)
    parsed.exitCode = readPatterns(given, options);
  else
    parsed.exitCode = readPatch(given, options);
  return parsed;
}

} // namespace ptosync
