#include "check/text.h"

#include <algorithm>
#include <cctype>

namespace ptosync::check {

void refuse(int line, const std::string &what) { throw Refused{"line " + std::to_string(line) + ": " + what}; }

namespace {

/// Text to tokens: comments go, lines of the preprocessor decide which text is there.
class Lexer {
public:
  Lexer(const std::string &text, const std::set<std::string> &defined, const std::set<std::string> &known)
      : text(text), defined(defined), known(known) {}

  std::vector<Token> tokens;
  bool conditional = false;

  void run() {
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
          if (text[at] == '\\')
            refuse(line, "a comment with a backslash");
          else
            ++at;
      } else if (peek() == '/' && peek(1) == '*') {
        for (at += 2; at < text.size() && !(peek() == '*' && peek(1) == '/');)
          step();
        at = std::min(at + 2, text.size());
      } else {
        return;
      }
    }
  }

  std::string restOfLine() {
    std::string rest;
    while (at < text.size() && text[at] != '\n') {
      if (text[at] == '\\')
        refuse(line, "a directive that goes on");
      rest += text[at++];
    }
    return rest.substr(0, rest.find("//"));
  }

  bool living() const {
    return std::all_of(open.begin(), open.end(), [](const Arm &arm) { return arm.now; });
  }

  void directive() {
    std::string rest = restOfLine().substr(1);
    if (rest.find("/*") != std::string::npos)
      refuse(line, "a comment in a directive");
    std::size_t begin = rest.find_first_not_of(" \t"), end = begin;
    while (end < rest.size() && std::isalpha(static_cast<unsigned char>(rest[end])))
      ++end;
    std::string name = begin < rest.size() ? rest.substr(begin, end - begin) : "";
    std::string condition = end < rest.size() ? rest.substr(end) : "";
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
    } else if ((name != "include" && name != "pragma") &&
               (living() || (name != "define" && name != "undef" && name != "error" && name != "line"))) {
      refuse(line, "the directive #" + name);
    }
  }

  bool isDefined(std::string name) const {
    name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isspace(c); }), name.end());
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
    auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (std::isdigit(static_cast<unsigned char>(peek())) ||
        (peek() == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
      made.kind = Token::Kind::Number;
      while (word(peek()) || peek() == '.' || peek() == '\'' ||
             ((peek() == '+' || peek() == '-') && !made.text.empty() && std::tolower(made.text.back()) == 'e' &&
              made.text.rfind("0x", 0) != 0))
        made.text += text[at++];
    } else if (word(peek())) {
      made.kind = Token::Kind::Name;
      while (word(peek()))
        made.text += text[at++];
    } else if (peek() == '"' || peek() == '\'') {
      made.kind = Token::Kind::Text;
      char quote = text[at++];
      while (at < text.size() && text[at] != quote && text[at] != '\n') {
        if (text[at] == '\\')
          refuse(line, "a literal with a backslash");
        made.text += text[at++];
      }
      if (peek() == quote)
        ++at;
      else if (living())
        refuse(line, "a literal that does not end");
    } else {
      static const std::vector<std::string> marks = {"<<=", ">>=", "<<", ">>", "<=", ">=", "==", "!=",
                                                     "&&",  "||",  "+=", "-=", "*=", "/=", "%=", "++",
                                                     "--",  "->",  "::", "&=", "|=", "^="};
      made.text = peek();
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
  bool atLineStart = true;
};

bool isArithmetic(const std::string &name) {
  static const std::set<std::string> names = {
      "bool",    "char",     "short",   "int",      "long",      "unsigned", "signed",     "int8_t",    "uint8_t",
      "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",   "uint64_t", "size_t",     "uintptr_t", "intptr_t",
      "float",   "double",   "half",    "event_t",  "mem_dsb_t", "void",     "bfloat16_t", "pipe_t"};
  return names.count(name) != 0;
}

bool isSyncName(const std::string &name) {
  return name == "pipe_barrier" || name == "set_flag" || name == "wait_flag" || name == "get_buf" || name == "rls_buf";
}

class Parser {
public:
  Parser(const std::vector<Token> &tokens, File &file) : tokens(tokens), file(file) {}

  void run() {
    while (now().kind != Token::Kind::End)
      topLevel();
  }

private:
  const Token &now(std::size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  bool is(const char *text, std::size_t ahead = 0) const {
    return now(ahead).text == text && now(ahead).kind != Token::Kind::Text;
  }
  bool take(const char *text) { return is(text) && (++at, true); }
  void expect(const char *text) {
    if (!take(text))
      refuse(now().line, std::string("'") + text + "' was expected in front of '" + now().text + "'");
  }

  /// Past the mark that closes the one that stands here.
  void skipPair(const std::string &opening, const std::string &closing) {
    for (int depth = 0; now().kind != Token::Kind::End; ++at) {
      if (now().text == opening)
        ++depth;
      else if (now().text == closing && --depth == 0) {
        ++at;
        return;
      } else if (closing == ">" && now().text == ">>" && (depth -= 2) <= 0) {
        ++at;
        return;
      }
    }
    refuse(now().line, "'" + opening + "' is not closed");
  }

  void skipTo(const char *mark) {
    while (now().kind != Token::Kind::End && !is(mark))
      is("{") ? skipPair("{", "}") : void(++at);
    take(mark);
  }

  void topLevel() {
    if (take(";"))
      return;
    if (is("using") || is("static_assert"))
      return alias();
    if (is("enum"))
      return enumeration();
    if (is("struct") || is("class") || is("union") || is("namespace") || is("typedef"))
      return refuse(now().line, "a " + now().text + " of the file's own");
    if (is("extern") && now(1).kind == Token::Kind::Text) {
      at += 2;
      if (take("{"))
        ++blocks;
      return;
    }
    if (blocks > 0 && take("}"))
      return void(--blocks);
    bool ofValues = false;
    if (is("template")) {
      std::size_t begin = ++at;
      skipPair("<", ">");
      for (std::size_t i = begin; i + 1 < at; ++i) {
        const bool named = tokens[i].text == "typename" || tokens[i].text == "class";
        ofValues = ofValues || (tokens[i].kind == Token::Kind::Name && !named && tokens[i - 1].text != "typename" &&
                                tokens[i - 1].text != "class");
        if (tokens[i].kind == Token::Kind::Name && !named)
          file.typeParameters.insert(tokens[i].text);
      }
    }
    declarationOrFunction(ofValues);
  }

  /// `using T = float;` and the like: the name must not be one that is known.
  void alias() {
    if (is("using") && is("=", 2))
      file.taken.insert(now(1).text);
    skipTo(";");
  }

  void enumeration() {
    ++at;
    take("class");
    std::string scope = now().text;
    ++at;
    while (!is("{") && !is(";"))
      ++at;
    if (take(";"))
      return;
    expect("{");
    for (std::int64_t next = 0; !take("}"); take(",")) {
      std::string name = now().text;
      ++at;
      if (take("=")) {
        bool negative = take("-");
        next = writtenNumber(now().text) * (negative ? -1 : 1);
        ++at;
        if (!is(",") && !is("}"))
          refuse(now().line, "an enumerator of this form");
      }
      file.enumerators[scope + "::" + name] = next++;
    }
    expect(";");
  }

  void declarationOrFunction(bool ofValues) {
    Function function;
    function.line = now().line;
    std::size_t start = at;
    // Everything up to the name that a parenthesis follows belongs to the head.
    while (!is("(") && !is(";") && !is("=") && !is("{") && now().kind != Token::Kind::End) {
      function.device = function.device || is("AICORE") || is("__aicore__") || is("__global__");
      function.entry = function.entry || is("__global__");
      if (now().kind == Token::Kind::Name && now(1).text != "(")
        function.result = now().text;
      if (is("*") || is("&"))
        function.result += now().text;
      function.name = now().text;
      is("<") ? skipPair("<", ">") : void(++at);
    }
    if (is("("))
      file.taken.insert(function.name);
    if (!is("(")) {
      at = start;
      while (is("static") || is("inline"))
        ++at;
      return void(declaration(file.constants));
    }
    ++at;
    parameters(function);
    if (take("->")) // a result that is derived
      while (!is("{") && !is(";"))
        ++at;
    if (take(";"))
      return; // it is declared here and defined elsewhere
    std::size_t body = at;
    if (!is("{"))
      refuse(now().line, "a function without a body");
    skipPair("{", "}");
    if (!function.device)
      return; // the host's: nothing of it runs on a core
    std::size_t end = at;
    at = body;
    try {
      if (ofValues)
        refuse(function.line, "a template of values");
      function.body.push_back(block());
    } catch (const Refused &refused) {
      function.problem = refused.reason;
    }
    for (std::size_t i = body; i < end; ++i) {
      function.spelled += tokens[i].text + " ";
      if (tokens[i].kind == Token::Kind::Name)
        function.names.insert(tokens[i].text);
    }
    for (at = body; at < end; ++at)
      if (isSyncName(now().text) && is("(", 1)) {
        std::string spelled;
        for (std::size_t i = at; i < end && tokens[i].text != ";"; ++i)
          spelled += tokens[i].text;
        function.syncs.insert(spelled);
      }
    at = end;
    if (!file.functions.emplace(function.name, function).second)
      file.functions[function.name].problem = "there are several functions of this name";
    file.order.push_back(function.name);
  }

  void parameters(Function &function) {
    while (!take(")")) {
      Parameter parameter;
      parameter.type = type();
      parameter.name = now().kind == Token::Kind::Name ? tokens[at++].text : "";
      if (take("=")) {
        parameter.hasDefault = true;
        parameter.byDefault = choice();
      }
      function.parameters.push_back(parameter);
      if (!is(")"))
        expect(",");
    }
  }

  /// The spelling of a type, or an empty text where none stands here.
  std::string type() {
    std::string spelled;
    bool named = false;
    for (;; ++at) {
      if (is("const") || is("constexpr") || is("static") || is("typename") || is("volatile") || is("__restrict__"))
        continue;
      if (now().kind == Token::Kind::Name && now().text.rfind("__", 0) == 0 && !named) {
        spelled += now().text + " ";
        continue;
      }
      if (now().kind == Token::Kind::Name && (!named || is("long") || is("int") || is("char") || is("short"))) {
        if (named && !isArithmetic(lastName))
          break;
        named = true;
        lastName = now().text;
        spelled += now().text;
        while (is("::", 1) && now(2).kind == Token::Kind::Name) {
          at += 2;
          lastName = now().text;
          spelled += "::" + lastName;
        }
        if (is("<", 1)) {
          std::size_t start = ++at;
          if (templateEnd() == 0)
            return "";
          skipPair("<", ">");
          for (std::size_t i = start; i < at; ++i)
            spelled += tokens[i].text;
          --at;
        }
        continue;
      }
      if (named && (is("*") || is("&"))) {
        spelled += now().text;
        continue;
      }
      break;
    }
    return named ? spelled : "";
  }

  Statement start(Statement::Kind kind) const {
    Statement made;
    made.kind = kind;
    made.line = now().line;
    made.column = now().column;
    return made;
  }

  Statement block() {
    Statement made = start(Statement::Kind::Block);
    expect("{");
    while (!take("}"))
      statement(made.body);
    return made;
  }

  /// One statement, as a list: none for `;`, several for a declaration of several names.
  void statement(std::vector<Statement> &into) {
    if (take(";"))
      return;
    if (is("{"))
      return void(into.push_back(block()));
    if (is("using") || is("static_assert"))
      return alias();
    if (is("if"))
      return void(into.push_back(branch()));
    if (is("for") || is("while"))
      return void(into.push_back(loop()));
    if (is("switch"))
      return void(into.push_back(choiceOfCases()));
    for (const char *word : {"struct", "class", "union", "enum", "template", "typedef", "throw", "delete", "extern"})
      if (is(word))
        refuse(now().line, "'" + now().text + "' is outside of the subset");
    if (is("do") || is("goto") || is("try") || is("asm") || is("case") || is("default") || is(":", 1))
      refuse(now().line, "'" + now().text + "' is outside of the subset");
    for (auto [word, kind] : {std::pair{"return", Statement::Kind::Return},
                              {"break", Statement::Kind::Break},
                              {"continue", Statement::Kind::Continue}})
      if (is(word)) {
        Statement made = start(kind);
        ++at;
        if ((made.hasValue = !is(";")))
          made.value = expression();
        expect(";");
        return void(into.push_back(made));
      }
    if (declaration(into))
      return;
    Statement made = start(Statement::Kind::Evaluate);
    made.value = expression();
    expect(";");
    into.push_back(made);
  }

  /// Reads `TYPE NAME ...;` if that stands here.
  bool declaration(std::vector<Statement> &into) {
    const std::size_t begin = at;
    Statement made = start(Statement::Kind::Declare);
    const bool lasting = is("static") && !is("const", 1) && !is("constexpr", 1);
    made.type = type();
    if (made.type.empty() || now().kind != Token::Kind::Name ||
        !(is("=", 1) || is(";", 1) || is("(", 1) || is("{", 1) || is("[", 1) || is(",", 1))) {
      at = begin;
      return false;
    }
    if (!made.type.empty() && (lasting || made.type.find('&') != std::string::npos))
      refuse(made.line, "a static variable or a reference");
    for (;;) {
      made.name = now().text;
      made.line = now().line;
      made.column = now().column;
      ++at;
      if (is("["))
        arrayBounds(made);
      made.hasValue = false;
      if (take("=")) {
        made.hasValue = true;
        made.value = is("{") ? list() : expression();
      } else if (is("(") || is("{")) {
        made.hasValue = true;
        made.value = Expression{};
        made.value.kind = Expression::Kind::Construct;
        made.value.type = made.type;
        made.value.line = now().line;
        bool round = take("(");
        if (!round)
          expect("{");
        arguments(made.value.children, round ? ")" : "}");
      }
      into.push_back(made);
      if (!take(","))
        break;
    }
    expect(";");
    return true;
  }

  void arrayBounds(Statement &made) {
    if (made.type.find('[') != std::string::npos || !is("]", 2))
      refuse(now().line, "an array of this form");
    made.type += "[" + now(1).text + "]";
    at += 3;
  }

  Expression list() {
    Expression made;
    made.kind = Expression::Kind::List;
    made.line = now().line;
    expect("{");
    arguments(made.children, "}");
    return made;
  }

  void arguments(std::vector<Expression> &into, const char *close) {
    while (!take(close)) {
      into.push_back(is("{") ? list() : choice());
      if (!is(close))
        expect(",");
    }
  }

  std::vector<Statement> body() {
    std::vector<Statement> made;
    statement(made);
    if (!made.empty() && made.front().kind == Statement::Kind::Declare)
      refuse(made.front().line, "a declaration as a body");
    return made;
  }

  Statement branch() {
    Statement made = start(Statement::Kind::If);
    ++at;
    if (is("constexpr"))
      refuse(now().line, "'if constexpr' is outside of the subset");
    expect("(");
    made.value = expression();
    expect(")");
    made.body = body();
    if (take("else"))
      made.otherwise = body();
    return made;
  }

  Statement loop() {
    Statement made = start(Statement::Kind::Loop);
    bool counted = take("for");
    if (!counted)
      ++at;
    expect("(");
    if (counted && !take(";"))
      statement(made.before);
    if (counted && is(";")) {
      made.hasCondition = false;
    } else {
      made.value = expression();
    }
    if (counted)
      expect(";");
    while (counted && !is(")")) {
      Statement step = start(Statement::Kind::Evaluate);
      step.value = expression();
      made.otherwise.push_back(step);
      if (!is(")"))
        expect(",");
    }
    expect(")");
    made.body = body();
    return made;
  }

  Statement choiceOfCases() {
    Statement made = start(Statement::Kind::Switch);
    ++at;
    expect("(");
    made.value = expression();
    expect(")");
    expect("{");
    while (!take("}")) {
      std::vector<std::string> labels;
      while (is("case") || is("default")) {
        if (take("default")) {
          labels.push_back("default");
        } else {
          ++at;
          labels.push_back(spell(choice()));
        }
        expect(":");
      }
      if (labels.empty())
        refuse(now().line, "a switch of this form");
      made.cases.push_back({labels, {}});
      while (!is("case") && !is("default") && !is("}"))
        statement(made.cases.back().second);
    }
    return made;
  }

  // --- expressions, by precedence ---

  Expression node(Expression::Kind kind, const std::string &text, std::vector<Expression> children, int line) const {
    Expression made;
    made.kind = kind;
    made.text = text;
    made.children = std::move(children);
    made.line = line;
    return made;
  }

  Expression expression() {
    Expression left = choice();
    static const std::set<std::string> assigning = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    if (now().kind != Token::Kind::Mark || !assigning.count(now().text))
      return left;
    std::string by = now().text;
    int line = now().line;
    ++at;
    Expression right = is("{") ? list() : expression();
    return node(Expression::Kind::Binary, by, {left, right}, line);
  }

  Expression choice() {
    Expression condition = binary(0);
    int line = now().line;
    if (!take("?"))
      return condition;
    Expression yes = choice();
    expect(":");
    Expression no = choice();
    return node(Expression::Kind::Choice, "?", {condition, yes, no}, line);
  }

  Expression binary(std::size_t level) {
    static const std::vector<std::set<std::string>> levels = {
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (level == levels.size())
      return unary();
    Expression left = binary(level + 1);
    while (now().kind == Token::Kind::Mark && levels[level].count(now().text)) {
      std::string by = now().text;
      int line = now().line;
      ++at;
      Expression right = binary(level + 1);
      left = node(Expression::Kind::Binary, by, {left, right}, line);
    }
    return left;
  }

  Expression unary() {
    int line = now().line;
    for (const char *mark : {"-", "+", "!", "~", "*", "&", "++", "--"})
      if (take(mark))
        return node(Expression::Kind::Unary, mark, {unary()}, line);
    if (is("(")) {
      std::size_t begin = at++;
      std::string spelled = type();
      bool pointer = !spelled.empty() && spelled.back() == '*';
      bool plain = isArithmetic(spelled) || (spelled.size() > 2 && spelled.compare(spelled.size() - 2, 2, "_t") == 0);
      if ((pointer || plain || spelled.rfind("unsigned", 0) == 0) && take(")")) {
        Expression made = node(Expression::Kind::Cast, "", {unary()}, line);
        made.type = spelled;
        return made;
      }
      at = begin;
    }
    return postfix(primary());
  }

  Expression primary() {
    int line = now().line;
    if (take("(")) {
      Expression inner = expression();
      expect(")");
      return inner;
    }
    if (now().kind == Token::Kind::Number) {
      std::string text = tokens[at++].text;
      bool hex = text.rfind("0x", 0) == 0 || text.rfind("0X", 0) == 0;
      bool whole = hex || text.find_first_of(".eEfF") == std::string::npos;
      return node(whole ? Expression::Kind::Number : Expression::Kind::OtherLiteral, text, {}, line);
    }
    if (now().kind == Token::Kind::Text)
      return node(Expression::Kind::OtherLiteral, "\"" + tokens[at++].text + "\"", {}, line);
    if (is("reinterpret_cast") || is("static_cast") || is("const_cast")) {
      ++at;
      expect("<");
      std::string spelled = type();
      expect(">");
      expect("(");
      Expression made = node(Expression::Kind::Cast, "", {expression()}, line);
      made.type = spelled;
      expect(")");
      return made;
    }
    if (now().kind != Token::Kind::Name)
      refuse(line, "'" + now().text + "' is no expression");
    std::string name = tokens[at++].text;
    while (is("::") && now(1).kind == Token::Kind::Name) {
      name += "::" + now(1).text;
      at += 2;
    }
    return named(name, line);
  }

  /// A name, with template arguments if a call or a construction follows them.
  Expression named(const std::string &name, int line) {
    std::string full = name;
    std::vector<std::string> templates;
    if (is("<") && templateEnd() != 0 && tokens[templateEnd()].text == "(") {
      std::size_t begin = at;
      skipPair("<", ">");
      std::string part;
      int depth = 0;
      for (std::size_t i = begin + 1; i < at; ++i) {
        const std::string &text = tokens[i].text;
        bool last = i + 1 == at;
        if ((text == "," && depth == 0) || last) {
          if (last && text == ">>")
            part += ">";
          templates.push_back(part);
          part.clear();
          continue;
        }
        depth += text == "<" || text == "(" ? 1 : text == ">" || text == ")" ? -1 : 0;
        part += text;
      }
      for (std::size_t i = begin; i < at; ++i)
        full += tokens[i].text;
    }
    if (take("(")) {
      bool object = !templates.empty() && (name == "Tile" || name == "GlobalTensor" || name == "pto::Shape" ||
                                           name == "pto::Stride" || name == "TPipe" || name == "Shape" ||
                                           name == "Stride" || name == "pto::Tile" || name == "pto::GlobalTensor");
      Expression made = node(object ? Expression::Kind::Construct : Expression::Kind::Call, name, {}, line);
      made.type = full;
      made.templates = templates;
      arguments(made.children, ")");
      return made;
    }
    if (!templates.empty())
      refuse(line, name + " with template arguments and no call");
    return node(Expression::Kind::Name, name, {}, line);
  }

  /// Behind the '>' that closes the '<' here; 0 if this is a comparison.
  std::size_t templateEnd() const {
    int depth = 0;
    for (std::size_t i = at; i < tokens.size() && i < at + 400; ++i) {
      const std::string &text = tokens[i].text;
      if (text == ";" || text == "{" || text == "}" || text == "&&" || text == "||" || text == "?" || text == "=")
        return 0;
      depth += text == "<" ? 1 : text == ">" ? -1 : text == ">>" ? -2 : 0;
      if (depth <= 0)
        return i + 1;
    }
    return 0;
  }

  Expression postfix(Expression base) {
    for (;;) {
      int line = now().line;
      if (take("[")) {
        Expression index = expression();
        expect("]");
        base = node(Expression::Kind::Index, "[]", {base, index}, line);
      } else if (is(".") || is("->")) {
        ++at;
        std::string member = tokens[at++].text;
        Expression made = node(Expression::Kind::Method, member, {base}, line);
        if (!take("("))
          refuse(line, "the member " + member);
        arguments(made.children, ")");
        base = made;
      } else if (is("++") || is("--")) {
        std::string mark = tokens[at++].text;
        base = node(Expression::Kind::Unary, mark, {base}, line);
        base.type = "after";
      } else {
        return base;
      }
    }
  }

  const std::vector<Token> &tokens;
  File &file;
  std::size_t at = 0;
  std::string lastName;
  int blocks = 0; // of `extern "C" {`
};

} // namespace

File parse(const std::string &text, const std::set<std::string> &defined, const std::set<std::string> &known) {
  Lexer lexer(text, defined, known);
  lexer.run();
  File file;
  file.sections = lexer.conditional;
  Parser(lexer.tokens, file).run();
  return file;
}

std::int64_t writtenNumber(const std::string &text) {
  std::size_t digits = !text.empty() && text[0] == '-';
  if (digits == text.size() || text.size() > 18 ||
      !std::all_of(text.begin() + digits, text.end(), [](unsigned char c) { return std::isdigit(c); }) ||
      (text[digits] == '0' && text.size() > digits + 1))
    throw Refused{"'" + text + "' where a plain number was expected"};
  return std::stoll(text);
}

bool isSync(const Statement &statement) {
  return statement.kind == Statement::Kind::Evaluate && statement.value.kind == Expression::Kind::Call &&
         isSyncName(statement.value.text);
}

std::string spell(const Expression &expression) {
  std::string made = std::to_string(static_cast<int>(expression.kind)) + expression.text + "<" + expression.type + ">";
  if (expression.children.empty())
    return made;
  made += "(";
  for (const Expression &child : expression.children)
    made += spell(child) + ",";
  return made + ")";
}

} // namespace ptosync::check
