#include "frontend/read/conditions.h"

#include "frontend/read/token_stream.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <string>

namespace ptosync {

namespace {

constexpr llvm::StringLiteral kCores[] = {"__DAV_CUBE__", "__DAV_VEC__"};

bool isMacroStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isMacroLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// "220", "0x10u", "1'000": a number as the preprocessor reads it; nothing if it is none.
std::optional<std::int64_t> numberOf(llvm::StringRef text) {
  std::string digits;
  for (char c : text.trim().rtrim("uUlL"))
    if (c != '\'')
      digits += c;
  std::uint64_t value = 0;
  if (digits.empty() || llvm::StringRef(digits).getAsInteger(0, value))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// What an operand is in one build.
struct Answer {
  enum class Kind : std::uint8_t { Open, Fixed, Known }; // Fixed: a number that only the parser follows
  Kind kind = Kind::Open;
  std::int64_t number = 0; // Known
  Answer() = default;
  Answer(std::int64_t number) : kind(Kind::Known), number(number) {}
  static Answer fixed() {
    Answer answer;
    answer.kind = Kind::Fixed;
    return answer;
  }
  bool is(bool truth) const { return kind == Kind::Known && (number != 0) == truth; }
  bool known() const { return kind == Kind::Known; }
};

/// Evaluates a condition in one build. A text that it does not understand is open as a whole.
class ConditionReader {
public:
  ConditionReader(llvm::StringRef text, const MacroAnswers &answers, const KnownMacros &macros)
      : rest(text), answers(answers), macros(macros) {}

  Answer read() {
    next();
    Answer value = ternary();
    return broken || !token.empty() ? Answer() : value;
  }

  /// Whether a name is defined.
  Answer definedness(llvm::StringRef name) const {
    auto known = answers.find(name);
    if (known == answers.end())
      return {};
    return macros.redefined.count(name) ? redefined(name) : Answer(known->second.has_value());
  }

private:
  static constexpr int kDeepest = 200;

  void next() {
    rest = rest.ltrim(" \t\r\n\v\f");
    std::size_t length = rest.empty() ? 0 : 1;
    if (!rest.empty() && (isMacroLetter(rest.front()))) {
      while (length < rest.size() && (isMacroLetter(rest[length]) || rest[length] == '\''))
        ++length;
    } else {
      static constexpr std::array<llvm::StringLiteral, 8> kPairs = {"&&", "||", "==", "!=", "<=", ">=", "<<", ">>"};
      if (llvm::is_contained(kPairs, rest.take_front(2)))
        length = 2;
    }
    token = rest.take_front(length);
    rest = rest.drop_front(length);
  }
  bool take(llvm::StringRef wanted) {
    if (token != wanted)
      return false;
    next();
    return true;
  }
  Answer fail() {
    broken = true;
    token = {};
    return {};
  }
  Answer redefined(llvm::StringRef name) const { return isUncertain(name, macros) ? Answer() : Answer::fixed(); }

  Answer ternary() {
    if (++depth > kDeepest)
      return fail();
    Answer value = binary(0);
    if (take("?")) {
      Answer whenTrue = ternary();
      if (!take(":"))
        return fail();
      Answer whenFalse = ternary();
      bool open = value.kind == Answer::Kind::Open || whenTrue.kind == Answer::Kind::Open ||
                  whenFalse.kind == Answer::Kind::Open;
      value = value.known() ? (value.number ? whenTrue : whenFalse) : open ? Answer() : Answer::fixed();
    }
    --depth;
    return value;
  }

  static int precedenceOf(llvm::StringRef op) {
    static constexpr std::pair<llvm::StringLiteral, int> kLevels[] = {
        {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    for (const auto &[name, level] : kLevels)
      if (name == op)
        return level;
    return 0;
  }

  Answer binary(int above) {
    Answer left = unary();
    while (int level = precedenceOf(token)) {
      if (level <= above)
        break;
      llvm::StringRef op = token;
      next();
      Answer right = binary(level);
      left = apply(op, left, right);
    }
    return left;
  }

  static Answer apply(llvm::StringRef op, Answer left, Answer right) {
    if (op == "&&" && (left.is(false) || right.is(false)))
      return 0;
    if (op == "||" && (left.is(true) || right.is(true)))
      return 1;
    if (left.kind == Answer::Kind::Open || right.kind == Answer::Kind::Open)
      return {};
    if (!left.known() || !right.known())
      return Answer::fixed();
    const std::int64_t a = left.number, b = right.number;
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (op == "&&")
      return a && b;
    if (op == "||")
      return a || b;
    if (op == "==")
      return a == b;
    if (op == "!=")
      return a != b;
    if (op == "<")
      return a < b;
    if (op == ">")
      return a > b;
    if (op == "<=")
      return a <= b;
    if (op == ">=")
      return a >= b;
    if (op == "|")
      return a | b;
    if (op == "^")
      return a ^ b;
    if (op == "&")
      return a & b;
    if (op == "+")
      return static_cast<std::int64_t>(x + y);
    if (op == "-")
      return static_cast<std::int64_t>(x - y);
    if (op == "*")
      return static_cast<std::int64_t>(x * y);
    if (op == "<<" || op == ">>")
      return b < 0 || b > 62 ? Answer() : op == "<<" ? static_cast<std::int64_t>(x << y) : a >> b;
    if (b == 0 || b == -1) // undefined, or perhaps
      return {};
    return op == "/" ? a / b : a % b;
  }

  Answer unary() {
    if (++depth > kDeepest)
      return fail();
    Answer value = operand();
    --depth;
    return value;
  }

  Answer operand() {
    if (take("!")) {
      Answer value = unary();
      return value.known() ? Answer(!value.number) : value;
    }
    if (take("-")) {
      Answer value = unary();
      return value.known() ? Answer(static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(value.number))) : value;
    }
    if (take("+"))
      return unary();
    if (take("~")) {
      Answer value = unary();
      return value.known() ? Answer(~value.number) : value;
    }
    if (take("(")) {
      Answer value = ternary();
      return take(")") ? value : fail();
    }
    if (token.empty())
      return fail();
    const llvm::StringRef word = token;
    next();
    if (std::isdigit(static_cast<unsigned char>(word.front()))) {
      std::optional<std::int64_t> value = numberOf(word);
      return value ? Answer(*value) : fail();
    }
    if (!isMacroStart(word.front()))
      return fail();
    return word == "defined" ? isDefined() : valueOf(word);
  }

  Answer isDefined() {
    bool parens = take("(");
    if (token.empty() || !isMacroStart(token.front()))
      return fail();
    Answer value = definedness(token);
    next();
    return parens && !take(")") ? fail() : value;
  }

  Answer valueOf(llvm::StringRef name) {
    if (token == "(")
      return fail(); // a macro with arguments, `__has_include`
    if (name == "true" || name == "false")
      return name == "true";
    auto known = answers.find(name);
    if (known == answers.end())
      return {};
    if (auto given = macros.redefined.find(name); given != macros.redefined.end())
      return given->second ? redefined(name) : Answer(); // open: it may stand for names that no build knows
    if (!known->second)
      return 0;
    std::optional<std::int64_t> number = numberOf(*known->second);
    return number ? Answer(*number) : isUncertain(name, macros) ? Answer() : Answer::fixed();
  }

  llvm::StringRef rest, token;
  const MacroAnswers &answers;
  const KnownMacros &macros;
  int depth = 0;
  bool broken = false;
};

Answer answerIn(llvm::StringRef word, llvm::StringRef asked, const MacroAnswers &answers, const KnownMacros &macros) {
  ConditionReader reader(asked, answers, macros);
  if (word == "if" || word == "elif")
    return reader.read();
  llvm::StringRef name = asked.trim();
  if ((word != "ifdef" && word != "ifndef") || name.empty() || !llvm::all_of(name, isMacroLetter))
    return {};
  Answer defined = reader.definedness(name);
  return defined.known() ? Answer(defined.is(word == "ifdef")) : defined;
}

} // namespace

std::vector<Definition> libraryMacros(const std::vector<BuildMacros> &builds) {
  std::vector<Definition> macros;
  if (!builds.empty())
    for (const BuildMacro &macro : builds.front())
      if (macro.byLibrary && macro.value)
        macros.push_back({macro.name, macro.value});
  return macros;
}

std::set<std::string> macrosOfOneCore(const std::vector<BuildMacros> &builds) {
  std::set<std::string> names(std::begin(kCores), std::end(kCores));
  for (const BuildMacros &build : builds)
    for (const BuildMacro &macro : build)
      if (macro.section != Section::Both)
        names.insert(macro.name);
  return names;
}

KnownMacros knownMacros(const std::vector<BuildMacros> &builds, const std::vector<Definition> &defines, Section section,
                        bool apart) {
  KnownMacros known;
  known.builds.resize(std::max<std::size_t>(builds.size(), 1));
  known.ofOneCore = macrosOfOneCore(builds);
  for (std::size_t i = 0; i < builds.size(); ++i)
    for (const BuildMacro &macro : builds[i]) {
      bool here = macro.section == Section::Both || macro.section == section;
      if (apart || !known.ofOneCore.count(macro.name))
        known.builds[i][macro.name] = here ? macro.value : std::nullopt;
    }
  for (MacroAnswers &answers : known.builds) {
    if (apart)
      for (llvm::StringRef core : kCores)
        answers[core.str()] =
            (core == "__DAV_CUBE__") == (section == Section::Cube) ? std::optional<std::string>("1") : std::nullopt;
    for (const Definition &definition : defines)
      answers[definition.name] = definition.value;
  }
  return known;
}

bool isDecided(std::string_view word, std::string_view asked, const KnownMacros &known) {
  const Answer first = answerIn(word, asked, known.builds.front(), known);
  return first.kind != Answer::Kind::Open && llvm::all_of(known.builds, [&](const MacroAnswers &answers) {
           const Answer here = answerIn(word, asked, answers, known);
           return here.kind == first.kind && (!here.known() || here.is(first.number != 0));
         });
}

void addRedefined(const TokenStream &file, RedefinedMacros &macros) {
  enum class Behind : std::uint8_t { Other, Definition, Restoring };
  Behind behind = Behind::Other;
  bool *valued = nullptr; // of the macro whose value is being read
  for (const SourceToken &token : file.tokens()) {
    std::string word = token.text.str();
    if (token.parted)
      std::erase_if(word, [](char c) { return c == '\\' || c == '\n' || c == '\r'; });
    if (behind == Behind::Restoring && word == "(")
      continue;
    if (token.startsLine)
      valued = nullptr;
    if (valued && isMacroStart(word.front()))
      *valued = false;
    if (behind != Behind::Other)
      valued = &macros.try_emplace(llvm::StringRef(word).trim('"').str(), true).first->second;
    behind = word == "define" || word == "undef" ? Behind::Definition
             : word == "pop_macro"               ? Behind::Restoring
                                                 : Behind::Other;
  }
}

bool isUncertain(std::string_view name, const KnownMacros &known) {
  auto in = [&](const MacroAnswers &answers) {
    auto found = answers.find(name);
    return found == answers.end() ? std::nullopt : std::optional(found->second);
  };
  return llvm::any_of(known.builds,
                      [&](const MacroAnswers &answers) { return in(answers) != in(known.builds.front()); });
}

std::vector<std::string> openNames(std::string_view text, const KnownMacros &known) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < text.size();) {
    if (!isMacroLetter(text[at])) {
      ++at;
      continue;
    }
    std::size_t begin = at;
    while (at < text.size() && isMacroLetter(text[at]))
      ++at;
    std::string name(text.substr(begin, at - begin));
    bool answered = llvm::all_of(known.builds, [&](const MacroAnswers &answers) { return answers.count(name) != 0; });
    if (isMacroStart(name.front()) && name != "defined" && name != "true" && name != "false" &&
        (!answered || isUncertain(name, known)) && !llvm::is_contained(names, name))
      names.push_back(std::move(name));
  }
  return names;
}

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
  llvm::StringRef front = text.slice(begin, at);
  const bool marked =
      begin == 0 && front.consume_front("\xEF\xBB\xBF"); // no search by line sees past a byte order mark
  if (!front.trim(" \t\r").empty())
    return false;
  llvm::StringRef line = text.drop_front(at + 1).take_until([](char c) { return c == '\n'; }).trim(" \t\r");
  llvm::StringRef word = line.take_while(isWordCharacter);
  if (!word.empty() && std::isdigit(static_cast<unsigned char>(word.front())))
    return line.ends_with("\""); // `# 12 "file"` of a preprocessed text; flags behind it may hide it from every search
  if (word.empty() || (word == "pragma" && line.contains("system_header")))
    return line.empty();
  return (marked ? word == "include" : llvm::is_contained(kDirectives, word)) &&
         !line.drop_front(word.size()).starts_with("\\");
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

bool decidesSimulator(const TokenStream &file) {
  bool behind = false; // behind what defines a macro or takes it back
  for (const SourceToken &token : file.tokens()) {
    if (behind && (token.text.starts_with("__CPU_SIM") || token.parted))
      return true;
    behind = token.text == "define" || token.text == "undef";
  }
  return false;
}

std::uint32_t oddDirective(const TokenStream &file) {
  const llvm::StringRef text = file.source().text();
  for (std::size_t at = text.find('\r'); at != llvm::StringRef::npos; at = text.find('\r', at + 1))
    if (!text.drop_front(at + 1).starts_with("\n")) // ends a line for the compiler, and for no search
      return 1 + static_cast<std::uint32_t>(text.take_front(at).count('\n'));
  bool plain = !text.contains("%:") && !text.contains("%\\") && !text.contains("R\"") && !text.contains("R\\");
  for (std::size_t at = text.find('#'); plain && at != llvm::StringRef::npos; at = text.find('#', at + 1))
    plain = isPlainDirective(text, at) && !isBehindSplice(text, at);
  if (plain)
    return 0; // most files
  std::set<std::size_t> directives;
  std::size_t odd = text.size();
  for (const SourceToken &token : file.tokens()) {
    if (!token.startsLine || !llvm::StringRef("#%\\").contains(token.text.front()))
      continue;
    if (token.text == "#" && isPlainDirective(text, token.begin)) {
      directives.insert(token.begin);
    } else if (llvm::StringRef("#%").contains(token.text.front()) || token.text.contains('#')) {
      odd = token.begin;
      break;
    }
  }
  // What only looks like one would end a condition too early.
  const std::string code = file.withoutComments();
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

std::vector<ForeignRegion> foreignRegions(const TokenStream &file, const KnownMacros &known) {
  const SourceText &text = file.source(), header(text.name(), file.withoutComments());
  std::uint32_t guardBegin = 0, guardEnd = endOfGuard(header, guardBegin);
  struct Open {
    std::uint32_t line;
    bool foreign;
  };
  std::vector<Open> open;
  std::vector<ForeignRegion> regions;
  std::vector<ForeignRegion> all = {{1, header.lineCount()}};
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
