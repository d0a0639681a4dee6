#include "machine/library_version.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/SHA1.h>
#include <nlohmann/json.hpp>

#include <cctype>

namespace ptosync {

const std::vector<std::pair<std::string_view, std::string_view>> &embeddedMachineFiles();

namespace {

using Json = nlohmann::ordered_json;

/// Identifiers of a text whose words stand apart.
std::set<std::string> namesIn(const std::string &text) {
  std::set<std::string> names;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = text.find(' ', at);
    if (end == std::string::npos)
      end = text.size();
    if (std::isalpha(static_cast<unsigned char>(text[at])) || text[at] == '_')
      names.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

/// What the library defines under one name.
struct LibraryDefinition {
  std::string digest;             // of all its texts
  std::vector<std::size_t> named; // numbers of the definitions that the texts mention
};

/// Every definition once, in the order of the names: most of them are reached by most instructions.
std::vector<LibraryDefinition> definitionsOf(const LibraryText &text,
                                             const std::map<std::string_view, std::size_t> &numbers) {
  std::vector<LibraryDefinition> definitions;
  for (const auto &[name, texts] : text) {
    llvm::SHA1 hash;
    hash.update(name + "\n");
    std::set<std::size_t> named;
    for (const std::string &body : texts) {
      hash.update(body + "\n");
      for (const std::string &other : namesIn(body))
        if (auto found = numbers.find(other); found != numbers.end())
          named.insert(found->second);
    }
    definitions.push_back({llvm::toHex(hash.final()), {named.begin(), named.end()}});
  }
  return definitions;
}

} // namespace

InstructionHashes instructionHashes(const LibraryText &text, const std::vector<std::string> &instructions) {
  std::map<std::string_view, std::size_t> numbers;
  for (const auto &[name, texts] : text)
    numbers.emplace(name, numbers.size());
  std::vector<LibraryDefinition> definitions = definitionsOf(text, numbers);
  InstructionHashes hashes;
  for (const std::string &instruction : instructions) {
    std::vector<bool> reached(definitions.size());
    std::vector<std::size_t> open;
    auto reach = [&](std::size_t number) {
      if (!reached[number])
        open.push_back(number);
      reached[number] = true;
    };
    for (const std::string &start : {instruction, instruction + "_IMPL"})
      if (auto found = numbers.find(start); found != numbers.end())
        reach(found->second);
    if (open.empty())
      continue;
    while (!open.empty()) {
      std::size_t number = open.back();
      open.pop_back();
      for (std::size_t next : definitions[number].named)
        reach(next);
    }
    llvm::SHA1 hash;
    for (std::size_t number = 0; number < definitions.size(); ++number)
      if (reached[number])
        hash.update(definitions[number].digest);
    hashes[instruction] = llvm::toHex(hash.final(), true).substr(0, 16);
  }
  return hashes;
}

std::map<std::string, LibraryMatch> compareLibrary(const std::vector<InstructionHashes> &known,
                                                   const InstructionHashes &given) {
  std::map<std::string, LibraryMatch> result;
  for (const InstructionHashes &version : known)
    for (const auto &[name, hash] : version) {
      auto found = given.find(name);
      LibraryMatch match = found == given.end()    ? LibraryMatch::Absent
                           : found->second == hash ? LibraryMatch::Same
                                                   : LibraryMatch::Changed;
      auto [place, fresh] = result.emplace(name, match);
      if (match == LibraryMatch::Same)
        place->second = match;
    }
  return result;
}

LibraryComparison compareVersions(const std::vector<LibraryVersion> &known, const std::string &library,
                                  const std::string &arch, const InstructionHashes &given) {
  LibraryComparison comparison;
  std::vector<InstructionHashes> hashes;
  for (const LibraryVersion &version : known) {
    auto list = version.hashes.find(arch);
    if (!version.facts.count(library) || list == version.hashes.end())
      continue;
    VersionMatch match{version.library, 0, list->second.size()};
    for (const auto &[name, hash] : list->second) {
      auto found = given.find(name);
      match.same += found != given.end() && found->second == hash;
    }
    comparison.versions.push_back(std::move(match));
    hashes.push_back(list->second);
  }
  comparison.matches = compareLibrary(hashes, given);
  return comparison;
}

std::string describeVersions(const std::vector<VersionMatch> &versions) {
  std::string all;
  for (const VersionMatch &version : versions) {
    if (version.same == version.of)
      return version.library;
    if (version.same > 0)
      all += (all.empty() ? "" : ", ") + version.library + " (" + std::to_string(version.same) + " of " +
             std::to_string(version.of) + ")";
  }
  return all;
}

llvm::Expected<LibraryVersion> LibraryVersion::parse(std::string_view text, std::string_view file) {
  Json root = Json::parse(text.begin(), text.end(), nullptr, false);
  auto wrong = [&](const std::string &pointer, const std::string &expected) {
    return llvm::createStringError(std::string(file) + ": " + pointer + ": expected " + expected);
  };
  if (!root.is_object() || !root.contains("library") || !root["library"].is_string())
    return wrong("/library", "the library's name and version");
  if (!root.contains("hashes") || !root["hashes"].is_object())
    return wrong("/hashes", "an object of architectures");
  for (const auto &[key, value] : root.items())
    if (key != "library" && key != "facts" && key != "hashes")
      return wrong("/" + key, "library, facts and hashes only");
  LibraryVersion version;
  version.library = root["library"];
  if (!root.contains("facts") || !root["facts"].is_array())
    return wrong("/facts", "the models' libraries whose facts hold for it");
  for (const auto &[index, name] : root["facts"].items()) {
    if (!name.is_string())
      return wrong("/facts/" + index, "the name of a model's library");
    version.facts.insert(name.get<std::string>());
  }
  for (const auto &[arch, list] : root["hashes"].items()) {
    if (!list.is_object())
      return wrong("/hashes/" + arch, "an object of instructions");
    for (const auto &[name, hash] : list.items()) {
      if (!hash.is_string())
        return wrong(llvm::formatv("/hashes/{0}/{1}", arch, name), "a hash");
      version.hashes[arch][name] = hash;
    }
  }
  return version;
}

std::string LibraryVersion::json() const {
  Json root{{"library", library}, {"facts", facts}, {"hashes", Json::object()}};
  for (const auto &[arch, list] : hashes)
    for (const auto &[name, hash] : list)
      root["hashes"][arch][name] = hash;
  return root.dump(1) + "\n";
}

llvm::Expected<std::vector<LibraryVersion>> knownLibraryVersions() {
  std::vector<LibraryVersion> versions;
  for (const auto &[name, text] : embeddedMachineFiles())
    if (name.substr(0, 8) == "library_") {
      llvm::Expected<LibraryVersion> version = LibraryVersion::parse(text, name);
      if (!version)
        return version.takeError();
      versions.push_back(std::move(*version));
    }
  return versions;
}

} // namespace ptosync
