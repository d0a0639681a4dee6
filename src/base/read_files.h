// The files that a run has read, whoever read them: the tool, or Clang while it follows `#include`.
//
// A run never writes over one of its inputs, under whatever name, so each reader notes what it opens and the writer
// asks. A file is known by device and inode, which links share. Devices and FIFOs are no inputs to protect; the writer
// leaves them out. Several threads may note at once. Tested by tests/base/read_files_test.cpp and, for each command, by
// tests/tool/overwrite_test.cpp.
#pragma once

#include <llvm/Support/FileSystem/UniqueID.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace ptosync {

class FileAnswers; // base/file_answers.h

class ReadFiles {
public:
  /// What Clang asks of the disk, and what it is answered; null: nobody wants to know. Set before the reading begins.
  std::shared_ptr<FileAnswers> answers;

  /// `path`: a name of the file; empty: it is not asked for.
  void note(const llvm::sys::fs::UniqueID &file, const std::string &path = "") {
    std::lock_guard lock(mutex);
    std::set<std::string> &names = files[file];
    if (!path.empty())
      names.insert(path);
  }
  void noteAll(const ReadFiles &others) {
    std::scoped_lock lock(mutex, others.mutex);
    for (const auto &[file, names] : others.files)
      files[file].insert(names.begin(), names.end());
  }
  /// Takes a file out that the run may write over: `patch-vec-barriers` takes one name for both, as its script does.
  void forget(const llvm::sys::fs::UniqueID &file) {
    std::lock_guard lock(mutex);
    files.erase(file);
  }
  bool holds(const llvm::sys::fs::UniqueID &file) const {
    std::lock_guard lock(mutex);
    return files.count(file) != 0;
  }

  /// Returns the names that were given, in order.
  std::set<std::string> paths() const {
    std::lock_guard lock(mutex);
    std::set<std::string> paths;
    for (const auto &[file, names] : files)
      paths.insert(names.begin(), names.end());
    return paths;
  }

private:
  mutable std::mutex mutex;
  std::map<llvm::sys::fs::UniqueID, std::set<std::string>> files; // with all names that were given
};

} // namespace ptosync
