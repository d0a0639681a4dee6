// What was asked of the disk while one kernel was read, and what it answered: the hidden inputs of a result.
//
//   Clang looks for "k/tiles.hpp"    -> Missing
//   Clang looks for "inc/tiles.hpp"  -> Read, digest of its bytes
//
// A result depends on the disk through these answers alone, so it may be used again wherever the same questions get the
// same answers: that a header now stands in an earlier folder is another answer. Two names of one file (a link) are one
// answer as well, since Clang reads such a file once under `#pragma once`.
//
// A question that was answered in two ways during one run, an error other than that nothing is there, and a text that
// holds the time of its compilation (`__TIME__`) make the answers unclear. Nothing can be concluded from them then.
//
// It asks nothing itself but by `ask`. Several threads may note at once. Tested by tests/base/file_answers_test.cpp,
// and with Clang by tests/tool/result_cache_test.cpp.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem/UniqueID.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>

namespace ptosync {

struct FileAnswer {
  enum class Kind : std::uint8_t { Missing, Folder, File, Read }; // File: it is there, and its text was not asked for
  Kind kind = Kind::Missing;
  std::string digest;           // Read: of the bytes
  llvm::sys::fs::UniqueID file; // of what is there
};

/// What there is to ask about one path.
enum class FileQuestion : bool { IsThere, Text };

/// Asks the disk. Nothing if it does not answer: an error other than that nothing is there, a device.
std::optional<FileAnswer> askDisk(const std::string &path, FileQuestion question);

/// Returns true if a text may hold the time of its own compilation or of its last change.
bool holdsTime(llvm::StringRef text);

class FileAnswers {
public:
  /// Notes that nothing could be found or read under the path, and why.
  void noteError(const std::string &path, std::error_code error);
  void noteThere(const std::string &path, bool folder, const llvm::sys::fs::UniqueID &file);
  void noteText(const std::string &path, const llvm::sys::fs::UniqueID &file, llvm::StringRef text);
  /// Notes that something was asked which has no answer here.
  void noteUnclear();

  /// Returns the answers by path; nothing if they are unclear.
  std::optional<std::map<std::string, FileAnswer>> answers() const;

private:
  void note(const std::string &path, FileAnswer answer);

  mutable std::mutex mutex;
  std::map<std::string, FileAnswer> byPath;
  bool unclear = false;
};

/// Returns the answers as a text that is the same wherever they are the same: a line for each path, in order, with the
/// number of the first line that is about the same file.
std::string answersText(const std::map<std::string, FileAnswer> &answers);

} // namespace ptosync
