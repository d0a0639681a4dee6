#include "tool/files.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/GlobPattern.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Signals.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptosync {
namespace {

namespace fs = llvm::sys::fs;

std::string errorText(int code) { return std::error_code(code, std::generic_category()).message(); }

/// Calls again what a signal has interrupted.
template <typename Call> auto retried(const Call &call) {
  auto result = call();
  while (result == -1 && errno == EINTR)
    result = call();
  return result;
}

} // namespace

llvm::Expected<std::string> readFile(const std::string &path, ReadFiles &reads, const char *expected,
                                     std::size_t largest) {
  auto fail = [&](const std::string &why) { return llvm::createStringError(path + ": cannot be read: " + why); };
  const bool standardInput = path == kStandardInput;
  fs::file_status status;
  if (std::error_code error = standardInput ? fs::status(STDIN_FILENO, status) : fs::status(path, status))
    return fail(error.message());
  if (fs::is_directory(status))
    return llvm::createStringError(path + ": is a directory; expected " + expected);
  OpenFile file(retried([&] {
    return standardInput ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                         : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  }));
  if (file.get() < 0)
    return fail(errorText(errno));
  if (fs::is_regular_file(status))
    reads.note(status.getUniqueID(), standardInput ? "" : path);
  constexpr std::size_t kPart = std::size_t(1) << 16;
  std::string text;
  for (;;) {
    std::size_t size = text.size();
    text.resize(size + kPart);
    ssize_t count = retried([&] { return ::read(file.get(), text.data() + size, kPart); });
    if (count < 0)
      return fail(errorText(errno));
    text.resize(size + static_cast<std::size_t>(count));
    if (count == 0)
      return text;
    if (text.size() > largest)
      return llvm::createStringError(path + ": is larger than " + std::to_string(largest >> 20) + " MiB, which no " +
                                     (largest == kLargestInput ? "kernel" : "document") + " is; nothing was read");
  }
}

namespace {

enum class TargetKind { Replaced, WrittenThrough };

struct Target {
  TargetKind kind = TargetKind::Replaced;
  std::string path; // where it really is
};

/// A name of a descriptor of this process: what it leads to may have no name of its own.
bool namesDescriptor(const std::string &path) {
  llvm::StringRef name = path;
  return name == "/dev/stdout" || name == "/dev/stderr" || name.starts_with("/dev/fd/") ||
         name.starts_with("/proc/self/fd/");
}

/// Follows links, the last of which may lead to a file that is still to be made.
llvm::Expected<std::string> followed(const std::string &path) {
  constexpr int kMostLinks = 40;
  std::filesystem::path name = path;
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(name, error)))
      return name.string();
    std::filesystem::path next = std::filesystem::read_symlink(name, error);
    if (error)
      return llvm::createStringError(error.message());
    name = next.is_absolute() ? next : name.parent_path() / next;
  }
  return llvm::createStringError("too many links");
}

llvm::Expected<Target> targetOf(const std::string &path) {
  auto fail = [&](const std::string &why) { return llvm::createStringError(path + ": cannot be written: " + why); };
  if (namesDescriptor(path))
    return Target{TargetKind::WrittenThrough, path};
  llvm::Expected<std::string> real = followed(path);
  if (!real)
    return fail(llvm::toString(real.takeError()));
  struct stat status;
  if (::stat(real->c_str(), &status) != 0) {
    if (errno != ENOENT)
      return fail(errorText(errno));
    llvm::StringRef folder = llvm::sys::path::parent_path(*real);
    if (!folder.empty() && !fs::exists(folder))
      return fail("the folder " + folder.str() + " does not exist");
    return Target{TargetKind::Replaced, std::move(*real)};
  }
  if (S_ISDIR(status.st_mode))
    return fail("it is a directory");
  if (S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode))
    return fail(S_ISBLK(status.st_mode) ? "it is a block device" : "it is a socket");
  if (!S_ISREG(status.st_mode))
    return Target{TargetKind::WrittenThrough, std::move(*real)};
  constexpr mode_t kAnyWrite = S_IWUSR | S_IWGRP | S_IWOTH;
  if (!(status.st_mode & kAnyWrite) || ::access(real->c_str(), W_OK) != 0)
    return fail("it is read-only");
  return Target{TargetKind::Replaced, std::move(*real)};
}

/// Empty, or why the text did not go into the descriptor.
std::string writeAll(int file, const std::string &text) {
  for (std::size_t written = 0; written < text.size();) {
    ssize_t count = retried([&] { return ::write(file, text.data() + written, text.size() - written); });
    if (count < 0)
      return errorText(errno);
    written += static_cast<std::size_t>(count);
  }
  return {};
}

std::string writeThrough(const std::string &path, const std::string &text) {
  OpenFile file(retried([&] { return ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY); }));
  return file.get() < 0 ? errorText(errno) : writeAll(file.get(), text);
}

/// A file that goes away with its owner, or with the process if a signal ends it, unless it takes a target's place.
class Temporary {
public:
  Temporary() = default;
  ~Temporary() {
    if (!name.empty()) {
      llvm::consumeError(llvm::errorCodeToError(fs::remove(name))); // there is nobody to tell
      llvm::sys::DontRemoveFileOnSignal(name);
    }
  }
  Temporary(Temporary &&other) noexcept : name(std::exchange(other.name, {})) {}
  Temporary &operator=(Temporary &&) = delete;

  /// Makes it beside a target, with the text in it. Returns what went wrong, empty if nothing did.
  std::string make(const std::string &target, const std::string &text) {
    llvm::SmallString<256> made;
    int number = -1;
    if (std::error_code error = fs::createUniqueFile(target + ".tmp%%%%%%", number, made))
      return error.message();
    const OpenFile file(number);
    name = made.str().str();
    llvm::sys::RemoveFileOnSignal(name);
    return writeAll(file.get(), text);
  }
  bool exists() const { return !name.empty(); }
  /// Puts it in the place of the target, with these permissions.
  std::error_code keep(const std::string &target, fs::perms mode) {
    llvm::consumeError(llvm::errorCodeToError(fs::setPermissions(name, mode))); // as the system allows
    if (std::error_code error = fs::rename(name, target))
      return error;
    llvm::sys::DontRemoveFileOnSignal(name);
    name.clear();
    return {};
  }

private:
  std::string name; // empty: there is none
};

struct Output {
  std::string given; // as the user names it
  Target target;
  const std::string *text;
  Temporary temporary = {};

  llvm::Error failed(const std::string &why) const {
    return llvm::createStringError(given + ": cannot be written: " + why);
  }
};

llvm::Error prepareAll(std::vector<Output> &outputs) {
  for (Output &output : outputs) {
    if (output.target.kind != TargetKind::Replaced)
      continue;
    if (std::string why = output.temporary.make(output.target.path, *output.text); !why.empty())
      return output.failed(why);
  }
  for (Output &output : outputs)
    if (output.target.kind == TargetKind::WrittenThrough)
      if (std::string why = writeThrough(output.target.path, *output.text); !why.empty())
        return output.failed(why);
  return llvm::Error::success();
}

llvm::Error keep(Output &output) {
  // A temporary is private to its owner; a new kernel file is what the user's umask makes of it.
  auto mode = static_cast<fs::perms>((fs::all_read | fs::all_write) & ~fs::getUmask());
  if (llvm::ErrorOr<fs::perms> old = fs::getPermissions(output.target.path))
    mode = *old;
  if (std::error_code error = output.temporary.keep(output.target.path, mode))
    return output.failed(error.message());
  return llvm::Error::success();
}

/// Holds back the signals that end a run from outside while files take their places: all of them do, or none. A mask
/// would hold them back in one thread, and another one would take them; handlers are the whole process's.
class HeldSignals {
public:
  HeldSignals() {
    struct sigaction note = {};
    note.sa_handler = [](int signal) { met = signal; };
    for (std::size_t i = 0; i < std::size(kEnding); ++i)
      if (sigaction(kEnding[i], nullptr, &before[i]); before[i].sa_handler != SIG_IGN)
        sigaction(kEnding[i], &note, nullptr);
  }
  ~HeldSignals() {
    for (std::size_t i = 0; i < std::size(kEnding); ++i)
      sigaction(kEnding[i], &before[i], nullptr);
    const int signal = met;
    met = 0;
    if (signal)
      std::raise(signal);
  }
  HeldSignals(const HeldSignals &) = delete;
  HeldSignals &operator=(const HeldSignals &) = delete;

private:
  static constexpr int kEnding[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  static inline volatile std::sig_atomic_t met = 0; // a handler has no other place
  struct sigaction before[std::size(kEnding)];
};

} // namespace

llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files, const ReadFiles &reads) {
  std::vector<std::string> targets;
  targets.reserve(files.size());
  for (const auto &[path, text] : files)
    targets.push_back(path);
  if (llvm::Error error = checkTargets(targets, reads))
    return error;
  std::vector<Output> outputs;
  for (const auto &[path, text] : files) {
    llvm::Expected<Target> target = targetOf(path);
    if (!target)
      return target.takeError();
    outputs.push_back({path, std::move(*target), &text});
  }
  if (llvm::Error error = prepareAll(outputs))
    return error;
  const HeldSignals held;
  for (Output &output : outputs)
    if (output.temporary.exists())
      if (llvm::Error error = keep(output))
        return error;
  return llvm::Error::success();
}

std::filesystem::path placeOf(const std::string &file) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(file, error);
  std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : canonical; // a descriptor (/dev/stdin) may lead to what has no name
}

namespace {

/// The place where a file will be that is not there yet: also the last link is followed.
std::string placeToBe(const std::string &path) {
  llvm::Expected<std::string> real = followed(path);
  if (real)
    return placeOf(*real).string();
  llvm::consumeError(real.takeError());
  return placeOf(path).string();
}

} // namespace

llvm::Error checkTargets(const std::vector<std::string> &targets, const ReadFiles &reads) {
  std::set<fs::UniqueID> there; // of regular files: links share them
  std::set<std::string> toBe;
  for (const std::string &target : targets) {
    if (target.empty() || target == "-")
      continue;
    fs::file_status status;
    const bool known = !fs::status(target, status);
    if (known && fs::is_regular_file(status) && reads.holds(status.getUniqueID()))
      return llvm::createStringError(target + " is an input of this run; nothing was written. Choose another name");
    bool first = true; // a device or a FIFO takes several
    if (known && fs::is_regular_file(status))
      first = there.insert(status.getUniqueID()).second;
    else if (!known)
      first = toBe.insert(placeToBe(target)).second;
    if (!first)
      return llvm::createStringError("two outputs have the name " + target +
                                     "; nothing was written. Choose another name for one");
  }
  return llvm::Error::success();
}

bool namesStandardOutput(const std::string &path) {
  return path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

// Names of kernels.

namespace {

bool isHidden(const std::filesystem::path &path) {
  std::string name = path.filename().string();
  return name.size() > 1 && name[0] == '.' && name != "..";
}

/// A host file that happens to lie beside the kernels is none of our business.
bool mentionsPto(const std::string &path, ReadFiles &reads) {
  llvm::Expected<std::string> text = readFile(path, reads, kKernelFile);
  if (!text) {
    llvm::consumeError(text.takeError());
    return true; // let the audit say what is wrong with it
  }
  return text->find("pto-inst.hpp") != std::string::npos || text->find("pto_comm_inst.hpp") != std::string::npos;
}

/// Adds the files below `folder` by suffix, whatever they hold. A folder that cannot be read is a problem, and the
/// others are looked through all the same. Links to folders are not followed.
void listDirectory(const std::filesystem::path &folder, std::vector<std::string> &files, KernelFiles &found) {
  std::error_code error;
  std::vector<std::filesystem::path> folders;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code unknown; // of an entry that is gone by now, say
    if (entry->is_directory(unknown) && !entry->is_symlink(unknown)) {
      if (!isHidden(entry->path()))
        folders.push_back(entry->path());
    } else if (entry->is_regular_file(unknown) && entry->path().extension() == ".cpp") {
      files.push_back(entry->path().string());
    }
  }
  if (error)
    found.unread.emplace_back(folder.string(), error.message());
  std::sort(folders.begin(), folders.end());
  for (const std::filesystem::path &inside : folders)
    listDirectory(inside, files, found);
}

/// True if the file lies below the folder.
bool liesBelow(const std::filesystem::path &folder, const std::filesystem::path &file) {
  const std::filesystem::path relative = file.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != ".." && relative != ".";
}

/// Adds the kernels below `root`, by name.
void addKernelsBelow(const std::string &root, const std::string &results, KernelFiles &found, ReadFiles &reads) {
  std::vector<std::string> files;
  listDirectory(root, files, found);
  std::sort(files.begin(), files.end());
  // What an earlier run has left there is no input of this one.
  const std::filesystem::path left = results.empty() ? std::filesystem::path() : placeOf(results);
  const bool inside = !left.empty() && liesBelow(placeOf(root), left);
  for (std::string &file : files)
    if (!(inside && liesBelow(left, placeOf(file))) && mentionsPto(file, reads)) {
      std::string name = std::filesystem::path(file).lexically_relative(root).generic_string();
      found.files.push_back({std::move(file), std::move(name)});
    }
}

/// Leaves each file once, where it came first. One that is named itself stays so.
void leaveOnce(std::vector<KernelFile> &files) {
  std::map<std::string, std::size_t> first;
  std::vector<KernelFile> once;
  once.reserve(files.size());
  for (KernelFile &file : files) {
    const std::string place = file.path == kStandardInput ? file.path : placeOf(file.path).string();
    auto [entry, isNew] = first.try_emplace(place, once.size());
    if (isNew)
      once.push_back(std::move(file));
    else
      once[entry->second].named = once[entry->second].named || file.named;
  }
  files = std::move(once);
}

} // namespace

llvm::Expected<KernelFiles> listKernelFiles(const std::vector<std::string> &inputs, ReadFiles &reads,
                                            const std::string &results) {
  KernelFiles files;
  for (const std::string &input : inputs) {
    if (input == kStandardInput) {
      files.files.push_back({input, "stdin.cpp", true});
      continue;
    }
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(input, status))
      return llvm::createStringError(input + ": cannot be read: " + error.message());
    if (llvm::sys::fs::is_directory(status)) {
      addKernelsBelow(input, results, files, reads);
      continue;
    }
    files.files.push_back({input, std::filesystem::path(input).filename().string(), true});
    if (llvm::sys::fs::is_regular_file(status))
      reads.note(status.getUniqueID(), input);
  }
  leaveOnce(files.files);
  return files;
}

KernelFiles listKernelsBelow(const std::string &folder, ReadFiles &reads) {
  KernelFiles files;
  addKernelsBelow(folder, "", files, reads);
  return files;
}

llvm::Expected<bool> isExcluded(const std::string &folder, const std::string &file,
                                const std::vector<std::string> &patterns) {
  // A link goes by its own name, wherever it leads.
  const std::filesystem::path given = file, above = given.parent_path();
  const std::filesystem::path place = placeOf(above.empty() ? "." : above.string()) / given.filename();
  const std::filesystem::path below = place.lexically_relative(folder), &relative = below.empty() ? given : below;
  for (const std::string &pattern : patterns) {
    llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(llvm::StringRef(pattern).rtrim('/'));
    if (!glob)
      return llvm::createStringError("'" + pattern +
                                     "' is no pattern of file names: " + llvm::toString(glob.takeError()));
    const bool whole = llvm::StringRef(pattern).rtrim('/').contains('/');
    std::filesystem::path until;
    for (const std::filesystem::path &name : relative) {
      until /= name;
      if (glob->match(whole ? until.generic_string() : name.string()))
        return true;
    }
  }
  return false;
}

std::string wrongFolder(const std::string &folder) {
  return fs::is_directory(folder) ? "" : fs::exists(folder) ? "is a file; expected a directory" : "no such directory";
}

std::string wrongIncludeFolder(const std::string &folder, const std::string &libraryFolder) {
  if (std::string wrong = wrongFolder(folder); !wrong.empty())
    return wrong;
  std::error_code error;
  bool library = std::filesystem::exists(std::filesystem::path(folder) / "pto" / "pto-inst.hpp", error);
  if (library && (libraryFolder.empty() || placeOf(folder) != placeOf(libraryFolder)))
    return "holds the library's headers; give them with --pto-include=" + folder;
  return {};
}

std::string folderOf(const std::string &file) { return placeOf(file).parent_path().string(); }

std::string relativeTo(const std::string &folder, const std::string &file) {
  std::filesystem::path relative = placeOf(file).lexically_relative(folder);
  return relative.empty() ? file : relative.generic_string();
}

std::string fromHere(const std::string &path) {
  std::error_code error;
  const std::filesystem::path here = std::filesystem::current_path(error);
  const std::filesystem::path relative = std::filesystem::path(path).lexically_relative(here);
  if (error || relative.empty() || !std::filesystem::path(path).is_absolute())
    return path;
  const auto ups = std::count(relative.begin(), relative.end(), "..");
  const auto depth = std::distance(here.begin(), here.end()) - 1; // without the root
  return ups >= depth ? path : relative.string();
}

llvm::Expected<std::string> dependencyRule(const std::string &target, const std::set<std::string> &files) {
  auto escaped = [](const std::string &name) {
    std::string text;
    for (char c : name) {
      if (c == ' ' || c == '#')
        text += '\\';
      text += c;
      if (c == '$')
        text += c;
    }
    return text;
  };
  std::set<std::string> names; // of one file as often as it is named differently
  for (const std::string &file : files) {
    if (llvm::StringRef(file).contains('\n'))
      return llvm::createStringError(
          "--depfile: the name of '" + file +
          "' holds the end of a line, which a rule of make can't say; name the file otherwise");
    names.insert(escaped(std::filesystem::path(fromHere(file)).lexically_normal().string()));
  }
  std::string text = escaped(target) + ":";
  for (const std::string &name : names)
    text.append(" \\\n  ").append(name);
  return text + "\n";
}

bool isBelow(const std::string &folder, const std::string &file) {
  const std::string name = relativeTo(placeOf(folder).string(), file);
  return name != ".." && !llvm::StringRef(name).starts_with("../");
}

// Standard output.

namespace {

void finishStandardOutput() {
  llvm::raw_fd_ostream &stream = llvm::outs();
  stream.flush();
  if (!stream.has_error())
    return;
  std::error_code error = stream.error();
  stream.clear_error();
  if (error == std::errc::broken_pipe) {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
  }
  llvm::errs() << "ptosync: standard output: cannot be written: " << error.message() << "\n";
  constexpr int kExitUnwritten = 2;
  std::_Exit(kExitUnwritten);
}

} // namespace

void guardStandardOutput() {
  // A write to a pipe without reader is an error like any other, so that temporary files are cleaned up.
  std::signal(SIGPIPE, SIG_IGN);
  (void)llvm::outs(); // made before the handler is registered, so it is still there when the handler runs
  std::atexit(finishStandardOutput);
}

} // namespace ptosync
