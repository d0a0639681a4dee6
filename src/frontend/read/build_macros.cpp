#include "frontend/read/build_macros.h"

#include "frontend/read/raw_tokens.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

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
        macros.push_back({macro.name, *macro.value});
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

void addRedefined(std::string_view text, RedefinedMacros &macros) {
  auto mentions = [&](const char *word) { return text.find(word) != std::string_view::npos; };
  if (!mentions("def") && !mentions("pop_macro") && !mentions("\\\n") && !mentions("\\\r"))
    return; // most files
  enum class Behind : std::uint8_t { Other, Definition, Restoring };
  Behind behind = Behind::Other;
  bool *valued = nullptr; // of the macro whose value is being read
  llvm::StringRef source = text;
  forEachRawToken(source, 0, Comments::Skipped, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
    std::string word = source.slice(begin, end).str();
    if (token.needsCleaning()) // parted by the end of a line
      std::erase_if(word, [](char c) { return c == '\\' || c == '\n' || c == '\r'; });
    if (behind == Behind::Restoring && word == "(")
      return true;
    if (token.isAtStartOfLine())
      valued = nullptr;
    if (valued && isMacroStart(word.front()))
      *valued = false;
    if (behind != Behind::Other)
      valued = &macros.try_emplace(llvm::StringRef(word).trim('"').str(), true).first->second;
    behind = word == "define" || word == "undef" ? Behind::Definition
             : word == "pop_macro"               ? Behind::Restoring
                                                 : Behind::Other;
    return true;
  });
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

} // namespace ptosync
