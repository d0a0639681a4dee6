#include "patterns/catalogue.h"

#include "patterns/pattern_reader.h"
#include "base/messages.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace ptosync {

namespace {

bool selectsAll(llvm::StringRef word) { return word == "default" || word == "all"; }

bool selectsNone(llvm::StringRef word) {
  return word == "none" || word == "off" || word == "disable" || word == "disabled";
}

bool askedBefore(const Pattern &left, const Pattern &right) {
  return std::tie(left.priority, left.id) < std::tie(right.priority, right.id);
}

std::vector<std::string> namesOf(const Pattern &pattern) {
  std::vector<std::string> names = {pattern.id};
  names.insert(names.end(), pattern.aliases.begin(), pattern.aliases.end());
  return names;
}

} // namespace

llvm::Expected<Catalogue> Catalogue::builtIn(PatternCases cases) {
  Catalogue catalogue;
  for (const auto &[fileName, text] : embeddedPatterns()) {
    llvm::Expected<Pattern> pattern = builtInPattern(text, fileName, cases);
    if (!pattern)
      return pattern.takeError();
    if (llvm::Error error = catalogue.add(std::move(*pattern)))
      return error;
  }
  return catalogue;
}

llvm::Error Catalogue::add(Pattern pattern) {
  std::string place = pattern.file.empty() ? std::string() : pattern.file + ": ";
  std::set<std::string> own;
  for (const std::string &name : namesOf(pattern)) {
    if (selectsAll(name) || selectsNone(name))
      return llvm::createStringError(place + "no pattern can be named '" + name + "': it selects patterns");
    if (!own.insert(name).second)
      return llvm::createStringError(place + "pattern '" + pattern.id + "' has the name '" + name + "' twice");
    const Pattern *other = find(name);
    if (!other)
      continue;
    std::string where = other->file.empty() ? std::string() : " (" + other->file + ")";
    return llvm::createStringError(place + "pattern '" + pattern.id + "': the name '" + name +
                                   "' belongs to pattern '" + other->id + "'" + where);
  }
  auto position = std::upper_bound(ordered.begin(), ordered.end(), pattern, askedBefore);
  ordered.insert(position, std::move(pattern));
  return llvm::Error::success();
}

llvm::Expected<Catalogue> Catalogue::select(std::string_view spec) const {
  llvm::StringRef whole = llvm::StringRef(spec).trim();
  auto isSync = [](const Pattern &pattern) { return pattern.kind == PatternKind::Sync; };
  if (selectsAll(whole)) {
    Catalogue syncs;
    llvm::copy_if(ordered, std::back_inserter(syncs.ordered), isSync);
    return syncs;
  }
  if (selectsNone(whole))
    return Catalogue();
  llvm::SmallVector<llvm::StringRef> words;
  whole.split(words, ',');
  std::set<std::string> chosen;
  for (llvm::StringRef word : words) {
    word = word.trim();
    if (word.empty())
      return llvm::createStringError("a pattern name is missing in '" + llvm::Twine(spec) + "'");
    if (selectsAll(word) || selectsNone(word))
      return llvm::createStringError("'" + word + "' selects on its own; it cannot stand in a list of patterns");
    const Pattern *pattern = find(word);
    if (pattern && !isSync(*pattern))
      return llvm::createStringError("pattern '" + pattern->id +
                                     "' is a rewrite; ask for it with --rewrite=" + pattern->id);
    if (pattern) {
      chosen.insert(pattern->id);
      continue;
    }
    std::vector<std::string> known;
    for (const Pattern &one : ordered)
      if (isSync(one))
        llvm::append_range(known, namesOf(one));
    return llvm::createStringError("unknown pattern '" + word + "'" + suggestName(word, known));
  }
  Catalogue selection;
  llvm::copy_if(ordered, std::back_inserter(selection.ordered),
                [&](const Pattern &pattern) { return chosen.count(pattern.id) != 0; });
  return selection;
}

const Pattern *Catalogue::find(std::string_view idOrAlias) const {
  auto found = llvm::find_if(ordered, [&](const Pattern &pattern) { return pattern.answersTo(idOrAlias); });
  return found == ordered.end() ? nullptr : &*found;
}

} // namespace ptosync
