#include "tool/result_key.h"

#include "frontend/read/headers.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/MemoryBuffer.h>

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>

namespace ptosync {
namespace {

constexpr const char *kKeyForm = "ptosync result 1"; // of the key and of the records; another one, other results
constexpr char kHereMark = '\1';                     // no path of anybody begins with it

/// Options that decide where results go, which kernels there are and how fast it goes, and nothing about a result.
constexpr llvm::StringLiteral kNotOfResults[] = {"o",
                                                 "in-place",
                                                 "output-dir",
                                                 "dry-run",
                                                 "check",
                                                 "root",
                                                 "exclude",
                                                 "jobs",
                                                 "stdin-name",
                                                 "color",
                                                 "baseline",
                                                 "print",
                                                 "write-baseline",
                                                 "new-from-rev",
                                                 "cache-dir",
                                                 "cache-size",
                                                 "remote-cache",
                                                 "remote-cache-read-only",
                                                 "shard",
                                                 "depfile",
                                                 "stats",
                                                 "time-limit", // a result that a limit had a part in is not kept
                                                 "memory-limit"};

/// Options whose value is the name of a file to write: only that there is one counts.
constexpr llvm::StringLiteral kTargets[] = {"report", "html", "sarif", "table"};

std::optional<std::string> digestOfFile(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!text)
    return std::nullopt;
  return PartsDigest().add("file", (*text)->getBuffer()).hex();
}

/// The build id among the notes of a loaded object; empty if it has none.
std::string buildIdOf(const dl_phdr_info &object) {
  constexpr std::size_t kAlignment = 4;
  for (unsigned i = 0; i < object.dlpi_phnum; ++i) {
    const auto &part = object.dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    // The loader gives the address as a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
    const char *at = reinterpret_cast<const char *>(object.dlpi_addr + part.p_vaddr), *end = at + part.p_memsz;
    ElfW(Nhdr) note;
    while (at + sizeof(note) <= end) {
      std::memcpy(&note, at, sizeof(note));
      const char *name = at + sizeof(note), *text = name + llvm::alignTo(note.n_namesz, kAlignment);
      if (note.n_type == NT_GNU_BUILD_ID && llvm::StringRef(name, note.n_namesz) == llvm::StringRef("GNU", 4))
        return llvm::toHex(llvm::StringRef(text, note.n_descsz), /*LowerCase=*/true);
      at = text + llvm::alignTo(note.n_descsz, kAlignment);
    }
  }
  return "";
}

struct Identities {
  std::string text;
  bool first = true, known = true;
};

int addIdentity(dl_phdr_info *object, std::size_t, void *data) {
  auto &all = *static_cast<Identities *>(data);
  const bool program = std::exchange(all.first, false);
  if (unsigned long kernels = getauxval(AT_SYSINFO_EHDR))
    for (unsigned i = 0; i < object->dlpi_phnum; ++i)
      if (object->dlpi_phdr[i].p_type == PT_LOAD && object->dlpi_addr + object->dlpi_phdr[i].p_vaddr == kernels)
        return 0; // what the system's kernel lends every process
  std::string id = buildIdOf(*object);
  if (id.empty()) {
    std::optional<std::string> digest = digestOfFile(program ? "/proc/self/exe" : object->dlpi_name);
    all.known &= digest.has_value();
    id = digest.value_or("");
  }
  all.text += id + "\n";
  return 0;
}

std::string textOf(const std::optional<bool> &choice) { return choice ? (*choice ? "on" : "off") : ""; }

void addList(PartsDigest &digest, const std::string &name, const std::vector<std::string> &values,
             const std::string &here) {
  digest.add(name, std::to_string(values.size()));
  for (const std::string &value : values)
    digest.add(name, placeFrom(here, value));
}

void addSettings(PartsDigest &digest, const std::string &whose, const AuditConfig &config, const std::string &here) {
  const auto &[file, arch, trust, severity, rules, includes, defines, undefines, excludes, patterns, baseline,
               gmMayAlias, strictCopies, vectorOrder, accumulateOrder, assemblerChain] = config;
  digest.add("settings", whose).add("file", placeFrom(here, file)).add("arch", arch.value_or(""));
  digest.add("trust", trust ? std::to_string(static_cast<int>(*trust)) : "");
  digest.add("severity", severity ? severityName(*severity) : "");
  for (const auto &[id, level] : rules)
    digest.add("rule", id).add("level", severityName(level));
  addList(digest, "include", includes, here);
  addList(digest, "define", defines, "");
  addList(digest, "undefine", undefines, "");
  digest.add("patterns", patterns ? "=" + *patterns : "");
  for (const auto &choice : {gmMayAlias, strictCopies, vectorOrder, accumulateOrder, assemblerChain})
    digest.add("choice", textOf(choice));
}

void addText(PartsDigest &digest, const std::string &what, const std::optional<SourceText> &text,
             const std::string &here) {
  digest.add(what, text ? "given" : "none");
  if (text)
    digest.add("name", placeFrom(here, text->name())).add("text", text->text());
}

} // namespace

PartsDigest &PartsDigest::add(llvm::StringRef name, llvm::StringRef value) {
  hash.update(std::to_string(name.size()) + " " + std::to_string(value.size()) + " ");
  hash.update(name);
  hash.update(value);
  return *this;
}

std::string PartsDigest::hex() { return llvm::toHex(hash.final(), /*LowerCase=*/true); }

std::string programIdentity() {
  Identities all;
  dl_iterate_phdr(addIdentity, &all);
  return all.known ? all.text : "";
}

std::string placeFrom(const std::string &here, const std::string &path) {
  if (here.empty() || !llvm::StringRef(path).starts_with(here) ||
      (path.size() > here.size() && path[here.size()] != '/'))
    return path;
  return kHereMark + path.substr(here.size());
}

std::string placeAt(const std::string &here, const std::string &place) {
  return !place.empty() && place.front() == kHereMark ? here + place.substr(1) : place;
}

llvm::Expected<std::string> libraryDigest(const std::string &includeDirectory) {
  if (includeDirectory.empty())
    return "";
  llvm::Expected<std::vector<std::string>> system = systemHeaders();
  if (!system)
    return system.takeError();
  PartsDigest digest;
  addList(digest, "system", *system, "");
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator entry(includeDirectory + "/pto", error), end;
       !error && entry != end; entry.increment(error))
    if (entry->is_regular_file(error) && !error)
      files.push_back(entry->path().string());
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    const std::optional<std::string> text = digestOfFile(file);
    if (!text)
      return llvm::createStringError(file + ": cannot be read");
    digest.add(file, *text);
  }
  if (error)
    return llvm::createStringError(includeDirectory + ": cannot be looked through: " + error.message());
  return digest.hex();
}

/// The command and the options that results depend on. `targets`: that files are written counts as well.
static void addAsked(PartsDigest &digest, const ToolOptions &options, const std::string &here, bool targets) {
  digest.add("command", std::to_string(static_cast<unsigned>(options.command)));
  for (const auto &[name, values] : options.asked) {
    const bool target = llvm::is_contained(kTargets, name);
    if (llvm::is_contained(kNotOfResults, name) || (target && !targets))
      continue;
    digest.add("option", name);
    if (!target)
      addList(digest, "value", values, here);
  }
}

std::string optionsDigest(const ToolOptions &options) {
  PartsDigest digest;
  addAsked(digest, options, "", /*targets=*/false);
  return digest.hex();
}

std::string resultKey(const ToolOptions &options, const RunKey &run, const RunInput &input,
                      const std::vector<std::string> &names) {
  PartsDigest digest;
  digest.add("form", kKeyForm).add("program", run.program).add("library", run.library);
  addAsked(digest, options, run.here, /*targets=*/true);
  if (options.command == Command::Compare) // standard output has less than a file
    digest.add("document", options.compare.output.empty() ? "" : "file");
  for (bool is : {options.several, options.diff, options.check})
    digest.add("is", is ? "yes" : "no");
  addSettings(digest, "command line", input.settings.commandLine, run.here);
  addSettings(digest, "environment", input.settings.environment, run.here);
  addSettings(digest, "configuration", input.settings.file, run.here);
  digest.add("patterns", input.choices.patterns);
  addText(digest, "machine", input.choices.machineText, run.here);
  addText(digest, "durations", input.choices.durationsText, run.here);
  for (const SourceText &pattern : input.choices.patternTexts)
    addText(digest, "pattern", pattern, run.here);
  addList(digest, "input", run.inputs, "");
  addList(digest, "name", names, "");
  for (const SourceText &source : input.sources)
    addText(digest, "kernel", source, run.here);
  return digest.hex();
}

} // namespace ptosync
