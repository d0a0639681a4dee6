#include "tool/session.h"

#include "replay/choose/run_choice.h"
#include "run/opt.h"
#include "tool/files.h"
#include "tool/run_watch.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/raw_ostream.h>

#include <cstdlib>
#include <filesystem>

namespace ptosync {

// The texts of a run.

namespace {

/// Makes the files and folders of a configuration, which are relative to it, those that the run and Clang are given.
llvm::Error placeFiles(const std::filesystem::path &folder, const std::string &text, AuditConfig &config) {
  if (!config.baseline.empty())
    config.baseline = fromHere((folder / config.baseline).lexically_normal().string());
  for (std::size_t i = 0; i < config.includes.size(); ++i) {
    std::string place = (folder / config.includes[i]).lexically_normal().string();
    if (std::string problem = wrongIncludeFolder(place, ""); !problem.empty())
      return includeError(text, config, i, problem);
    config.includes[i] = fromHere(place);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Expected<const AuditConfig *> ConfigFinder::of(const std::string &folder) {
  auto asPointer = [](const std::optional<AuditConfig> &config) { return config ? &*config : nullptr; };
  if (auto known = byFolder.find(folder); known != byFolder.end())
    return asPointer(known->second);
  std::optional<AuditConfig> config;
  const std::string candidate = (std::filesystem::path(folder) / kConfigName).string();
  llvm::sys::fs::file_status status; // of the name itself: a link that leads nowhere is a mistake
  if (!llvm::sys::fs::status(candidate, status, /*follow=*/false)) {
    llvm::Expected<std::string> text = readFile(candidate, reads, kJsonFile);
    if (!text)
      return text.takeError();
    llvm::Expected<AuditConfig> read = parseConfig(*text, candidate);
    if (!read)
      return read.takeError();
    config = std::move(*read);
    if (llvm::Error error = placeFiles(folder, *text, *config))
      return std::move(error);
  }
  return asPointer(byFolder.emplace(folder, std::move(config)).first->second);
}

llvm::Expected<AuditConfig> ConfigFinder::find(const std::string &file) {
  for (std::filesystem::path folder = folderOf(file);; folder = folder.parent_path()) {
    llvm::Expected<const AuditConfig *> config = of(folder.string());
    if (!config)
      return config.takeError();
    if (*config) {
      AuditConfig found = **config;
      found.file = fromHere(found.file);
      return found;
    }
    if (folder == folder.root_path())
      return AuditConfig();
  }
}

llvm::Expected<std::vector<std::pair<std::string, std::vector<std::string>>>>
ConfigFinder::excludes(const std::string &file) {
  std::vector<std::pair<std::string, std::vector<std::string>>> found;
  for (std::filesystem::path folder = folderOf(file);; folder = folder.parent_path()) {
    llvm::Expected<const AuditConfig *> config = of(folder.string());
    if (!config)
      return config.takeError();
    if (*config && !(*config)->excludes.empty())
      found.emplace_back(folder.string(), (*config)->excludes);
    if (folder == folder.root_path())
      return found;
  }
}

namespace {

/// `shown`: what messages call the file.
llvm::Expected<SourceText> readText(const std::string &file, const std::string &shown, ReadFiles &reads,
                                    const char *expected) {
  llvm::Expected<std::string> text = readFile(file, reads, expected);
  if (!text)
    return asSetting(text.takeError());
  return SourceText(shown, std::move(*text));
}

/// Leaves `text` empty if no file is named.
llvm::Error readOptional(const std::string &file, ReadFiles &reads, std::optional<SourceText> &text) {
  if (file.empty())
    return llvm::Error::success();
  llvm::Expected<SourceText> read = readText(file, file, reads, kJsonFile);
  if (!read)
    return read.takeError();
  text = std::move(*read);
  return llvm::Error::success();
}

} // namespace

llvm::Expected<RunChoices> readChoices(const ToolOptions &options) {
  RunChoices choices = options;
  if (llvm::Error error = readOptional(options.machineFile, *choices.reads, choices.machineText))
    return std::move(error);
  if (llvm::Error error = readOptional(options.timingFile, *choices.reads, choices.durationsText))
    return std::move(error);
  for (const std::string &file : options.patternFiles) {
    llvm::Expected<SourceText> text = readText(file, file, *choices.reads, kJsonFile);
    if (!text)
      return text.takeError();
    choices.patternTexts.push_back(std::move(*text));
  }
  return choices;
}

std::string patternsOf(const Settings &settings) { return settings.merged().patterns.value_or(RunChoices().patterns); }

llvm::Expected<RunInput> readInput(const ToolOptions &options, const std::vector<std::string> &files) {
  RunInput input{{}, {options.given, options.environment, {}}, {}};
  auto shown = [&](const std::string &file) { return file == kStandardInput ? options.standardInputName : file; };
  for (const std::string &file : files) {
    llvm::Expected<SourceText> text = readText(file, shown(file), *options.reads, kKernelFile);
    if (!text)
      return text.takeError();
    input.sources.push_back(std::move(*text));
  }
  llvm::Expected<RunChoices> choices = readChoices(options);
  if (!choices)
    return choices.takeError();
  input.choices = std::move(*choices);
  input.choices.allowance = beginRun(options.watch, shown(files.front()), input.choices.bounds);
  llvm::Expected<AuditConfig> config = ConfigFinder(*options.reads).find(shown(files.front()));
  if (!config)
    return asSetting(config.takeError());
  input.settings.file = std::move(*config);
  input.choices.patterns = patternsOf(input.settings);
  return input;
}

// Progress and failure.

namespace {

/// Returns true if nobody says what the terminal can do, or that it can do nothing.
bool isDumb() {
  const char *terminal = std::getenv("TERM");
  return !terminal || llvm::StringRef(terminal) == "dumb";
}

} // namespace

std::string timingsText(const Allowance::Taken &taken) {
  std::string text;
  for (const auto &[stage, seconds] : taken.stages)
    text += llvm::formatv("{0}{1} {2:F1} ms", text.empty() ? "" : ", ", stage, seconds * 1000).str();
  return text + "\n";
}

Progress progressOf(const std::string &command, bool quiet, std::size_t total, const std::string &unit) {
  using namespace std::chrono_literals;
  const bool redrawn = llvm::sys::Process::StandardErrIsDisplayed() && !isDumb();
  const ProgressPace pace = redrawn ? ProgressPace{700ms, 200ms} : ProgressPace{30s, 30s};
  const ProgressForm form = quiet ? ProgressForm::None : redrawn ? ProgressForm::Terminal : ProgressForm::Plain;
  return Progress(command, total, unit, form, pace, llvm::errs());
}

Look lookOf(const ToolOptions &options) {
  const char *without = std::getenv("NO_COLOR");
  const bool display = llvm::sys::Process::StandardOutIsDisplayed(), always = options.colour == Colour::Always;
  const bool refused = isDumb() || (without && *without);
  return {always || (options.colour == Colour::Auto && display && !refused), always || display};
}

std::string nameInDiff(const ToolOptions &options, const std::string &file) {
  namespace stdfs = std::filesystem;
  if (!options.root.empty())
    return relativeTo(placeOf(options.root).string(), file);
  for (stdfs::path folder = folderOf(file); folder != folder.root_path(); folder = folder.parent_path())
    if (llvm::sys::fs::exists((folder / ".git").string()))
      return relativeTo(folder.string(), file);
  return file;
}

namespace {

/// Writes the reproducer; returns the name of its folder, or why there is none.
std::string keepReproducer(const Disagreement &disagreement) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("ptosync-disagreement", folder))
    return "no reproducer could be kept: " + error.message();
  std::vector<std::pair<std::string, std::string>> files;
  for (const auto &[name, text] : disagreement.reproducer()) {
    llvm::SmallString<128> file = folder;
    llvm::sys::path::append(file, name);
    files.emplace_back(file.str().str(), text);
  }
  if (llvm::Error error = writeFiles(files, {}))
    return "no reproducer could be kept: " + llvm::toString(std::move(error));
  return "kept for a report: " + folder.str().str() + " (both kernels, witness.txt, reproduce.sh)";
}

} // namespace

void tellProblem(llvm::StringRef problem) { llvm::errs() << "ptosync: " << problem.rtrim('\n') << "\n"; }

int exitCodeOf(const llvm::Error &error) {
  return error.isA<SettingError>() || error.isA<replay::ArgumentError>() ? kExitUsage : kExitNotAnalysed;
}

std::string messageOf(llvm::Error error) {
  std::string kept;
  error = llvm::handleErrors(std::move(error), [&](std::unique_ptr<Disagreement> disagreement) -> llvm::Error {
    kept = keepReproducer(*disagreement);
    return llvm::Error(std::move(disagreement));
  });
  return llvm::toString(std::move(error)) + kept;
}

int fail(llvm::Error error, int exitCode) {
  llvm::errs() << "ptosync: " << messageOf(std::move(error)) << "\n";
  return exitCode;
}

int fail(llvm::Error error) {
  const int exitCode = exitCodeOf(error);
  return fail(std::move(error), exitCode);
}

llvm::Error checkOutputs(const ToolOptions &options, std::vector<std::string> targets) {
  targets.push_back(options.stats);
  return checkTargets(targets, *options.reads);
}

} // namespace ptosync
