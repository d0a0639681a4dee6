#include "tool/patch_options.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <cstdlib>
#include <map>

namespace ptosync {

namespace cl = llvm::cl;

namespace {

const std::map<std::string, std::string> &aliases() {
  static const std::map<std::string, std::string> table = {
      {"gu", "gu"},
      {"trowexpandmul-tadd", "gu"},
      {"softmax-exp-sum", "softmax-exp-sum"},
      {"texp-trowsum", "softmax-exp-sum"},
      {"softmax-sum-add", "softmax-sum-add"},
      {"trowsum-tadd", "softmax-sum-add"},
  };
  return table;
}

bool meansNothing(const std::string &name) {
  return name == "none" || name == "off" || name == "disable" || name == "disabled";
}

/// Parts between commas without surrounding white space, empty ones left out.
std::vector<std::string> partsOf(std::string_view text) {
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(text.data(), text.size()).split(parts, ',');
  std::vector<std::string> trimmed;
  for (llvm::StringRef part : parts)
    if (!part.trim().empty())
      trimmed.push_back(part.trim().str());
  return trimmed;
}

std::string environment(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value && *value ? value : otherwise;
}

} // namespace

PatchDefinitions::PatchDefinitions(cl::SubCommand &command, cl::OptionCategory &category)
    : lines("remove-vec-barriers", cl::desc("lines whose pipe_barrier(PIPE_V) is to go; also FA_REMOVE_VEC_BARRIERS"),
            cl::value_desc("L1,L2,..."), cl::sub(command), cl::cat(category)),
      patterns("remove-vec-barrier-patterns",
               cl::desc("gu (default), softmax-exp-sum, softmax-sum-add, or none; also "
                        "FA_REMOVE_VEC_BARRIER_PATTERNS"),
               cl::value_desc("ID,..."), cl::sub(command), cl::cat(category)),
      unsafe("unsafe", cl::desc("take requested lines even where they are not proved redundant"), cl::sub(command),
             cl::cat(category)) {}

PatchOptions PatchDefinitions::read() const {
  PatchOptions options;
  options.lines = lines.getNumOccurrences() ? lines.getValue() : environment("FA_REMOVE_VEC_BARRIERS", "");
  options.patterns =
      patterns.getNumOccurrences() ? patterns.getValue() : environment("FA_REMOVE_VEC_BARRIER_PATTERNS", "gu");
  options.unsafe = unsafe;
  return options;
}

llvm::Expected<std::set<std::int64_t>> parsePatchLines(std::string_view text) {
  std::set<std::int64_t> lines;
  for (const std::string &part : partsOf(text)) {
    std::int64_t line = 0;
    if (llvm::StringRef(part).getAsInteger(10, line))
      return llvm::createStringError("invalid --remove-vec-barriers list: '" + std::string(text) + "': '" + part +
                                     "' is not a line number");
    lines.insert(line);
  }
  return lines;
}

llvm::Expected<std::set<std::string>> parsePatchPatterns(std::string_view text) {
  std::set<std::string> ids, unknown;
  for (const std::string &part : partsOf(text)) {
    if (meansNothing(part))
      continue;
    if (auto known = aliases().find(part); known != aliases().end())
      ids.insert(known->second);
    else
      unknown.insert(part);
  }
  if (unknown.empty())
    return ids;
  std::string list, supported;
  for (const std::string &name : unknown)
    list += (list.empty() ? "'" : ", '") + name + "'";
  for (const auto &[name, id] : aliases())
    supported += (supported.empty() ? "" : ", ") + name;
  return llvm::createStringError("unknown --remove-vec-barrier-patterns entries: [" + list +
                                 "]; supported: " + supported);
}

} // namespace ptosync
