#include "rewrite/edit_fingerprint.h"

#include "base/fingerprint.h"
#include "rewrite/sync_edits.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

/// Line and column of the text as it was before the tool edited it.
using OldPlace = std::pair<std::uint32_t, std::uint32_t>;

using Names = std::set<std::string>; // of kernels

/// What tells the places of a file apart that a sync may stand at.
class PlaceNames {
public:
  explicit PlaceNames(const Module &module) : module(module), comments(editCommentsOf(module)), lines(module) {
    through.resize(module.sites.size());
    for (const Kernel &kernel : module.kernels) {
      auto &begin = begins.try_emplace(kernel.name, OldPlace(kernel.line, 0)).first->second;
      begin = std::min(begin, before({kernel.line, 0}));
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
            Landmark &mark = landmarks[before(module.source.position(statement.range.begin))];
            mark.text = printInstruction(*instruction);
            mark.kernels.insert(kernel.name);
          } else if (const auto *sync = std::get_if<Sync>(&statement.action)) {
            through[sync->site].insert(kernel.name);
          }
    }
    nameSites();
  }

  /// True if the tool has put the line of the site in, for the site alone.
  bool isPutIn(SiteId site) const { return lines.holdsPutIn(module.sites[site].line); }

  /// Returns the name of a site's place, with its statement.
  const std::string &ofSite(SiteId site) const { return names[site]; }

  /// Returns what a place of the text as it now is lies between, for a sync of these kernels.
  std::string ofOffset(std::uint32_t offset, const Names &kernels) const {
    const OldPlace place = before(module.source.position(offset));
    return between(landmarks.lower_bound(place), kernels);
  }

  const Names &kernelsOf(SiteId site) const { return through[site]; }

  /// Returns the names of what has gone, by place, with the statements.
  const std::vector<std::pair<std::string, std::string>> &gone() const { return goneNames; }

  /// Returns what a moved statement that stands in a line of its own now lies between.
  std::string ofMoved(SiteId site) const {
    return between(landmarks.lower_bound(before({lines.nextOwn(module.sites[site].line), 0})), through[site]);
  }

  const EditCommentsByLine &editComments() const { return comments; }

private:
  OldPlace before(LineColumn place) const { return {lines.before(place.line), place.column}; }

  /// An instruction of the text, and the kernels that run through it.
  struct Landmark {
    std::string text;
    Names kernels;
  };
  using Landmarks = std::map<OldPlace, Landmark>;

  /// `behind`: the first instruction behind the place.
  std::string between(Landmarks::const_iterator behind, const Names &kernels) const {
    StableNames stable;
    auto textOf = [&](const Landmark &mark) { return meet(mark.kernels, kernels) ? stable.stable(mark.text) : ""; };
    std::string text;
    for (const std::string &kernel : kernels)
      text.append(kernel).append(",");
    text.append("\n").append(behind == landmarks.begin() ? "" : textOf(std::prev(behind)->second));
    return text.append("\n").append(behind == landmarks.end() ? "" : textOf(behind->second));
  }

  static bool meet(const Names &a, const Names &b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string &one) { return b.count(one) != 0; });
  }

  /// The kernels of a place at which nothing stands any more: those of its neighbours. Between two functions it is in
  /// the one behind if that has begun.
  Names kernelsAround(OldPlace place, Landmarks::const_iterator behind) const {
    const Names *after = behind == landmarks.end() ? nullptr : &behind->second.kernels;
    const Names *before = behind == landmarks.begin() ? nullptr : &std::prev(behind)->second.kernels;
    if (!before || !after)
      return before ? *before : after ? *after : Names();
    const bool begun = std::any_of(after->begin(), after->end(),
                                   [&](const std::string &kernel) { return begins.at(kernel) <= place; });
    return begun && !meet(*before, *after) ? *after : *before;
  }

  /// What has gone counts among those that are there, so that these keep their numbers.
  void nameSites() {
    struct Known {
      OldPlace place;
      SiteId site; // kNone: it has gone
      std::string text;
    };
    std::vector<Known> all;
    all.reserve(module.sites.size());
    for (SiteId site = 0; site < module.sites.size(); ++site)
      all.push_back({before({module.sites[site].line, module.sites[site].column}), site, module.sites[site].text});
    for (const auto &[line, list] : comments)
      for (const EditComment &comment : list)
        if (const std::size_t column = module.source.line(line).find("removed " + comment.statement);
            comment.kind == EditComment::Kind::Removed)
          all.push_back({before({line, static_cast<std::uint32_t>(column + 1)}), kNone, comment.statement});
    std::stable_sort(all.begin(), all.end(), [](const Known &a, const Known &b) { return a.place < b.place; });
    names.resize(module.sites.size());
    std::map<std::string, std::size_t> seen;
    for (const Known &known : all) {
      const auto behind = landmarks.upper_bound(known.place);
      const bool runs = known.site != kNone && !through[known.site].empty();
      std::string name = StableNames().stable(known.text).append("\n");
      name.append(between(behind, runs ? through[known.site] : kernelsAround(known.place, behind)));
      const std::size_t number = seen[name]++;
      name.append("\n").append(std::to_string(number));
      if (known.site != kNone)
        names[known.site] = std::move(name);
      else
        goneNames.emplace_back(std::move(name), known.text);
    }
  }

  const Module &module;
  EditCommentsByLine comments;
  OldLines lines;
  Landmarks landmarks;
  std::map<std::string, OldPlace> begins; // of each kernel's function
  std::vector<Names> through;             // by site
  std::vector<std::string> names;         // by site
  std::vector<std::pair<std::string, std::string>> goneNames;
};

std::string removedText(const std::string &name) { return "removed\n" + name + "\n"; }

std::string movedText(const std::string &name) { return "moved\n" + name + "\n"; }

std::string toText(const std::string &place) { return "to\n" + place + "\n"; }

} // namespace

std::map<std::uint32_t, std::string> editFingerprints(const Module &module, const OptimizeResult &result) {
  const bool none = result.added.empty() &&
                    std::all_of(result.decisions.begin(), result.decisions.end(),
                                [](const SiteDecision &decision) { return decision.verdict == Verdict::Kept; });
  if (none)
    return {};
  const PlaceNames names(module);
  std::map<std::uint32_t, std::string> texts;
  for (const SiteDecision &decision : result.decisions) {
    if (decision.verdict == Verdict::Kept || decision.site >= module.sites.size())
      continue;
    std::string &text = texts[decision.edit];
    const std::string &name = names.ofSite(decision.site);
    text.append(decision.verdict == Verdict::Moved ? movedText(name) : removedText(name));
    for (const TextPlace &place : decision.movedTo)
      text.append(toText(names.ofOffset(place.offset, names.kernelsOf(decision.site))));
  }
  for (const AddedSync &added : result.added) {
    std::string &text = texts[added.edit];
    text.append("added\n")
        .append(sectionName(added.section))
        .append("\n")
        .append(added.statement)
        .append("\n")
        .append(added.guard)
        .append("\n");
    text.append(names.ofOffset(added.place.offset, {added.kernel})).append("\n");
  }
  std::map<std::uint32_t, std::string> fingerprints;
  for (const auto &[number, text] : texts)
    fingerprints[number] = fingerprintOf(text, kEditDigits);
  return fingerprints;
}

std::set<std::string> editsMadeBefore(const Module &module) {
  std::set<std::string> made;
  if (editCommentsOf(module).empty())
    return made;
  const PlaceNames names(module);
  std::map<std::string, std::string> flags; // by the arguments of its statements
  for (const auto &[name, statement] : names.gone()) {
    made.insert(fingerprintOf(removedText(name), kEditDigits));
    if (llvm::StringRef arguments = statement;
        arguments.consume_front("set_flag") || arguments.consume_front("wait_flag"))
      flags[arguments.str()] += removedText(name);
  }
  for (const auto &[arguments, text] : flags)
    made.insert(fingerprintOf(text, kEditDigits));
  for (SiteId site = 0; site < module.sites.size(); ++site)
    if (auto comments = names.editComments().find(module.sites[site].line); comments != names.editComments().end())
      if (names.isPutIn(site) &&
          std::any_of(comments->second.begin(), comments->second.end(),
                      [](const EditComment &comment) { return comment.kind == EditComment::Kind::MovedFrom; }))
        made.insert(fingerprintOf(movedText(names.ofSite(site)) + toText(names.ofMoved(site)), kEditDigits));
  return made;
}

} // namespace ptosync
