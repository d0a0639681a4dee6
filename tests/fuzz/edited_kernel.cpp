#include "fuzz/edited_kernel.h"

#include <map>

namespace ptosync::fuzz {

std::string describe(const LineEdits &edits) {
  std::string text = "removed lines:";
  for (std::uint32_t line : edits.removed)
    text += " " + std::to_string(line);
  text += "; moved:";
  for (const LineMove &move : edits.moves)
    text += " " + std::to_string(move.line) + " in front of " + std::to_string(move.before);
  return text;
}

namespace {

class Editor {
public:
  explicit Editor(const LineEdits &edits) : edits(edits) {
    for (const LineMove &move : edits.moves)
      moved.insert(move.line);
    leaving = moved;
    leaving.insert(edits.removed.begin(), edits.removed.end());
  }

  void collect(std::vector<Statement> &list) {
    forEachStatement(list, [&](const Statement &statement) {
      if (isSync(statement) && leaving.count(statement.line))
        syncs.emplace(statement.line, statement);
      lines.insert(statement.line);
      if (statement.kind == Statement::Kind::Loop) // in front of what tests and steps a loop at the end of its body
        lines.insert(statement.bodyEnd);
    });
  }

  bool find() {
    if (syncs.size() != leaving.size() || leaving.size() != edits.removed.size() + moved.size())
      return false;
    for (const LineMove &move : edits.moves) {
      if (!lines.count(move.before))
        return false;
      arrivals[move.before].push_back(syncs.at(move.line));
      arrivals[move.before].back().arrived = true;
    }
    return true;
  }

  void edit(std::vector<Statement> &list) const {
    std::vector<Statement> result;
    for (Statement &statement : list) {
      edit(statement.body);
      edit(statement.otherwise);
      if (auto found = arrivals.find(statement.bodyEnd); found != arrivals.end() && statement.bodyEnd != 0)
        statement.body.insert(statement.body.end(), found->second.begin(), found->second.end());
      if (auto found = arrivals.find(statement.line); found != arrivals.end())
        result.insert(result.end(), found->second.begin(), found->second.end());
      if (leaving.count(statement.line))
        statement.kind = Statement::Kind::Nothing;
      result.push_back(std::move(statement));
    }
    list = std::move(result);
  }

private:
  const LineEdits &edits;
  std::set<std::uint32_t> moved, leaving, lines;
  std::map<std::uint32_t, Statement> syncs;                 // that leave their place, by line
  std::map<std::uint32_t, std::vector<Statement>> arrivals; // by line of what is behind
};

} // namespace

std::optional<FuzzKernel> editedKernel(const FuzzKernel &kernel, const LineEdits &edits) {
  FuzzKernel edited = kernel;
  Editor editor(edits);
  editor.collect(edited.body);
  for (Helper &helper : edited.helpers)
    editor.collect(helper.body);
  if (!editor.find())
    return std::nullopt;
  editor.edit(edited.body);
  for (Helper &helper : edited.helpers)
    editor.edit(helper.body);
  return edited;
}

} // namespace ptosync::fuzz
