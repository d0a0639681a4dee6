// Which files an audit looks at, and which configuration goes with each.
// Tested by tests/tool/file_list_test.cpp.
#pragma once

#include "audit/config.h"

#include <llvm/Support/Error.h>

#include <map>
#include <string>
#include <vector>

namespace ptosync {

/// Files as given; of a directory every *.cpp below it that mentions the PTO headers, by name, without hidden
/// directories. Each once, in the order of `inputs`. Fails on a name that is not there.
llvm::Expected<std::vector<std::string>> listKernelFiles(const std::vector<std::string> &inputs);

/// What is wrong with a folder of a kernel's own headers, empty if nothing is: it is not there, or holds the library's
/// headers, which `libraryFolder` (of --pto-include; empty: none) is for.
std::string wrongIncludeFolder(const std::string &folder, const std::string &libraryFolder);

/// Finds and reads `.ptosync.json`, once per folder.
class ConfigFinder {
public:
  /// The nearest configuration from the folder of `file` upwards; an empty one if there is none.
  llvm::Expected<AuditConfig> find(const std::string &file);

private:
  std::map<std::string, AuditConfig> byFolder;
};

/// `file` as seen from `folder`, with '/' between names; unchanged if one is not below the other's root.
std::string relativeTo(const std::string &folder, const std::string &file);

/// The folder a file lies in, absolute.
std::string folderOf(const std::string &file);

} // namespace ptosync
