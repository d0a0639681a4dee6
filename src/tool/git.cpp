#include "tool/git.h"

#include "base/messages.h"
#include "rewrite/text_edit.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include <unistd.h>

namespace ptosync {
namespace {

struct GitAnswer {
  int exitCode = 0;
  std::string out, err;
};

/// The environment without what a hook of git is given, which would lead away from the folder.
std::vector<llvm::StringRef> environmentOutsideOfHooks() {
  std::vector<llvm::StringRef> variables;
  for (char **variable = environ; *variable; ++variable) {
    const llvm::StringRef name = llvm::StringRef(*variable).split('=').first;
    // What `git rev-parse --local-env-vars` names, but for the configuration, which is the user's.
    constexpr llvm::StringLiteral kHooks[] = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                              "GIT_COMMON_DIR",
                                              "GIT_DIR",
                                              "GIT_GRAFT_FILE",
                                              "GIT_IMPLICIT_WORK_TREE",
                                              "GIT_INDEX_FILE",
                                              "GIT_INTERNAL_SUPER_PREFIX",
                                              "GIT_NAMESPACE",
                                              "GIT_OBJECT_DIRECTORY",
                                              "GIT_PREFIX",
                                              "GIT_REPLACE_REF_BASE",
                                              "GIT_SHALLOW_FILE",
                                              "GIT_WORK_TREE"};
    const bool words = name == "LC_ALL" || name == "LANGUAGE" || name == "LANG"; // messages in one language
    if (!llvm::is_contained(kHooks, name) && !words)
      variables.emplace_back(*variable);
  }
  variables.emplace_back("LC_ALL=C");
  return variables;
}

std::string contentOf(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

/// Runs git in the folder. Fails if it cannot be started.
llvm::Expected<GitAnswer> runGit(const std::string &folder, std::vector<std::string> arguments) {
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName("git");
  if (!program)
    return llvm::createStringError("git is not installed, or not on the PATH");
  llvm::SmallString<128> out, err;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("ptosync-git", "out", out))
    return llvm::createStringError("no temporary file can be made: " + error.message());
  const llvm::FileRemover removeOut(out);
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("ptosync-git", "err", err))
    return llvm::createStringError("no temporary file can be made: " + error.message());
  const llvm::FileRemover removeErr(err);
  std::vector<llvm::StringRef> words = {*program, "-C", folder};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const std::vector<llvm::StringRef> environment = environmentOutsideOfHooks();
  std::string problem;
  GitAnswer answer;
  answer.exitCode = llvm::sys::ExecuteAndWait(*program, words, llvm::ArrayRef<llvm::StringRef>(environment),
                                              {llvm::StringRef("/dev/null"), out.str(), err.str()},
                                              /*SecondsToWait=*/0, /*MemoryLimit=*/0, &problem);
  if (answer.exitCode < 0)
    return llvm::createStringError(*program + " cannot be run: " + problem);
  answer.out = contentOf(out);
  answer.err = contentOf(err);
  return answer;
}

/// Gives equal lines equal numbers. How a line ends does not count: a checkout may have changed that.
class LineNumbers {
public:
  std::vector<std::uint32_t> of(llvm::StringRef text) {
    std::vector<std::uint32_t> numbers;
    for (auto [line, rest] = text.split('\n'); !line.empty() || !rest.empty(); std::tie(line, rest) = rest.split('\n'))
      numbers.push_back(known.try_emplace(line.rtrim('\r').str(), known.size()).first->second);
    return numbers;
  }

private:
  std::map<std::string, std::uint32_t> known;
};

std::string firstLine(llvm::StringRef text) { return printable(text.trim().split('\n').first.str()); }

/// Returns the top of the work tree that holds the folder, without links; empty if there is none.
std::string topOf(const std::string &folder) {
  llvm::Expected<GitAnswer> top = runGit(folder, {"rev-parse", "--show-toplevel"});
  if (!top) {
    llvm::consumeError(top.takeError());
    return "";
  }
  llvm::StringRef path(top->out);
  path.consume_back("\n");
  llvm::SmallString<256> real;
  return top->exitCode != 0 || llvm::sys::fs::real_path(path, real) ? "" : real.str().str();
}

} // namespace

bool FileChanges::touches(std::uint32_t first, std::uint32_t last) const {
  return llvm::any_of(lines, [&](const auto &range) { return range.first <= last && first <= range.second; });
}

llvm::Expected<GitRevision> GitRevision::open(const std::string &folder, const std::string &revision) {
  const std::string start = "--new-from-rev=" + printable(revision) + ": ";
  llvm::Expected<GitAnswer> inside = runGit(folder, {"rev-parse", "--is-inside-work-tree"});
  if (!inside)
    return llvm::createStringError(start + llvm::toString(inside.takeError()));
  if (inside->exitCode != 0 || llvm::StringRef(inside->out).trim() != "true")
    return llvm::createStringError(start + folder + " is in no work tree of git" +
                                   (inside->err.empty() ? "" : ": " + firstLine(inside->err)));
  llvm::Expected<GitAnswer> commit =
      runGit(folder, {"rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"});
  if (!commit)
    return llvm::createStringError(start + llvm::toString(commit.takeError()));
  const llvm::StringRef id = llvm::StringRef(commit->out).trim();
  if (commit->exitCode != 0 || revision.empty() || id.starts_with("^"))
    return llvm::createStringError(start + "no revision of the work tree that holds " + folder +
                                   "; a shallow clone has few: fetch it first");
  return GitRevision(topOf(folder), id.str());
}

bool GitRevision::holds(const std::string &file) const {
  return !top.empty() && !llvm::sys::path::is_absolute(scanName(top, file));
}

llvm::Expected<FileChanges> GitRevision::changesOf(const std::string &file, std::string_view now) const {
  llvm::SmallString<256> path;
  if (std::error_code error = llvm::sys::fs::real_path(file, path))
    return llvm::createStringError(file + ": " + error.message());
  llvm::Expected<GitAnswer> before =
      runGit(llvm::sys::path::parent_path(path).str(),
             {"show", "--no-textconv", commit + ":./" + llvm::sys::path::filename(path).str()});
  if (!before)
    return before.takeError();
  FileChanges changes;
  if (before->exitCode != 0)
    return changes;
  LineNumbers numbers;
  const ChangedLines changed = matchLines(numbers.of(before->out), numbers.of(now));
  for (std::uint32_t line = 1; line <= changed.added.size(); ++line)
    if (changed.added[line - 1])
      changes.lines.emplace_back(line, line);
  changes.any = !changes.lines.empty() || llvm::is_contained(changed.removed, true);
  changes.before = std::move(before->out);
  return changes;
}

std::string scanRoot() {
  llvm::SmallString<256> here;
  if (llvm::sys::fs::real_path(".", here))
    return "";
  const std::string top = topOf(here.str().str());
  return top.empty() ? here.str().str() : top;
}

std::string scanName(const std::string &root, const std::string &file) {
  llvm::SmallString<256> path;
  if (llvm::sys::fs::real_path(file, path))
    return file;
  llvm::StringRef name(path);
  const bool below = !root.empty() && name.consume_front(root) && (root == "/" || name.consume_front("/"));
  return below ? name.str() : path.str().str();
}

} // namespace ptosync
