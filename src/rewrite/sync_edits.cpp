#include "rewrite/sync_edits.h"

#include <llvm/ADT/StringExtras.h>

#include <map>
#include <set>

namespace ptosync {
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
  SyncEditor(const SourceText &source, const std::vector<SyncSite> &sites, const std::vector<SyncMove> &moves)
      : source(source), sites(sites) {
    for (const SyncMove &move : moves) {
      arrivals[move.before].push_back(&move);
      places[move.site].insert(move.before);
    }
  }

  Edit removal(const SyncRemoval &removed) {
    const SyncSite &site = sites[removed.site];
    bool named = !removed.pattern.empty() && !removed.reason.empty();
    Edit edit = removalEdit(source, site, removed.pattern + (named ? ": " + removed.reason : ""));
    edit.replacement = arrivingAt(site.range.begin) + edit.replacement;
    return edit;
  }

  Edit departure(const SyncMove &move) {
    const SyncSite &site = sites[move.site];
    if (!standsAlone(source, site.range)) {
      Edit edit = removalEdit(source, site, move.pattern);
      std::string note = "moved to " + linesOf(move.site) + ":";
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
  std::vector<Edit> insertions() {
    std::vector<Edit> edits;
    while (!arrivals.empty()) {
      std::uint32_t offset = arrivals.begin()->first;
      edits.push_back({{offset, offset}, arrivingAt(offset)});
    }
    return edits;
  }

private:
  /// "line 4", "lines 4 and 9".
  std::string linesOf(SiteId site) const {
    std::vector<std::string> lines;
    for (std::uint32_t offset : places.at(site))
      lines.push_back(std::to_string(source.position(offset).line));
    std::string last = lines.back();
    lines.pop_back();
    return lines.empty() ? "line " + last : "lines " + llvm::join(lines, ", ") + " and " + last;
  }

  std::string arrivingAt(std::uint32_t offset) {
    auto found = arrivals.find(offset);
    if (found == arrivals.end())
      return {};
    std::string result;
    for (const SyncMove *move : found->second)
      result += arrival(*move, offset);
    arrivals.erase(found);
    return result;
  }

  std::string arrival(const SyncMove &move, std::uint32_t offset) const {
    const SyncSite &site = sites[move.site];
    SourceRange line = lineAround(source, offset);
    std::string statement(source.slice(site.range));
    std::string note = "ptosync: moved from line " + std::to_string(site.line);
    if (!move.pattern.empty())
      note += " [" + move.pattern + "]";
    std::string_view lead = source.slice({line.begin, offset});
    if (!isBlank(lead))
      return statement + " /* " + note + " */ ";
    std::string_view whole = source.slice(line);
    std::string_view lineEnd = whole.size() > 1 && whole[whole.size() - 2] == '\r' ? "\r\n" : "\n";
    return statement + " // " + note + std::string(lineEnd) + std::string(lead);
  }

  const SourceText &source;
  const std::vector<SyncSite> &sites;
  std::map<std::uint32_t, std::vector<const SyncMove *>> arrivals; // by place
  std::map<SiteId, std::set<std::uint32_t>> places;                // where each goes
};

} // namespace

std::vector<Edit> syncEdits(const SourceText &source, const std::vector<SyncSite> &sites,
                            const std::vector<SyncRemoval> &removals, const std::vector<SyncMove> &moves) {
  SyncEditor editor(source, sites, moves);
  std::vector<Edit> edits;
  for (const SyncRemoval &removal : removals)
    edits.push_back(editor.removal(removal));
  std::set<SiteId> departed;
  for (const SyncMove &move : moves)
    if (departed.insert(move.site).second)
      edits.push_back(editor.departure(move));
  for (Edit &edit : editor.insertions())
    edits.push_back(std::move(edit));
  return edits;
}

} // namespace ptosync
