#include "tool/batch.h"

#include "base/messages.h"
#include "base/parallel.h"
#include "base/terminal.h"
#include "patterns/version.h"
#include "run/opt.h"
#include "tool/outcome_record.h"
#include "tool/result_cache.h"
#include "tool/session.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace ptosync {

// Which kernels there are.

namespace {

/// What all kernels share: the choices and the models.
llvm::Expected<Batch> emptyBatch(const ToolOptions &options) {
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return choices.takeError();
  llvm::Expected<Models> models = loadModels(*choices, options.given.arch);
  if (!models)
    return models.takeError();
  return Batch{std::move(*choices), std::make_shared<const Models>(std::move(*models)), {}, {}};
}

/// Returns true if --exclude or a configuration from its folder upwards leaves the file out.
llvm::Expected<bool> isLeftOut(const ToolOptions &options, ConfigFinder &finder, const std::string &file) {
  auto patterns = finder.excludes(file);
  if (!patterns)
    return patterns.takeError();
  patterns->emplace_back(placeOf(".").string(), options.excludes);
  for (const auto &[folder, names] : *patterns) {
    llvm::Expected<bool> excluded = isExcluded(folder, file, names);
    if (!excluded || *excluded)
      return excluded;
  }
  return false;
}

/// Reads what can be read only once: standard input, a FIFO. The others are read when it is their turn.
llvm::Error readOnce(const ToolOptions &options, BatchKernel &kernel) {
  llvm::sys::fs::file_status status;
  const bool standard = kernel.path == kStandardInput;
  if (!standard && (llvm::sys::fs::status(kernel.path, status) || llvm::sys::fs::is_regular_file(status)))
    return llvm::Error::success();
  if (options.inPlace)
    return llvm::createStringError(kernel.shown + ": is no regular file, so that there is nothing to write over; leave "
                                                  "out --in-place");
  llvm::Expected<std::string> text = readFile(kernel.path, *options.reads, kKernelFile);
  if (!text)
    return text.takeError();
  kernel.text = std::move(*text);
  return llvm::Error::success();
}

/// The kernels of two folders by name: each with the version that was met, or both.
class PairLister {
public:
  PairLister(const ToolOptions &options, ConfigFinder &finder, Batch &batch)
      : options(options), finder(finder), batch(batch) {}

  llvm::Error add(const std::string &folder, Versions only) {
    KernelFiles found = listKernelsBelow(folder, *options.reads);
    std::move(found.unread.begin(), found.unread.end(), std::back_inserter(batch.unread));
    for (KernelFile &file : found.files) {
      llvm::Expected<bool> out = isLeftOut(options, finder, file.path);
      if (!out)
        return out.takeError();
      auto [entry, isNew] = byName.try_emplace(file.name);
      BatchKernel &kernel = entry->second;
      kernel.leftOut = kernel.leftOut || *out; // by either name
      if (!isNew) {
        kernel.versions = Versions::Both;
        kernel.after = std::move(file.path);
        continue;
      }
      llvm::Expected<AuditConfig> config = finder.find(file.path);
      if (!config)
        return config.takeError();
      kernel.settings = {options.given, options.environment, std::move(*config)};
      kernel.shown = kernel.name = std::move(file.name);
      kernel.path = std::move(file.path);
      kernel.versions = only;
    }
    return llvm::Error::success();
  }

  void finish() {
    for (auto &[name, kernel] : byName)
      if (!kernel.leftOut)
        batch.kernels.push_back(std::move(kernel));
  }

private:
  const ToolOptions &options;
  ConfigFinder &finder;
  Batch &batch;
  std::map<std::string, BatchKernel> byName;
};

} // namespace

llvm::Expected<Batch> readBatch(const ToolOptions &options) {
  llvm::Expected<Batch> batch = emptyBatch(options);
  if (!batch)
    return batch;
  llvm::Expected<KernelFiles> found = listKernelFiles(options.inputs, *options.reads, options.outputFolder);
  if (!found)
    return asSetting(found.takeError());
  batch->unread = std::move(found->unread);
  ConfigFinder finder(*options.reads);
  for (KernelFile &file : found->files) {
    BatchKernel kernel{std::move(file), {}};
    const bool standard = kernel.path == kStandardInput;
    kernel.shown = standard ? options.standardInputName : kernel.path;
    if (standard)
      kernel.name = llvm::sys::path::filename(kernel.shown).str();
    if (!kernel.named || standard) { // what is named itself stays; a name for standard input is its place in a project
      llvm::Expected<bool> out = isLeftOut(options, finder, kernel.shown);
      if (!out)
        return asSetting(out.takeError());
      kernel.leftOut = *out;
    }
    if (kernel.leftOut && !standard)
      continue;
    llvm::Expected<AuditConfig> config = finder.find(kernel.shown);
    if (!config)
      return asSetting(config.takeError());
    kernel.settings = {options.given, options.environment, std::move(*config)};
    if (llvm::Error error = readOnce(options, kernel))
      return asSetting(std::move(error));
    batch->kernels.push_back(std::move(kernel));
  }
  for (const BatchKernel &kernel : batch->kernels)
    if (!options.root.empty() && kernel.path != kStandardInput && !isBelow(options.root, kernel.path))
      return settingError("--root=" + options.root + ": " + kernel.path + " does not lie below it");
  return batch;
}

llvm::Expected<Batch> readPairs(const ToolOptions &options, const std::string &before, const std::string &after) {
  llvm::Expected<Batch> batch = emptyBatch(options);
  if (!batch)
    return batch;
  ConfigFinder finder(*options.reads);
  PairLister lister(options, finder, *batch);
  if (llvm::Error error = lister.add(before, Versions::OnlyBefore))
    return asSetting(std::move(error));
  if (llvm::Error error = lister.add(after, Versions::OnlyAfter))
    return asSetting(std::move(error));
  lister.finish();
  if (llvm::none_of(batch->kernels, [](const BatchKernel &kernel) { return kernel.versions == Versions::Both; }))
    return llvm::createStringError("no kernel below " + before + " has a partner of its path below " + after +
                                   ": expected two folders of kernels, files *.cpp that include the PTO headers");
  return batch;
}

llvm::Expected<RunInput> readKernel(const Batch &batch, std::size_t number) {
  const BatchKernel &kernel = batch.kernels[number];
  RunInput input{{}, kernel.settings, batch.choices, batch.models};
  input.choices.patterns = patternsOf(kernel.settings);
  input.choices.reads = std::make_shared<ReadFiles>();
  if (kernel.text) {
    input.sources.emplace_back(kernel.shown, *kernel.text);
    return input;
  }
  for (const std::string &path : {kernel.path, kernel.after}) {
    if (path.empty())
      continue;
    llvm::Expected<std::string> text = readFile(path, *input.choices.reads, kKernelFile);
    if (!text)
      return asSetting(text.takeError());
    input.sources.emplace_back(path, std::move(*text));
  }
  return input;
}

// What became of them.

namespace {

/// Leaves a kernel as it was.
void leave(KernelOutcome &outcome, const std::string &why) {
  KernelOutcome left;
  left.problem = why;
  left.exitCode = kExitNotAnalysed;
  left.reads = outcome.reads;
  outcome = std::move(left);
}

/// Leaves a kernel as it was where another kernel of the run includes it.
void leaveIncluded(const Batch &batch, std::vector<KernelOutcome> &outcomes) {
  std::vector<std::optional<llvm::sys::fs::UniqueID>> files;
  files.reserve(batch.kernels.size());
  for (const BatchKernel &kernel : batch.kernels) {
    llvm::sys::fs::UniqueID file;
    const bool there = !llvm::sys::fs::getUniqueID(kernel.path, file);
    files.push_back(there ? std::optional(file) : std::nullopt);
  }
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (!outcomes[i].changed || batch.kernels[i].versions != Versions::One || !files[i])
      continue;
    for (std::size_t other = 0; other < outcomes.size(); ++other) {
      const bool same = files[other] == files[i]; // by a link
      if (!same && outcomes[other].reads && outcomes[other].reads->holds(*files[i])) {
        leave(outcomes[i], batch.kernels[i].shown + ": left as it is, since " + batch.kernels[other].shown +
                               " includes it, and what is proved for one is not proved for the other; run them apart");
        break;
      }
    }
  }
}

/// What a kernel comes to that nothing is asked about.
KernelOutcome untouched(const BatchKernel &kernel) {
  KernelOutcome outcome;
  outcome.text = kernel.text;
  if (kernel.leftOut)
    outcome.notes = "ptosync: " + kernel.shown + ": is excluded, and passes through as it is\n";
  return outcome;
}

/// A message about one of several kernels names it.
std::string naming(const BatchKernel &kernel, std::string problem) {
  if (problem.empty() || llvm::StringRef(problem).contains(kernel.shown) ||
      (!kernel.path.empty() && llvm::StringRef(problem).contains(kernel.path)) ||
      (!kernel.after.empty() && llvm::StringRef(problem).contains(kernel.after)))
    return problem;
  return kernel.shown + ": " + problem;
}

} // namespace

namespace {

/// The outcome of an earlier run, or else that of `job`, which is kept for a later one.
KernelOutcome cachedOutcome(ResultCache &cache, const RunInput &input, llvm::function_ref<KernelOutcome()> job) {
  const std::string key = cache.isOn() ? cache.keyOf(input) : "";
  if (key.empty())
    return job();
  if (const std::optional<std::string> record = cache.find(key, input))
    if (std::optional<KernelOutcome> known = outcomeFrom(*record))
      return std::move(*known);
  KernelOutcome outcome = job();
  if (outcome.mayBeKept)
    cache.keep(key, input, recordOf(outcome));
  return outcome;
}

} // namespace

std::vector<KernelOutcome> runBatch(const ToolOptions &options, const std::string &command, const Batch &batch,
                                    llvm::function_ref<KernelOutcome(const RunInput &, Progress &)> job,
                                    const std::vector<std::string> &inputs) {
  std::vector<KernelOutcome> outcomes(batch.kernels.size());
  ResultCache cache(options, inputs);
  const bool one = outcomes.size() == 1;
  Progress progress = progressOf(command, options.quiet, one ? 0 : outcomes.size(), one ? "" : "kernel");
  auto runOne = [&](std::size_t i) {
    const BatchKernel &kernel = batch.kernels[i];
    if (kernel.leftOut || kernel.alone()) {
      outcomes[i] = untouched(kernel);
    } else if (llvm::Expected<RunInput> input = readKernel(batch, i)) {
      Progress silent;
      outcomes[i] = cachedOutcome(cache, *input, [&] { return job(*input, one ? progress : silent); });
      outcomes[i].reads = input->choices.reads;
      if (options.inPlace && outcomes[i].changed)
        outcomes[i].input = input->sources.front().text();
    } else {
      outcomes[i] = outcomeOf(input.takeError());
    }
    if (!one) {
      outcomes[i].problem = naming(kernel, std::move(outcomes[i].problem));
      progress.step();
    }
  };
  runInParallel(outcomes.size(), runOne, options.jobs);
  progress.finish();
  cache.finish();
  leaveIncluded(batch, outcomes);
  return outcomes;
}

KernelOutcome outcomeOf(llvm::Error error) {
  KernelOutcome outcome;
  outcome.exitCode = exitCodeOf(error);
  outcome.mayBeKept = !error.isA<Disagreement>(); // which leaves a folder behind
  outcome.problem = messageOf(std::move(error));
  return outcome;
}

// Where results go.

namespace {

using Outputs = std::vector<std::pair<std::string, std::string>>;

/// The place of a kernel's output below a folder.
std::string placeBelow(const std::string &folder, const std::string &name, const char *ending) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name + ending);
  return path.str().str();
}

/// Leaves a kernel that is to be written over as it is where somebody has changed it since it was read. One that has
/// become what this run makes of it, by another run, is no matter.
void leaveRewritten(const ToolOptions &options, const Batch &batch, std::vector<KernelOutcome> &outcomes) {
  for (std::size_t i = 0; options.inPlace && i < outcomes.size(); ++i) {
    if (!outcomes[i].changed || !outcomes[i].text)
      continue;
    ReadFiles again;
    llvm::Expected<std::string> now = readFile(batch.kernels[i].path, again, kKernelFile);
    if (!now)
      leave(outcomes[i], llvm::toString(now.takeError()));
    else if (*now != outcomes[i].input && *now != *outcomes[i].text)
      leave(outcomes[i], batch.kernels[i].shown + ": was changed by somebody else while the run lasted, and is left as "
                                                  "it is now; run again");
  }
}

class Publisher {
public:
  Publisher(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes,
            const KernelTable &table, Outputs more)
      : options(options), batch(batch), outcomes(outcomes), table(table), outputs(std::move(more)) {}

  /// `document`: of `compare`, what goes into the file of -o.
  llvm::Error write(const std::string &document) {
    for (const KernelOutcome &outcome : outcomes)
      if (outcome.reads)
        options.reads->noteAll(*outcome.reads);
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      addKernel(batch.kernels[i], outcomes[i]);
    const std::string &pages = pagesOf(options);
    if (options.several && !pages.empty())
      addBelow(pages, "index.html", "", tableText(table, TableForm::Html));
    if (!options.table.empty())
      outputs.emplace_back(options.table, tableText(table, tableFormOf(options.table)));
    if (!options.compare.output.empty())
      outputs.emplace_back(options.compare.output, document);
    std::vector<std::string> targets;
    targets.reserve(outputs.size());
    for (const auto &[path, text] : outputs)
      targets.push_back(path);
    if (llvm::Error error = checkTargets(targets, *options.reads))
      return error;
    if (llvm::Error error = makeFolders())
      return error;
    return writeFiles(outputs, *options.reads);
  }

private:
  static const std::string &pagesOf(const ToolOptions &options) {
    return options.command == Command::Compare ? options.compare.html : options.html;
  }

  void addKernel(const BatchKernel &kernel, const KernelOutcome &outcome) {
    if (outcome.text && !options.dryRun && !options.check) {
      if (options.inPlace && outcome.changed)
        addInPlace(kernel, outcome);
      else if (!options.outputFolder.empty())
        addBelow(options.outputFolder, kernel.name, "", *outcome.text);
      else if (!options.output.empty() && options.output != "-")
        outputs.emplace_back(options.output, *outcome.text);
    }
    auto add = [&](const std::string &where, const std::string &text, const char *ending) {
      if (where.empty() || text.empty())
        return;
      if (options.several)
        addBelow(where, kernel.name, ending, text);
      else
        outputs.emplace_back(where, text);
    };
    if (options.report != "-")
      add(options.report, outcome.report, ".json");
    add(pagesOf(options), outcome.page, ".html");
  }

  /// The one output that may be an input.
  void addInPlace(const BatchKernel &kernel, const KernelOutcome &outcome) {
    if (llvm::sys::fs::UniqueID file; !llvm::sys::fs::getUniqueID(kernel.path, file))
      options.reads->forget(file);
    outputs.emplace_back(kernel.path, *outcome.text);
  }

  /// Adds an output below a folder that the options name.
  void addBelow(const std::string &folder, const std::string &name, const char *ending, const std::string &text) {
    outputs.emplace_back(placeBelow(folder, name, ending), text);
    below.insert(outputs.back().first);
  }

  /// Makes the folders of these.
  llvm::Error makeFolders() const {
    for (const std::string &path : below)
      if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
        return llvm::createStringError(path + ": its folder cannot be made: " + error.message());
    return llvm::Error::success();
  }

  const ToolOptions &options;
  const Batch &batch;
  const std::vector<KernelOutcome> &outcomes;
  const KernelTable &table;
  Outputs outputs;
  std::set<std::string> below; // outputs whose folders may have to be made
};

/// The gravest of the exit codes: a setting is wrong, a kernel was not analysed, something is found, to change or left,
/// something is not decided.
int gravest(const std::vector<KernelOutcome> &outcomes, bool unread) {
  int code = unread ? kExitNotAnalysed : kExitDone;
  auto rank = [](int one) {
    constexpr int kByRank[] = {kExitDone, kExitUndecided, kExitFindings, kExitNotAnalysed, kExitUsage};
    return std::find(std::begin(kByRank), std::end(kByRank), one) - std::begin(kByRank);
  };
  for (const KernelOutcome &outcome : outcomes)
    if (rank(outcome.exitCode) > rank(code))
      code = outcome.exitCode;
  return code;
}

bool isOfPairs(const ToolOptions &options) {
  return options.command == Command::Compare || options.command == Command::Verify;
}

/// "2 changed, 1 as they are": how many kernels came to what.
std::string countText(const ToolOptions &options, std::size_t changed, std::size_t same) {
  if (isOfPairs(options))
    return options.command == Command::Compare
               ? std::to_string(changed) + " differ, " + std::to_string(same) + " alike"
               : std::to_string(same) + " agree, " + std::to_string(changed) + " do not";
  const bool written = options.inPlace || !options.outputFolder.empty() || !options.output.empty();
  return std::to_string(changed) + (written && !options.dryRun ? " changed, " : " would change, ") +
         std::to_string(same) + " as they are";
}

/// The rows of the table: the kernel, what the command has found, or why it has not. Below them their sums.
void fill(KernelTable &table, const ToolOptions &options, const Batch &batch,
          const std::vector<KernelOutcome> &outcomes) {
  std::size_t changed = 0, left = 0, before = 0, after = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const BatchKernel &kernel = batch.kernels[i];
    const bool alone = kernel.alone();
    TableRow row = outcomes[i].row;
    changed += outcomes[i].changed;
    before += kernel.versions == Versions::OnlyBefore;
    after += kernel.versions == Versions::OnlyAfter;
    if (row.cells.empty() || !outcomes[i].problem.empty())
      row.cells.assign(table.columns.size(), nullptr);
    // Of two versions, a kernel function that could not be analysed vouches for nothing either.
    left += outcomes[i].problem.empty() && outcomes[i].exitCode == kExitNotAnalysed && !outcomes[i].changed;
    if (!outcomes[i].problem.empty()) {
      ++left;
      row.cells.back() = llvm::StringRef(outcomes[i].problem).split('\n').first.str();
    } else if (alone) {
      row.cells.back() = "only " + kernel.path;
    }
    row.eventful = row.eventful || alone || !outcomes[i].problem.empty();
    if (!outcomes[i].page.empty())
      row.page = kernel.name + ".html";
    row.cells.front() = kernel.shown;
    table.rows.push_back(std::move(row));
  }
  const std::size_t lone = before + after;
  table.summary = {{"kernels", outcomes.size()}, {"changed", changed}, {"notAnalysed", left}};
  if (isOfPairs(options)) {
    table.summary["onlyBefore"] = before;
    table.summary["onlyAfter"] = after;
  }
  addSums(table);
  std::string line =
      countOf(outcomes.size(), "kernel") + ": " + countText(options, changed, outcomes.size() - changed - left - lone);
  if (left)
    line += ", " + std::to_string(left) + " not analysed";
  if (before)
    line += ", " + std::to_string(before) + " only in the first folder";
  if (after)
    line += ", " + std::to_string(after) + " only in the second";
  table.lines.push_back(std::move(line));
}

/// What two folders come to, for standard output or the file of -o: the table in the form that is asked for. As text,
/// what is said of all, then of each kernel of which something is to be said, then the table.
std::string pairsDocument(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes,
                          const KernelTable &table) {
  if (options.format != TableForm::Text)
    return tableText(table, options.format);
  std::string text = linesOf(table);
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (!outcomes[i].summary.empty() && (options.verbose || table.rows[i].eventful))
      text += ("\n" + llvm::Twine(batch.kernels[i].shown) + "\n" + outcomes[i].summary).str();
  const std::string rows = rowsText(table);
  return text + (rows.empty() ? "" : "\n" + rows);
}

/// What --quiet leaves of that: the findings, and of `verify` which kernels nothing vouches for.
std::string pairsFindings(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes) {
  std::string text;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (const BatchKernel &kernel = batch.kernels[i]; kernel.alone() && options.command == Command::Verify)
      text += (llvm::Twine(kernel.path) + ": there is no other version of it to compare it with\n").str();
    else
      text += outcomes[i].summary;
  return text;
}

void tellTrouble(const KernelOutcome &outcome) {
  llvm::errs() << outcome.notes;
  if (!outcome.problem.empty())
    tellProblem(outcome.problem);
}

/// Prints what became of kernels that are written, and the table.
void tellKernels(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes,
                 const KernelTable &table) {
  // Standard output carries at most one document; what is told then goes to standard error.
  const bool document = options.diff || options.output == "-" || options.report == "-" || options.opt.sarif == "-" ||
                        options.format != TableForm::Text;
  const bool colour = lookOf(options).colour;
  llvm::raw_ostream &told = document ? llvm::errs() : llvm::outs();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const KernelOutcome &outcome = outcomes[i];
    tellTrouble(outcome);
    if (outcome.text && options.output == "-" && !options.dryRun)
      llvm::outs() << *outcome.text;
    if (options.report == "-")
      llvm::outs() << outcome.report;
    if (options.diff)
      llvm::outs() << (colour ? paintedDiff(outcome.diff) : outcome.diff);
    if (options.check && outcome.changed)
      told << printable(batch.kernels[i].shown) << ": would change: " << outcome.change << "\n";
    if (printsSummaries(options) && outcome.problem.empty())
      told << outcome.summary;
  }
  if (options.format != TableForm::Text)
    llvm::outs() << tableText(table, options.format);
  else if (options.several && !options.quiet)
    told << (options.check ? linesOf(table) : tableText(table, TableForm::Text)); // it has named them already
}

} // namespace

bool printsSummaries(const ToolOptions &options) { return !options.quiet && (!options.several || options.verbose); }

int publish(const ToolOptions &options, const Batch &batch, std::vector<KernelOutcome> &outcomes, KernelTable table,
            llvm::function_ref<std::vector<std::string>(const KernelTable &)> describe,
            llvm::function_ref<Outputs()> more) {
  leaveRewritten(options, batch, outcomes);
  table.toolVersion = toolVersion();
  fill(table, options, batch, outcomes);
  for (std::string &line : describe(table))
    table.lines.push_back(std::move(line));
  const std::string document = isOfPairs(options) ? pairsDocument(options, batch, outcomes, table) : "";
  if (llvm::Error error = Publisher(options, batch, outcomes, table, more ? more() : Outputs()).write(document))
    return fail(std::move(error), kExitUsage);
  for (const auto &[folder, why] : batch.unread)
    tellProblem(printable(folder) + ": cannot be read: " + why);
  if (!isOfPairs(options)) {
    tellKernels(options, batch, outcomes, table);
    return gravest(outcomes, !batch.unread.empty());
  }
  for (const KernelOutcome &outcome : outcomes)
    tellTrouble(outcome);
  if (options.compare.output.empty())
    llvm::outs() << (options.quiet && options.format == TableForm::Text ? pairsFindings(options, batch, outcomes)
                                                                        : document);
  return gravest(outcomes, !batch.unread.empty());
}

} // namespace ptosync
