#include "tool/git.h"

#include "base/messages.h"

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
    const bool hooks = name == "GIT_DIR" || name == "GIT_WORK_TREE" || name == "GIT_INDEX_FILE" || name == "GIT_PREFIX";
    const bool words = name == "LC_ALL" || name == "LANGUAGE" || name == "LANG"; // messages in one language
    if (!hooks && !words)
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

std::string firstLine(llvm::StringRef text) { return printable(text.trim().split('\n').first.str()); }

} // namespace

bool FileChanges::touches(std::uint32_t first, std::uint32_t last) const {
  return llvm::any_of(lines, [&](const auto &range) { return range.first <= last && first <= range.second; });
}

std::vector<std::pair<std::uint32_t, std::uint32_t>> changedRanges(const std::string &diff) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(diff).split(lines, '\n');
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("@@ -"))
      continue;
    auto [first, count] = line.split(" +").second.split(' ').first.split(',');
    std::uint32_t from = 0, many = 1;
    if (first.getAsInteger(10, from) || (!count.empty() && count.getAsInteger(10, many)) || many == 0)
      continue;
    ranges.emplace_back(from, from + many - 1);
  }
  return ranges;
}

llvm::Expected<GitRevision> GitRevision::open(const std::string &folder, const std::string &revision) {
  const std::string start = "--new-from-rev=" + revision + ": ";
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
  if (commit->exitCode != 0 || revision.empty())
    return llvm::createStringError(start + "no revision of the work tree that holds " + folder +
                                   "; a shallow clone has few: fetch it first");
  return GitRevision(llvm::StringRef(commit->out).trim().str());
}

llvm::Expected<FileChanges> GitRevision::changesOf(const std::string &file) const {
  llvm::SmallString<256> path;
  if (std::error_code error = llvm::sys::fs::real_path(file, path))
    return llvm::createStringError(file + ": " + error.message());
  const std::string base = llvm::sys::path::parent_path(path).str();
  const std::string name = "./" + llvm::sys::path::filename(path).str();
  auto ask = [&](std::vector<std::string> arguments) { return runGit(base, std::move(arguments)); };
  FileChanges changes;
  // The revision and the working tree must both know it.
  llvm::Expected<GitAnswer> tracked = ask({"ls-files", "--error-unmatch", "--", name});
  if (!tracked)
    return tracked.takeError();
  llvm::Expected<GitAnswer> before = ask({"show", "--no-textconv", commit + ":" + name});
  if (!before)
    return before.takeError();
  if (tracked->exitCode != 0 || before->exitCode != 0)
    return changes;
  changes.before = std::move(before->out);
  llvm::Expected<GitAnswer> diff = ask({"diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-textconv",
                                        "--no-renames", "--text", commit, "--", name});
  if (!diff)
    return diff.takeError();
  if (diff->exitCode != 0)
    return llvm::createStringError(file + ": git diff: " + firstLine(diff->err));
  changes.any = !diff->out.empty();
  changes.lines = changedRanges(diff->out);
  return changes;
}

std::string scanRoot() {
  llvm::SmallString<256> here;
  if (llvm::sys::fs::real_path(".", here))
    return "";
  llvm::Expected<GitAnswer> top = runGit(here.str().str(), {"rev-parse", "--show-toplevel"});
  if (!top) {
    llvm::consumeError(top.takeError());
    return here.str().str();
  }
  llvm::StringRef path(top->out);
  path.consume_back("\n");
  llvm::SmallString<256> real;
  return top->exitCode != 0 || llvm::sys::fs::real_path(path, real) ? here.str().str() : real.str().str();
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
