#include "tool/batch.h"

#include "base/fingerprint.h"
#include "base/messages.h"
#include "base/parallel.h"
#include "base/terminal.h"
#include "frontend/read/headers.h"
#include "patterns/version.h"
#include "report/command_table.h"
#include "run/certify.h"
#include "run/opt.h"
#include "tool/outcome_record.h"
#include "tool/result_cache.h"
#include "tool/result_key.h"
#include "tool/run_watch.h"
#include "tool/session.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <filesystem>
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
  return Batch{std::move(*choices), std::make_shared<const Models>(std::move(*models)), {}, {}, options.watch, {}, {}};
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

/// A digest of the texts of all kernels: shards of different texts are none of one run.
std::string textsDigest(const Batch &batch) {
  constexpr std::size_t kDigits = 16;
  std::string all;
  for (const BatchKernel &kernel : batch.kernels)
    for (const std::string &path : {kernel.path, kernel.after}) {
      auto text = llvm::MemoryBuffer::getFile(path);
      all += fingerprintOf(kernel.text ? *kernel.text : text ? (*text)->getBuffer().str() : std::string(), kDigits);
    }
  return fingerprintOf(all, kDigits);
}

/// Leaves of the list what the shard has.
llvm::Error divide(const ToolOptions &options, Batch &batch) {
  if (!options.shard)
    return llvm::Error::success();
  Shard shard = *options.shard;
  std::vector<std::string> names;
  names.reserve(batch.kernels.size() + batch.unread.size());
  for (const BatchKernel &kernel : batch.kernels)
    names.push_back(kernel.shown);
  for (const auto &[folder, why] : batch.unread)
    names.push_back(folder);
  noteList(shard, names, optionsDigest(options) + (options.inPlace ? "" : textsDigest(batch)));
  std::vector<BatchKernel> mine;
  for (std::size_t i = 0; i < batch.kernels.size(); ++i)
    (shard.holds(i) ? mine : batch.others).push_back(std::move(batch.kernels[i]));
  std::vector<std::pair<std::string, std::string>> unread;
  for (std::size_t i = 0; i < batch.unread.size(); ++i)
    if (shard.holds(batch.total() + i))
      unread.push_back(std::move(batch.unread[i]));
  batch.kernels = std::move(mine);
  batch.unread = std::move(unread);
  batch.shard = std::move(shard);
  // A test runner looks for this file to see that its shards are no copies of each other. One that is there stays.
  const std::string &status = options.shardStatusFile;
  return status.empty() || llvm::sys::fs::exists(status) ? llvm::Error::success()
                                                         : writeFiles({{status, ""}}, *options.reads);
}

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
  if (llvm::Error error = divide(options, *batch))
    return asSetting(std::move(error));
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
  if (llvm::Error error = divide(options, *batch))
    return asSetting(std::move(error));
  return batch;
}

namespace {

llvm::Expected<RunInput> readOne(const Batch &batch, const BatchKernel &kernel) {
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

} // namespace

llvm::Expected<RunInput> readKernel(const Batch &batch, std::size_t number) {
  const BatchKernel &kernel = batch.kernels[number];
  llvm::Expected<RunInput> input = readOne(batch, kernel);
  if (input)
    input->choices.allowance = beginRun(batch.watch, kernel.shown, input->choices.bounds);
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

/// Returns true if some line goes on behind its end: a backslash stands there, with blanks behind it or not.
bool joinsLines(llvm::StringRef text) {
  for (std::size_t at = text.find('\\'); at != llvm::StringRef::npos; at = text.find('\\', at + 1)) {
    const llvm::StringRef behind = text.substr(at + 1).ltrim(" \t\v\f");
    if (behind.starts_with("\n") || behind.starts_with("\r"))
      return true;
  }
  return false;
}

/// Returns true if the text may include something that is no header of the library or of the language: a word of an
/// include, in whatever place, has another name behind it. Such a kernel has to be read to know what.
bool mayIncludeOthers(llvm::StringRef text, const std::filesystem::path &folder,
                      const std::vector<std::string> &includes) {
  if (joinsLines(text) || text.contains("import")) // which parts a word; which includes as well
    return true;
  auto isThere = [&](llvm::StringRef name) {
    std::error_code unknown;
    return std::filesystem::exists(folder / name.str(), unknown) ||
           llvm::any_of(includes, [&](const std::string &each) {
             return std::filesystem::exists(std::filesystem::path(each) / name.str(), unknown);
           });
  };
  constexpr llvm::StringLiteral kWord = "include";
  for (std::size_t at = text.find(kWord); at != llvm::StringRef::npos; at = text.find(kWord)) {
    text = text.substr(at + kWord.size());
    llvm::StringRef behind = text.take_until([](char c) { return c == '\n'; }).ltrim(" \t");
    const bool angled = behind.consume_front("<");
    if (!angled && !behind.consume_front("\""))
      return true;
    const llvm::StringRef name = behind.split(angled ? '>' : '"').first;
    if (!(isLibraryHeader(name) || angled) || isThere(name))
      return true;
  }
  return false;
}

/// What a kernel includes, however long reading takes; null: nothing of the run. That it cannot be read its own outcome
/// says.
std::shared_ptr<ReadFiles> includesOf(const Batch &batch, const BatchKernel &kernel) {
  llvm::Expected<RunInput> input = readOne(batch, kernel);
  if (!input) {
    llvm::consumeError(input.takeError());
    return nullptr;
  }
  if (!mayIncludeOthers(input->sources.front().text(), placeOf(kernel.path).parent_path(),
                        kernel.settings.merged().includes))
    return nullptr;
  std::shared_ptr<ReadFiles> reads = input->choices.reads;
  llvm::Expected<Subject> subject = liftSubject(*input, *batch.models, Shapes::LeftOut);
  if (!subject)
    llvm::consumeError(subject.takeError());
  else if (subject->arch.isDefault())
    llvm::consumeError(liftForOther(*input, *batch.models, *subject).takeError());
  return reads;
}

/// What these kernels include, one for each.
std::vector<std::shared_ptr<ReadFiles>> includesOf(const ToolOptions &options, const Batch &batch,
                                                   llvm::ArrayRef<const BatchKernel *> kernels) {
  std::vector<std::shared_ptr<ReadFiles>> reads(kernels.size());
  runInParallel(kernels.size(), [&](std::size_t i) { reads[i] = includesOf(batch, *kernels[i]); }, options.jobs);
  for (const std::shared_ptr<ReadFiles> &each : reads)
    if (each)
      options.reads->noteAll(*each);
  return reads;
}

/// A kernel of the whole run, and what was read for it.
struct ReaderOfFiles {
  const BatchKernel *kernel;
  std::shared_ptr<ReadFiles> reads;
  std::optional<llvm::sys::fs::UniqueID> file;
};

/// All kernels of the run, those of other shards too, in the order of the list.
std::vector<ReaderOfFiles> readersOf(const ToolOptions &options, const Batch &batch,
                                     const std::vector<KernelOutcome> &outcomes) {
  std::vector<ReaderOfFiles> readers;
  readers.reserve(batch.total());
  // Of other shards' kernels nothing has been read, and of one that was stopped perhaps not all.
  std::vector<const BatchKernel *> unread;
  std::vector<std::size_t> places;
  for (std::size_t i = 0, mine = 0; i < batch.total(); ++i) {
    const bool own = !batch.shard || batch.shard->holds(i);
    const bool stopped = own && !outcomes[mine].problem.empty() && !outcomes[mine].mayBeKept;
    readers.push_back({own ? &batch.kernels[mine] : &batch.others[i - mine], own ? outcomes[mine].reads : nullptr, {}});
    mine += own;
    if (own && !stopped)
      continue;
    unread.push_back(readers.back().kernel);
    places.push_back(i);
  }
  const std::vector<std::shared_ptr<ReadFiles>> more = includesOf(options, batch, unread);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (more[i])
      readers[places[i]].reads = more[i];
  for (ReaderOfFiles &reader : readers)
    if (llvm::sys::fs::UniqueID file; !llvm::sys::fs::getUniqueID(reader.kernel->path, file))
      reader.file = file;
  return readers;
}

/// Leaves a kernel as it was where another kernel of the run includes it, be it one of another shard.
void leaveIncluded(const ToolOptions &options, const Batch &batch, std::vector<KernelOutcome> &outcomes) {
  auto counts = [&](std::size_t i) { return outcomes[i].changed && batch.kernels[i].versions == Versions::One; };
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < outcomes.size(); ++i)
    if (counts(i))
      changed.push_back(i);
  if (changed.empty())
    return;
  const std::vector<ReaderOfFiles> readers = readersOf(options, batch, outcomes);
  for (std::size_t i : changed) {
    const std::optional<llvm::sys::fs::UniqueID> &file = readers[batch.shard ? batch.shard->indexOf(i) : i].file;
    if (!file)
      continue;
    auto reader = llvm::find_if(readers, [&](const ReaderOfFiles &each) {
      return each.file != file && each.reads && each.reads->holds(*file); // the same: by a link
    });
    if (reader != readers.end())
      leave(outcomes[i], batch.kernels[i].shown + ": left as it is, since " + reader->kernel->shown +
                             " includes it, and what is proved for one is not proved for the other; run them apart");
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

} // namespace

std::string naming(const BatchKernel &kernel, std::string problem) {
  if (problem.empty() || llvm::StringRef(problem).contains(kernel.shown) ||
      (!kernel.path.empty() && llvm::StringRef(problem).contains(kernel.path)) ||
      (!kernel.after.empty() && llvm::StringRef(problem).contains(kernel.after)))
    return problem;
  return kernel.shown + ": " + problem;
}

llvm::Error addDependencies(const ToolOptions &options, std::vector<std::pair<std::string, std::string>> &outputs) {
  if (options.depfile.empty())
    return llvm::Error::success();
  const std::string target = llvm::StringRef(options.depfile).drop_back(llvm::StringRef(kDepfileEnd).size()).str();
  llvm::Expected<std::string> rule = dependencyRule(target, options.reads->paths());
  if (!rule)
    return rule.takeError();
  outputs.emplace_back(options.depfile, std::move(*rule));
  return llvm::Error::success();
}

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
  const bool one = batch.total() == 1;
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
  leaveIncluded(options, batch, outcomes);
  return outcomes;
}

KernelOutcome outcomeOf(llvm::Error error) {
  KernelOutcome outcome;
  outcome.exitCode = exitCodeOf(error);
  // A disagreement leaves a folder behind, and with more time or memory another result may come.
  outcome.mayBeKept = !error.isA<Disagreement>() && !error.isA<LimitError>();
  outcome.problem = messageOf(std::move(error));
  return outcome;
}

void addCertificate(const ToolOptions &options, const Subject &subject, const std::string &before, bool ordered,
                    KernelOutcome &outcome) {
  if ((options.certificate.empty() && !options.certify) || !outcome.text)
    return;
  const Certification made = certify(subject, before, *outcome.text, ordered);
  if (options.certify && !made.whole()) {
    outcome = KernelOutcome();
    outcome.exitCode = kExitNotAnalysed;
    outcome.problem = "nothing is written, since not all of it is certified: " + certificationText(made);
    return;
  }
  if (!options.certificate.empty())
    outcome.certificate = made.certificate;
  outcome.summary += certificationText(made);
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
    if (llvm::Error error = addDependencies(options, outputs))
      return error;
    std::vector<std::string> targets;
    targets.reserve(outputs.size());
    for (const auto &[path, text] : outputs)
      targets.push_back(path);
    if (llvm::Error error = checkOutputs(options, std::move(targets)))
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
    add(options.certificate, outcome.certificate, ".certificate.json");
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

/// The gravest of the exit codes.
int gravest(const std::vector<KernelOutcome> &outcomes, bool unread) {
  int code = unread ? kExitNotAnalysed : kExitDone;
  for (const KernelOutcome &outcome : outcomes)
    code = graver(code, outcome.exitCode);
  return code;
}

bool isOfPairs(const ToolOptions &options) {
  return options.command == Command::Compare || options.command == Command::Verify;
}

/// The rows of the table: the kernel, what the command has found, or why it has not. Below them their sums.
void fill(KernelTable &table, const ToolOptions &options, const Batch &batch,
          const std::vector<KernelOutcome> &outcomes) {
  TableCounts counts;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const BatchKernel &kernel = batch.kernels[i];
    const std::string problem = naming(kernel, outcomes[i].problem);
    const bool alone = kernel.alone();
    TableRow row = outcomes[i].row;
    counts.changed += outcomes[i].changed;
    counts.onlyBefore += kernel.versions == Versions::OnlyBefore;
    counts.onlyAfter += kernel.versions == Versions::OnlyAfter;
    if (row.cells.empty() || !problem.empty())
      row.cells.assign(table.columns.size(), nullptr);
    // Of two versions, a kernel function that could not be analysed vouches for nothing either.
    counts.notAnalysed += !problem.empty() || (outcomes[i].exitCode == kExitNotAnalysed && !outcomes[i].changed);
    if (!problem.empty())
      row.cells.back() = llvm::StringRef(problem).split('\n').first.str();
    else if (alone)
      row.cells.back() = "only " + kernel.path;
    row.eventful = row.eventful || alone || !problem.empty();
    if (!outcomes[i].page.empty())
      row.page = kernel.name + ".html";
    row.cells.front() = kernel.shown;
    table.rows.push_back(std::move(row));
  }
  const bool written = options.inPlace || !options.outputFolder.empty() || !options.output.empty();
  table.written = written && !options.dryRun && !isOfPairs(options);
  finishTable(table, counts);
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
            llvm::function_ref<Outputs(const std::optional<Shard> &)> more) {
  leaveRewritten(options, batch, outcomes);
  const int exitCode = gravest(outcomes, !batch.unread.empty());
  table.toolVersion = toolVersion();
  table.shard = batch.shard;
  if (table.shard)
    table.shard->exitCode = exitCode;
  fill(table, options, batch, outcomes);
  const std::string document = isOfPairs(options) ? pairsDocument(options, batch, outcomes, table) : "";
  if (llvm::Error error =
          Publisher(options, batch, outcomes, table, more ? more(table.shard) : Outputs()).write(document))
    return fail(std::move(error), kExitUsage);
  for (const auto &[folder, why] : batch.unread)
    tellProblem(printable(folder) + ": cannot be read: " + why);
  if (!isOfPairs(options)) {
    tellKernels(options, batch, outcomes, table);
    return exitCode;
  }
  for (const KernelOutcome &outcome : outcomes)
    tellTrouble(outcome);
  if (options.compare.output.empty())
    llvm::outs() << (options.quiet && options.format == TableForm::Text ? pairsFindings(options, batch, outcomes)
                                                                        : document);
  return exitCode;
}

} // namespace ptosync
