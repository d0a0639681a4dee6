// Text to tokens: comments go, lines of the preprocessor decide which text is there for a core (text.h).
#include "check/text.h"

#include <algorithm>
#include <cctype>

namespace ptosync::check {
namespace {

class Lexer {
public:
  Lexer(const std::string &text, const std::set<std::string> &defined, const std::set<std::string> &known)
      : text(text), defined(defined), known(known) {}

  std::vector<Token> tokens;
  bool conditional = false;

  void run() {
    refuseOtherSpellings();
    while (skipSpace(), at < text.size()) {
      if (text[at] == '#' && atLineStart)
        directive();
      else
        token();
    }
    if (!open.empty())
      refuse(line, "#if without #endif");
    tokens.push_back({Token::Kind::End, "", line, 0});
  }

private:
  /// Spellings by which one character or the end of a line stands for others, in comments and in dead text too.
  void refuseOtherSpellings() const {
    for (const char *spelling : {"\\", "??"})
      if (text.find(spelling) != std::string::npos)
        throw Refused{std::string("the text has ") + spelling + " somewhere"};
    for (std::size_t i = text.find('\r'); i != std::string::npos; i = text.find('\r', i + 1))
      if (text.compare(i, 2, "\r\n") != 0)
        throw Refused{"the text has a line that ends with a carriage return alone"};
  }

  static bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  /// Of what may stand in a name or number as well, and is read in neither.
  static bool isOtherLetter(char c) { return c == '$' || static_cast<unsigned char>(c) >= 0x80; }

  char peek(std::size_t ahead = 0) const { return at + ahead < text.size() ? text[at + ahead] : '\0'; }

  void step() {
    if (text[at] == '\n') {
      ++line;
      lineStart = at + 1;
      atLineStart = true;
    }
    ++at;
  }

  void skipSpace() {
    while (at < text.size()) {
      if (std::isspace(static_cast<unsigned char>(text[at]))) {
        step();
      } else if (peek() == '/' && peek(1) == '/') {
        while (at < text.size() && text[at] != '\n')
          ++at;
      } else if (peek() == '/' && peek(1) == '*') {
        const bool before = atLineStart; // a comment is one space, however many lines it has
        for (at += 2; at < text.size() && !(peek() == '*' && peek(1) == '/');)
          step();
        at = std::min(at + 2, text.size());
        atLineStart = before;
      } else {
        return;
      }
    }
  }

  std::string restOfLine() {
    std::string rest;
    while (at < text.size() && text[at] != '\n')
      rest += text[at++];
    if (rest.find("/*") != std::string::npos)
      refuse(line, "a comment in a directive");
    return rest.substr(0, rest.find("//"));
  }

  bool living() const {
    return std::all_of(open.begin(), open.end(), [](const Arm &arm) { return arm.now; });
  }

  void directive() {
    std::string rest = restOfLine().substr(1);
    std::size_t begin = rest.find_first_not_of(" \t"), end = begin;
    while (end < rest.size() && (isWord(rest[end]) || isOtherLetter(rest[end])))
      ++end;
    std::string name = begin < rest.size() ? rest.substr(begin, end - begin) : "";
    std::string condition = end < rest.size() ? rest.substr(end) : "";
    if (name != "include" && rest.find_first_of("\"'") != std::string::npos) // which may hold the begin of a comment
      refuse(line, "a literal in a directive");
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      bool holds = living() && (name == "if" ? evaluate(condition) : isDefined(condition) == (name == "ifdef"));
      open.push_back({holds, holds});
      conditional = true;
    } else if (name == "elif" && !open.empty()) {
      bool holds = !open.back().taken && evaluate(condition);
      open.back() = {holds, open.back().taken || holds};
    } else if (name == "else" && !open.empty()) {
      open.back() = {!open.back().taken, true};
    } else if (name == "endif" && !open.empty()) {
      open.pop_back();
    } else if (name == "include" && (braces || !isLibrary(condition))) {
      refuse(line, "an included file that is not the library's, or within braces");
    } else if ((name != "include" && name != "pragma") &&
               (living() || (name != "define" && name != "undef" && name != "error" && name != "line"))) {
      refuse(line, "the directive #" + name);
    }
  }

  /// A header of the library, or one that stands in <>: nothing else may follow it, nor lead out of the library.
  static bool isLibrary(const std::string &header) {
    const std::size_t begin = header.find_first_not_of(" \t"), end = header.find_last_not_of(" \t\r");
    if (begin == std::string::npos || end <= begin)
      return false;
    const std::string name = header.substr(begin, end + 1 - begin), within = name.substr(1, name.size() - 2);
    return within.find_first_of("<>\"") == std::string::npos && within.find("..") == std::string::npos &&
           ((name.rfind("\"pto/", 0) == 0 && name.back() == '"') || (name[0] == '<' && name.back() == '>'));
  }

  bool isDefined(std::string name) const {
    const std::size_t begin = name.find_first_not_of(" \t"), end = name.find_last_not_of(" \t\r");
    name = begin == std::string::npos ? "" : name.substr(begin, end + 1 - begin);
    if (!known.count(name))
      refuse(line, "whether " + name + " is defined is not known");
    return defined.count(name) != 0;
  }

  /// defined(A), !defined(A), joined by && or ||.
  bool evaluate(const std::string &condition) const {
    std::size_t place = 0;
    auto skip = [&] {
      while (place < condition.size() && std::isspace(static_cast<unsigned char>(condition[place])))
        ++place;
    };
    auto term = [&]() -> bool {
      skip();
      bool wanted = true;
      if (place < condition.size() && condition[place] == '!')
        wanted = false, ++place, skip();
      if (condition.compare(place, 8, "defined(") != 0)
        refuse(line, "the condition" + condition);
      std::size_t close = condition.find(')', place);
      if (close == std::string::npos)
        refuse(line, "the condition" + condition);
      std::string name = condition.substr(place + 8, close - place - 8);
      place = close + 1;
      return isDefined(name) == wanted;
    };
    bool value = term();
    std::string joined;
    while (skip(), place < condition.size()) {
      std::string by = condition.substr(place, 2);
      if ((by != "&&" && by != "||") || (!joined.empty() && joined != by))
        refuse(line, "the condition" + condition);
      joined = by;
      place += 2;
      bool next = term();
      value = by == "&&" ? value && next : value || next;
    }
    return value;
  }

  void token() {
    atLineStart = false;
    Token made{Token::Kind::Mark, "", line, static_cast<int>(at - lineStart) + 1};
    if (std::isdigit(static_cast<unsigned char>(peek())) ||
        (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
      made.kind = Token::Kind::Number;
      while (isWord(peek()) || peek() == '.' || (peek() == '\'' && isWord(peek(1))) ||
             ((peek() == '+' || peek() == '-') && std::string("eEpP").find(text[at - 1]) != std::string::npos))
        made.text += text[at++];
    } else if (isWord(peek())) {
      made.kind = Token::Kind::Name;
      while (isWord(peek()))
        made.text += text[at++];
      if (living() && made.text.rfind("__", 0) == 0 && std::any_of(made.text.begin(), made.text.end(), isupper))
        refuse(line, made.text + ", which may be another value in the other version");
      if (made.text.back() == 'R' && peek() == '"')
        refuse(line, "a raw literal");
    } else if (peek() == '"' || peek() == '\'') {
      made.kind = Token::Kind::Text;
      const char quote = text[at++];
      made.text = quote; // so that no literal is taken for a mark or a name
      while (at < text.size() && text[at] != quote && text[at] != '\n')
        made.text += text[at++];
      made.text += quote;
      if (peek() != quote)
        refuse(line, "a literal that does not end");
      ++at;
      if (quote == '\'' && made.text.find('"') != std::string::npos)
        refuse(line, "a character that is a quote");
    } else if (isOtherLetter(peek())) {
      refuse(line, "a letter that is not of ASCII, or $");
    } else {
      static const std::vector<std::string> marks = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=",
                                                     "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "++",
                                                     "--",  "->",  "::", "&=", "|=", "^="};
      for (const char *digraph : {"<%", "%>", "<:", ":>", "%:"})
        if (text.compare(at, 2, digraph) == 0)
          refuse(line, std::string("the digraph ") + digraph);
      made.text = peek();
      braces = braces || made.text == "{";
      for (const std::string &mark : marks)
        if (text.compare(at, mark.size(), mark) == 0) {
          made.text = mark;
          break;
        }
      at += made.text.size();
    }
    if (living())
      tokens.push_back(made);
  }

  struct Arm {
    bool now, taken;
  };
  const std::string &text;
  const std::set<std::string> &defined, &known;
  std::vector<Arm> open;
  std::size_t at = 0, lineStart = 0;
  int line = 1;
  bool atLineStart = true, braces = false;
};

} // namespace

std::vector<Token> tokensOf(const std::string &text, const std::set<std::string> &defined,
                            const std::set<std::string> &known, bool &conditional) {
  Lexer lexer(text, defined, known);
  lexer.run();
  conditional = lexer.conditional;
  return lexer.tokens;
}

} // namespace ptosync::check
