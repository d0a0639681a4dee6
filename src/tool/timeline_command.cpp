// `ptosync timeline`, and the files of a recorded profile.
//
//   FOLDER --profileFolder--> files by core --readProfiles--> CoreProfile of a cube core and of a vector core
//
// Names are matched in part, since they may carry a time stamp: `*instr_popped_log*.dump` with `*instr_log*.dump`,
// `*instr_exe*.csv`, `trace*.json`. Of several the raw logs say most, then the csv, then the trace. For each kind of
// core one core's profile is read.
#include "base/messages.h"
#include "profile/readers.h"
#include "run/timeline.h"
#include "tool/commands.h"
#include "tool/files.h"
#include "tool/session.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>

namespace ptosync {
namespace {

namespace stdfs = std::filesystem;
using llvm::StringRef;
using timing::CoreProfile;

/// A larger file of a profile is refused.
constexpr std::uintmax_t kLargestProfileFile = std::uintmax_t(4) << 30;
constexpr int kDeepestFolder = 5;
constexpr std::size_t kMostFiles = 100'000;

constexpr const char *kExpectedFiles =
    "expected the folder of a simulator run (msprof op simulator): *instr_popped_log*.dump with *instr_log*.dump, "
    "*instr_exe*.csv or trace*.json in it or below";

struct CoreFiles {
  std::string starts, ends, csv, trace; // empty: not there
};

struct ProfileFolder {
  std::string path;
  std::map<std::string, CoreFiles> cores; // by name
  std::string jointTrace;                 // of all cores; empty: not there
};

llvm::Error folderError(const std::string &path, const std::string &message) {
  return llvm::createStringError(path + ": " + message);
}

Section sectionOfCore(StringRef core) { return core.contains("cubecore") ? Section::Cube : Section::Vec; }

/// Puts a file where it belongs; the later name wins, which is the later time stamp.
llvm::Error takeFile(const stdfs::path &path, ProfileFolder &folder, bool &board) {
  std::string name = path.filename().string(), core = timing::coreOfPath(path.string());
  StringRef text(name);
  bool dump = text.contains("instr_log") || text.contains("instr_popped_log");
  board |= text.starts_with("OpBasicInfo") || text.starts_with("PipeUtilization");
  if (dump && !text.ends_with(".dump") && text.contains(".dump."))
    return folderError(path.string(), "a log in several parts is not read; record a shorter run");
  bool named = dump ? text.ends_with(".dump") : text.contains("instr_exe") && text.ends_with(".csv");
  if (named && core.empty())
    return folderError(path.string(),
                       "it is not known of which core this is: expected core0.veccore0 or the like in its name or "
                       "its folder's");
  if (named && dump)
    (text.contains("instr_popped_log") ? folder.cores[core].starts : folder.cores[core].ends) = path.string();
  else if (named)
    folder.cores[core].csv = path.string();
  else if (text.starts_with("trace") && text.ends_with(".json"))
    (core.empty() ? folder.jointTrace : folder.cores[core].trace) = path.string();
  return llvm::Error::success();
}

llvm::Error openProfileFile(std::ifstream &stream, const std::string &path, ReadFiles &reads) {
  std::error_code problem;
  std::uintmax_t size = stdfs::file_size(path, problem);
  if (!problem && size > kLargestProfileFile)
    return folderError(path, "is larger than " + std::to_string(kLargestProfileFile >> 30) +
                                 " GiB; record a shorter run, or fewer cores");
  stream.open(path, std::ios::binary);
  if (llvm::sys::fs::UniqueID id; stream && !llvm::sys::fs::getUniqueID(path, id))
    reads.note(id);
  return stream ? llvm::Error::success() : folderError(path, "cannot be read");
}

class FolderReader {
public:
  FolderReader(const ProfileFolder &folder, const timing::ProfileNames &names, double clockMHz, ReadFiles &reads)
      : folder(folder), names(names), clockMHz(clockMHz), reads(reads) {}

  llvm::Expected<CoreProfile> read(const std::string &core) {
    auto files = folder.cores.find(core);
    if (files == folder.cores.end())
      return trace(folder.jointTrace, core);
    if (!files->second.starts.empty() || !files->second.ends.empty())
      return logs(files->second, core);
    if (files->second.csv.empty())
      return drawn(core);
    std::ifstream stream;
    if (llvm::Error error = openProfileFile(stream, files->second.csv, reads))
      return std::move(error);
    return timing::readInstrExe(stream, files->second.csv, core, names);
  }

  /// From a trace, if there is one.
  llvm::Expected<CoreProfile> drawn(const std::string &core) {
    auto files = folder.cores.find(core);
    bool own = files != folder.cores.end() && !files->second.trace.empty();
    return trace(own ? files->second.trace : folder.jointTrace, core);
  }
  bool hasTrace(const std::string &core) const {
    auto files = folder.cores.find(core);
    return !folder.jointTrace.empty() || (files != folder.cores.end() && !files->second.trace.empty());
  }

  /// Names of all cores in the trace of all.
  llvm::Expected<std::set<std::string>> coresOfTrace() const {
    llvm::Expected<timing::TraceContent> content =
        contentOf(folder.jointTrace, "", [](const std::string &) { return false; });
    if (!content)
      return content.takeError();
    return std::move(content->seen);
  }

  /// Reads the cores out of the trace of all at one go.
  llvm::Error readJointTrace(const std::set<std::string> &cores) {
    llvm::Expected<timing::TraceContent> content =
        contentOf(folder.jointTrace, "", [&](const std::string &name) { return cores.count(name) > 0; });
    if (!content)
      return content.takeError();
    for (CoreProfile &profile : content->cores)
      kept.emplace(profile.core, std::move(profile));
    return llvm::Error::success();
  }

private:
  llvm::Expected<CoreProfile> logs(const CoreFiles &files, const std::string &core) {
    if (files.starts.empty() || files.ends.empty())
      return folderError(files.starts + files.ends, "is one of two: expected *instr_popped_log*.dump (starts) and "
                                                    "*instr_log*.dump (ends) of " +
                                                        core);
    std::ifstream starts, ends;
    if (llvm::Error error = openProfileFile(starts, files.starts, reads))
      return std::move(error);
    if (llvm::Error error = openProfileFile(ends, files.ends, reads))
      return std::move(error);
    return timing::readInstrLogs(starts, files.starts, ends, files.ends, core, names);
  }

  llvm::Expected<timing::TraceContent> contentOf(const std::string &path, const std::string &core,
                                                 std::function<bool(const std::string &)> wanted) const {
    std::ifstream stream;
    if (llvm::Error error = openProfileFile(stream, path, reads))
      return std::move(error);
    return timing::readTrace(stream, {path, core, std::move(wanted), clockMHz}, names);
  }

  llvm::Expected<CoreProfile> trace(const std::string &path, const std::string &core) {
    if (auto read = kept.find(core); read != kept.end())
      return std::move(read->second);
    llvm::Expected<timing::TraceContent> content =
        contentOf(path, core, [&](const std::string &name) { return name == core; });
    if (!content)
      return content.takeError();
    if (content->cores.empty())
      return folderError(path, "has no instruction of " + core);
    return std::move(content->cores.front());
  }

  const ProfileFolder &folder;
  const timing::ProfileNames &names;
  double clockMHz;
  ReadFiles &reads;
  std::map<std::string, CoreProfile> kept; // of the trace of all, each asked for once
};

/// Which core of each kind, and which others there are.
llvm::Error chooseCores(std::vector<std::string> available, const ProfileFolder &folder,
                        const std::vector<std::string> &chosen, std::map<Section, std::string> &cores,
                        ReadProfiles &result) {
  std::sort(available.begin(), available.end(), [](StringRef a, StringRef b) { return a.compare_numeric(b) < 0; });
  for (const std::string &name : chosen) {
    if (std::find(available.begin(), available.end(), name) == available.end())
      return folderError(folder.path, "--profile-core=" + name + ": no such core" + suggestName(name, available));
    if (!cores.emplace(sectionOfCore(name), name).second)
      return folderError(folder.path, "--profile-core=" + name + ": " + cores[sectionOfCore(name)] +
                                          " is of the same kind; one of each kind is laid over its section");
  }
  for (const std::string &name : available)
    if (!cores.emplace(sectionOfCore(name), name).second && cores[sectionOfCore(name)] != name)
      result.others[sectionOfCore(name)].push_back(name);
  return llvm::Error::success();
}

/// The error names the folder, what is in it, and what was expected.
llvm::Expected<ProfileFolder> profileFolder(const std::string &path) {
  std::error_code problem;
  if (!stdfs::is_directory(path, problem))
    return folderError(path, (stdfs::exists(path, problem) ? "is no folder; " : "no such folder; ") +
                                 std::string(kExpectedFiles));
  ProfileFolder folder;
  folder.path = path;
  std::vector<stdfs::path> files;
  stdfs::recursive_directory_iterator entry(path, stdfs::directory_options::skip_permission_denied, problem), end;
  for (; !problem && entry != end && files.size() < kMostFiles; entry.increment(problem)) {
    if (entry.depth() >= kDeepestFolder)
      entry.disable_recursion_pending();
    if (entry->is_regular_file(problem))
      files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  bool board = false;
  for (const stdfs::path &file : files)
    if (llvm::Error error = takeFile(file, folder, board))
      return std::move(error);
  if (folder.cores.empty() && folder.jointTrace.empty())
    return folderError(path, board ? "is of a run on a board, which has sums over whole pipes and no instructions; " +
                                         std::string(kExpectedFiles)
                                   : "has no profile in it; " + std::string(kExpectedFiles));
  return folder;
}

/// `chosen`: cores to read; of a kind without a choice the one with the lowest numbers. `draw`: times are wanted too.
llvm::Expected<ReadProfiles> readProfiles(const ProfileFolder &folder, const std::vector<std::string> &chosen,
                                          double clockMHz, bool draw, ReadFiles &reads) {
  llvm::Expected<timing::ProfileNames> names = timing::ProfileNames::builtIn();
  if (!names)
    return names.takeError();
  FolderReader reader(folder, *names, clockMHz, reads);
  std::vector<std::string> available;
  available.reserve(folder.cores.size());
  for (const auto &[core, files] : folder.cores)
    available.push_back(core);
  bool joint = available.empty();
  if (joint) {
    llvm::Expected<std::set<std::string>> seen = reader.coresOfTrace();
    if (!seen)
      return seen.takeError();
    available.assign(seen->begin(), seen->end());
    if (available.empty())
      return folderError(folder.jointTrace, "has no instruction in it");
  }
  ReadProfiles result;
  std::map<Section, std::string> cores;
  if (llvm::Error error = chooseCores(available, folder, chosen, cores, result))
    return std::move(error);
  if (joint) {
    std::set<std::string> wanted;
    for (const auto &[section, core] : cores)
      wanted.insert(core);
    if (llvm::Error error = reader.readJointTrace(wanted))
      return std::move(error);
  }
  for (const auto &[section, core] : cores) {
    llvm::Expected<CoreProfile> profile = reader.read(core);
    if (!profile)
      return profile.takeError();
    if (draw && !profile->timed() && profile->format == timing::ProfileFormat::InstrExe && reader.hasTrace(core)) {
      llvm::Expected<CoreProfile> drawn = reader.drawn(core);
      if (!drawn)
        return drawn.takeError();
      result.drawn.emplace(section, std::move(*drawn));
    }
    result.profiles.emplace(section, std::move(*profile));
  }
  return result;
}

llvm::Expected<ReadProfiles> readProfile(const ToolOptions &options, double clockMHz) {
  llvm::Expected<ProfileFolder> folder = profileFolder(options.timeline.profile);
  if (!folder)
    return folder.takeError();
  return readProfiles(*folder, options.timeline.profileCores, clockMHz, !options.timeline.trace.empty(),
                      *options.reads);
}

} // namespace

int runTimeline(const ToolOptions &options) {
  const TimelineCommandOptions &asked = options.timeline;
  llvm::Expected<RunInput> input = readInput(options, {asked.input});
  if (!input)
    return fail(input.takeError());
  if (llvm::Error error = checkOutputs(options, {asked.trace, asked.html, asked.calibrate}))
    return fail(std::move(error), kExitUsage);
  TimelineRequest request{asked.limit, !asked.trace.empty(), !options.timeline.html.empty(), !asked.calibrate.empty()};
  const bool profiled = !asked.profile.empty();
  Progress progress = progressOf("timeline", options.quiet || !profiled);
  progress.stage("reading the profile");
  if (profiled)
    request.profile = [&](double clockMHz) { return readProfile(options, clockMHz); };
  llvm::Expected<Timelines> timelines = timeFile(*input, request);
  progress.finish();
  if (!timelines)
    return fail(timelines.takeError());
  std::vector<std::pair<std::string, std::string>> files;
  if (request.trace)
    files.emplace_back(asked.trace, timelines->trace);
  if (request.page)
    files.emplace_back(options.timeline.html, timelines->page);
  if (request.calibrate)
    files.emplace_back(asked.calibrate, timelines->durations);
  if (llvm::Error error = writeFiles(files, *options.reads))
    return fail(std::move(error), kExitUsage);
  if (!options.quiet)
    llvm::outs() << timelines->summary;
  return kExitDone;
}

} // namespace ptosync
