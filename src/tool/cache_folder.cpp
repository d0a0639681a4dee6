#include "tool/cache_folder.h"

#include "tool/files.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/Compression.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <tuple>
#include <vector>

namespace ptosync {
namespace {

namespace stdfs = std::filesystem;

constexpr const char *kEntryMark = "ptosync-cache-1";
constexpr std::size_t kLongestEntryLine = 512;
constexpr std::size_t kLargestEntry = std::size_t(1) << 30; // unpacked; a page of one kernel has some megabytes
constexpr unsigned kRunsOfEstimate = 100;
constexpr std::int64_t kSecondsOfUse = 60; // an entry that was read that recently is not noted again as used

std::string digestOfEntry(llvm::StringRef text) {
  llvm::BLAKE3 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

bool writeAll(int file, llvm::StringRef text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    text = text.drop_front(static_cast<std::size_t>(count));
  }
  return true;
}

struct Estimate {
  std::uint64_t bytes = 0;
  unsigned runs = 0; // since it was counted
};

} // namespace

std::string sealedEntry(llvm::StringRef key, llvm::StringRef text) {
  llvm::SmallVector<std::uint8_t, 0> packed;
  const bool packs = llvm::compression::zstd::isAvailable();
  if (packs)
    llvm::compression::zstd::compress(llvm::arrayRefFromStringRef(text), packed, /*Level=*/3);
  const llvm::StringRef body = packs ? llvm::toStringRef(packed) : text;
  std::string sealed = kEntryMark;
  sealed.append(packs ? " zstd " : " plain ").append(key.str()).append(" ");
  sealed.append(std::to_string(text.size())).append(" ").append(digestOfEntry(body)).append("\n");
  sealed.append(body.data(), body.size());
  return sealed;
}

std::optional<std::string> openedEntry(llvm::StringRef key, llvm::StringRef sealed) {
  const std::size_t end = sealed.take_front(kLongestEntryLine).find('\n');
  if (end == llvm::StringRef::npos)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> words;
  sealed.take_front(end).split(words, ' ');
  const llvm::StringRef body = sealed.drop_front(end + 1);
  std::size_t size = 0;
  if (words.size() != 5 || words[0] != kEntryMark || words[2] != key || words[3].getAsInteger(10, size) ||
      size > kLargestEntry || words[4] != digestOfEntry(body))
    return std::nullopt;
  if (words[1] == "plain")
    return body.size() == size ? std::optional(body.str()) : std::nullopt;
  if (words[1] != "zstd" || !llvm::compression::zstd::isAvailable())
    return std::nullopt;
  llvm::SmallVector<std::uint8_t, 0> text;
  if (llvm::Error error = llvm::compression::zstd::decompress(llvm::arrayRefFromStringRef(body), text, size)) {
    llvm::consumeError(std::move(error));
    return std::nullopt;
  }
  return text.size() == size ? std::optional(llvm::toStringRef(text).str()) : std::nullopt;
}

CacheFolder::CacheFolder(std::string folder, std::uint64_t mostBytes)
    : folder(std::move(folder)), mostBytes(mostBytes) {}

std::string CacheFolder::pathOf(llvm::StringRef key, llvm::StringRef kind) const {
  std::string path = folder;
  return path.append("/").append(key.take_front(2)).append("/").append(key.drop_front(2)).append(".").append(kind);
}

void CacheFolder::fail(const std::string &why) {
  std::lock_guard lock(mutex);
  if (firstProblem.empty())
    firstProblem = why;
}

std::string CacheFolder::problem() const {
  std::lock_guard lock(mutex);
  return firstProblem;
}

std::optional<std::string> CacheFolder::read(llvm::StringRef key, llvm::StringRef kind) const {
  const std::string path = pathOf(key, kind);
  const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  struct stat status;
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > kLargestEntry)
    return std::nullopt;
  auto text = llvm::MemoryBuffer::getOpenFile(llvm::sys::fs::convertFDToNativeFile(file.get()), path, status.st_size,
                                              /*RequiresNullTerminator=*/false, /*IsVolatile=*/true);
  if (!text)
    return std::nullopt;
  struct timespec now;
  ::clock_gettime(CLOCK_REALTIME, &now);
  if (std::abs(now.tv_sec - status.st_mtim.tv_sec) > kSecondsOfUse) // also where the clock was put back
    (void)::futimens(file.get(), nullptr);                          // of a folder that is read-only: it is no matter
  return (*text)->getBuffer().str();
}

void CacheFolder::remove(llvm::StringRef key, llvm::StringRef kind) const { ::unlink(pathOf(key, kind).c_str()); }

void CacheFolder::makeFolder() {
  std::error_code error;
  stdfs::create_directories(folder + "/tmp", error);
  if (error)
    return fail(error.message());
  const std::string tag = folder + "/CACHEDIR.TAG"; // backups leave such a folder out
  if (!stdfs::exists(tag, error))
    std::ofstream(tag) << "Signature: 8a477f597d28d172789f06886806bc55\n# Results of ptosync that can be made again.\n";
  removeAbandoned();
}

void CacheFolder::removeAbandoned() const {
  std::error_code error;
  for (stdfs::directory_iterator entry(folder + "/tmp", error), end; !error && entry != end; entry.increment(error)) {
    const std::string path = entry->path().string();
    const OpenFile file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    if (file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0) // whoever wrote it is gone
      ::unlink(path.c_str());
  }
}

void CacheFolder::write(llvm::StringRef key, llvm::StringRef kind, llvm::StringRef sealed) {
  std::call_once(made, [this] { makeFolder(); });
  const std::string path = pathOf(key, kind);
  const std::string temporary = folder + "/tmp/" + std::to_string(::getpid()) + "-" +
                                llvm::utohexstr(llvm::sys::Process::GetRandomNumber(), /*LowerCase=*/true) + "-" +
                                std::to_string(number++);
  constexpr mode_t kMode = 0666; // as the umask lets it
  const OpenFile file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode));
  if (!file)
    return fail(std::strerror(errno));
  (void)::flock(file.get(), LOCK_EX); // held until the name is the entry's
  const bool whole = writeAll(file.get(), sealed);
  int error = errno;
  if (whole && ::rename(temporary.c_str(), path.c_str()) == 0) {
    written += sealed.size();
    return;
  }
  if (whole)
    error = errno;                // of the rename
  if (whole && error == ENOENT) { // the first entry of its part
    ::mkdir((folder + "/" + key.take_front(2).str()).c_str(), 0777);
    if (::rename(temporary.c_str(), path.c_str()) == 0) {
      written += sealed.size();
      return;
    }
    error = errno;
  }
  ::unlink(temporary.c_str());
  if (error != ENOENT) // somebody has taken it for an abandoned one, or emptied the folder
    fail(std::strerror(error));
}

std::uint64_t CacheFolder::makeRoom() const {
  struct Entry {
    stdfs::file_time_type used;
    std::uint64_t size;
    std::string path;
  };
  std::vector<Entry> entries;
  std::uint64_t bytes = 0;
  std::error_code error;
  for (stdfs::directory_iterator part(folder, error), end; !error && part != end; part.increment(error)) {
    const std::string name = part->path().filename().string();
    std::error_code inside;
    if (name.size() != 2 || !llvm::isHexDigit(name[0]) || !llvm::isHexDigit(name[1]))
      continue;
    for (stdfs::directory_iterator file(part->path(), inside), last; !inside && file != last; file.increment(inside)) {
      std::error_code gone;
      const std::uint64_t size = file->file_size(gone);
      const stdfs::file_time_type used = gone ? stdfs::file_time_type() : file->last_write_time(gone);
      if (gone)
        continue;
      bytes += size;
      entries.push_back({used, size, file->path().string()});
    }
  }
  if (bytes <= mostBytes)
    return bytes;
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return std::tie(a.used, a.path) < std::tie(b.used, b.path); });
  for (const Entry &entry : entries) {
    if (bytes <= mostBytes - mostBytes / 5)
      break;
    if (::unlink(entry.path.c_str()) == 0)
      bytes -= entry.size;
  }
  return bytes;
}

void CacheFolder::finish() {
  const std::uint64_t more = written.exchange(0);
  if (more == 0)
    return;
  const OpenFile lock(::open((folder + "/lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  if (!lock || ::flock(lock.get(), LOCK_EX) != 0)
    return;
  Estimate estimate;
  const std::string path = folder + "/size";
  std::ifstream known(path);
  const bool counted = bool(known >> estimate.bytes >> estimate.runs);
  known.close();
  estimate.bytes += more;
  ++estimate.runs;
  if (!counted || estimate.bytes > mostBytes || estimate.runs > kRunsOfEstimate) {
    removeAbandoned();
    estimate = {makeRoom(), 0};
  }
  std::ofstream(path, std::ios::trunc) << estimate.bytes << " " << estimate.runs << "\n";
}

} // namespace ptosync
