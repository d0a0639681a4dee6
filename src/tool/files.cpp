#include "tool/files.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

namespace ptosync {

llvm::Expected<std::string> readFile(const std::string &path) {
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::createStringError(path + ": cannot be read: " + error.message());
  if (llvm::sys::fs::is_directory(status))
    return llvm::createStringError(path + ": is a directory; expected one kernel file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError(path + ": cannot be read: " + buffer.getError().message());
  return (*buffer)->getBuffer().str();
}

namespace {

llvm::Error writeOne(const std::string &path, const std::string &text, std::vector<llvm::sys::fs::TempFile> &temporaries) {
  auto fail = [&](const std::string &why) { return llvm::createStringError(path + ": cannot be written: " + why); };
  if (llvm::sys::fs::is_directory(path))
    return fail("it is a directory");
  llvm::Expected<llvm::sys::fs::TempFile> temporary = llvm::sys::fs::TempFile::create(path + ".tmp%%%%%%");
  if (!temporary)
    return fail(llvm::toString(temporary.takeError()));
  llvm::raw_fd_ostream stream(temporary->FD, /*shouldClose=*/false);
  stream << text;
  stream.flush();
  bool failed = stream.has_error();
  std::string why = failed ? stream.error().message() : "";
  stream.clear_error();
  temporaries.push_back(std::move(*temporary));
  return failed ? fail(why) : llvm::Error::success();
}

} // namespace

llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files) {
  std::vector<llvm::sys::fs::TempFile> temporaries;
  llvm::Error error = llvm::Error::success();
  for (const auto &[path, text] : files) {
    error = llvm::joinErrors(std::move(error), writeOne(path, text, temporaries));
    if (error)
      break;
  }
  for (std::size_t i = 0; i < temporaries.size(); ++i) {
    if (error) {
      llvm::consumeError(temporaries[i].discard());
      continue;
    }
    // A temporary is private to its owner; a kernel file is not.
    llvm::sys::fs::perms mode = llvm::sys::fs::perms::all_read | llvm::sys::fs::perms::owner_write;
    if (llvm::ErrorOr<llvm::sys::fs::perms> old = llvm::sys::fs::getPermissions(files[i].first))
      mode = *old;
    (void)llvm::sys::fs::setPermissions(temporaries[i].FD, mode);
    error = llvm::joinErrors(std::move(error), temporaries[i].keep(files[i].first));
  }
  return error;
}

bool sameFile(const std::string &a, const std::string &b) {
  auto plain = [](llvm::SmallString<256> path) {
    (void)llvm::sys::fs::make_absolute(path);
    llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
    return path;
  };
  if (!a.empty() && !b.empty() && plain(llvm::StringRef(a)) == plain(llvm::StringRef(b)))
    return true;
  bool same = false;
  return !llvm::sys::fs::equivalent(a, b, same) && same;
}

} // namespace ptosync
