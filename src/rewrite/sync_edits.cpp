#include "rewrite/sync_edits.h"

#include "base/messages.h"
#include "optimize/decision.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ptosync {
namespace {

/// Takes "[pattern: reason]" off the end.
void readBrackets(llvm::StringRef &text, EditComment &comment) {
  std::size_t open = text.rfind(" [");
  if (open == llvm::StringRef::npos || !text.ends_with("]"))
    return;
  auto [pattern, reason] = text.drop_front(open + 2).drop_back().split(": ");
  comment.pattern = pattern.str();
  comment.reason = reason.str();
  text = text.take_front(open);
}

} // namespace

std::optional<EditComment> readEditComment(llvm::StringRef text) {
  EditComment comment;
  text = text.trim();
  if (text.consume_front("removed ")) {
    readBrackets(text, comment);
    comment.statement = text.str();
    return comment;
  }
  if (text.consume_front("moved from ")) {
    comment.kind = EditComment::Kind::MovedFrom;
    readBrackets(text, comment);
    comment.lines = text.str();
    return comment;
  }
  if (text.starts_with("orders ")) {
    comment.kind = EditComment::Kind::Added;
    comment.reason = text.str();
    return comment;
  }
  if (!text.consume_front("moved to "))
    return std::nullopt;
  comment.kind = EditComment::Kind::MovedTo;
  readBrackets(text, comment);
  comment.lines = text.split(": ").first.str();
  comment.statement = text.split(": ").second.str();
  return comment;
}

const char *editCommentName(EditComment::Kind kind) {
  switch (kind) {
  case EditComment::Kind::Removed: return "removed";
  case EditComment::Kind::MovedTo: return "moved-to";
  case EditComment::Kind::MovedFrom: return "moved-from";
  case EditComment::Kind::Added: return "added";
  }
  return "?";
}

namespace {

bool isOfEdits(const Directive &directive) {
  return directive.kind == Directive::Kind::Removed || directive.kind == Directive::Kind::Note;
}

} // namespace

std::vector<EditComment> editCommentsOn(const Module &module, std::uint32_t line) {
  std::vector<EditComment> comments;
  for (const Directive &directive : module.directives) {
    if (directive.line != line || !isOfEdits(directive))
      continue;
    llvm::StringRef text(module.source.line(line));
    text = text.drop_front(std::min<std::size_t>(directive.column - 1, text.size()));
    text.consume_front_insensitive("ptosync");
    text = text.ltrim();
    text.consume_front(":");
    text = text.take_front(text.find("*/"));
    if (std::optional<EditComment> comment = readEditComment(text))
      comments.push_back(std::move(*comment));
  }
  return comments;
}

EditCommentsByLine editCommentsOf(const Module &module) {
  EditCommentsByLine comments;
  for (const Directive &directive : module.directives)
    if (isOfEdits(directive))
      comments[directive.line];
  for (auto &[line, list] : comments)
    list = editCommentsOn(module, line);
  return comments;
}

// The lines before the edits.

namespace {

/// The line that a comment `moved from line 12 of the input` names; 0 if it names none or several.
std::uint32_t lineNamed(llvm::StringRef lines) {
  std::uint32_t line = 0;
  lines.consume_back(" of the input");
  return lines.consume_front("line ") && !lines.getAsInteger(10, line) ? line : 0;
}

bool saysPutIn(const EditComment &comment) {
  return comment.kind == EditComment::Kind::MovedFrom || comment.kind == EditComment::Kind::Added;
}

/// What tells such a comment from others.
std::string keyOfComment(const EditComment &comment) {
  return comment.lines + "\n" + comment.pattern + "\n" + comment.reason;
}

/// The comments of a text that say so, to be struck off one by one.
std::multiset<std::string> putInBefore(const Module *module) {
  std::multiset<std::string> texts;
  if (module)
    for (const auto &[line, comments] : editCommentsOf(*module))
      for (const EditComment &comment : comments)
        if (saysPutIn(comment))
          texts.insert(keyOfComment(comment));
  return texts;
}

/// The syncs that end on each line, in order.
std::map<std::uint32_t, std::vector<const SyncSite *>> sitesByLastLine(const Module &module) {
  std::map<std::uint32_t, std::vector<const SyncSite *>> sites;
  for (const SyncSite &site : module.sites)
    sites[module.source.position(site.range.end).line].push_back(&site);
  return sites;
}

/// A statement of several lines is one line in a comment.
std::string withoutSpace(std::string text) {
  llvm::erase_if(text, [](char c) { return llvm::isSpace(c); });
  return text;
}

/// The first line of the statement that ends on this one, with nothing in front of it, and behind it nothing but what
/// ends the line. It may have gone since and have left a comment. 0 if there is more on its lines.
std::uint32_t beginsAlone(const Module &module, std::uint32_t line, const std::vector<const SyncSite *> &sites) {
  const llvm::StringRef text(module.source.line(line));
  if (sites.empty()) {
    const std::size_t behind = text.rfind("//");
    const llvm::StringRef held = text.take_front(behind).trim();
    return behind != llvm::StringRef::npos && held.starts_with("/*") && held.find("*/") + 2 == held.size() ? line : 0;
  }
  const SyncSite &site = *sites.front();
  const llvm::StringRef front = llvm::StringRef(module.source.line(site.line)).take_front(site.column - 1);
  const LineColumn end = module.source.position(site.range.end);
  return front.trim().empty() && text.drop_front(end.column - 1).ltrim().starts_with("//") ? site.line : 0;
}

/// True if the lines around it are those of an `if` that an added sync brings along.
bool isGuarded(const Module &module, std::uint32_t line) {
  if (line < 2 || line >= module.source.lineCount())
    return false;
  auto indentOf = [](llvm::StringRef text) { return text.take_front(text.size() - text.ltrim().size()); };
  const llvm::StringRef head(module.source.line(line - 1)), end(module.source.line(line + 1));
  return head.ltrim().starts_with("if (") && head.rtrim().ends_with(") {") && end.trim() == "}" &&
         indentOf(head) == indentOf(end) && indentOf(module.source.line(line)) == (indentOf(head) + "  ").str();
}

} // namespace

OldLines::OldLines(const Module &after, const Module *before) {
  findPutIn(after, before);
  // A line that a sync has left; where the sync was not alone, a comment of it stands there.
  auto left = [&](std::uint32_t was, std::uint32_t line) {
    const auto gone = taken.find(was);
    const auto told = leftBehind.find(line);
    auto isTold = [&](const std::string &statement) { return told->second.count(statement) != 0; };
    return gone != taken.end() && (told == leftBehind.end() || llvm::none_of(gone->second, isTold));
  };
  old.resize(after.source.lineCount() + 1, 0);
  std::uint32_t next = 1;
  for (std::uint32_t line = 1; line < old.size(); ++line) {
    auto came = cameFrom.find(line);
    while (came == cameFrom.end() && left(next, line))
      ++next;
    old[line] = came == cameFrom.end() ? next++ : came->second ? came->second : next;
  }
}

void OldLines::findPutIn(const Module &after, const Module *before) {
  std::multiset<std::string> known = putInBefore(before);
  auto sites = sitesByLastLine(after);
  for (const auto &[line, comments] : editCommentsOf(after)) {
    std::set<std::string> statements; // that the line holds or held
    for (const SyncSite *site : sites[line])
      statements.insert(withoutSpace(site->text));
    for (const EditComment &comment : comments)
      if (!saysPutIn(comment)) {
        statements.insert(withoutSpace(comment.statement));
        if (comment.kind == EditComment::Kind::MovedTo)
          leftBehind[line].insert(withoutSpace(comment.statement));
      }
    const std::uint32_t first = beginsAlone(after, line, sites[line]);
    for (const EditComment &comment : comments) {
      if (!saysPutIn(comment))
        continue;
      if (auto said = known.find(keyOfComment(comment)); said != known.end()) {
        known.erase(said);
        continue;
      }
      const std::uint32_t from = lineNamed(comment.lines);
      if (from)
        taken[from].insert(statements.begin(), statements.end());
      for (std::uint32_t each = first; each != 0 && each <= line; ++each)
        cameFrom[each] = from;
      if (first != 0 && !sites[line].empty())
        syncs.insert(first);
      if (first != 0 && comment.kind == EditComment::Kind::Added && isGuarded(after, line))
        cameFrom[line - 1] = cameFrom[line + 1] = 0;
    }
  }
}

std::uint32_t OldLines::nextOwn(std::uint32_t line) const {
  for (++line; cameFrom.count(line);)
    ++line;
  return line;
}

// Edits that put syncs in.

namespace {

constexpr std::int64_t kGuardedLines = 3; // of a sync with an `if` around it

std::size_t countLineBreaks(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The lines of the result, once it is known where how many lines come and go.
class ResultLines {
public:
  /// `edits`: what becomes of the syncs that the source has; the added ones come on top.
  ResultLines(const Module &module, const SyncPlan &plan, const std::vector<Edit> &edits) : source(module.source) {
    for (const Edit &edit : edits) {
      change(edit.range.begin, static_cast<std::int64_t>(countLineBreaks(edit.replacement)) -
                                   static_cast<std::int64_t>(countLineBreaks(source.slice(edit.range))));
      const LineColumn begin = source.position(edit.range.begin);
      if (begin.column == 1 && source.slice(edit.range).ends_with("\n"))
        leaving.insert(begin.line);
    }
    for (const AddedSync &sync : plan.added)
      change(sync.place.offset, sync.place.line == TextPlace::Line::Shared ? 0
                                : sync.guard.empty()                       ? 1
                                                                           : kGuardedLines);
    std::int64_t sum = 0;
    for (auto &[line, lines] : shifts)
      lines = sum += lines;
    followMoves(module.sites, plan);
  }

  /// Returns the line of the result for a line of the source that stays.
  std::uint32_t after(std::uint32_t line) const {
    const auto behind = shifts.upper_bound(line);
    return static_cast<std::uint32_t>(line + (behind == shifts.begin() ? 0 : std::prev(behind)->second));
  }

  /// Returns the line on which what is moved to a place begins. Of what stands at one place later ranks stand below.
  std::uint32_t ofPlace(const TextPlace &place) const {
    const std::uint32_t line = source.position(place.offset).line;
    std::uint32_t result = after(line);
    if (place.line == TextPlace::Line::Shared)
      return result;
    for (const auto &[rank, lines] : arriving.at(place.offset))
      result -= rank >= place.rank ? lines : 0;
    return leaving.count(line) ? result + 1 : result;
  }

  /// Returns where what begins on these lines of the source begins now; a sync that was moved begins at its new places.
  std::set<std::uint32_t> of(const std::set<std::uint32_t> &lines) const {
    std::set<std::uint32_t> result;
    for (std::uint32_t line : lines)
      if (auto moved = movedTo.find(line); moved != movedTo.end())
        result.insert(moved->second.begin(), moved->second.end());
      else
        result.insert(after(line));
    return result;
  }

private:
  void change(std::uint32_t offset, std::int64_t lines) {
    const std::uint32_t line = source.position(offset).line;
    if (lines != 0)
      shifts[inFrontOnLine(offset) ? line : line + 1] += lines;
  }

  /// True if only white space stands in front of the byte on its line.
  bool inFrontOnLine(std::uint32_t offset) const {
    LineColumn place = source.position(offset);
    return llvm::StringRef(source.line(place.line)).take_front(place.column - 1).trim().empty() &&
           !llvm::StringRef(source.line(place.line)).trim().empty();
  }

  void followMoves(const std::vector<SyncSite> &sites, const SyncPlan &plan) {
    for (const auto &[site, move] : plan.moved)
      for (const TextPlace &place : move.places)
        arriving[place.offset][place.rank] =
            static_cast<std::uint32_t>(countLineBreaks(source.slice(sites[site].range)) + 1);
    for (const auto &[site, move] : plan.moved)
      for (const TextPlace &place : move.places)
        movedTo[sites[site].line].insert(ofPlace(place));
    for (SiteId site = 0; site < sites.size(); ++site)
      if (auto moved = movedTo.find(sites[site].line); moved != movedTo.end() && !plan.moved.count(site))
        moved->second.insert(after(sites[site].line));
  }

  const SourceText &source;
  std::map<std::uint32_t, std::int64_t> shifts;                             // from this line on, lines more
  std::set<std::uint32_t> leaving;                                          // lines that go as a whole
  std::map<std::uint32_t, std::map<std::uint32_t, std::uint32_t>> arriving; // lines, by offset and rank
  std::map<std::uint32_t, std::set<std::uint32_t>> movedTo;                 // lines of the result, by line
};

constexpr std::size_t kMostReasonLines = 3;

/// "flag at 248", "barriers at 12, 15 and 17, rule same-access-chain", "syncs at 3, 8, 9 and 4 more".
std::string reasonText(const std::vector<SyncPlan::Reliance> &reason, const ResultLines *lines) {
  std::string text;
  for (const SyncPlan::Reliance &each : reason) {
    text.append(text.empty() ? "" : ", ").append(each.what);
    if (each.lines.empty())
      continue;
    const std::set<std::uint32_t> now = lines ? lines->of(each.lines) : each.lines;
    text.append(now.size() == 1 ? " at " : "s at ").append(lineList({now.begin(), now.end()}, kMostReasonLines));
  }
  return text;
}

std::string noteOf(const AddedSync &sync, const ResultLines &lines) {
  return "ptosync: orders " + sync.earlier + " (line " + std::to_string(lines.after(sync.earlierLine)) + ") before " +
         sync.later + " at line " + std::to_string(lines.after(sync.laterLine));
}

std::string_view lineEndOf(const SourceText &source, std::uint32_t offset) {
  const std::string &text = source.text();
  std::size_t end = text.find('\n', offset);
  return end != std::string::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

/// What stands in front of a byte on its line, as far as that is white space.
std::string indentation(const SourceText &source, std::uint32_t offset) {
  LineColumn place = source.position(offset);
  std::string_view line = source.line(place.line).substr(0, place.column - 1);
  return std::string(line.substr(0, std::min(line.find_first_not_of(" \t"), line.size())));
}

std::string textOf(const SourceText &source, const AddedSync &sync, const ResultLines &lines) {
  std::string note = noteOf(sync, lines), indent = indentation(source, sync.place.beside);
  std::string lineEnd(lineEndOf(source, sync.place.offset));
  const std::string lead = guardHead(sync.guard);
  if (sync.place.line == TextPlace::Line::Shared)
    return " " + lead + (lead.empty() ? "" : " ") + sync.statement + " /* " + note + " */ " +
           (lead.empty() ? "" : "} ");
  std::string line = sync.statement + " // " + note;
  if (!lead.empty())
    line = lead + lineEnd + indent + "  " + line + lineEnd + indent + "}";
  return sync.place.line == TextPlace::Line::InFront ? line + lineEnd + indent : lineEnd + indent + line;
}

/// Adds the edits that put these in.
void putIn(const SourceText &source, const std::vector<AddedSync> &added, const ResultLines &lines,
           PlannedEdits &planned) {
  struct Text {
    std::string text;
    std::vector<std::size_t> numbers, starts; // of what it holds
  };
  std::map<std::uint32_t, Text> texts;
  for (std::size_t number = 0; number < added.size(); ++number) {
    Text &here = texts[added[number].place.offset];
    const std::string own = textOf(source, added[number], lines);
    here.numbers.push_back(number);
    here.starts.push_back(here.text.size() + own.find(added[number].statement));
    here.text += own;
  }
  planned.added.resize(added.size());
  std::vector<Edit> &edits = planned.edits;
  for (auto &[offset, here] : texts) {
    std::size_t shift = 0;
    // A statement that leaves takes the white space in front of it along, from the begin of its line.
    auto at = std::find_if(edits.begin(), edits.end(), [&, begin = offset](const Edit &edit) {
      return edit.range.begin == begin || (edit.range.begin < begin && begin < edit.range.end);
    });
    if (at == edits.end()) {
      at = edits.insert(edits.end(), {{offset, offset}, here.text});
    } else if (at->range.begin == offset) {
      at->replacement = here.text + at->replacement;
    } else { // the whole line leaves: what is added keeps its own
      const std::string lead = indentation(source, offset);
      at->replacement = lead + here.text.substr(0, here.text.size() - lead.size()) + at->replacement;
      shift = lead.size();
    }
    const auto edit = static_cast<std::size_t>(at - edits.begin());
    for (PlannedEdits::Put &other : planned.added) // in the same edit, which has grown in front of it
      other.at += other.edit == edit ? here.text.size() : 0;
    for (std::size_t i = 0; i < here.numbers.size(); ++i)
      planned.added[here.numbers[i]] = {edit, here.starts[i] + shift};
  }
}

} // namespace

std::string guardHead(const std::string &guard) { return guard.empty() ? "" : "if (" + guard + ") {"; }

namespace {

/// The line of a byte, with its line end.
SourceRange lineAround(const SourceText &source, std::uint32_t offset) {
  const std::string &text = source.text();
  std::size_t begin = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
  std::size_t end = text.find('\n', offset);
  return {begin == std::string::npos ? 0 : static_cast<std::uint32_t>(begin + 1),
          static_cast<std::uint32_t>(end == std::string::npos ? text.size() : end + 1)};
}

bool isBlank(std::string_view text) { return llvm::StringRef(text).trim().empty(); }

bool standsAlone(const SourceText &source, SourceRange range) {
  SourceRange line = lineAround(source, range.begin);
  return range.end <= line.end && isBlank(source.slice({line.begin, range.begin})) &&
         isBlank(source.slice({range.end, line.end}));
}

class SyncEditor {
public:
  /// `lines`: those that comments name; null: they name those of the source.
  SyncEditor(const Module &module, const SyncPlan &plan, const ResultLines *lines)
      : source(module.source), sites(module.sites), plan(plan), lines(lines) {
    for (const auto &[site, move] : plan.moved)
      for (const TextPlace &place : move.places)
        arrivals[place.offset][place.rank] = {site, &place};
  }

  std::vector<Edit> edits() {
    std::vector<Edit> all;
    all.reserve(plan.removed.size() + plan.moved.size());
    for (const auto &[site, removal] : plan.removed)
      all.push_back(this->removal(site, removal));
    for (const auto &[site, move] : plan.moved)
      all.push_back(departure(site, move));
    insertions(all);
    return all;
  }

private:
  Edit removal(SiteId number, const SyncPlan::Removal &removed) {
    const SyncSite &site = sites[number];
    const bool named = !removed.pattern.empty() && !removed.reason.empty();
    Edit edit = removalEdit(source, site, removed.pattern + (named ? ": " + reasonText(removed.reason, lines) : ""));
    edit.replacement = arrivingAt(site.range.begin) + edit.replacement;
    return edit;
  }

  Edit departure(SiteId number, const SyncPlan::Move &move) {
    const SyncSite &site = sites[number];
    if (!standsAlone(source, site.range)) {
      Edit edit = removalEdit(source, site, move.pattern);
      std::string note = "moved to " + linesOf(move) + ":";
      edit.replacement.replace(edit.replacement.find("removed"), std::string_view("removed").size(), note);
      edit.replacement = arrivingAt(site.range.begin) + edit.replacement;
      return edit;
    }
    SourceRange line = lineAround(source, site.range.begin);
    std::string lead(source.slice({line.begin, site.range.begin}));
    std::string arriving = arrivingAt(site.range.begin);
    // What arrives ends with the lead of the statement that was behind it; that statement is leaving.
    if (!arriving.empty())
      arriving = lead + arriving.substr(0, arriving.size() - lead.size());
    return {line, arriving};
  }

  /// What is left arrives in front of statements that stay.
  void insertions(std::vector<Edit> &edits) {
    while (!arrivals.empty()) {
      const std::uint32_t offset = arrivals.begin()->first;
      edits.push_back({{offset, offset}, arrivingAt(offset)});
    }
  }

  struct Arriving {
    SiteId site = kNone;
    const TextPlace *place = nullptr;
  };

  /// "line 4", "lines 4 and 9".
  std::string linesOf(const SyncPlan::Move &move) const {
    std::set<std::uint32_t> places;
    for (const TextPlace &place : move.places)
      places.insert(lines ? lines->ofPlace(place) : source.position(place.offset).line);
    return describeLines({places.begin(), places.end()}, places.size());
  }

  std::string arrivingAt(std::uint32_t offset) {
    auto found = arrivals.find(offset);
    if (found == arrivals.end())
      return {};
    std::string result;
    for (const auto &[rank, arriving] : found->second)
      result += arrival(arriving.site, *arriving.place);
    arrivals.erase(found);
    return result;
  }

  std::string arrival(SiteId number, const TextPlace &place) const {
    const SyncSite &site = sites[number];
    const std::string &pattern = plan.moved.at(number).pattern;
    std::string statement(source.slice(site.range));
    std::string note = "ptosync: moved from line " + std::to_string(site.line) + " of the input";
    if (!pattern.empty())
      note += " [" + pattern + "]";
    if (place.line == TextPlace::Line::Shared)
      return statement + " /* " + note + " */ ";
    SourceRange line = lineAround(source, place.offset);
    return statement + " // " + note + std::string(lineEndOf(source, place.offset)) +
           std::string(source.slice({line.begin, place.offset}));
  }

  const SourceText &source;
  const std::vector<SyncSite> &sites;
  const SyncPlan &plan;
  const ResultLines *lines;
  std::map<std::uint32_t, std::map<std::uint32_t, Arriving>> arrivals; // by offset and rank
};

} // namespace

PlannedEdits editsFor(const Module &module, const SyncPlan &plan) {
  const ResultLines lines(module, plan, SyncEditor(module, plan, nullptr).edits());
  PlannedEdits planned{SyncEditor(module, plan, &lines).edits(), {}};
  putIn(module.source, plan.added, lines, planned);
  return planned;
}

llvm::Expected<std::string> patchedText(const Module &module, const SyncPlan &plan) {
  return applyEdits(module.source, editsFor(module, plan).edits);
}

llvm::Expected<std::vector<Edit>> slotEdits(const SourceText &source, const std::vector<SlotSpelling> &spellings,
                                            std::int64_t before, std::int64_t after, std::string_view pattern) {
  std::vector<Edit> edits;
  std::string note = " /* ptosync: " + std::to_string(after) + " local slots, were " + std::to_string(before) + " [" +
                     std::string(pattern) + "] */";
  std::uint32_t told = 0;
  for (const SlotSpelling &spelling : spellings) {
    if (spelling.range.begin == spelling.range.end)
      return llvm::createStringError(source.name() + ":" + std::to_string(spelling.line) +
                                     ": the local slot count of this TPipe is not spelled as a number of its own");
    edits.push_back({spelling.range, std::to_string(after) + (told == spelling.line ? std::string() : note)});
    told = spelling.line;
  }
  return edits;
}

std::set<Section> editedSections(const OptimizeResult &result) {
  std::set<Section> sections;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict != Verdict::Kept)
      sections.insert(decision.sections.begin(), decision.sections.end());
  for (const AddedSync &added : result.added)
    sections.insert(added.section);
  return sections;
}

} // namespace ptosync
