// Reading inputs, writing outputs all or nothing, and listing the kernels that a command line names.
//
// Regular files are written to temporary files beside their targets, each closed before the next one is opened, and
// renamed at the end, so that a failure or a signal leaves every target as it was. A link stays, and the file that it
// leads to is replaced. Character devices, FIFOs and the process's own descriptors (/dev/stderr, /dev/fd/3) are written
// through. Block devices, sockets, directories and read-only files are refused, and so is every file that the run has
// read (base/read_files.h). Tested by tests/tool/files_test.cpp, overwrite_test.cpp, file_list_test.cpp and
// tests/scripts/misuse_test.sh.
#pragma once

#include "base/read_files.h"

#include <llvm/Support/Error.h>

#include <unistd.h>

#include <filesystem>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// The largest input that is read; kernels are some hundred kilobytes.
inline constexpr std::size_t kLargestInput = std::size_t(64) << 20;
/// The same of a document of many kernels that is merged.
inline constexpr std::size_t kLargestDocument = std::size_t(1) << 30;

/// What a command needs where a folder stands.
inline constexpr const char *kKernelFile = "one kernel file", *kJsonFile = "a JSON file";

/// The name that stands for standard input among the kernels of a command line.
inline constexpr const char *kStandardInput = "-";

/// Returns all bytes of a file, a FIFO, a device or of standard input (kStandardInput), up to `largest`, and notes a
/// regular file with its name in `reads`. The error says in words what is wrong with it; of a folder, that it is not
/// what is `expected`.
llvm::Expected<std::string> readFile(const std::string &path, ReadFiles &reads, const char *expected,
                                     std::size_t largest = kLargestInput);

/// An open file of POSIX, by its number; none where that is negative. Closes it, and with that gives up its lock.
class OpenFile {
public:
  explicit OpenFile(int file) : file(file) {}
  ~OpenFile() {
    if (file >= 0)
      ::close(file);
  }
  OpenFile(const OpenFile &) = delete;
  OpenFile &operator=(const OpenFile &) = delete;
  int get() const { return file; }
  explicit operator bool() const { return file >= 0; }

private:
  int file;
};

/// Fails if one of the targets is a file that was read, or if two of them are one file. Empty names and "-" are no
/// targets.
llvm::Error checkTargets(const std::vector<std::string> &targets, const ReadFiles &reads);

/// Checks the targets, and writes each (path, text) or none of the regular files among them. The targets that are
/// written through go first.
llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files, const ReadFiles &reads);

/// Returns true if the name is another one for standard output: /dev/stdout, /dev/fd/1, /proc/self/fd/1.
bool namesStandardOutput(const std::string &path);

/// Makes the end of the process report output that could not be written to standard output: exit code 2 with a message,
/// or the quiet end by SIGPIPE that other tools have if the reader is gone.
void guardStandardOutput();

/// A kernel that a command line names, by itself or through a folder.
struct KernelFile {
  std::string path;
  std::string name;   // from the folder that was given; of a kernel that was given itself, its file name
  bool named = false; // it was given itself
};

/// The kernels of a command line, and the folders that could not be looked through.
struct KernelFiles {
  std::vector<KernelFile> files;
  std::vector<std::pair<std::string, std::string>> unread; // the folder, and why
};

/// Lists files as given; of a directory every *.cpp below it that mentions the PTO headers, by name, without hidden
/// directories, and without what lies below the folder `results` (empty: there is none) where that lies below the
/// directory. Each once, in the order of `inputs`. Notes them in `reads`. Fails on a name that is not there.
llvm::Expected<KernelFiles> listKernelFiles(const std::vector<std::string> &inputs, ReadFiles &reads,
                                            const std::string &results = "");

/// Lists the kernels below one directory under each of their names: also those that are one file by a link.
KernelFiles listKernelsBelow(const std::string &folder, ReadFiles &reads);

/// Returns true if the path `file`, or a folder that it lies in below `folder`, matches one of the patterns. A pattern
/// without a '/' is held against each name of the path, one with a '/' against the path from `folder`; '*' stands for
/// any text, '/' included. The error names a pattern that is none.
llvm::Expected<bool> isExcluded(const std::string &folder, const std::string &file,
                                const std::vector<std::string> &patterns);

/// Says why a name is no folder's: nothing is there, or a file; empty if it is one.
std::string wrongFolder(const std::string &folder);

/// Says what is wrong with a folder of a kernel's own headers, if anything: it is not there, or holds the library's
/// headers, which `libraryFolder` (of --pto-include; empty: none) is for.
std::string wrongIncludeFolder(const std::string &folder, const std::string &libraryFolder);

/// Returns `file` as seen from `folder`, with '/' between names; unchanged if one is not below the other's root.
std::string relativeTo(const std::string &folder, const std::string &file);

/// Returns an absolute path as seen from the working folder ("../.ptosync.json"), so that an output that names it is
/// the same wherever the tree lies; unchanged where the two have nothing but the root in common.
std::string fromHere(const std::string &path);

/// Returns a rule of make: `target` depends on these files. Names below the working folder are written from there.
/// Fails on a name that holds the end of a line, which no rule can say.
llvm::Expected<std::string> dependencyRule(const std::string &target, const std::set<std::string> &files);

/// Returns true if the file lies in the folder or below.
bool isBelow(const std::string &folder, const std::string &file);

/// Returns where a file is: absolute, links followed as far as there is something.
std::filesystem::path placeOf(const std::string &file);

/// Returns the folder a file lies in, absolute.
std::string folderOf(const std::string &file);

} // namespace ptosync
