#include "tool/batch.h"

#include "base/messages.h"
#include "base/parallel.h"
#include "base/terminal.h"
#include "patterns/version.h"
#include "tool/session.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <cmath>

namespace ptosync {

// Which kernels there are.

namespace {

/// Takes out of the list what --exclude or the configuration of its folder leaves out. A kernel that is named itself
/// stays.
llvm::Error leaveOut(const ToolOptions &options, Batch &batch) {
  const std::string here = folderOf("x");
  std::vector<BatchKernel> kept;
  for (BatchKernel &kernel : batch.kernels) {
    bool out = false;
    if (!llvm::is_contained(options.inputs, kernel.path)) {
      const AuditConfig &config = kernel.settings.file;
      for (const auto &[folder, patterns] :
           {std::pair(here, &options.excludes), std::pair(folderOf(config.file), &config.excludes)}) {
        llvm::Expected<bool> excluded = isExcluded(folder, kernel.path, *patterns);
        if (!excluded)
          return asSetting(excluded.takeError());
        out = out || *excluded;
      }
    }
    if (!out)
      kept.push_back(std::move(kernel));
  }
  batch.kernels = std::move(kept);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<Batch> readBatch(const ToolOptions &options) {
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return choices.takeError();
  Batch batch{std::move(*choices), nullptr, {}, {}};
  llvm::Expected<KernelFiles> found = listKernelFiles(options.inputs, *options.reads);
  if (!found)
    return asSetting(found.takeError());
  batch.unread = std::move(found->unread);
  llvm::Expected<Models> models = loadModels(batch.choices, options.given.arch);
  if (!models)
    return models.takeError();
  batch.models = std::make_shared<const Models>(std::move(*models));
  ConfigFinder finder(*options.reads);
  for (KernelFile &file : found->files) {
    llvm::Expected<AuditConfig> config = finder.find(file.path == kStandardInput ? "x" : file.path);
    if (!config)
      return asSetting(config.takeError());
    batch.kernels.push_back({std::move(file), {options.given, options.environment, std::move(*config)}});
  }
  for (BatchKernel &kernel : batch.kernels)
    if (kernel.path == kStandardInput) {
      llvm::Expected<std::string> text = readFile(kernel.path, *options.reads, kKernelFile);
      if (!text)
        return asSetting(text.takeError());
      kernel.text = std::move(*text);
    }
  if (llvm::Error error = leaveOut(options, batch))
    return std::move(error);
  for (const BatchKernel &kernel : batch.kernels)
    if (!options.root.empty() && !kernel.text && !isBelow(options.root, kernel.path))
      return settingError("--root=" + options.root + ": " + kernel.path + " does not lie below it");
  return batch;
}

llvm::Expected<RunInput> readKernel(const Batch &batch, std::size_t number) {
  const BatchKernel &kernel = batch.kernels[number];
  RunInput input{{}, kernel.settings, batch.choices, batch.models};
  input.choices.patterns = patternsOf(kernel.settings);
  input.choices.reads = std::make_shared<ReadFiles>();
  llvm::Expected<std::string> text = kernel.text ? llvm::Expected<std::string>(*kernel.text)
                                                 : readFile(kernel.path, *input.choices.reads, kKernelFile);
  if (!text)
    return asSetting(text.takeError());
  input.sources.emplace_back(kernel.text ? kernel.name : kernel.path, std::move(*text));
  return input;
}

// What became of them.

namespace {

std::string shownName(const BatchKernel &kernel) { return kernel.path == kStandardInput ? kernel.name : kernel.path; }

/// Leaves a kernel as it was where another kernel of the run includes it.
void leaveIncluded(const Batch &batch, std::vector<KernelOutcome> &outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    llvm::sys::fs::UniqueID file;
    if (!outcomes[i].changed || llvm::sys::fs::getUniqueID(batch.kernels[i].path, file))
      continue;
    for (std::size_t other = 0; other < outcomes.size(); ++other)
      if (other != i && outcomes[other].reads && outcomes[other].reads->holds(file)) {
        KernelOutcome left;
        left.problem = "left as it is, since " + shownName(batch.kernels[other]) +
                       " includes it, and what is proved for one is not proved for the other; run them apart";
        left.exitCode = kExitNotAnalysed;
        left.reads = outcomes[i].reads;
        outcomes[i] = std::move(left);
        break;
      }
  }
}

} // namespace

std::vector<KernelOutcome> runBatch(const ToolOptions &options, const std::string &command, const Batch &batch,
                                    llvm::function_ref<KernelOutcome(const RunInput &, Progress &)> job) {
  std::vector<KernelOutcome> outcomes(batch.kernels.size());
  const bool one = outcomes.size() == 1;
  Progress progress = progressOf(command, options.quiet, one ? 0 : outcomes.size(), one ? "" : "kernel");
  auto runOne = [&](std::size_t i) {
    llvm::Expected<RunInput> input = readKernel(batch, i);
    if (input) {
      Progress silent;
      outcomes[i] = job(*input, one ? progress : silent);
      outcomes[i].reads = input->choices.reads;
    } else {
      outcomes[i] = outcomeOf(input.takeError());
    }
    if (!one)
      progress.step();
  };
  runInParallel(outcomes.size(), runOne, options.jobs);
  progress.finish();
  leaveIncluded(batch, outcomes);
  return outcomes;
}

KernelOutcome outcomeOf(llvm::Error error) {
  KernelOutcome outcome;
  outcome.exitCode = exitCodeOf(error);
  outcome.problem = messageOf(std::move(error));
  return outcome;
}

// Where results go.

namespace {

using Outputs = std::vector<std::pair<std::string, std::string>>;

/// The place of a kernel's output below a folder.
std::string placeBelow(const std::string &folder, const std::string &name, const char *ending = "") {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name + ending);
  return path.str().str();
}

class Publisher {
public:
  Publisher(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes,
            const KernelTable &table, Outputs more)
      : options(options), batch(batch), outcomes(outcomes), table(table), outputs(std::move(more)) {}

  llvm::Error write() {
    for (std::size_t i = 0; i < outcomes.size(); ++i)
      addKernel(batch.kernels[i], outcomes[i]);
    if (options.several && !options.html.empty())
      outputs.emplace_back(placeBelow(options.html, "index.html"), tableText(table, TableForm::Html));
    if (!options.table.empty())
      outputs.emplace_back(options.table, tableText(table, tableFormOf(options.table)));
    for (const KernelOutcome &outcome : outcomes)
      if (outcome.reads)
        options.reads->noteAll(*outcome.reads);
    if (options.inPlace)
      for (const BatchKernel &kernel : batch.kernels)
        if (llvm::sys::fs::UniqueID file; !llvm::sys::fs::getUniqueID(kernel.path, file))
          options.reads->forget(file);
    if (llvm::Error error = makeFolders())
      return error;
    return writeFiles(outputs, *options.reads);
  }

private:
  void addKernel(const BatchKernel &kernel, const KernelOutcome &outcome) {
    if (outcome.text && !options.dryRun && !options.check) {
      if (options.inPlace && outcome.changed)
        outputs.emplace_back(kernel.path, *outcome.text);
      else if (!options.outputFolder.empty())
        outputs.emplace_back(placeBelow(options.outputFolder, kernel.name), *outcome.text);
      else if (!options.output.empty() && options.output != "-")
        outputs.emplace_back(options.output, *outcome.text);
    }
    auto add = [&](const std::string &where, const std::string &text, const char *ending) {
      if (!where.empty() && outcome.problem.empty())
        outputs.emplace_back(options.several ? placeBelow(where, kernel.name, ending) : where, text);
    };
    if (options.report != "-")
      add(options.report, outcome.report, ".json");
    add(options.html, outcome.page, ".html");
  }

  /// Makes the folders of what goes below a folder that the options name.
  llvm::Error makeFolders() const {
    const std::string reports = options.several ? options.report : "", pages = options.several ? options.html : "";
    for (const std::string &folder : {options.outputFolder, reports, pages})
      for (const auto &[path, text] : outputs)
        if (!folder.empty() && llvm::StringRef(path).starts_with(folder))
          if (std::error_code error = llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
            return llvm::createStringError(path + ": its folder cannot be made: " + error.message());
    return llvm::Error::success();
  }

  const ToolOptions &options;
  const Batch &batch;
  const std::vector<KernelOutcome> &outcomes;
  const KernelTable &table;
  Outputs outputs;
};

/// The gravest of the exit codes: a setting is wrong, a kernel was not analysed, something is to change or is left.
int gravest(const std::vector<KernelOutcome> &outcomes, bool unread) {
  int code = unread ? kExitNotAnalysed : kExitDone;
  auto rank = [](int one) {
    return one == kExitUsage ? 3 : one == kExitNotAnalysed ? 2 : one == kExitFindings ? 1 : 0;
  };
  for (const KernelOutcome &outcome : outcomes)
    if (rank(outcome.exitCode) > rank(code))
      code = outcome.exitCode;
  return code;
}

/// The rows of the table: the kernel, what the command has found, or why it has not. Below them their sums.
void fill(KernelTable &table, const ToolOptions &options, const Batch &batch,
          const std::vector<KernelOutcome> &outcomes) {
  std::size_t changed = 0, left = 0;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    TableRow row = outcomes[i].row;
    changed += outcomes[i].changed;
    if (!outcomes[i].problem.empty()) {
      ++left;
      row.cells.assign(table.columns.size(), nullptr);
      row.cells.back() = llvm::StringRef(outcomes[i].problem).split('\n').first.str();
      row.eventful = true;
    } else if (!options.html.empty()) {
      row.page = batch.kernels[i].name + ".html";
    }
    row.cells.front() = shownName(batch.kernels[i]);
    table.rows.push_back(std::move(row));
  }
  table.summary = {{"kernels", outcomes.size()}, {"changed", changed}, {"notAnalysed", left}};
  for (const TableColumn &column : table.columns)
    if (column.kind == ColumnKind::Count || column.kind == ColumnKind::Cycles)
      table.summary[column.key] = std::llround(sumOf(table, column.key));
  const bool written = options.inPlace || !options.outputFolder.empty() || !options.output.empty();
  std::string line = countOf(outcomes.size(), "kernel") + ": " + std::to_string(changed) +
                     (written && !options.dryRun ? " changed, " : " would change, ") +
                     std::to_string(outcomes.size() - changed - left) + " as they are";
  table.lines.push_back(line + (left ? ", " + std::to_string(left) + " not analysed" : ""));
}

} // namespace

int publish(const ToolOptions &options, const Batch &batch, const std::vector<KernelOutcome> &outcomes,
            KernelTable table, llvm::function_ref<std::vector<std::string>(const KernelTable &)> describe,
            std::vector<std::pair<std::string, std::string>> more) {
  table.toolVersion = toolVersion();
  fill(table, options, batch, outcomes);
  for (std::string &line : describe(table))
    table.lines.push_back(std::move(line));
  if (llvm::Error error = Publisher(options, batch, outcomes, table, std::move(more)).write())
    return fail(std::move(error), kExitUsage);
  // Standard output carries at most one document; what is told then goes to standard error.
  const bool document =
      options.diff || options.output == "-" || options.report == "-" || options.format != TableForm::Text;
  const bool colour = lookOf(options).colour;
  llvm::raw_ostream &told = document ? llvm::errs() : llvm::outs();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const KernelOutcome &outcome = outcomes[i];
    llvm::errs() << outcome.notes;
    if (!outcome.problem.empty())
      llvm::errs() << "ptosync: " << outcome.problem << (outcome.problem.back() == '\n' ? "" : "\n");
    if (outcome.text && options.output == "-" && !options.dryRun)
      llvm::outs() << *outcome.text;
    if (options.report == "-")
      llvm::outs() << outcome.report;
    if (options.diff)
      llvm::outs() << (colour ? paintedDiff(outcome.diff) : outcome.diff);
    if (options.check && outcome.changed)
      told << shownName(batch.kernels[i]) << ": would change: " << outcome.change << "\n";
    if (!options.quiet && (!options.several || options.verbose) && outcome.problem.empty())
      told << outcome.summary;
  }
  for (const auto &[folder, why] : batch.unread)
    llvm::errs() << "ptosync: " << folder << ": cannot be read: " << why << "\n";
  if (options.format != TableForm::Text)
    llvm::outs() << tableText(table, options.format);
  else if (options.several && !options.quiet)
    told << (options.check ? linesOf(table) : tableText(table, TableForm::Text)); // it has named them already
  return gravest(outcomes, !batch.unread.empty());
}

} // namespace ptosync
