#include "frontend/read/headers.h"

#include "frontend/frontend.h"
#include "frontend/library/names.h"
#include "frontend/read/token_stream.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedHeaders(); // generated

namespace {

std::string headerText(std::string_view types, std::string_view body) {
  return "#pragma once\n#include <" + std::string(types) + ">\n" + std::string(body);
}

} // namespace

std::string_view headerPart(std::string_view file, std::string_view part) {
  const std::string begin = "\n//= " + std::string(part) + "\n";
  for (const auto &[name, text] : embeddedHeaders()) {
    const std::size_t at = name == file ? text.find(begin) : std::string_view::npos;
    if (at == std::string_view::npos)
      continue;
    const std::size_t from = at + begin.size(), end = text.find("\n//=", from - 1);
    return text.substr(from, end == std::string_view::npos ? end : end + 1 - from);
  }
  llvm_unreachable("a data file lacks a part");
}

std::map<std::string, std::string> standardHeaders(std::string_view types) {
  const std::string text = headerText(types, headerPart("headers.hpp", "integers"));
  std::map<std::string, std::string> headers;
  headers["stdint.h"] = text;
  for (const char *name : {"cstdint", "cstddef", "stddef.h"})
    headers[name] = "#pragma once\n#include <stdint.h>\n";
  return headers;
}

bool hasRuntimeEntry(const TokenStream &file) {
  static constexpr llvm::StringLiteral words[] = {kRuntimeEntry, "(", "__gm__", "int64_t", "*"};
  std::size_t matched = 0;
  for (const SourceToken &token : file.tokens()) {
    matched = token.text == words[matched] ? matched + 1 : token.text == words[0] ? 1 : 0;
    if (matched == std::size(words))
      return true;
  }
  return false;
}

std::map<std::string, std::string> runtimeHeaders(const TokenStream &file, std::string_view types) {
  if (!hasRuntimeEntry(file))
    return {};
  return {{"tensor.h", headerText(types, headerPart("headers.hpp", "tensor.h"))},
          {"intrinsic.h", headerText(types, headerPart("headers.hpp", "intrinsic.h"))}};
}

/// Returns true if the name leads from its folder to another one.
static bool leadsOut(llvm::StringRef name) { return name.contains(".."); }

bool isLibraryHeader(llvm::StringRef name) { return name.starts_with("pto/") && !leadsOut(name); }

bool isHostHeader(llvm::StringRef name) {
  for (llvm::StringRef prefix : kHostHeaders)
    if (name.starts_with(prefix))
      return !leadsOut(name);
  return false;
}

namespace {

bool isFile(const std::string &path) { return llvm::sys::fs::exists(path); }

std::string pathOf(std::initializer_list<llvm::StringRef> parts) { return llvm::join(parts, "/"); }

/// Names in a directory; those that start with a number by that number, highest first.
std::vector<std::string> namesIn(const std::string &directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error))
    names.push_back(llvm::sys::path::filename(at->path()).str());
  auto number = [](const std::string &name) {
    int value = 0;
    llvm::StringRef rest(name);
    return rest.consumeInteger(10, value) ? -1 : value;
  };
  std::sort(names.begin(), names.end(), [&](const std::string &a, const std::string &b) {
    return number(a) != number(b) ? number(a) > number(b) : a < b;
  });
  return names;
}

} // namespace

llvm::Expected<std::vector<std::string>> systemHeaders(const std::string &root) {
  std::vector<std::string> found;
  const std::string usr = root + "/usr", include = usr + "/include", base = include + "/c++", gcc = usr + "/lib/gcc";
  auto addIf = [&](std::string directory, llvm::StringRef header) {
    if (isFile(pathOf({directory, header})))
      found.push_back(std::move(directory));
  };
  for (const std::string &version : namesIn(base)) {
    std::string plain = pathOf({base, version});
    if (!isFile(pathOf({plain, "type_traits"})))
      continue;
    found.push_back(plain);
    // Debian: include/TRIPLE/c++/N; Fedora: c++/N/TRIPLE.
    for (const std::string &triple : namesIn(include))
      addIf(pathOf({include, triple, "c++", version}), "bits/c++config.h");
    for (const std::string &triple : namesIn(plain))
      addIf(pathOf({plain, triple}), "bits/c++config.h");
    if (found.size() > 1)
      break;
    found.clear();
  }
  if (found.empty())
    return llvm::make_error<SourceError>(
        "the headers of C++ are not installed: no " + base +
        "/N/type_traits; --pto-include needs them (Debian: apt install libstdc++-12-dev)\n");
  // stddef.h and its kin: Clang's own, or GCC's.
  std::size_t before = found.size();
  for (const char *place : {"/usr/lib/llvm-19/lib/clang", "/usr/lib/clang", "/usr/lib64/clang", "/usr/local/lib/clang"})
    for (const std::string &version : namesIn(root + place))
      if (found.size() == before)
        addIf(pathOf({root + place, version, "include"}), "stddef.h");
  for (const std::string &triple : namesIn(gcc))
    for (const std::string &version : namesIn(pathOf({gcc, triple})))
      if (found.size() == before)
        addIf(pathOf({gcc, triple, version, "include"}), "stddef.h");
  for (const std::string &triple : namesIn(include))
    addIf(pathOf({include, triple}), "bits/wordsize.h");
  if (!isFile(include + "/stdint.h"))
    return llvm::make_error<SourceError>(
        "the headers of C are not installed: no " + usr +
        "/include/stdint.h; --pto-include needs them (Debian: apt install libc6-dev)\n");
  found.push_back(usr + "/include");
  return found;
}

} // namespace ptosync
