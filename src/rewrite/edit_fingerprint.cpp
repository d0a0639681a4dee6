#include "rewrite/edit_fingerprint.h"

#include "base/fingerprint.h"
#include "rewrite/sync_edits.h"
#include "rewrite/text_edit.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace ptosync {
namespace {

/// Line and column of the text as it was before the tool edited it.
using OldPlace = std::pair<std::uint32_t, std::uint32_t>;

using Names = std::set<std::string>; // of kernels

OldPlace placeBefore(const OldLines &lines, LineColumn place) { return {lines.before(place.line), place.column}; }

/// Returns the line that a sync was moved from, by the comment straight behind it; 0 if there is none.
std::uint32_t movedFrom(const Module &module, const SyncSite &site) {
  llvm::StringRef text(module.source.text());
  text = text.drop_front(site.range.end).ltrim(" \t");
  std::uint32_t line = 0;
  const bool moved =
      (text.consume_front("// ptosync: moved from line ") || text.consume_front("/* ptosync: moved from line ")) &&
      !text.consumeInteger(10, line);
  return moved ? line : 0;
}

/// Returns the text of a statement without the white space that decides nothing: "set_flag(PIPE_V, PIPE_M, v1)".
std::string spelled(llvm::StringRef text) {
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  std::string result;
  bool blank = false;
  for (char c : text) {
    if (static_cast<unsigned char>(c) <= ' ') {
      blank = true;
      continue;
    }
    if (!result.empty() && (result.back() == ',' || (blank && isWord(result.back()) && isWord(c))))
      result += ' ';
    blank = false;
    result += c;
  }
  return result;
}

/// What tells the places of a file apart that a sync may stand at.
class PlaceNames {
public:
  explicit PlaceNames(const Module &module) : module(module), comments(editCommentsOf(module)), lines(module) {
    through.resize(module.sites.size());
    for (const Kernel &kernel : module.kernels) {
      auto &begin = begins.try_emplace(kernel.name, OldPlace(kernel.line, 0)).first->second;
      begin = std::min(begin, placeBefore(lines, {kernel.line, 0}));
      for (const Block &block : kernel.blocks)
        for (const Statement &statement : block.statements)
          if (const auto *instruction = std::get_if<Instruction>(&statement.action)) {
            Landmark &mark = landmarks[placeBefore(lines, module.source.position(statement.range.begin))];
            mark.text = spelled(printInstruction(*instruction));
            mark.kernels.insert(kernel.name);
          } else if (const auto *sync = std::get_if<Sync>(&statement.action)) {
            through[sync->site].insert(kernel.name);
          }
    }
    nameSites();
  }

  /// Returns the name of a site's place, with its statement.
  const std::string &ofSite(SiteId site) const { return names[site]; }

  /// Returns what a place of the text as it now is lies between, for a sync of these kernels.
  std::string ofOffset(std::uint32_t offset, const Names &kernels) const {
    LineColumn place = module.source.position(offset);
    // Beside a line that the tool has put in it is the place in front of the next one that it has not.
    if (const std::uint32_t own = lines.nextOwn(place.line - 1); own != place.line)
      place = {own, 0};
    return between(landmarks.lower_bound(placeBefore(lines, place)), kernels);
  }

  const Names &kernelsOf(SiteId site) const { return through[site]; }

private:
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

  /// A sync that is there, or has gone.
  struct Known {
    OldPlace place;
    SiteId site; // kNone: it has gone
    std::string text;
    bool moved = false; // it has been, from this place
  };

  /// Returns where the syncs stood before the tool edited the text.
  std::vector<Known> knownSyncs() const {
    std::vector<Known> all;
    // Where what was moved stood on a line with others, by line and text: its column.
    std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> columns;
    for (const auto &[line, list] : comments)
      for (const EditComment &comment : list) {
        const bool removed = comment.kind == EditComment::Kind::Removed;
        const auto column = static_cast<std::uint32_t>(
            module.source.line(line).find((removed ? "removed " : ": ") + comment.statement) + 1);
        const OldPlace place = placeBefore(lines, {line, column});
        if (removed)
          all.push_back({place, kNone, spelled(comment.statement)});
        else if (comment.kind == EditComment::Kind::MovedTo)
          columns[{place.first, spelled(comment.statement)}] = column;
      }
    for (SiteId site = 0; site < module.sites.size(); ++site) {
      const SyncSite &known = module.sites[site];
      Known one = {placeBefore(lines, {known.line, known.column}), site, spelled(known.text), false};
      if (const std::uint32_t from = movedFrom(module, known)) {
        auto column = columns.find({from, one.text});
        one.place = {from, column == columns.end() ? 1 : column->second};
        one.moved = true;
      }
      all.push_back(std::move(one));
    }
    std::stable_sort(all.begin(), all.end(), [](const Known &a, const Known &b) {
      return std::tie(a.place, a.moved, a.text) < std::tie(b.place, b.moved, b.text);
    });
    return all;
  }

  /// Statements that differ in nothing else are told apart by their order, and by how many they are: where one comes or
  /// goes, nobody can say any more which is which. What has gone counts among those that are there, so that these keep
  /// their names; copies of what has moved into several arms count once.
  void nameSites() {
    names.resize(module.sites.size());
    std::map<std::string, std::vector<std::vector<SiteId>>> alike;
    const Known *last = nullptr;
    std::vector<SiteId> *copies = nullptr; // of the last one
    for (const std::vector<Known> all = knownSyncs(); const Known &known : all) {
      const bool again = last && last->moved && known.moved && last->place == known.place && last->text == known.text;
      if (!again) {
        const auto behind = landmarks.upper_bound(known.place);
        const bool runs = known.site != kNone && !through[known.site].empty();
        std::string name = StableNames().stable(known.text).append("\n");
        name.append(between(behind, runs ? through[known.site] : kernelsAround(known.place, behind)));
        copies = &alike[name].emplace_back();
      }
      if (known.site != kNone)
        copies->push_back(known.site);
      last = &known;
    }
    for (const auto &[name, each] : alike)
      for (std::size_t number = 0; number < each.size(); ++number)
        for (SiteId site : each[number])
          names[site] = name + "\n" + std::to_string(number) + " of " + std::to_string(each.size());
  }

  const Module &module;
  EditCommentsByLine comments;
  OldLines lines;
  Landmarks landmarks;
  std::map<std::string, OldPlace> begins; // of each kernel's function
  std::vector<Names> through;             // by site
  std::vector<std::string> names;         // by site
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

namespace {

/// The text as it was, put together from the comments that edits left.
class EarlierText {
public:
  explicit EarlierText(const Module &module)
      : module(module), source(module.source), comments(editCommentsOf(module)), lines(module) {}

  /// Returns nothing if no comment tells of an edit.
  std::optional<std::string> text() {
    for (const Directive &directive : module.directives)
      if (directive.kind == Directive::Kind::Removed || directive.kind == Directive::Kind::Note)
        readComment(directive);
    for (const SyncSite &site : module.sites)
      if (const std::uint32_t from = movedFrom(module, site))
        takeMoved(site, from);
    if (edits.empty())
      return std::nullopt;
    putBack();
    llvm::Expected<std::string> result = applyEdits(source, std::move(edits));
    if (result)
      return std::move(*result);
    llvm::consumeError(result.takeError());
    return std::nullopt;
  }

private:
  /// What stood in the place of a comment stands there again.
  void readComment(const Directive &directive) {
    const llvm::StringRef all(source.text());
    const std::size_t said = offsetOf(directive.line) + directive.column - 1;
    const std::size_t begin = all.take_front(said).rfind("/*"), end = all.find("*/", said);
    if (begin == llvm::StringRef::npos || end == llvm::StringRef::npos)
      return;
    const llvm::StringRef comment = all.slice(begin, end + 2);
    for (const EditComment &one : comments[directive.line]) {
      const bool moved = one.kind == EditComment::Kind::MovedTo;
      if ((!moved && one.kind != EditComment::Kind::Removed) ||
          !comment.starts_with((moved ? "/* ptosync: moved to " + one.lines + ": " : "/* ptosync: removed ") +
                               one.statement))
        continue;
      const bool ended = all.drop_front(end + 2).starts_with(";"); // the body of an `if` without braces
      edits.push_back({{static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end + 2)},
                       one.statement + (ended ? "" : ";")});
      if (moved)
        known.insert({lines.before(directive.line), spelled(one.statement)});
      return;
    }
  }

  /// What was moved here leaves.
  void takeMoved(const SyncSite &site, std::uint32_t from) {
    const llvm::StringRef all(source.text());
    const std::string statement = all.slice(site.range.begin, site.range.end).str();
    SourceRange range = site.range;
    if (lines.holdsPutIn(site.line)) {
      range = {offsetOf(site.line), offsetOf(site.line + 1)};
    } else if (const std::size_t end = all.find("*/", site.range.end); end != llvm::StringRef::npos) {
      range.end = static_cast<std::uint32_t>(end + 2);
    }
    edits.push_back({range, ""});
    moved.emplace(OldPlace(from, 0), std::pair(spelled(site.text), statement));
  }

  /// What has moved stands where it stood, in a line of its own unless a comment holds its place.
  void putBack() {
    std::map<std::uint32_t, std::string> back; // by offset
    for (const auto &[place, statement] : moved)
      if (known.insert({place.first, statement.first}).second) {
        std::uint32_t line = 1;
        while (line <= source.lineCount() && (lines.nextOwn(line - 1) != line || lines.before(line) <= place.first))
          ++line;
        back[offsetOf(line)] += statement.second + "\n";
      }
    for (auto &[offset, text] : back) {
      auto same = std::find_if(edits.begin(), edits.end(),
                               [&, at = offset](const Edit &edit) { return edit.range.begin == at; });
      if (same != edits.end())
        same->replacement = text + same->replacement;
      else
        edits.push_back({{offset, offset}, text});
    }
  }

  std::uint32_t offsetOf(std::uint32_t line) const {
    return line > source.lineCount() ? static_cast<std::uint32_t>(source.text().size())
                                     : static_cast<std::uint32_t>(source.line(line).data() - source.text().data());
  }

  const Module &module;
  const SourceText &source;
  EditCommentsByLine comments;
  OldLines lines;
  std::vector<Edit> edits;
  std::multimap<OldPlace, std::pair<std::string, std::string>> moved; // spelled and as it stands, by where it stood
  std::set<std::pair<std::uint32_t, std::string>> known;              // what stands there again, by line
};

} // namespace

std::optional<std::string> textBeforeEdits(const Module &module) { return EarlierText(module).text(); }

} // namespace ptosync
