#include "base/file_answers.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/BLAKE3.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/MemoryBuffer.h>

#include <utility>

namespace ptosync {
namespace {

std::string digestOfText(llvm::StringRef text) {
  llvm::BLAKE3 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

bool saysNothingThere(std::error_code error) {
  return error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory;
}

} // namespace

std::optional<FileAnswer> askDisk(const std::string &path, FileQuestion question) {
  llvm::sys::fs::file_status status;
  FileAnswer answer;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return saysNothingThere(error) ? std::optional(answer) : std::nullopt;
  answer.file = status.getUniqueID();
  if (llvm::sys::fs::is_directory(status)) {
    answer.kind = FileAnswer::Kind::Folder;
    return answer;
  }
  if (!llvm::sys::fs::is_regular_file(status))
    return std::nullopt;
  answer.kind = FileAnswer::Kind::File;
  if (question == FileQuestion::IsThere)
    return answer;
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!text)
    return std::nullopt;
  answer.kind = FileAnswer::Kind::Read;
  answer.digest = digestOfText((*text)->getBuffer());
  return answer;
}

bool holdsTime(llvm::StringRef text) {
  return text.contains("__TIME__") || text.contains("__DATE__") || text.contains("__TIMESTAMP__");
}

void FileAnswers::note(const std::string &path, FileAnswer answer) {
  using Kind = FileAnswer::Kind;
  std::lock_guard lock(mutex);
  auto [known, isNew] = byPath.try_emplace(path, answer);
  if (isNew)
    return;
  FileAnswer &before = known->second;
  const bool both = before.kind != Kind::Missing && answer.kind != Kind::Missing;
  if (both && before.kind == Kind::File && answer.kind == Kind::Read && before.file == answer.file) {
    before = std::move(answer);
    return;
  }
  const bool less = both && before.kind == Kind::Read && answer.kind == Kind::File;
  unclear |= before.file != answer.file || (!less && (before.kind != answer.kind || before.digest != answer.digest));
}

void FileAnswers::noteError(const std::string &path, std::error_code error) {
  if (saysNothingThere(error))
    note(path, {});
  else
    noteUnclear();
}

void FileAnswers::noteThere(const std::string &path, bool folder, const llvm::sys::fs::UniqueID &file) {
  note(path, {folder ? FileAnswer::Kind::Folder : FileAnswer::Kind::File, {}, file});
}

void FileAnswers::noteText(const std::string &path, const llvm::sys::fs::UniqueID &file, llvm::StringRef text) {
  if (holdsTime(text))
    noteUnclear();
  note(path, {FileAnswer::Kind::Read, digestOfText(text), file});
}

void FileAnswers::noteUnclear() {
  std::lock_guard lock(mutex);
  unclear = true;
}

std::optional<std::map<std::string, FileAnswer>> FileAnswers::answers() const {
  std::lock_guard lock(mutex);
  return unclear ? std::nullopt : std::optional(byPath);
}

std::string answersText(const std::map<std::string, FileAnswer> &answers) {
  constexpr const char *kKinds[] = {"missing", "folder", "file", "read"};
  std::map<llvm::sys::fs::UniqueID, std::size_t> first;
  std::string text;
  std::size_t number = 0;
  for (const auto &[path, answer] : answers) {
    text.append(std::to_string(path.size())).append(" ").append(path).append(" ");
    text.append(kKinds[static_cast<std::size_t>(answer.kind)]);
    if (answer.kind != FileAnswer::Kind::Missing)
      text.append(" ").append(std::to_string(first.try_emplace(answer.file, number).first->second));
    text.append(" ").append(answer.digest).append("\n");
    ++number;
  }
  return text;
}

} // namespace ptosync
