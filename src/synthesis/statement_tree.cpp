#include "synthesis/statement_tree.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cctype>
#include <optional>

namespace ptosync::synthesis {

std::size_t endOfJoinedLine(std::string_view text, std::size_t at) {
  while (true) {
    at = std::min(text.find('\n', at), text.size());
    const llvm::StringRef line = llvm::StringRef(text).take_front(at).rtrim(" \t\r");
    if (at == text.size() || !line.ends_with("\\"))
      return at;
    ++at;
  }
}

class StatementTree::Reader {
public:
  Reader(const SourceText &source, StatementTree &tree) : source(source), text(source.text()), tree(tree) {}

  bool readList(ListId id) {
    std::size_t at = tree.all[id].open + 1;
    std::optional<std::size_t> pragmas; // in front of the next child
    while (true) {
      if (!skipBlank(at))
        return fail(at, "the list of statements does not end");
      if (text[at] == '}') {
        tree.all[id].close = static_cast<std::uint32_t>(at);
        return true;
      }
      auto number = static_cast<std::uint32_t>(tree.all[id].children.size());
      const bool directive = text[at] == '#';
      const auto front = static_cast<std::uint32_t>(directive ? at : pragmas.value_or(at));
      tree.all[id].children.push_back({static_cast<std::uint32_t>(at), 0, front, {}, directive, text[at] == ';'});
      if (!directive || !isPragma(at))
        pragmas.reset();
      else if (!pragmas)
        pragmas = at;
      std::size_t end = directive ? endOfJoinedLine(text, at) : at;
      if (!directive && !readStatement(end, {id, number}, ListRole::Block))
        return false;
      tree.all[id].children[number].end = static_cast<std::uint32_t>(end);
      at = end;
    }
  }

  std::string problem;

private:
  bool fail(std::size_t at, const std::string &what) {
    if (problem.empty())
      problem = "line " + std::to_string(source.position(static_cast<std::uint32_t>(std::min(at, text.size()))).line) +
                ": " + what;
    return false;
  }

  /// To the next byte that is neither white space nor comment; false at the end of the text.
  bool skipBlank(std::size_t &at) const {
    while (at < text.size()) {
      if (std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
      else if (text.compare(at, 2, "//") == 0)
        at = endOfJoinedLine(text, at);
      else if (text.compare(at, 2, "/*") == 0)
        at = std::min(text.find("*/", at + 2), text.size() - 2) + 2;
      else
        return true;
    }
    return false;
  }

  bool isPragma(std::size_t at) const {
    return llvm::StringRef(text).substr(at + 1).ltrim(" \t").starts_with("pragma");
  }

  static bool isWordByte(char byte) { return std::isalnum(static_cast<unsigned char>(byte)) || byte == '_'; }

  std::string_view wordAt(std::size_t at) const {
    std::size_t end = at;
    while (end < text.size() && isWordByte(text[end]))
      ++end;
    return std::string_view(text).substr(at, end - at);
  }

  bool skipLiteral(std::size_t &at) {
    char quote = text[at];
    if (quote == '"' && at > 0 && text[at - 1] == 'R')
      return fail(at, "a raw string");
    for (++at; at < text.size() && text[at] != quote; ++at)
      if (text[at] == '\\')
        ++at;
    ++at;
    return true;
  }

  /// From an opening bracket to behind its closing one.
  bool skipBrackets(std::size_t &at) {
    std::size_t depth = 0;
    while (skipBlank(at)) {
      char byte = text[at];
      if (byte == '"' || (byte == '\'' && (at == 0 || !isWordByte(text[at - 1])))) {
        if (!skipLiteral(at))
          return false;
        continue;
      }
      ++at;
      if (byte == '(' || byte == '[' || byte == '{')
        ++depth;
      else if ((byte == ')' || byte == ']' || byte == '}') && --depth == 0)
        return true;
    }
    return fail(at, "a bracket that is not closed");
  }

  /// An expression or a declaration, with its semicolon.
  bool skipSimple(std::size_t &at) {
    while (skipBlank(at)) {
      char byte = text[at];
      if (byte == ';') {
        ++at;
        return true;
      }
      if (byte == '(' || byte == '[' || byte == '{') {
        if (!skipBrackets(at))
          return false;
      } else if (byte == '"' || (byte == '\'' && !isWordByte(text[at - 1]))) {
        if (!skipLiteral(at))
          return false;
      } else if (byte == '}' || byte == ')' || byte == ']') {
        return fail(at, "a statement without its end");
      } else {
        ++at;
      }
    }
    return fail(at, "a statement without its end");
  }

  bool skipHead(std::size_t &at) {
    if (!skipBlank(at) || text[at] != '(')
      return fail(at, "'(' expected");
    return skipBrackets(at);
  }

  bool readStatement(std::size_t &at, ChildPlace where, ListRole role) {
    if (!skipBlank(at))
      return fail(at, "a statement expected");
    if (text[at] == '{')
      return readNested(at, where, role);
    std::string_view word = wordAt(at);
    if (word == "if")
      return readIf(at, where);
    if (word == "_Pragma") {
      at += word.size();
      return skipHead(at) && readStatement(at, where, role);
    }
    if (word == "for" || word == "while") {
      at += word.size();
      return skipHead(at) && readStatement(at, where, ListRole::Loop);
    }
    if (word == "do") {
      at += word.size();
      if (!readStatement(at, where, ListRole::Loop) || !skipBlank(at) || wordAt(at) != "while")
        return fail(at, "'while' expected");
      return skipSimple(at);
    }
    if (word == "switch" || word == "case" || word == "default" || word == "try" || word == "goto")
      return fail(at, "'" + std::string(word) + "' is not followed");
    return skipSimple(at);
  }

  bool readIf(std::size_t &at, ChildPlace where) {
    at += 2;
    if (skipBlank(at) && wordAt(at) == "constexpr")
      at += 9;
    if (!skipHead(at) || !readStatement(at, where, ListRole::Arm))
      return false;
    std::size_t next = at;
    if (!skipBlank(next) || wordAt(next) != "else")
      return true;
    at = next + 4;
    return readStatement(at, where, ListRole::Arm);
  }

  bool readNested(std::size_t &at, ChildPlace where, ListRole role) {
    auto id = static_cast<ListId>(tree.all.size());
    StatementList list;
    list.open = static_cast<std::uint32_t>(at);
    list.parent = where.list;
    list.parentChild = where.child;
    list.role = role;
    tree.all.push_back(std::move(list));
    tree.byOpen[static_cast<std::uint32_t>(at)] = id;
    tree.all[where.list].children[where.child].lists.push_back(id);
    if (!readList(id))
      return false;
    at = tree.all[id].close + 1;
    return true;
  }

  const SourceText &source;
  const std::string &text;
  StatementTree &tree;
};

llvm::Expected<StatementTree> StatementTree::read(const SourceText &source, std::uint32_t open) {
  StatementTree tree;
  if (open >= source.text().size() || source.text()[open] != '{')
    return llvm::createStringError("no body begins there");
  tree.all.push_back({});
  tree.all[0].open = open;
  tree.byOpen[open] = 0;
  Reader reader(source, tree);
  if (!reader.readList(0))
    return llvm::createStringError(reader.problem);
  return tree;
}

llvm::Error StatementTree::addBody(const SourceText &source, std::uint32_t open, ChildPlace call) {
  if (open >= source.text().size() || source.text()[open] != '{')
    return llvm::createStringError("no body begins there");
  auto id = static_cast<ListId>(all.size());
  StatementList list;
  list.open = open;
  list.parent = call.list;
  list.parentChild = call.child;
  all.push_back(std::move(list));
  byOpen[open] = id;
  Reader reader(source, *this);
  return reader.readList(id) ? llvm::Error::success() : llvm::createStringError(reader.problem);
}

ListId StatementTree::listAt(std::uint32_t open) const {
  auto found = byOpen.find(open);
  return found == byOpen.end() ? kNone : found->second;
}

TreePath StatementTree::pathTo(Anchor anchor) const {
  ListId list = listAt(anchor.list);
  if (list == kNone || anchor.begin == kNone)
    return {};
  const std::vector<Child> &children = all[list].children;
  auto child = std::lower_bound(children.begin(), children.end(), anchor.begin,
                                [](const Child &a, std::uint32_t begin) { return a.begin < begin; });
  if (child == children.end() || child->begin != anchor.begin)
    return {};
  return pathOf({list, static_cast<std::uint32_t>(child - children.begin())});
}

TreePath StatementTree::pathOf(ChildPlace place) const {
  TreePath path;
  while (place.list != kNone) {
    path.insert(path.begin(), place);
    place = {all[place.list].parent, all[place.list].parentChild};
  }
  return path;
}

TreePath StatementTree::pathToLine(const SourceText &source, ListId list, std::uint32_t line) const {
  for (std::uint32_t number = 0; number < all[list].children.size(); ++number) {
    const Child &child = all[list].children[number];
    if (source.position(child.begin).line > line || source.position(child.end).line < line || child.directive)
      continue;
    for (ListId inner : child.lists)
      if (TreePath path = pathToLine(source, inner, line); !path.empty())
        return path;
    return pathOf({list, number});
  }
  return {};
}

std::uint32_t StatementTree::loopsAround(ListId list) const {
  std::uint32_t count = 0;
  for (; list != kNone; list = all[list].parent)
    count += all[list].role == ListRole::Loop;
  return count;
}

} // namespace ptosync::synthesis
