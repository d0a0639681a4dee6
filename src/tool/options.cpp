#include "tool/options.h"

#include "audit/finding.h"
#include "frontend/read/prelude.h"
#include "tool/files.h"
#include "tool/run_watch.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>
#include <cstdlib>
#include <map>

namespace ptosync {

int usage(const std::string &message) {
  llvm::errs() << "ptosync: " << message << "\n";
  return kExitUsage;
}

namespace {

std::string environmentOf(const char *name) {
  const char *text = std::getenv(name);
  return text ? text : "";
}

/// Reads "10", "0.5", "500ms", "2m", "1h".
std::optional<double> secondsOf(llvm::StringRef text) {
  constexpr std::pair<llvm::StringLiteral, double> kUnits[] = {{"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr double kGreatest = 1e6;
  double unit = 1, number = 0;
  for (const auto &[name, seconds] : kUnits)
    if (text.consume_back(name)) {
      unit = seconds;
      break;
    }
  if (text.getAsDouble(number) || !(number * unit > 0) || number * unit > kGreatest)
    return std::nullopt;
  return number * unit;
}

/// Reads "500M", "2G", "1.5GB".
std::optional<std::uint64_t> bytesOf(llvm::StringRef text) {
  constexpr std::pair<char, unsigned> kUnits[] = {{'K', 10}, {'M', 20}, {'G', 30}, {'T', 40}};
  constexpr double kGreatest = 1e15;
  const std::string upper = text.upper();
  llvm::StringRef rest(upper);
  rest.consume_back("B");
  rest.consume_back("I");
  for (const auto &[name, bits] : kUnits) {
    double number = 0;
    if (!rest.ends_with(llvm::StringRef(&name, 1)))
      continue;
    const bool wrong = rest.drop_back().getAsDouble(number);
    const double bytes = number * static_cast<double>(std::uint64_t(1) << bits);
    return wrong || !(bytes >= 1) || bytes > kGreatest ? std::nullopt : std::optional(static_cast<std::uint64_t>(bytes));
  }
  return std::nullopt;
}

/// Makes the values of a command line out of what is given. The first problem is kept, what follows is not looked at.
class OptionReader {
public:
  OptionReader(const GivenOptions &given, ToolOptions &options) : given(given), options(options) {}

  /// Returns what is wrong, empty if nothing is.
  std::string read() {
    options.command = given.command;
    options.asked = given.values;
    options.headers = std::make_shared<HeaderMemory>();
    options.patternFiles = given.list("pattern-file");
    options.verbose = given.has("verbose");
    options.quiet = given.has("quiet");
    const std::string colour = given.value("color", "auto");
    options.colour = colour == "always" ? Colour::Always : colour == "never" ? Colour::Never : Colour::Auto;
    options.timings = given.has("timings");
    options.dryRun = given.has("dry-run");
    readEnvironment();
    readKernels();
    readCache();
    switch (given.command) {
    case Command::Optimize:
    case Command::Synchronise: readOpt(); break;
    case Command::Audit: readAudit(); break;
    case Command::Fix: readFix(); break;
    case Command::Explain: readExplain(); break;
    case Command::Verify: readVerify(); break;
    case Command::Timeline: readTimeline(); break;
    case Command::Compare: readCompare(); break;
    case Command::Model: readModel(); break;
    case Command::PatchVecBarriers: readPatch(); break;
    case Command::RuleShow:
    case Command::PatternsShow: options.topic = given.operands.front(); break;
    case Command::PatternsList:
      if (given.has("arch"))
        options.given.arch = given.value("arch");
      break;
    case Command::Merge: readMerge(); break;
    case Command::RuleList:
    case Command::PatternsTest: break;
    }
    readShard();
    return problem;
  }

private:
  /// Notes a problem where `is`.
  void refuse(bool is, const llvm::Twine &text) {
    if (is && problem.empty())
      problem = text.str();
  }

  static Trust trustOf(const std::string &word) { return word == "library" ? Trust::Library : Trust::Tile; }

  /// PTOSYNC_ARCH and PTOSYNC_TRUST; empty is as good as not set, and so is what the command line says otherwise.
  void readEnvironment() {
    auto word = [&](const char *variable, const char *option, std::initializer_list<std::string> words) {
      std::string text = given.has(option) ? "" : environmentOf(variable);
      bool known = text.empty() || llvm::is_contained(words, text);
      refuse(!known, llvm::Twine(variable) + ", like --" + option + "=" + text + ": expected " + anyOf(words));
      return text;
    };
    if (std::string arch = word("PTOSYNC_ARCH", "arch", {"a3", "a5"}); !arch.empty())
      options.environment.arch = arch;
    if (std::string trust = word("PTOSYNC_TRUST", "trust", {"tile", "library"}); !trust.empty())
      options.environment.trust = trustOf(trust);
  }

  /// Which kernels, and how many at a time.
  void readKernels() {
    options.inputs = given.operands;
    options.input = given.operands.empty() ? "" : given.operands.front();
    options.several = options.inputs.size() > 1 || llvm::sys::fs::is_directory(options.input);
    options.excludes = given.list("exclude");
    options.table = given.value("table");
    options.depfile = given.value("depfile");
    refuse(!options.depfile.empty() && (!llvm::StringRef(options.depfile).ends_with(kDepfileEnd) ||
                                        options.depfile == kDepfileEnd),
           "--depfile=" + options.depfile + ": expected OUTPUT.d, the name of what is made and '.d'");
    options.standardInputName = given.value("stdin-name", options.standardInputName);
    refuse(given.has("stdin-name") && !llvm::is_contained(options.inputs, kStandardInput),
           "--stdin-name is the name of standard input, which no argument stands for; put '-' where the kernel is named");
    refuse(given.has("stdin-name") && llvm::sys::path::filename(options.standardInputName).find_first_not_of('.') ==
                                          llvm::StringRef::npos,
           "--stdin-name=" + options.standardInputName + ": expected the name of a file");
    if (given.has("jobs"))
      refuse(llvm::StringRef(given.value("jobs")).getAsInteger(10, options.jobs) || options.jobs == 0,
             "--jobs=" + given.value("jobs") + ": expected a number from 1 to 4294967295");
  }

  /// Which part of the kernels: --shard, or else what a test runner says in the environment, where it says all of it.
  void readShard() {
    const bool many = llvm::any_of(optionRows(), [&](const OptionRow &row) {
      return llvm::StringRef(row.name) == "shard" && (row.commands & bitOf(given.command));
    });
    if (!many)
      return;
    const std::string text = given.value("shard"), index = environmentOf("TEST_SHARD_INDEX"),
                      total = environmentOf("TEST_TOTAL_SHARDS");
    const bool tested = text.empty() && options.several && !index.empty() && !total.empty();
    if (text.empty() && !tested)
      return;
    llvm::Expected<Shard> shard = tested ? parseTestShard(index, total) : parseShard(text);
    const std::string said = tested ? "TEST_SHARD_INDEX and TEST_TOTAL_SHARDS" : "--shard=" + text;
    if (!shard)
      return refuse(true, (tested ? "" : said + ": ") + llvm::toString(shard.takeError()));
    refuse(!options.several, said + ": there is one kernel, and nothing to divide; leave it out, or name a folder");
    refuse(llvm::is_contained(options.inputs, kStandardInput),
           said + ": standard input cannot be divided; name files or a folder");
    refuse(options.audit.writeBaseline, said + ": a baseline is written by one run over all kernels; leave out "
                                               "--write-baseline, or the shard");
    options.shard = std::move(*shard);
    if (tested)
      options.shardStatusFile = environmentOf("TEST_SHARD_STATUS_FILE");
  }

  /// Where results are kept. The environment speaks to whatever command can listen.
  void readCache() {
    auto text = [&](const char *option, const char *variable) {
      std::string value = given.has(option) ? given.value(option) : environmentOf(variable);
      return value == "off" ? std::string() : value;
    };
    CacheOptions &cache = options.cache;
    cache.folder = text("cache-dir", "PTOSYNC_CACHE_DIR");
    cache.remote = text("remote-cache", "PTOSYNC_REMOTE_CACHE");
    cache.readOnly = given.has("remote-cache-read-only");
    refuse(given.has("cache-dir") && given.value("cache-dir").empty(),
           "--cache-dir: expected a folder, or 'off' for what PTOSYNC_CACHE_DIR names");
    llvm::StringRef remote = cache.remote;
    refuse(!remote.empty() && !remote.starts_with("http://") && !remote.starts_with("https://"),
           (given.has("remote-cache") ? "--remote-cache=" : "PTOSYNC_REMOTE_CACHE=") + remote +
               ": expected http://HOST:PORT/PREFIX, or 'off'");
    if (given.has("cache-size")) {
      const std::string value = given.value("cache-size");
      const std::optional<std::uint64_t> bytes = bytesOf(value);
      refuse(!bytes, "--cache-size=" + value + ": expected a size with its unit: 500M, 2G");
      cache.mostBytes = bytes.value_or(cache.mostBytes);
    }
  }

  /// Where the results of one kernel or of many go. `command`: whose they are.
  void readTargets(const std::string &command) {
    options.output = given.value("o");
    if (namesStandardOutput(options.output))
      options.output = "-";
    options.inPlace = given.has("in-place");
    options.outputFolder = given.value("output-dir");
    options.check = given.has("check");
    options.diff = given.has("diff");
    options.certificate = given.value("certificate");
    refuse(options.certificate == "-" || namesStandardOutput(options.certificate),
           command + ": --certificate names a file, or a folder for several kernels; standard output has no room for it");
    options.certify = given.has("certify");
    options.report = given.value("report");
    if (namesStandardOutput(options.report))
      options.report = "-";
    options.opt.sarif = given.value("sarif");
    if (namesStandardOutput(options.opt.sarif))
      options.opt.sarif = "-";
    options.root = given.value("root");
    if (std::string wrong = options.root.empty() ? "" : wrongFolder(options.root); !wrong.empty())
      refuse(true, "--root=" + options.root + ": " + wrong);
    const std::string format = given.value("format", "text");
    options.format = format == "json" ? TableForm::Json : format == "csv" ? TableForm::Csv : TableForm::Text;
    std::vector<std::string> targets; // as they were given
    for (const char *option : {"o", "in-place", "output-dir", "check"})
      if (given.has(option))
        targets.push_back(withDashes(option));
    if (targets.size() > 1)
      refuse(true, command + ": " + targets.front() + " and " + targets.back() +
                       " say different things of where kernels go; leave one out");
    refuse(options.dryRun && (options.inPlace || !options.outputFolder.empty()),
           command + ": --dry-run writes no kernel; leave it out, or what says where kernels go");
    refuse(options.several && given.has("o"),
           command + ": -o names one file, and " +
               (options.inputs.size() == 1 ? options.input + " is a directory" : std::string("there are several kernels")) +
               "; use --in-place or --output-dir=DIR");
    refuse(options.inPlace && llvm::is_contained(options.inputs, kStandardInput),
           command + ": standard input has no place to write to; leave out --in-place or '-'");
    std::vector<std::string> documents; // what wants standard output
    for (const auto &[is, name] : {std::pair(options.diff, std::string("--diff")),
                                   std::pair(options.output == "-", std::string("-o -")),
                                   std::pair(options.report == "-", std::string("--report=-")),
                                   std::pair(options.opt.sarif == "-", std::string("--sarif=-")),
                                   std::pair(options.format != TableForm::Text, "--format=" + format)})
      if (is)
        documents.push_back(name);
    const char *file = options.output == "-" ? "; give -o a file name"
                       : options.report == "-" ? "; give --report a file name" : "";
    if (documents.size() > 1)
      refuse(true, command + ": " + documents[0] + " and " + documents[1] + " both want standard output" + file);
    refuse(options.several && options.report == "-",
           command + ": --report=- is the report of one kernel; of several name a folder");
  }

  /// The choices that all commands on kernels share.
  void readChoices() {
    options.machineFile = given.value("machine");
    options.includeDirectory = given.value("pto-include");
    options.timingFile = given.value("timing");
    AuditConfig &config = options.given;
    if (given.has("arch"))
      config.arch = given.value("arch");
    if (given.has("trust"))
      config.trust = trustOf(given.value("trust"));
    if (given.has("a5-vector-order"))
      config.vectorOrder = given.value("a5-vector-order") == "on";
    if (given.has("gm-may-alias"))
      config.gmMayAlias = true;
    if (given.has("strict-copies"))
      config.strictCopies = true;
    if (given.has("m-accumulate-order"))
      config.accumulateOrder = true;
    if (given.has("chain"))
      config.assemblerChain = given.value("chain") == "assembler";
    checkLibraryFolder();
    readBounds();
    readAssumed();
    config.includes = given.list("I");
    config.defines = given.list("D");
    config.undefines = given.list("U");
    for (const std::string &folder : config.includes)
      if (std::string wrong = wrongIncludeFolder(folder, options.includeDirectory); !wrong.empty())
        refuse(true, ("-I " + llvm::Twine(folder) + ": " + wrong).str());
    if (llvm::Expected<std::vector<Definition>> macros = parseDefinitions(config.defines, config.undefines); !macros)
      refuse(true, llvm::toString(macros.takeError()));
  }

  /// What each kernel may take.
  void readBounds() {
    if (given.has("time-limit")) {
      const std::string text = given.value("time-limit");
      options.bounds.seconds = secondsOf(text);
      refuse(!options.bounds.seconds,
             "--time-limit=" + text + ": expected a time above 0, at most 1000000 s: 10, 0.5, 500ms, 2m");
    }
    options.stats = given.value("stats");
    refuse(options.stats == "-" || namesStandardOutput(options.stats),
           "--stats needs a file name, standard output holds the answer");
    if (given.has("memory-limit")) {
      const std::string text = given.value("memory-limit");
      const std::optional<std::uint64_t> bytes = bytesOf(text);
      refuse(!bytes, "--memory-limit=" + text + ": expected a size with its unit: 500M, 2G");
      if (bytes)
        options.bounds.memory = std::make_shared<MemoryBound>(*bytes, processMemory);
    }
  }

  /// What holds the library's hashes is for `model --check` and `--hashes` to say.
  void checkLibraryFolder() {
    const std::string &folder = options.includeDirectory;
    if (folder.empty())
      return;
    if (std::string wrong = wrongFolder(folder); !wrong.empty())
      refuse(true, "--pto-include=" + folder + ": " + wrong);
    const bool whole = given.command == Command::Model && (given.has("check") || given.has("hashes"));
    refuse(!whole && !llvm::sys::fs::exists(folder + "/pto/pto-inst.hpp"),
           "--pto-include=" + folder + ": holds no pto/pto-inst.hpp");
  }

  /// --arg, of `verify` and of what estimates times.
  void readArguments(std::map<std::string, std::int64_t> &arguments) {
    for (const std::string &argument : given.list("arg")) {
      auto [name, text] = llvm::StringRef(argument).split('=');
      long long value = 0;
      bool wrong = name.empty() || name == argument || text.getAsInteger(0, value);
      refuse(wrong, "--arg " + argument + ": expected NAME=VALUE with an integer value");
      refuse(!arguments.emplace(name.str(), value).second, "--arg " + argument + ": " + name + " is given twice");
    }
  }

  void readAssumed() {
    for (const std::string &text : given.list("assume")) {
      llvm::Expected<std::vector<Assumption>> read = readAssumptions(text);
      if (!read) {
        refuse(true, "--assume '" + text + "': " + llvm::toString(read.takeError()));
        continue;
      }
      for (Assumption &one : *read) {
        one.origin = Assumption::Origin::Option;
        options.assumptions.push_back(std::move(one));
      }
    }
  }

  void readReservedIds() {
    for (const std::string &text : given.list("reserve-ids")) {
      std::int64_t id = 0;
      bool wrong = llvm::StringRef(text).getAsInteger(10, id) || id < 0;
      refuse(wrong, "--reserve-ids: '" + text + "' is no event id: expected numbers from 0 on");
      options.reservedIds.insert(id);
    }
  }

  /// A file that standard output cannot be, since it holds something else.
  std::string fileBeside(const char *command, const char *option, const char *what) {
    std::string file = given.value(option);
    refuse(file == "-" || namesStandardOutput(file), llvm::Twine(command) + ": --" + option +
                                                         " needs a file name, standard output holds the " + what);
    return file;
  }

  /// "opt" or "sync", which have nearly all in common; and the same in front of a message.
  const char *command() const { return given.command == Command::Synchronise ? "sync" : "opt"; }
  std::string named() const { return std::string(command()) + ": "; }

  /// --resync and what belongs to it.
  void readResync() {
    options.fromNothing = given.command == Command::Synchronise;
    options.opt.resync = given.has("resync") || options.fromNothing;
    options.inputStands = given.value("from", "nothing") == "input";
    options.bufferIds = given.value("tokens", "flags") == "buffers";
    refuse(!options.opt.resync && (given.has("effort") || given.has("reserve-ids")),
           "opt: --effort and --reserve-ids are for --resync; add it");
    const std::string effort = given.value("effort", "3");
    bool wrong = llvm::StringRef(effort).getAsInteger(10, options.effort) || options.effort < 1 || options.effort > 9;
    refuse(wrong, "--effort=" + effort + ": expected a number from 1 to 9");
    readReservedIds();
    refuse(options.opt.resync && !options.optimize.lines.empty(),
           "opt: --resync places the syncs of a kernel together; --lines does not go with it");
  }

  void readPatterns() {
    if (given.has("patterns"))
      options.given.patterns = given.value("patterns");
  }

  /// Which edits are made.
  void readSelection() {
    if (given.has("max-removals")) {
      const std::string text = given.value("max-removals");
      std::uint32_t most = 0;
      const unsigned least = given.has("bisect") ? 1 : 0; // --bisect shows the edit of that number
      refuse(llvm::StringRef(text).getAsInteger(10, most) || most < least,
             "--max-removals=" + text + ": expected a number from " + llvm::Twine(least) + " to 4294967295" +
                 (least ? " beside --bisect" : ""));
      options.optimize.maxRemovals = most;
    }
    for (const std::string &text : given.list("lines")) {
      std::uint32_t line = 0;
      refuse(llvm::StringRef(text).getAsInteger(10, line) || line == 0, "--lines: '" + text + "' is no line number");
      options.optimize.lines.insert(line);
    }
    options.opt.approved = given.value("approved");
    for (const char *option : {"lines", "max-removals", "resync"})
      refuse(given.has("approved") && given.has(option),
             "opt: --approved chooses among the edits of a whole kernel, one by one; " + withDashes(option) +
                 " does not go with it");
  }

  /// What is about one kernel alone.
  void checkSeveral() {
    for (const char *option : {"lines", "max-removals", "bisect", "only", "print"})
      refuse(options.several && given.has(option), named() + withDashes(option) + " is for one kernel; name one");
  }

  void readOpt() {
    OptCommandOptions &opt = options.opt;
    readTargets(command());
    readPatterns();
    opt.rewrites = given.list("rewrite");
    opt.bisect = given.has("bisect");
    opt.cost = given.has("cost");
    opt.minimal = given.has("minimal");
    opt.needed = given.has("needed") || opt.minimal;
    opt.print = given.value("print");
    opt.github = given.has("github");
    options.html = given.value("html");
    readSelection();
    readResync();
    readChoices();
    checkSeveral();
    if (std::string only = given.value("only"); !only.empty())
      opt.only = only == "removed" ? Verdict::Removed : only == "moved" ? Verdict::Moved : Verdict::Kept;
    refuse(opt.only && opt.bisect,
           named() + "--only restricts the summary, which --bisect replaces by the list of edits; leave one out");
    readArguments(options.costArguments);
    refuse(!options.costArguments.empty() && !opt.cost && options.html.empty(),
           named() + "--arg chooses the run that --cost times; add --cost");
    refuse(given.has("timing") && !opt.cost && options.html.empty() && !opt.resync,
           named() + "--timing is for what is estimated: add --cost, --html or --resync");
    const char *printed = options.output == "-"               ? "kernel"
                          : options.diff                      ? "diff"
                          : options.report == "-"             ? "report"
                          : opt.sarif == "-"                  ? "SARIF"
                          : options.format != TableForm::Text ? "table"
                                                              : "summary";
    fileBeside(command(), "html", printed);
    refuse(opt.github && llvm::StringRef(printed) != "summary",
           named() + "--github prints annotations, and standard output holds the " + printed +
               "; leave one out, or use --sarif=F");
    fileBeside(command(), "table", printed);
    const bool writes = options.inPlace || !options.outputFolder.empty() || !options.output.empty();
    const bool standard = options.input == kStandardInput && !options.several;
    bool decides = writes || options.diff || options.dryRun || options.check || options.report == "-" ||
                   opt.sarif == "-" || options.format != TableForm::Text;
    if (standard && !decides && opt.print.empty()) { // a filter
      options.output = "-";
      decides = true;
    }
    refuse(!decides && opt.print.empty(),
           options.several
               ? named() + "say what to do with the kernels: --in-place, --output-dir=DIR, --check, --diff or --dry-run"
               : named() + "say where to write with -o OUT.cpp or --in-place, or use --check, --diff or --dry-run");
    refuse(!decides && !(options.report.empty() && options.html.empty() && options.table.empty() && opt.sarif.empty() &&
                         !opt.github),
           named() + "--print=" + opt.print + " alone decides nothing, so there is nothing to report; add --dry-run");
  }

  void readAudit() {
    AuditCommandOptions &audit = options.audit;
    audit.print = given.value("print");
    options.table = fileBeside("audit", "table", "findings");
    audit.sarif = given.value("sarif");
    audit.baseline = given.value("baseline");
    audit.writeBaseline = given.has("write-baseline");
    audit.fixes = given.has("fixes");
    audit.newFromRev = given.value("new-from-rev");
    refuse(audit.writeBaseline && !audit.newFromRev.empty(),
           "audit: --write-baseline writes all that is found; leave out --new-from-rev");
    refuse(!audit.newFromRev.empty() && llvm::is_contained(options.inputs, kStandardInput),
           "audit: standard input is in no revision; leave out --new-from-rev or '-'");
    const bool sarifOut = audit.sarif == "-" || namesStandardOutput(audit.sarif);
    const std::string format = given.value("format", given.has("github") ? "github" : sarifOut ? "sarif" : "text");
    refuse(given.has("github") && format != "github",
           "--github and --format=" + format + " both want standard output");
    refuse(sarifOut && format != "sarif",
           "--sarif=" + audit.sarif + " and " + (given.has("github") ? "--github" : "--format=" + format) +
               " both want standard output");
    if (sarifOut)
      audit.sarif.clear();
    audit.format = format == "github"  ? AuditFormat::Github
                   : format == "json"  ? AuditFormat::Json
                   : format == "sarif" ? AuditFormat::Sarif
                                       : AuditFormat::Text;
    if (given.has("severity"))
      options.given.severity = parseSeverity(given.value("severity"));
    for (const std::string &rule : given.list("rule")) {
      llvm::Expected<std::pair<std::string, Severity>> setting = parseRuleSetting(rule);
      if (setting)
        options.given.rules.insert_or_assign(setting->first, setting->second);
      else
        refuse(true, llvm::toString(setting.takeError()));
    }
    for (const char *option : {"sarif", "write-baseline", "format", "github", "fixes"})
      refuse(!audit.print.empty() && given.has(option),
             "audit: --print=config audits nothing; leave out --" + std::string(option));
    for (const std::string &file : {audit.baseline, options.table})
      refuse(file == "-" || namesStandardOutput(file),
             "audit: " + file + ": standard output holds the findings; give a file name");
    readChoices();
  }

  void readFix() {
    readTargets("fix");
    const bool writes = options.inPlace || !options.outputFolder.empty() || !options.output.empty();
    // What it would do is what one wants to see of it.
    options.diff = !writes && !options.dryRun && !options.check && options.format == TableForm::Text;
    fileBeside("fix", "table", options.diff ? "diff" : options.output == "-" ? "kernel" : "summary");
    readReservedIds();
    readChoices();
  }

  /// Of `verify` and `compare`: two files, or two folders.
  void readTwo(const std::string &command) {
    const std::string &before = given.operands[0], &after = given.operands[1];
    const bool first = llvm::sys::fs::is_directory(before), second = llvm::sys::fs::is_directory(after);
    refuse(first != second, command + ": " + (first ? before : after) + " is a directory and " +
                                (first ? after : before) + " is not; expected two files or two folders");
    refuse(before == kStandardInput && after == kStandardInput,
           command + ": standard input can be one of the two kernels; name a file for the other");
    options.several = first && second;
    for (const char *option :
         {"exclude", "jobs", "table", "depfile", "cache-dir", "cache-size", "remote-cache", "remote-cache-read-only"})
      refuse(!options.several && given.has(option),
             command + ": " + withDashes(option) + " is for two folders; leave it out");
  }

  void readExplain() {
    readPatterns();
    llvm::Expected<ExplainCommandOptions> place = parsePlace(given.operands[0]);
    if (given.has("memory")) {
      refuse(place && llvm::sys::fs::exists(place->file) && !llvm::sys::fs::exists(given.operands[0]),
             "explain: --memory wants a file without a line");
      if (!place)
        llvm::consumeError(place.takeError());
      place = ExplainCommandOptions{given.operands[0], 0, {}, true, false};
    }
    if (place)
      options.explain = std::move(*place);
    else
      refuse(true, "explain: " + llvm::toString(place.takeError()));
    options.explain.json = given.value("format") == "json";
    options.explain.needed = given.has("needed");
    refuse(options.explain.needed && (options.explain.memory || options.explain.line == 0),
           "explain: --needed asks about the syncs of a line; name one: KERNEL.cpp:LINE");
    readChoices();
  }

  void readVerify() {
    options.verify = {given.operands[1], given.value("format") == "json", given.has("require-proof")};
    readTwo("verify");
    options.format = options.verify.json ? TableForm::Json : TableForm::Text;
    fileBeside("verify", "table", options.verify.json ? "table" : "report");
    readArguments(options.arguments);
    readChoices();
  }

  void readTimeline() {
    TimelineCommandOptions &timeline = options.timeline;
    timeline = {given.operands[0], given.value("trace"), given.value("html"), given.has("limit"),
                given.value("profile"), given.list("profile-core"), given.value("calibrate")};
    refuse(timeline.profile.empty() && (!timeline.profileCores.empty() || !timeline.calibrate.empty()),
           "timeline: --profile-core and --calibrate are for --profile=FOLDER; add it");
    fileBeside("timeline", "calibrate", "summary");
    fileBeside("timeline", "trace", "summary");
    fileBeside("timeline", "html", "summary");
    readArguments(options.costArguments);
    readChoices();
  }

  void readCompare() {
    CompareCommandOptions &compare = options.compare;
    const std::string output = given.value("o"), format = given.value("format");
    compare.a = given.operands[0];
    compare.b = given.operands[1];
    compare.output = output == "-" || namesStandardOutput(output) ? "" : output;
    compare.html = given.value("html");
    compare.format = format == "csv"    ? CompareFormat::Csv
                     : format == "json" ? CompareFormat::Json
                                        : CompareFormat::Text;
    if (given.has("fail-over")) {
      const std::string value = given.value("fail-over");
      llvm::StringRef text(value);
      double percent = 0;
      text.consume_back("%");
      refuse(text.getAsDouble(percent) || !std::isfinite(percent) || percent < 0,
             "--fail-over=" + value + ": expected a number of percent from 0 on");
      compare.failOver = percent;
    }
    readTwo("compare");
    options.format = format == "csv" ? TableForm::Csv : format == "json" ? TableForm::Json : TableForm::Text;
    fileBeside("compare", "html", "comparison");
    fileBeside("compare", "table", "comparison");
    readArguments(options.costArguments);
    readChoices();
  }

  void readModel() {
    options.model = {given.value("calls"), given.has("check"), given.value("hashes"), given.value("format") == "json"};
    refuse(int(given.has("calls")) + int(given.has("check")) + int(given.has("hashes")) != 1,
           "model: expected one of --calls=KERNEL.cpp, --check and --hashes=NAME");
    readChoices();
  }

  void readMerge() {
    const std::string output = given.value("o");
    options.output = output == "-" || namesStandardOutput(output) ? "" : output;
    options.filesFrom = given.value("files-from");
    refuse(llvm::is_contained(options.inputs, kStandardInput), "merge: the inputs are files; '-' is none");
    refuse(options.inputs.empty() && options.filesFrom.empty(),
           "merge: expected FILE... (see ptosync merge --help)");
  }

  void readPatch() {
    options.output = given.operands[1];
    auto text = [&](const char *option, const char *variable, const char *otherwise) {
      if (given.has(option))
        return given.value(option);
      std::string value = environmentOf(variable);
      return value.empty() ? std::string(otherwise) : value;
    };
    options.patch = {text("remove-vec-barriers", "FA_REMOVE_VEC_BARRIERS", ""),
                     text("remove-vec-barrier-patterns", "FA_REMOVE_VEC_BARRIER_PATTERNS", "gu"), given.has("unsafe")};
    readChoices();
  }

  const GivenOptions &given;
  ToolOptions &options;
  std::string problem;
};

/// The names that the script knows, and the patterns they are for.
const std::map<std::string, std::string> &scriptPatterns() {
  static const std::map<std::string, std::string> table = {
      {"gu", "gu"},
      {"trowexpandmul-tadd", "gu"},
      {"softmax-exp-sum", "softmax-exp-sum"},
      {"texp-trowsum", "softmax-exp-sum"},
      {"softmax-sum-add", "softmax-sum-add"},
      {"trowsum-tadd", "softmax-sum-add"},
  };
  return table;
}

bool meansNothing(const std::string &name) {
  return name == "none" || name == "off" || name == "disable" || name == "disabled";
}

/// Parts between commas without surrounding white space, empty ones left out.
std::vector<std::string> partsOf(std::string_view text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text).split(parts, ',');
  std::vector<std::string> trimmed;
  for (llvm::StringRef part : parts)
    if (!part.trim().empty())
      trimmed.push_back(part.trim().str());
  return trimmed;
}

} // namespace

ParsedCommandLine parseCommandLine(int argc, const char *const *argv) {
  ParsedCommandLine parsed;
  llvm::Expected<GivenOptions> given = readArguments(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  if (!given) {
    parsed.exitCode = usage(llvm::toString(given.takeError()));
  } else if (!given->answer.empty()) {
    llvm::outs() << given->answer;
    parsed.exitCode = kExitDone;
  } else if (std::string problem = OptionReader(*given, parsed.options).read(); !problem.empty()) {
    parsed.exitCode = usage(problem);
  }
  return parsed;
}

llvm::Expected<ExplainCommandOptions> parsePlace(const std::string &text) {
  auto wrong = [&] { return llvm::createStringError(text + ": expected FILE:LINE or FILE:TILE, or --memory FILE"); };
  auto [file, last] = llvm::StringRef(text).rsplit(':');
  if (file.empty() || last.empty())
    return wrong();
  ExplainCommandOptions options;
  auto isNumber = [](llvm::StringRef word) { return !word.empty() && llvm::all_of(word, llvm::isDigit); };
  if (auto [before, line] = file.rsplit(':'); isNumber(last) && isNumber(line) && !before.empty()) {
    file = before;
    last = line;
  }
  options.file = file.str();
  if (isNumber(last)) {
    if (last.getAsInteger(10, options.line) || options.line == 0)
      return wrong();
    return options;
  }
  bool name = !llvm::isDigit(last.front()) && llvm::all_of(last, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (!name)
    return wrong();
  options.tile = last.str();
  return options;
}

llvm::Expected<std::set<std::int64_t>> parsePatchLines(std::string_view text) {
  std::set<std::int64_t> lines;
  for (const std::string &part : partsOf(text)) {
    std::int64_t line = 0;
    if (llvm::StringRef(part).getAsInteger(10, line))
      return llvm::createStringError("invalid --remove-vec-barriers list: '" + std::string(text) + "': '" + part +
                                     "' is not a line number");
    lines.insert(line);
  }
  return lines;
}

llvm::Expected<std::set<std::string>> parsePatchPatterns(std::string_view text) {
  std::set<std::string> ids, unknown;
  for (const std::string &part : partsOf(text)) {
    if (meansNothing(part))
      continue;
    if (auto known = scriptPatterns().find(part); known != scriptPatterns().end())
      ids.insert(known->second);
    else
      unknown.insert(part);
  }
  if (unknown.empty())
    return ids;
  std::string list, supported;
  for (const std::string &name : unknown)
    list += (list.empty() ? "'" : ", '") + name + "'";
  for (const auto &[name, id] : scriptPatterns())
    supported += (supported.empty() ? "" : ", ") + name;
  return llvm::createStringError("unknown --remove-vec-barrier-patterns entries: [" + list +
                                 "]; supported: " + supported);
}

} // namespace ptosync
