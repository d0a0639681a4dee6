#include "frontend/read/conditionals.h"

#include "frontend/read/raw_tokens.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cctype>
#include <string>

namespace ptosync {
namespace {

constexpr llvm::StringLiteral kDirectives[] = {"if",   "ifdef", "ifndef",       "elif",   "elifdef", "elifndef",
                                               "else", "endif", "define",       "undef",  "pragma",  "include",
                                               "line", "error", "include_next", "import", "warning", "ident"};

bool isWordCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A directive's line with its comments blanked; false if one goes on behind the line, which what it asks may too.
bool withoutItsComments(llvm::StringRef line, std::string &plain) {
  while (true) {
    std::size_t slash = line.find("//"), star = line.find("/*");
    plain += line.take_front(std::min(slash, star)).str();
    if (slash <= star)
      return true; // npos both, or a comment up to the end
    std::size_t end = line.find("*/", star + 2);
    if (end == llvm::StringRef::npos)
      return false;
    plain += ' ';
    line = line.drop_front(end + 2);
  }
}

/// True if the `#` at `at` opens a directive as the searches by line see one, or is a directive of no word.
bool isPlainDirective(llvm::StringRef text, std::size_t at) {
  std::size_t begin = text.rfind('\n', at);
  begin = begin == llvm::StringRef::npos ? 0 : begin + 1;
  if (!text.slice(begin, at).trim(" \t\r").empty())
    return false;
  llvm::StringRef line = text.drop_front(at + 1).take_until([](char c) { return c == '\n'; }).trim(" \t\r");
  llvm::StringRef word = line.take_while(isWordCharacter);
  if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())))
    return line.ends_with("\""); // `# 12 "file"` of a preprocessed text; flags behind it may hide it from every search
  if (word.empty() || (word == "pragma" && line.contains("system_header")))
    return line.empty();
  return llvm::is_contained(kDirectives, word) && !line.drop_front(word.size()).starts_with("\\");
}

/// True if the line of `at` goes on from the one in front of it.
bool isBehindSplice(llvm::StringRef text, std::size_t at) {
  std::size_t end = text.rfind('\n', at);
  return end != llvm::StringRef::npos && text.take_front(end).rtrim(" \t\r").ends_with("\\");
}

/// "if", "ifdef", "elif", "else", "endif", ... of a directive's line; empty for any other line.
llvm::StringRef directiveOf(llvm::StringRef line) {
  line = line.trim();
  if (!line.consume_front("#"))
    return {};
  return line.ltrim().take_while([](char c) { return c >= 'a' && c <= 'z'; });
}

/// A line with those that it goes on in, which only directives are looked at for.
std::string wholeLine(const SourceText &source, std::uint32_t number) {
  llvm::StringRef line = source.line(number);
  if (!line.ltrim().starts_with("#"))
    return {};
  std::string whole;
  while (line.rtrim(" \t\r").ends_with("\\") && number < source.lineCount()) {
    whole += line.rtrim(" \t\r").drop_back();
    line = source.line(++number);
  }
  return whole + line.str();
}

/// The line of the `#endif` of a guard around the whole text; 0 if there is none.
std::uint32_t endOfGuard(const SourceText &header, std::uint32_t &first) {
  std::vector<std::pair<std::uint32_t, llvm::StringRef>> directives;
  int level = 0;
  std::uint32_t end = 0;
  for (std::uint32_t number = 1; number <= header.lineCount(); ++number) {
    llvm::StringRef line = llvm::StringRef(header.line(number)).trim(), word = directiveOf(line);
    if (word.empty() || line.contains("pragma once"))
      continue;
    if (end != 0)
      return 0; // something follows
    directives.emplace_back(number, line);
    if (directives.size() == 1 && word != "ifndef")
      return 0;
    level += word.starts_with("if") ? 1 : word == "endif" ? -1 : 0;
    if (level == 0)
      end = number;
    if (level == 1 && directives.size() > 1 && word.starts_with("el"))
      return 0;
  }
  if (end == 0 || directives.size() < 3 || directiveOf(directives[1].second) != "define")
    return 0;
  auto behindWord = [](llvm::StringRef line) {
    return line.drop_front().ltrim().drop_while([](char c) { return c >= 'a' && c <= 'z'; }).trim();
  };
  // One that is defined as something is a default.
  llvm::StringRef name = behindWord(directives[0].second), defined = behindWord(directives[1].second);
  if (name.empty() || !llvm::all_of(name, isWordCharacter) || !defined.consume_front(name) ||
      (!defined.empty() && (isWordCharacter(defined.front()) || defined.trim() != "1")))
    return 0;
  first = directives[0].first;
  return end;
}

} // namespace

bool isForeignCondition(std::string_view text, const KnownMacros &known) {
  llvm::StringRef line = llvm::StringRef(text).trim();
  if (!line.consume_front("#"))
    return false;
  line = line.ltrim();
  llvm::StringRef word = line.take_while(isWordCharacter);
  line = line.drop_front(word.size());
  if (word.starts_with("elif") && word != "elif")
    return true; // elifdef
  if (word != "if" && word != "ifdef" && word != "ifndef" && word != "elif")
    return false;
  std::string plain;
  if (!withoutItsComments(line, plain) || llvm::StringRef(plain).trim().empty())
    return true; // what it asks stands on the next line
  return !isDecided(word, plain, known);
}

bool tellsCoresApart(std::string_view text, const std::set<std::string> &macrosOfOneCore) {
  return llvm::any_of(macrosOfOneCore,
                      [&](const std::string &macro) { return text.find(macro) != std::string_view::npos; });
}

bool decidesSimulator(llvm::StringRef text) {
  bool behind = false, found = false;
  forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
    llvm::StringRef word = text.slice(begin, end);
    found = behind && (word.starts_with("__CPU_SIM") || token.needsCleaning());
    behind = word == "define" || word == "undef";
    return !found;
  });
  return found;
}

std::uint32_t oddDirective(llvm::StringRef text) {
  for (std::size_t at = text.find('\r'); at != llvm::StringRef::npos; at = text.find('\r', at + 1))
    if (!text.drop_front(at + 1).starts_with("\n")) // ends a line for the compiler, and for no search
      return 1 + static_cast<std::uint32_t>(text.take_front(at).count('\n'));
  bool plain = !text.contains("%:") && !text.contains("%\\") && !text.contains("R\"") && !text.contains("R\\");
  for (std::size_t at = text.find('#'); plain && at != llvm::StringRef::npos; at = text.find('#', at + 1))
    plain = isPlainDirective(text, at) && !isBehindSplice(text, at);
  if (plain)
    return 0; // most files, which are not cut into tokens
  std::set<std::size_t> directives;
  std::size_t odd = text.size();
  forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
    if (!token.isAtStartOfLine() || !llvm::StringRef("#%\\").contains(text[begin]))
      return true;
    if (text.slice(begin, end) == "#" && isPlainDirective(text, begin))
      directives.insert(begin);
    else if (llvm::StringRef("#%").contains(text[begin]) || text.slice(begin, end).contains('#'))
      odd = std::min<std::size_t>(odd, begin);
    return odd == text.size();
  });
  // What only looks like one would end a condition too early.
  const std::string code = withoutComments(text);
  for (std::size_t at = code.find('#'); at != std::string::npos && at < odd; at = code.find('#', at + 1))
    if (!directives.count(at) && isPlainDirective(code, at) &&
        !directiveOf(llvm::StringRef(code).drop_front(at)).empty())
      odd = at;
  return odd == text.size() ? 0 : 1 + static_cast<std::uint32_t>(text.take_front(odd).count('\n'));
}

std::set<std::uint32_t> foreignConditionals(const SourceText &source, const KnownMacros &known) {
  std::set<std::uint32_t> lines;
  for (std::uint32_t number = 1; number <= source.lineCount(); ++number)
    if (isForeignCondition(wholeLine(source, number), known))
      lines.insert(number);
  return lines;
}

std::vector<ForeignRegion> foreignRegions(const SourceText &text, const KnownMacros &known) {
  const SourceText header(text.name(), withoutComments(text.text()));
  std::uint32_t guardBegin = 0, guardEnd = endOfGuard(header, guardBegin);
  struct Open {
    std::uint32_t line;
    bool foreign;
  };
  std::vector<Open> open;
  std::vector<ForeignRegion> regions;
  const std::vector<ForeignRegion> all = {{1, header.lineCount()}};
  // As it is written as well: a comment that goes on hides that the condition does.
  auto asks = [&](std::uint32_t number) {
    return isForeignCondition(wholeLine(header, number), known) || isForeignCondition(wholeLine(text, number), known);
  };
  for (std::uint32_t number = 1; number <= header.lineCount(); ++number) {
    llvm::StringRef word = directiveOf(header.line(number));
    bool guard = guardEnd != 0 && (number == guardBegin || number == guardEnd);
    if (word.starts_with("if")) {
      open.push_back({number, !guard && asks(number)});
    } else if (word.starts_with("elif")) {
      if (open.empty())
        return all;
      open.back().foreign |= word != "elif" || asks(number);
    } else if (word == "endif") {
      if (open.empty())
        return all;
      if (open.back().foreign)
        regions.push_back({open.back().line, number});
      open.pop_back();
    }
  }
  return open.empty() ? regions : all;
}

} // namespace ptosync
