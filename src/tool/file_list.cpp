#include "tool/file_list.h"

#include "tool/files.h"

#include <llvm/Support/FileSystem.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ptosync {
namespace {

/// Absolute, links followed as far as there is something; a descriptor (/dev/stdin) may lead to what has no name.
std::filesystem::path placeOf(const std::string &file) {
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(file, error);
  std::filesystem::path canonical = std::filesystem::weakly_canonical(absolute, error);
  return error ? absolute.lexically_normal() : canonical;
}

bool isHidden(const std::filesystem::path &path) {
  std::string name = path.filename().string();
  return name.size() > 1 && name[0] == '.' && name != "..";
}

/// A host file that happens to lie beside the kernels is none of our business.
bool mentionsPto(const std::string &path) {
  llvm::Expected<std::string> text = readFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return true; // let the audit say what is wrong with it
  }
  return text->find("pto-inst.hpp") != std::string::npos || text->find("pto_comm_inst.hpp") != std::string::npos;
}

llvm::Error listDirectory(const std::string &root, std::vector<std::string> &files) {
  std::error_code error;
  std::vector<std::string> found;
  for (std::filesystem::recursive_directory_iterator entry(root, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->is_directory(error) && isHidden(entry->path()))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(error) && entry->path().extension() == ".cpp")
      found.push_back(entry->path().string());
  }
  if (error)
    return llvm::createStringError(root + ": cannot be read: " + error.message());
  std::sort(found.begin(), found.end());
  for (std::string &file : found)
    if (mentionsPto(file))
      files.push_back(std::move(file));
  return llvm::Error::success();
}

} // namespace

llvm::Expected<std::vector<std::string>> listKernelFiles(const std::vector<std::string> &inputs) {
  std::vector<std::string> files;
  for (const std::string &input : inputs) {
    llvm::sys::fs::file_status status;
    if (std::error_code error = llvm::sys::fs::status(input, status))
      return llvm::createStringError(input + ": cannot be read: " + error.message());
    if (!llvm::sys::fs::is_directory(status))
      files.push_back(input);
    else if (llvm::Error error = listDirectory(input, files))
      return std::move(error);
  }
  std::set<std::string> seen;
  std::erase_if(files, [&](const std::string &file) { return !seen.insert(placeOf(file).string()).second; });
  return files;
}

std::string wrongIncludeFolder(const std::string &folder, const std::string &libraryFolder) {
  std::error_code error;
  if (!std::filesystem::is_directory(folder, error))
    return "no such directory";
  bool library = std::filesystem::exists(std::filesystem::path(folder) / "pto" / "pto-inst.hpp", error);
  if (library && (libraryFolder.empty() || placeOf(folder) != placeOf(libraryFolder)))
    return "holds the library's headers; give them with --pto-include=" + folder;
  return {};
}

llvm::Expected<AuditConfig> ConfigFinder::find(const std::string &file) {
  std::string start = folderOf(file);
  if (auto known = byFolder.find(start); known != byFolder.end())
    return known->second;
  AuditConfig config;
  for (std::filesystem::path folder = start;; folder = folder.parent_path()) {
    std::string candidate = (folder / kConfigName).string();
    if (llvm::sys::fs::exists(candidate)) {
      llvm::Expected<std::string> text = readFile(candidate);
      if (!text)
        return text.takeError();
      llvm::Expected<AuditConfig> read = parseConfig(*text, candidate);
      if (!read)
        return read.takeError();
      config = std::move(*read);
      for (std::string &include : config.includes) { // relative to the configuration
        std::string place = (folder / include).lexically_normal().string();
        if (std::string problem = wrongIncludeFolder(place, ""); !problem.empty())
          return llvm::createStringError(candidate + ": /include: " + include + ": " + problem);
        include = std::move(place);
      }
      break;
    }
    if (folder == folder.root_path())
      break;
  }
  return byFolder.emplace(start, std::move(config)).first->second;
}

std::string folderOf(const std::string &file) { return placeOf(file).parent_path().string(); }

std::string relativeTo(const std::string &folder, const std::string &file) {
  std::filesystem::path relative = placeOf(file).lexically_relative(folder);
  return relative.empty() ? file : relative.generic_string();
}

} // namespace ptosync
