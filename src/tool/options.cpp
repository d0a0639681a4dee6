#include "tool/options.h"

#include "frontend/read/prelude.h"
#include "tool/arguments.h"
#include "tool/files.h"
#include "tool/option_definitions.h"
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
int readChoices(const OptionDefinitions &given, ToolOptions &options) {
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
  config.includes.assign(given.includes.begin(), given.includes.end());
  config.defines.assign(given.defines.begin(), given.defines.end());
  config.undefines.assign(given.undefines.begin(), given.undefines.end());
  for (const std::string &folder : config.includes)
    if (std::string problem = wrongIncludeFolder(folder, options.includeDirectory); !problem.empty())
      return usage("-I " + folder + ": " + problem);
  if (llvm::Expected<std::vector<Definition>> macros = parseDefinitions(config.defines, config.undefines); !macros)
    return usage(llvm::toString(macros.takeError()));
  return -1;
}

/// PTOSYNC_ARCH and PTOSYNC_TRUST; empty is as good as not set, and so is what the command line says otherwise. Empty, or
/// what is wrong.
std::string readEnvironment(const OptionDefinitions &given, AuditConfig &config) {
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
int readArguments(const OptionDefinitions &given, std::map<std::string, std::int64_t> &arguments) {
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
std::string wrongQuiet(const OptionDefinitions &given, const std::string &command, bool writes) {
  return given.quiet && !writes ? command + ": --quiet leaves nothing: name a file to write, or leave it out" : "";
}

int readVerify(const OptionDefinitions &given, ToolOptions &options) {
  options.command = Command::Verify;
  options.input = given.before;
  options.verify.after = given.after;
  options.format = given.format;
  if (std::string problem = oneOf("format", options.format, {"text", "json"}); !problem.empty())
    return usage(problem);
  if (int stop = readArguments(given, options.arguments); stop >= 0)
    return stop;
  return readChoices(given, options);
}

int readReservedIds(const OptionDefinitions &given, ToolOptions &options) {
  for (const std::string &text : given.reservedIds) {
    std::int64_t id = 0;
    if (llvm::StringRef(text).getAsInteger(10, id) || id < 0)
      return usage("--reserve-ids: '" + text + "' is no event id: expected numbers from 0 on");
    options.reservedIds.insert(id);
  }
  return -1;
}

/// --resync and what belongs to it.
int readResync(const OptionDefinitions &given, ToolOptions &options) {
  options.opt.resync = given.resync;
  if (!options.opt.resync && (given.effort.getNumOccurrences() || given.reservedIds.getNumOccurrences() ||
                              given.timeLimit.getNumOccurrences()))
    return usage("opt: --effort, --time-limit and --reserve-ids are for --resync; add it");
  if (llvm::StringRef(given.effort).getAsInteger(10, options.effort) || options.effort < 1 || options.effort > 9)
    return usage("--effort=" + given.effort + ": expected a number from 1 to 9");
  if (double seconds = 0; given.timeLimit.getNumOccurrences()) {
    if (llvm::StringRef(given.timeLimit).getAsDouble(seconds) || !(seconds > 0) || seconds > 1e6)
      return usage("--time-limit=" + given.timeLimit + ": expected a number of seconds above 0");
    options.seconds = seconds;
  }
  if (int stop = readReservedIds(given, options); stop >= 0)
    return stop;
  if (options.opt.resync && !options.optimize.lines.empty())
    return usage("opt: --resync places the syncs of a kernel together; --lines does not go with it");
  return -1;
}

int readOpt(const OptionDefinitions &given, ToolOptions &options) {
  options.input = given.input;
  options.output = given.output;
  options.opt.report = given.report;
  options.patterns = given.patternSpec;
  options.opt.rewrites.assign(given.rewrites.begin(), given.rewrites.end());
  options.opt.diff = given.diff;
  options.dryRun = given.dryRun;
  options.opt.bisect = given.bisect;
  options.opt.print = given.print;
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
  if (std::string problem = oneOf("print", options.opt.print, {"", "chains", "flags", "kernel", "prelude"}); !problem.empty())
    return usage(problem);
  if (int stop = readChoices(given, options); stop >= 0)
    return stop;
  if (namesStandardOutput(options.output))
    options.output = "-";
  if (std::string problem = oneOf("only", given.only, {"", "removed", "moved", "kept"}); !problem.empty())
    return usage(problem);
  if (!given.only.empty())
    options.opt.only = given.only == "removed" ? Verdict::Removed : given.only == "moved" ? Verdict::Moved : Verdict::Kept;
  if (options.opt.only && options.opt.bisect)
    return usage("opt: --only restricts the summary, which --bisect replaces by the list of edits; leave one out");
  options.opt.cost = given.cost;
  options.html = given.html;
  if (int stop = readArguments(given, options.costArguments); stop >= 0)
    return stop;
  if (!options.costArguments.empty() && !options.opt.cost && options.html.empty())
    return usage("opt: --arg chooses the run that --cost times; add --cost");
  if (given.timing.getNumOccurrences() && !options.opt.cost && options.html.empty() && !options.opt.resync)
    return usage("opt: --timing is for what is estimated: add --cost, --html or --resync");
  if (options.html == "-" || namesStandardOutput(options.html))
    return usage("opt: --html needs a file name, standard output holds the summary");
  if (std::string problem = wrongQuiet(given, "opt", options.opt.diff || !options.opt.report.empty() || !options.html.empty() ||
                                                         !options.opt.print.empty() || (!options.output.empty() && !options.dryRun));
      !problem.empty())
    return usage(problem);
  if (options.opt.diff && options.output == "-")
    return usage("opt: --diff and -o - both want standard output; give -o a file name");
  if (options.opt.report == "-" || namesStandardOutput(options.opt.report))
    return usage("opt: --report needs a file name, standard output holds the summary");
  if (options.output.empty() && !options.opt.diff && !options.dryRun && options.opt.print.empty())
    return usage("opt: say where to write with -o OUT.cpp, or use --diff or --dry-run");
  return -1;
}

int readAudit(const OptionDefinitions &given, ToolOptions &options) {
  options.command = Command::Audit;
  options.audit.print = given.auditPrint;
  std::string problem = given.auditOnly.read(options.audit);
  if (problem.empty())
    problem = oneOf("print", options.audit.print, {"", "config"});
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

int readFix(const OptionDefinitions &given, ToolOptions &options) {
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

int readExplain(const OptionDefinitions &given, ToolOptions &options) {
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

int readTimeline(const OptionDefinitions &given, ToolOptions &options) {
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

int readCompare(const OptionDefinitions &given, ToolOptions &options) {
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

int readModel(const OptionDefinitions &given, ToolOptions &options) {
  options.command = Command::Model;
  options.format = given.format;
  std::string problem = given.modelOnly.read(options.model);
  if (problem.empty())
    problem = oneOf("format", options.format, {"text", "json"});
  if (!problem.empty())
    return usage(problem);
  return readChoices(given, options);
}

int readPatch(const OptionDefinitions &given, ToolOptions &options) {
  options.command = Command::PatchVecBarriers;
  options.input = given.source;
  options.output = given.target;
  options.patch = given.patchOnly.read();
  return readChoices(given, options);
}

int readPatterns(const OptionDefinitions &given, ToolOptions &options) {
  const auto &words = given.patternWords;
  if (words.size() == 1 && words[0] == "list")
    options.command = Command::PatternsList;
  else if (words.size() == 2 && words[0] == "show") {
    options.command = Command::PatternsShow;
    options.patternsCommand.id = words[1];
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
  OptionDefinitions given;
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
  options.headers = std::make_shared<HeaderMemory>();
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
