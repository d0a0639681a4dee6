#include "check/text.h"

#include <algorithm>

namespace ptosync::check {

void refuse(int line, const std::string &what) { throw Refused{"line " + std::to_string(line) + ": " + what}; }

namespace {

bool isArithmetic(const std::string &name) {
  static const std::set<std::string> names = {
      "bool",    "char",     "short",   "int",      "long",      "unsigned", "signed",     "int8_t",    "uint8_t",
      "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",   "uint64_t", "size_t",     "uintptr_t", "intptr_t",
      "float",   "double",   "half",    "event_t",  "mem_dsb_t", "void",     "bfloat16_t", "pipe_t"};
  return names.count(name) != 0;
}

bool isAssignment(const std::string &by) {
  static const std::set<std::string> all = {"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
  return all.count(by) != 0;
}

bool isSyncName(const std::string &name) {
  return name == "pipe_barrier" || name == "set_flag" || name == "wait_flag" || name == "get_buf" || name == "rls_buf";
}

/// Qualifiers that say in which memory something lies; other names that begin like them are types.
bool isSpace(const std::string &name) {
  static const std::set<std::string> names = {"__gm__", "__ubuf__", "__cbuf__", "__ca__",
                                              "__cb__", "__cc__",   "__fbuf__", "__biasbuf__"};
  return names.count(name) != 0;
}

class Parser {
public:
  Parser(const std::vector<Token> &tokens, File &file) : tokens(tokens), file(file) {}

  void run() {
    while (now().kind != Token::Kind::End)
      topLevel();
    outside(at);
    for (const auto &[name, times] : mentions)
      if (times > 0)
        file.mentioned.insert(name);
  }

private:
  /// One statement or expression within another one: the reader and the walk go down with each.
  class Within {
  public:
    explicit Within(Parser &of) : depth(of.depth) {
      if (depth == kMostDepth)
        refuse(of.now().line, "statements or expressions within too many others");
      ++depth;
    }
    ~Within() { --depth; }
    Within(const Within &) = delete;
    Within &operator=(const Within &) = delete;

  private:
    int &depth;
  };

  const Token &now(std::size_t ahead = 0) const { return tokens[std::min(at + ahead, tokens.size() - 1)]; }
  bool is(const char *text, std::size_t ahead = 0) const {
    return now(ahead).text == text && now(ahead).kind != Token::Kind::Text;
  }
  bool take(const char *text) { return is(text) && (++at, true); }
  void expect(const char *text) {
    if (!take(text))
      refuse(now().line, std::string("'") + text + "' was expected in front of '" + now().text + "'");
  }

  /// What stands in front of that token and in no body so far is the same in both versions, or they are refused.
  void outside(std::size_t end) {
    for (; seen < end; ++seen) {
      file.outside += tokens[seen].text + " ";
      mentions[tokens[seen].text] += tokens[seen].kind == Token::Kind::Name;
    }
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

  void skipToBody() {
    while (!is("{") && !is(";") && now().kind != Token::Kind::End)
      ++at;
  }

  void topLevel() {
    if (take(";"))
      return;
    if (is("using") || is("static_assert"))
      return alias(false);
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
    templateHead.clear();
    if (is("template")) {
      std::size_t begin = ++at;
      skipPair("<", ">");
      for (std::size_t i = begin; i + 1 < at; ++i) {
        templateHead += tokens[i].text + " ";
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
  void alias(bool within) {
    if (is("using") && is("=", 2))
      file.aliases.insert(now(1).text);
    else if (is("using") && (within || is("enum", 1)) && !is("namespace", 1))
      refuse(now().line, "names that are not said");
    const std::size_t start = at;
    skipTo(";");
    for (std::size_t i = start; i < at; ++i)
      file.outside += tokens[i].text + " ";
  }

  void enumeration() {
    ++at;
    if (!take("class")) { // of what type its numbers are is not plain to see: nobody knows them
      for (; !is(";") && now().kind != Token::Kind::End; ++at)
        file.declared.insert(now().text);
      return;
    }
    std::string scope = now().text;
    file.taken.insert(scope);
    ++at;
    skipToBody();
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
      }
      if ((!is(",") && !is("}")) || next < INT32_MIN || next > INT32_MAX)
        refuse(now().line, "an enumerator of this form");
      file.enumerators[scope + "::" + name] = next++;
    }
    expect(";");
  }

  void declarationOrFunction(bool ofValues) {
    Function function;
    function.line = now().line;
    const std::size_t start = at;
    // Everything up to the name that a parenthesis follows belongs to the head.
    while (!is("(") && !is(";") && !is("=") && !is("{") && now().kind != Token::Kind::End) {
      function.device = function.device || is("AICORE") || is("__aicore__") || is("__global__");
      function.entry = function.entry || is("__global__");
      if (is("operator")) // its name may be a word: `bitor`
        refuse(now().line, "an operator of the file's own");
      function.name = now().text;
      is("<") ? skipPair("<", ">") : void(++at);
    }
    const std::size_t end = at;
    at = start;
    if (tokens[end].text != "(")
      return constant(end);
    if (end == start || tokens[end - 1].kind != Token::Kind::Name)
      refuse(function.line, "a specialisation or an operator");
    file.taken.insert(function.name);
    --mentions[function.name]; // this head is none
    while (is("static") || is("inline") || is("AICORE") || is("__aicore__") || is("__global__") || is("extern") ||
           now().kind == Token::Kind::Text)
      ++at;
    function.result = type();
    if (function.device && (function.result.empty() || at + 1 != end || now().text != function.name))
      refuse(function.line, "a function with a head of this form");
    at = end + 1;
    parameters(function);
    if (take("->")) {
      function.result = type();                                               // it is said behind the parameters
      const bool whole = is("{") || is(";") || function.result == "decltype"; // of which no number may be
      if (function.device && (function.result.empty() || !whole))
        refuse(function.line, "a result of this form");
      skipToBody();
    }
    if (take(";"))
      return; // it is declared here and defined elsewhere
    if (!is("{"))
      refuse(now().line, "a function without a body");
    definition(function, ofValues);
  }

  /// Of the variables of a file those that nobody gives another value.
  void constant(std::size_t end) {
    bool fixed = false;
    int depth = 0; // what is constant within <> says nothing of the variable
    for (std::size_t i = at; i < end; ++i) {
      const std::string &text = tokens[i].text;
      depth += text == "<" ? 1 : text == ">" ? -1 : text == ">>" ? -2 : 0;
      fixed = fixed || (depth == 0 && (text == "const" || text == "constexpr"));
    }
    const int line = now().line;
    while (is("static") || is("inline"))
      ++at;
    if (!fixed || !declaration(file.constants) || file.constants.back().type.find('*') != std::string::npos)
      refuse(line, "this at the top of a file");
  }

  void definition(Function &function, bool ofValues) {
    const std::size_t body = at;
    skipPair("{", "}");
    if (!function.device)
      return; // the host's: nothing of it runs on a core
    const std::size_t end = at;
    outside(body);
    seen = end;
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
    if (!file.functions.emplace(function.name, function).second) // templates may differ in the result alone
      refuse(function.line, "several functions named " + function.name);
    file.order.push_back(function.name);
  }

  void parameters(Function &function) {
    std::string types = templateHead + "("; // with what tells two functions of one name apart: "const" too
    while (!take(")")) {
      Parameter parameter;
      const std::size_t begin = at;
      parameter.type = type();
      for (std::size_t i = begin; i < at; ++i)
        types += tokens[i].text + " ";
      types += ",";
      parameter.name = now().kind == Token::Kind::Name ? tokens[at++].text : "";
      file.declared.insert(parameter.name);
      if (take("=")) {
        parameter.hasDefault = true;
        parameter.byDefault = choice();
      }
      function.parameters.push_back(parameter);
      if (!is(")"))
        expect(",");
    }
    if (auto [known, fresh] = heads.try_emplace(function.name, types); !fresh && known->second != types)
      refuse(function.line, "several functions named " + function.name);
  }

  /// The spelling of a type, or an empty text where none stands here.
  std::string type() {
    std::string spelled;
    bool named = false;
    for (;; ++at) {
      if (is("const") || is("constexpr") || is("typename") || is("__restrict__"))
        continue;
      if (is("static") || is("volatile"))
        return "";
      if (now().kind == Token::Kind::Name && isSpace(now().text) && !named) {
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
    const Within within(*this);
    if (take(";"))
      return;
    if (is("{"))
      return void(into.push_back(block()));
    if (is("using") || is("static_assert"))
      return alias(true);
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
    if (made.value.kind == Expression::Kind::Construct)
      refuse(made.line, "what may be a declaration with its name in parentheses");
    if (made.value.kind == Expression::Kind::Name)
      refuse(made.line, "a name alone, perhaps of a macro");
    expect(";");
    into.push_back(made);
  }

  /// Reads `TYPE NAME ...;` if that stands here.
  bool declaration(std::vector<Statement> &into) {
    const std::size_t begin = at;
    Statement made = start(Statement::Kind::Declare);
    if (is("static") && is("constexpr", 1))
      ++at;
    made.type = type();
    if (made.type.empty() || now().kind != Token::Kind::Name ||
        !(is("=", 1) || is(";", 1) || is("(", 1) || is("{", 1) || is("[", 1) || is(",", 1))) {
      at = begin;
      return false;
    }
    if (made.type.find('&') != std::string::npos)
      refuse(made.line, "a reference");
    for (;;) {
      made.name = now().text;
      file.declared.insert(made.name);
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
        arguments(made.value, round ? ")" : "}");
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
    const Within within(*this);
    Expression made;
    made.kind = Expression::Kind::List;
    made.line = now().line;
    expect("{");
    arguments(made, "}");
    return made;
  }

  void arguments(Expression &of, const char *close) {
    while (!take(close)) {
      of.children.push_back(is("{") ? list() : choice());
      if (!is(close))
        expect(",");
    }
    measure(of);
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
    measure(made);
    return made;
  }

  static void measure(Expression &made) {
    for (const Expression &child : made.children)
      made.depth = std::max(made.depth, child.depth + 1);
    if (made.depth > kMostDepth)
      refuse(made.line, "an expression of too many parts");
  }

  Expression expression() {
    const Within within(*this);
    Expression left = choice();
    if (now().kind != Token::Kind::Mark || !isAssignment(now().text))
      return left;
    std::string by = now().text;
    int line = now().line;
    ++at;
    Expression right = is("{") ? list() : expression();
    return node(Expression::Kind::Binary, by, {left, right}, line);
  }

  Expression choice() {
    const Within within(*this);
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
    const Within within(*this);
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
      return node(Expression::Kind::OtherLiteral, tokens[at++].text, {}, line);
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
      arguments(made, ")");
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
        arguments(made, ")");
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
  int depth = 0;
  int blocks = 0; // of `extern "C" {`
  std::size_t seen = 0;
  std::string templateHead;                 // of the function that is read
  std::map<std::string, std::string> heads; // of the template, and types of the parameters, by function
  std::map<std::string, int> mentions;      // how often a name stands in no body, but for heads of functions
};

} // namespace

File parse(const std::string &text, const std::set<std::string> &defined, const std::set<std::string> &known) {
  File file;
  const std::vector<Token> tokens = tokensOf(text, defined, known, file.sections);
  Parser(tokens, file).run();
  file.launches = text.find("<<<") != std::string::npos ||
                  std::any_of(file.functions.begin(), file.functions.end(), [&](const auto &one) {
                    return one.second.entry && std::any_of(file.mentioned.begin(), file.mentioned.end(), // by a macro,
                                                           [&](const std::string &name) { // or as aclrtlaunch_NAME
                                                             return name.ends_with(one.first);
                                                           });
                  });
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

bool assigns(const Expression &expression) {
  const std::string &by = expression.text;
  return (expression.kind == Expression::Kind::Unary && (by == "++" || by == "--")) ||
         (expression.kind == Expression::Kind::Binary && isAssignment(by));
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
