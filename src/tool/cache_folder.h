// A folder of entries, each a text under a key: kept whole or not at all, by any number of processes at once.
//
//   FOLDER/3f/9a07...e1.result     one entry: a line that names it, then its text, compressed
//   FOLDER/tmp/4711-5d0c           an entry that is being written, locked by its writer
//   FOLDER/size, FOLDER/lock       how much there is, by estimate, and the lock of whoever makes room
//
// An entry is written under a name of its own, in the same file system, and renamed. A process that is killed leaves an
// unlocked file in `tmp`, which the next one takes away. The first line of an entry has its key and a digest of the
// text. An entry that is torn, damaged or another one's is no entry, and is removed. A folder that cannot be written
// costs the results that would have been kept, and nothing else.
//
// Where the folder holds more than it may, the entries that were not read for the longest time go, until a fifth of the
// room is free. That is looked at once in a run. The sum is an estimate, since a run that is killed does not add what
// it wrote, and is counted anew every kRunsOfEstimate runs.
//
// It knows nothing of kernels. Whoever can write into the folder can put in what they like: it is trusted like the
// folder of the program. Several threads may use one object. Tested by tests/tool/cache_folder_test.cpp and
// tests/scripts/result_cache_test.sh.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

namespace ptosync {

/// Wraps a text so that it can be checked whether it is whole and what it is: the form of an entry in a folder and on a
/// server.
std::string sealedEntry(llvm::StringRef key, llvm::StringRef text);

/// Returns the text of an entry; nothing if it is not whole, or not of this key.
std::optional<std::string> openedEntry(llvm::StringRef key, llvm::StringRef sealed);

class CacheFolder {
public:
  /// `mostBytes`: what the folder may hold.
  CacheFolder(std::string folder, std::uint64_t mostBytes);

  /// Returns the entry of this key as it was sealed. `kind` ends its file name.
  std::optional<std::string> read(llvm::StringRef key, llvm::StringRef kind) const;
  void write(llvm::StringRef key, llvm::StringRef kind, llvm::StringRef sealed);
  /// Takes an entry out that cannot be opened.
  void remove(llvm::StringRef key, llvm::StringRef kind) const;

  /// Adds what this object wrote to the estimate, and makes room where there is too much.
  void finish();

  /// Returns why something could not be kept, the first time; empty if everything could be.
  std::string problem() const;

private:
  std::string pathOf(llvm::StringRef key, llvm::StringRef kind) const;
  void fail(const std::string &why);
  void makeFolder();
  void removeAbandoned() const;
  /// Removes the entries that were not used for longest if there are more than allowed. Returns the bytes that are
  /// left.
  std::uint64_t makeRoom() const;

  const std::string folder;
  const std::uint64_t mostBytes;
  std::atomic<std::uint64_t> written = 0;
  std::atomic<unsigned> number = 0; // of the next temporary file
  std::once_flag made;
  mutable std::mutex mutex; // of what follows
  std::string firstProblem;
};

} // namespace ptosync
