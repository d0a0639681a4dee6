// What git says of a file since a revision: which lines are changed, and what it was then. For `audit --new-from-rev`.
//
//   "main" --GitRevision::open(folder)--> commit --changesOf(file)--> FileChanges { lines, the text of that revision }
//
// The `git` of the PATH is asked, in the folder of the file, without what a git hook has in its environment, so that a
// run inside a hook sees the same. The lines of the revision's text are held against those of the text that was read,
// so that no index, filter or monitor has a say. A file that the revision does not have is new as a whole; so is one
// that was renamed since. Fails with words outside of a work tree, without git, and for a revision that is none. It
// changes nothing. Tested by tests/tool/new_from_rev_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

struct FileChanges {
  /// Ranges of lines as the file now is, first and last, ascending, that the revision does not have like that.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> lines;
  std::optional<std::string> before; // its text in the revision; nothing: it has none
  bool any = true;                   // false: every line is what it was; lines may have gone without a changed one
  /// Returns true if one of the lines from `first` to `last` is changed.
  bool touches(std::uint32_t first, std::uint32_t last) const;
};

class GitRevision {
public:
  /// Resolves `revision` in the work tree that holds `folder`.
  static llvm::Expected<GitRevision> open(const std::string &folder, const std::string &revision);

  /// Returns true if the file lies in the work tree.
  bool holds(const std::string &file) const;

  /// `file`: one of the work tree, whose text is `now`. What the work tree's git thinks of the file does not count: it
  /// may have been told not to look, or to look through a filter.
  llvm::Expected<FileChanges> changesOf(const std::string &file, std::string_view now) const;

private:
  GitRevision(std::string top, std::string commit) : top(std::move(top)), commit(std::move(commit)) {}
  std::string top, commit;
};

/// Returns the folder that code scanning takes paths from: the top of the work tree of the working folder; outside of
/// one, or without git, the working folder itself. Without links.
std::string scanRoot();

/// Returns a file's name from there; absolute if it is not below it.
std::string scanName(const std::string &root, const std::string &file);

} // namespace ptosync
