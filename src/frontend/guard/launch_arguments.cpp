#include "frontend/guard/launch_arguments.h"

#include "frontend/library/names.h"
#include "frontend/read/token_stream.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>

namespace ptosync {
namespace {

constexpr std::size_t kMostLaunches = 4096; // of the file, callers counted
constexpr std::uint32_t kMostArguments = 64;
constexpr std::size_t kBlocksAndStream = 2; // in front of the kernel's own arguments
const char *const kRest = "__VA_ARGS__";    // in a macro: the arguments behind the named ones
const char *const kAnything = "?";          // among the names of an argument: it may be any buffer

struct TokenSpan {
  std::size_t begin = 0, end = 0; // numbers of tokens
  bool empty() const { return begin >= end; }
};

/// PathNames that an expression is made of, by path.
using PathNames = std::set<std::string>;

bool isNumberType(llvm::StringRef word) {
  return llvm::StringSwitch<bool>(word)
      .Cases("int", "unsigned", "signed", "long", "short", "char", "bool", true)
      .Cases("int8_t", "int16_t", "int32_t", "int64_t", "size_t", "ptrdiff_t", true)
      .Cases("uint8_t", "uint16_t", "uint32_t", "uint64_t", "float", "double", true)
      .Default(false);
}

bool isKeyword(llvm::StringRef word) {
  return isNumberType(word) || llvm::StringSwitch<bool>(word)
                                   .Cases("const", "volatile", "void", "auto", "static", "constexpr", "struct", true)
                                   .Cases("return", "if", "else", "for", "while", "do", "switch", "case", true)
                                   .Cases("new", "delete", "nullptr", "NULL", "true", "false", "sizeof", true)
                                   .Cases("static_cast", "reinterpret_cast", "const_cast", "std", "__gm__", true)
                                   .Cases("template", "typename", "using", "namespace", "operator", "extern", true)
                                   .Default(false);
}

/// What stands behind it is not declared there.
bool isOperatorWord(llvm::StringRef word) {
  return llvm::is_contained({"return", "else", "do", "case", "goto", "throw", "new", "delete", "sizeof", "operator",
                             "namespace", "using", "typename", "co_return", "co_await", "co_yield"},
                            word);
}

/// One is the other, or a part of it.
bool sharePath(const std::string &one, const std::string &other) {
  const std::string &shorter = one.size() < other.size() ? one : other;
  const std::string &longer = one.size() < other.size() ? other : one;
  return longer.compare(0, shorter.size(), shorter) == 0 &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '.' || longer[shorter.size()] == '[');
}

bool share(const PathNames &one, const PathNames &other) {
  if (one.count(kAnything) || other.count(kAnything))
    return !one.empty() && !other.empty();
  return std::any_of(one.begin(), one.end(), [&](const std::string &a) {
    return std::any_of(other.begin(), other.end(), [&](const std::string &b) { return sharePath(a, b); });
  });
}

std::string firstName(const std::string &path) { return path.substr(0, path.find_first_of(".[")); }

/// What a call of a function gives: the name that it has among paths.
std::string resultOf(llvm::StringRef function) { return function.str() + "()"; }

/// A function, lambda or macro whose text is read, or the file around them.
struct LaunchScope {
  std::string name;
  std::vector<std::string> parameters;
  std::set<std::size_t> references; // parameters that a caller's variable may be set through, by number
  TokenSpan body;
  std::optional<std::size_t> outer;      // the function that a lambda is in
  std::set<std::string> numbers;         // names declared as such
  std::set<std::string> pointers;        // names declared with a star
  std::set<std::string> oneBuffer;       // its parameters that are arrays of arrays: one element behind the other
  std::set<std::string> declared;        // its own variables
  std::map<std::string, PathNames> made; // what a path was given
};

struct Launch {
  std::string kernel;
  std::vector<PathNames> arguments;
  bool unclear = false; // which argument is which is not known: any two may share a buffer
  bool operator<(const Launch &other) const {
    return std::tie(kernel, arguments, unclear) < std::tie(other.kernel, other.arguments, other.unclear);
  }
};

class LaunchReader {
public:
  LaunchReader(const TokenStream &file, const std::set<std::string> &kernels, const std::vector<SourceRange> &chip)
      : kernels(kernels), words(file.tokens()) {
    for (const SourceToken &word : words)
      ofChip.push_back(llvm::any_of(
          chip, [&](const SourceRange &range) { return range.begin <= word.begin && word.begin < range.end; }));
  }

  std::map<std::string, ArgumentPairs> read() {
    findScopes();
    for (LaunchScope &scope : scopes)
      readDeclarations(scope);
    for (const LaunchScope &scope : scopes)
      noteSetElsewhere(scope);
    for (const LaunchScope &scope : scopes)
      readCalls(scope);
    passOn();
    std::map<std::string, ArgumentPairs> found;
    for (std::set<Launch> &own : launches)
      for (const Launch &launch : own)
        addPairs(launch, found[launch.kernel]);
    return found;
  }

private:
  void addPairs(const Launch &launch, ArgumentPairs &pairs) const {
    const bool all = tooMany || launch.unclear;
    const std::vector<PathNames> &arguments = launch.arguments;
    for (std::uint32_t i = 0; i < (all ? kMostArguments : arguments.size()); ++i)
      for (std::uint32_t j = i + 1; j < (all ? kMostArguments : arguments.size()); ++j)
        if (all || share(arguments[i], arguments[j]))
          pairs.insert({i, j});
  }

  bool is(std::size_t at, llvm::StringRef text) const { return at < words.size() && words[at].text == text; }
  llvm::ArrayRef<SourceToken> wordsOf(TokenSpan span) const {
    return span.empty() ? llvm::ArrayRef<SourceToken>() : words.slice(span.begin, span.end - span.begin);
  }
  /// A name behind it may be declared there.
  bool isTypeWord(std::size_t at) const { return words[at].isIdentifier() && !isOperatorWord(words[at].text); }
  bool isName(std::size_t at) const {
    return at < words.size() && words[at].isIdentifier() && !isKeyword(words[at].text);
  }

  /// Behind the bracket that closes the one at `open`.
  std::size_t behind(std::size_t open, std::size_t end) const {
    const llvm::StringRef opens = words[open].text;
    if (opens == "(" || opens == "[" || opens == "{")
      return words[open].partner < end ? words[open].partner + 1 : end;
    int depth = 0;
    for (std::size_t at = open; at < end; ++at) {
      depth += words[at].text == opens ? 1 : words[at].text == ">" ? -1 : 0;
      if (opens == "<" && words[at].text == ">>")
        depth -= 2;
      if (opens == "<" && (is(at, ";") || is(at, "{")))
        return open;
      if (depth <= 0)
        return at + 1;
    }
    return end;
  }

  /// Behind the template arguments of a call, if those begin at `at`.
  std::size_t behindTemplate(std::size_t at, std::size_t end) const {
    const std::size_t after = is(at, "<") ? behind(at, end) : at;
    return is(after, "(") ? after : at;
  }

  std::vector<TokenSpan> split(TokenSpan list) const {
    std::vector<TokenSpan> parts;
    std::size_t from = list.begin;
    int depth = 0;
    for (std::size_t at = list.begin; at < list.end; ++at) {
      const llvm::StringRef text = words[at].text;
      depth += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
      if (text == "<" && at > list.begin && words[at - 1].isIdentifier()) { // template arguments, or a comparison
        const std::size_t after = behind(at, list.end);
        if (after != at && after < list.end && (is(after, "(") || is(after, "::") || is(after, "{")))
          at = after - 1;
      } else if (text == "," && depth == 0) {
        parts.push_back({from, at});
        from = at + 1;
      }
    }
    if (from < list.end || !parts.empty())
      parts.push_back({from, list.end});
    return parts;
  }

  // Scopes.

  void findScopes() {
    scopes.push_back({"", {}, {}, {0, words.size()}, {}, {}, {}, {}, {}, {}}); // the file
    for (std::size_t at = 0; at < words.size(); ++at) {
      if (words[at].startsLine && is(at, "#") && is(at + 1, "define") && at + 2 < words.size())
        at = findMacro(at + 2) - 1;
      else if (is(at, "{"))
        findFunction(at);
    }
    for (std::size_t i = 1; i < scopes.size(); ++i) {
      byName[scopes[i].name].push_back(i);
      scopes[i].outer = outerOf(scopes[i]);
    }
  }

  /// The innermost function around a scope.
  std::optional<std::size_t> outerOf(const LaunchScope &scope) const {
    std::optional<std::size_t> found;
    for (std::size_t i = 1; i < scopes.size(); ++i) // in the order in which they begin, but for macros
      if (scopes[i].body.begin < scope.body.begin && scope.body.end <= scopes[i].body.end &&
          (!found || scopes[i].body.begin > scopes[*found].body.begin))
        found = i;
    return found;
  }

  std::size_t findMacro(std::size_t name) {
    std::size_t end = name + 1;
    while (end < words.size() && !words[end].startsLine)
      ++end;
    LaunchScope macro{words[name].text.str(), {}, {}, {name + 1, end}, {}, {}, {}, {}, {}, {}};
    if (is(name + 1, "(") && words[name + 1].begin == words[name].end()) {
      const std::size_t close = behind(name + 1, end);
      for (TokenSpan parameter : split({name + 2, close - 1}))
        macro.parameters.push_back(parameter.empty() ? "" : words[parameter.end - 1].text.str());
      macro.body.begin = close;
    } else { // another name for what it stands for
      objectMacros.insert_or_assign(macro.name, macro.body);
      scopes.front().made[macro.name].merge(namesIn(scopes.front(), macro.body, /*pointersOnly=*/false));
    }
    scopes.push_back(std::move(macro));
    return end;
  }

  /// The function or lambda whose body begins at `brace`, if it is one.
  void findFunction(std::size_t brace) {
    std::size_t at = brace;
    while (
        at > 0 &&
        (words[at - 1].isIdentifier() || is(at - 1, "*") || is(at - 1, "&") || is(at - 1, "->") || is(at - 1, "::")) &&
        !is(at - 1, "else") && !is(at - 1, "do"))
      --at; // const, noexcept, -> type
    if (at > 0 && is(at - 1, "]"))
      return findLambda(at - 1, brace, {});
    if (at == 0 || !is(at - 1, ")"))
      return;
    const std::size_t open = opening(at - 1);
    if (open == 0)
      return;
    const std::size_t name = open - 1;
    if (is(name, "]"))
      findLambda(name, brace, {open + 1, at - 1});
    else if (isName(name))
      addFunction(name, brace, {open + 1, at - 1});
  }

  /// The lambda whose captures end at `close`: what it is called stands in front of the `=`.
  void findLambda(std::size_t close, std::size_t brace, TokenSpan parameters) {
    std::size_t name = close;
    while (name > 0 && !is(name, "["))
      --name;
    if (name >= 2 && (is(name - 1, "=") || is(name - 1, "{") || is(name - 1, "(")) && isName(name - 2))
      addFunction(name - 2, brace, parameters);
  }

  void addFunction(std::size_t name, std::size_t brace, TokenSpan parameters) {
    LaunchScope scope{words[name].text.str(), {}, {}, {brace, behind(brace, words.size())}, {}, {}, {}, {}, {}, {}};
    for (TokenSpan parameter : split(parameters)) {
      const llvm::ArrayRef<SourceToken> span = wordsOf(parameter);
      if (llvm::any_of(span, [](const SourceToken &word) { return word.text == "&"; }) &&
          llvm::none_of(span, [](const SourceToken &word) { return word.text == "const"; }))
        scope.references.insert(scope.parameters.size());
      scope.parameters.push_back(declaredName(scope, parameter));
    }
    headers.insert(name);
    scopes.push_back(std::move(scope));
  }

  /// The name of a parameter, noted as a number or pointer.
  std::string declaredName(LaunchScope &scope, TokenSpan declaration) const {
    std::string name;
    bool star = false, number = false, oneBuffer = false;
    for (std::size_t at = declaration.begin; at < declaration.end && !is(at, "="); ++at) {
      star |= is(at, "*") || is(at, "[");
      number |= isNumberType(words[at].text);
      if (isName(at))
        name = words[at].text.str();
      oneBuffer |= (is(at, ")") || is(at, "]")) && is(at + 1, "[");
    }
    if (oneBuffer)
      scope.oneBuffer.insert(name);
    if (star)
      scope.pointers.insert(name);
    else if (number)
      scope.numbers.insert(name);
    return name;
  }

  bool inside(const LaunchScope &scope, std::size_t at) const {
    if (ofChip[at])
      return false;
    if (!scope.name.empty())
      return true;
    return std::none_of(scopes.begin() + 1, scopes.end(),
                        [&](const LaunchScope &other) { return other.body.begin <= at && at < other.body.end; });
  }

  /// `float *b = a + 64`, `b = a`, `ctx.in += n`, `float *b(a)`, `float *b{a}`.
  void readDeclarations(LaunchScope &scope) {
    for (std::size_t at = scope.body.begin; at < scope.body.end; ++at) {
      if (!inside(scope, at))
        continue;
      if (isName(at) && at > scope.body.begin)
        noteName(scope, at);
      const bool assigns = is(at, "=") || is(at, "+=") || is(at, "-=");
      const bool declares = at > scope.body.begin && isName(at - 1) && at > 1 && (is(at, "(") || is(at, "{")) &&
                            (isTypeWord(at - 2) || is(at - 2, "*") || is(at - 2, "&"));
      if (!assigns && !declares)
        continue;
      give(scope, at,
           assigns ? TokenSpan{at + 1, endOfExpression(at + 1, scope.body.end)}
                   : TokenSpan{at + 1, behind(at, scope.body.end) - 1});
    }
  }

  /// What the name at `at` is, if it is declared there.
  void noteName(LaunchScope &scope, std::size_t at) {
    const std::string name = words[at].text.str();
    const bool star =
        (is(at - 1, "*") || is(at - 1, "&")) && at > 1 &&
        (words[at - 2].isIdentifier() || is(at - 2, ">") || is(at - 2, "*") || (is(at - 1, "*") && is(at - 2, ",")));
    const bool typed = isTypeWord(at - 1) || is(at - 1, ">");
    const bool ends = is(at + 1, "=") || is(at + 1, ";") || is(at + 1, ",") || is(at + 1, ":") || is(at + 1, "{");
    if ((star || typed) && (ends || is(at + 1, "(") || is(at + 1, "[")))
      scope.declared.insert(name);
    if (star && is(at - 1, "*") && is(at + 1, "["))
      arrays.insert(name);
    if (is(at - 1, ",") && is(at + 1, "="))
      noteFurther(scope, at);
    if (star && is(at - 1, "*") && !is(at - 2, ",") && (ends || is(at + 1, "(")))
      scope.pointers.insert(name);
    else if (isNumberType(words[at - 1].text) && ends)
      scope.numbers.insert(name);
  }

  /// `uint64_t x = p, y = q`: the second one.
  void noteFurther(LaunchScope &scope, std::size_t at) const {
    std::size_t start = at;
    for (int depth = 0; start > scope.body.begin; --start) {
      depth += is(start - 1, ")") || is(start - 1, "]") ? 1 : is(start - 1, "(") || is(start - 1, "[") ? -1 : 0;
      if (depth < 0 || is(start - 1, ";") || is(start - 1, "{") || is(start - 1, "}"))
        break;
    }
    while (is(start, "const") || is(start, "static"))
      ++start;
    if (!isTypeWord(start) ||
        !(words[start + 1].isIdentifier() || is(start + 1, "*") || is(start + 1, "::") || is(start + 1, "<")))
      return; // `x = 1, y = 2`
    scope.declared.insert(words[at].text.str());
    if (isNumberType(words[start].text) || (is(start + 1, "::") && isNumberType(words[start + 2].text)))
      scope.numbers.insert(words[at].text.str());
  }

  /// What is written in front of `at` gets `value`.
  void give(LaunchScope &scope, std::size_t at, TokenSpan value) const {
    if (at > 0 && is(at - 1, "]") && isBinding(at - 1))
      return giveBinding(scope, at - 1, value);
    std::string path = pathEndingAt(at, scope.body.begin);
    if (path.empty())
      return;
    std::size_t first = at;
    while (first > scope.body.begin && !is(first, firstName(path)))
      --first;
    const std::size_t before = first - (first > scope.body.begin ? 1 : 0);
    if (scope.declared.count(firstName(path)) && (is(before, "*") || words[before].isIdentifier()))
      path = firstName(path); // an array with its elements
    const bool number = scope.numbers.count(path) != 0;
    const PathNames names = namesIn(scope, value, /*pointersOnly=*/false, number);
    scope.made[path].insert(names.begin(), names.end());
  }

  /// `auto [x, y] = ...`.
  bool isBinding(std::size_t close) const {
    std::size_t open = close;
    while (open > 0 && !is(open, "["))
      --open;
    return open > 0 && (is(open - 1, "auto") || (is(open - 1, "&") && open > 1 && is(open - 2, "auto")));
  }
  void giveBinding(LaunchScope &scope, std::size_t close, TokenSpan value) const {
    const PathNames names = namesIn(scope, value, /*pointersOnly=*/false);
    for (std::size_t at = close; !is(at, "["); --at)
      if (isName(at)) {
        scope.declared.insert(words[at].text.str());
        scope.made[words[at].text.str()].insert(names.begin(), names.end());
      }
  }

  // What is set in ways that are not followed.

  /// Variables that may be set through an address, a reference or a capture, members that are assigned.
  void noteSetElsewhere(const LaunchScope &scope) {
    for (const auto &[path, names] : scope.made) {
      const std::string first = firstName(path);
      if (!scope.declared.count(first) && !isParameter(scope, first))
        setMembers.insert(first); // of an object, or a variable of the file
      for (std::size_t at = path.find('.'); at != std::string::npos; at = path.find('.', at + 1))
        setMembers.insert(firstName(path.substr(at + 1)));
    }
    for (std::size_t at = std::max<std::size_t>(scope.body.begin, 1); at + 1 < scope.body.end; ++at) {
      if (!inside(scope, at))
        continue;
      if (is(at, "&"))
        noteAddress(scope, at);
      else if (is(at, ")") && (is(at + 1, "=") || is(at + 1, "+=") || is(at + 1, "-=")))
        setAll({opening(at), at}); // `(y) = a`
      else if (isName(at) && is(at + 1, "("))
        noteCall(scope, at);
    }
  }

  void noteAddress(const LaunchScope &scope, std::size_t at) {
    const bool castBefore = is(at - 1, ")") && at > 1 && is(at - 2, "*");
    const bool declares = words[at - 1].isIdentifier() || is(at - 1, "*") || is(at - 1, ">");
    if (declares && !is(at - 1, "return")) { // of a reference: what it is given may be set through it
      std::size_t from = at + 1;
      while (from < scope.body.end && !is(from, "=") && !is(from, ":") && !is(from, "(") && !is(from, ";"))
        ++from;
      const bool constant = (at > 1 && is(at - 2, "const")) || (at > 2 && is(at - 3, "const"));
      if (!constant && !is(from, ";"))
        setAll({from + 1, endOfExpression(from + 1, scope.body.end)});
    } else if ((castBefore || !(is(at - 1, ")") || is(at - 1, "]"))) && isName(at + 1) && !allocates(scope, at)) {
      const std::string name = words[at + 1].text.str();
      if (!is(at + 2, "[") || arrays.count(name)) // `&a[0]` is what `a` holds
        setElsewhere.insert(name);
    }
  }

  std::size_t opening(std::size_t close) const {
    return words[close].partner == SourceToken::kNoPartner ? 0 : words[close].partner;
  }

  /// True if the address at `at` is given to what makes a new buffer there.
  bool allocates(const LaunchScope &scope, std::size_t at) const {
    int depth = 0;
    while (at > scope.body.begin && depth <= 0) {
      --at;
      depth += is(at, "(") ? 1 : is(at, ")") ? -1 : 0;
    }
    return at > scope.body.begin && words[at - 1].isIdentifier() && words[at - 1].text.ends_with("lloc");
  }

  void noteCall(const LaunchScope &scope, std::size_t at) {
    const llvm::StringRef name = words[at].text;
    const std::vector<TokenSpan> arguments = split(inBrackets(at + 1, scope));
    if (llvm::is_contained({"swap", "exchange", "tie", "ref"}, name))
      for (TokenSpan argument : arguments)
        setAll(argument);
    if (auto known = byName.find(name); known != byName.end() && !headers.count(at))
      for (std::size_t callee : known->second)
        for (std::size_t i : scopes[callee].references)
          if (i < arguments.size())
            setAll(arguments[i]);
  }

  void setAll(TokenSpan span) {
    for (std::size_t at = span.begin; at < span.end; ++at)
      if (isName(at))
        setElsewhere.insert(words[at].text.str());
  }

  /// Of a lambda, the function that it is in; null if there is none.
  const LaunchScope *around(const LaunchScope &scope) const { return scope.outer ? &scopes[*scope.outer] : nullptr; }

  bool knows(const LaunchScope *scope, const std::string &name) const {
    for (; scope; scope = around(*scope))
      if (scope->declared.count(name) || isParameter(*scope, name) || scope->numbers.count(name))
        return true;
    return scopes.front().numbers.count(name) != 0;
  }

  /// True if all that a path was given is seen: it begins with a parameter or a variable of the function that nothing
  /// else sets. Two parameters, and two members of one, are different buffers unless a call in the file says otherwise.
  bool isClear(const LaunchScope &scope, const std::string &path) const {
    const std::string first = firstName(path);
    if (path.back() == ')' || first == kRest || llvm::StringRef(first).upper() == first) // of another file
      return true;
    if (setElsewhere.count(first) || !(knows(&scope, first) || objectMacros.count(first) || kernels.count(first)))
      return false;
    for (std::size_t at = path.find('.'); at != std::string::npos; at = path.find('.', at + 1))
      if (setMembers.count(firstName(path.substr(at + 1))))
        return false;
    return true;
  }

  std::size_t endOfExpression(std::size_t at, std::size_t end) const {
    int depth = 0;
    for (; at < end; ++at) {
      const llvm::StringRef text = words[at].text;
      depth += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
      if (depth < 0 || (depth == 0 && (text == ";" || text == ",")))
        return at;
    }
    return end;
  }

  /// The variable or member in front of `end`; empty if there is none.
  std::string pathEndingAt(std::size_t end, std::size_t least) const {
    std::size_t at = end;
    while (at > least) {
      if (is(at - 1, "]")) {
        while (at > least && !is(at - 1, "["))
          --at;
        at -= at > least ? 1 : 0;
      } else if (isName(at - 1) || is(at - 1, "this")) {
        --at;
        if (at > least && (is(at - 1, ".") || is(at - 1, "->")))
          --at;
        else
          break;
      } else {
        return {};
      }
    }
    PathNames names;
    if (at < end)
      addPath({at, end}, names);
    return names.size() == 1 ? *names.begin() : std::string();
  }

  // Expressions.

  /// The names in an expression. Of calls of functions only pointers that they are given count: what else they give is
  /// something new.
  PathNames namesIn(const LaunchScope &scope, TokenSpan expression, bool pointersOnly, bool numbers = false) const {
    PathNames names;
    std::size_t address = expression.begin; // what a number in front of it is made to: an address
    for (std::size_t at = expression.begin; at < expression.end;) {
      if (is(at, "(") && isCast({at + 1, behind(at, expression.end) - 1}, expression.end)) {
        at = behind(at, expression.end);
        address = std::max(address, is(at, "(") ? behind(at, expression.end) : at + 1);
      } else if (is(at, "sizeof")) {
        at = is(at + 1, "(") ? behind(at + 1, expression.end) : at + 2;
      } else if (is(at, "<") && at > expression.begin && words[at - 1].isIdentifier() &&
                 isKeyword(words[at - 1].text)) {
        const std::size_t after = std::max(behind(at, expression.end), at + 1); // of a cast
        const bool pointer = after > at + 1 && is(after - 2, "*") && is(after, "(");
        address = pointer ? std::max(address, behind(after, expression.end)) : address;
        at = after;
      } else if (isName(at) || is(at, "this")) {
        const NameUse use{pointersOnly, numbers || at<address, at> expression.begin && is(at - 1, "&")};
        at = addName(scope, {at, expression.end}, use, names);
      } else {
        ++at;
      }
    }
    return names;
  }

  /// `(T *)` in front of something.
  bool isCast(TokenSpan inner, std::size_t end) const {
    if (inner.empty() || !is(inner.end - 1, "*") || inner.end + 1 >= end)
      return false;
    return llvm::all_of(wordsOf(inner), [](const SourceToken &word) {
      return word.isIdentifier() || word.text == "*" || word.text == "::" || word.text == "<" || word.text == ">";
    });
  }

  struct NameUse {
    bool pointersOnly, numbers; // which ones count
    bool address;               // it is taken
  };

  /// Adds the name at the beginning of `rest`, and what is given to it if it is called; behind that.
  std::size_t addName(const LaunchScope &scope, TokenSpan rest, NameUse use, PathNames &names) const {
    std::size_t at = rest.begin + 1;
    while (is(at, "::") && at + 1 < rest.end)
      at += 2; // a qualified name
    const llvm::StringRef function = words[at - 1].text;
    at = behindTemplate(at, rest.end);
    if (is(at, "(")) { // a function
      const std::size_t after = behind(at, rest.end);
      names.merge(namesIn(scope, {at + 1, after - 1}, /*pointersOnly=*/true));
      if (isKnown(function))
        names.insert(kAnything); // what it returns is not followed
      else if (after == at + 2)
        names.insert(resultOf(function)); // given nothing: the same each time, as far as can be seen
      return after;
    }
    const std::size_t end = endOfPath(rest, names, scope, use.pointersOnly);
    const std::string first = words[rest.begin].text.str();
    const bool pointer = scope.pointers.count(first) != 0 || isParameter(scope, first);
    const bool counts = use.pointersOnly ? pointer : use.numbers || !scope.numbers.count(first);
    if (counts && !is(rest.begin - 1, "#"))
      addPath({rest.begin, scope.oneBuffer.count(first) ? rest.begin + 1 : end}, names, use.address);
    return behindPath(rest);
  }

  bool isKnown(llvm::StringRef function) const { return byName.count(function) != 0; }

  static bool isParameter(const LaunchScope &scope, const std::string &name) {
    return !scope.numbers.count(name) &&
           std::find(scope.parameters.begin(), scope.parameters.end(), name) != scope.parameters.end();
  }

  /// Behind members, elements and calls.
  std::size_t behindPath(TokenSpan rest) const {
    std::size_t at = rest.begin + 1;
    while (at < rest.end) {
      if ((is(at, ".") || is(at, "->") || is(at, "::")) && at + 1 < rest.end) {
        at = behindTemplate(at + (is(at + 1, "template") ? 3 : 2), rest.end);
      } else if (is(at, "[") || is(at, "(")) {
        at = behind(at, rest.end);
      } else {
        break;
      }
    }
    return at;
  }

  /// Where the part ends that names something: in front of a method that gives a part of its object, or its data.
  std::size_t endOfPath(TokenSpan rest, PathNames &names, const LaunchScope &scope, bool pointersOnly) const {
    std::size_t at = rest.begin + 1;
    while (at < rest.end) {
      if (is(at, "[")) {
        at = behind(at, rest.end);
        continue;
      }
      if ((!is(at, ".") && !is(at, "->")) || at + 1 >= rest.end)
        return at;
      const std::size_t next = at + (is(at + 1, "template") ? 3 : 2);
      const std::size_t call = behindTemplate(next, rest.end);
      if (!is(call, "(")) {
        at = next;
        continue;
      }
      const std::size_t after = behind(call, rest.end);
      names.merge(namesIn(scope, {call + 1, after - 1}, /*pointersOnly=*/true));
      if (isKnown(words[next - 1].text))
        names.insert(kAnything);
      if (is(next - 1, "at") && !pointersOnly)
        at = after; // an element
      else
        return at;
    }
    return at;
  }

  /// The words of a path as its name. Of an element whose address is taken, or that has no fixed number, the array.
  void addPath(TokenSpan path, PathNames &names, bool address = false) const {
    std::string name;
    std::size_t lastElement = std::string::npos;
    if (is(path.begin, "this") && path.begin + 2 < path.end)
      path.begin += 2;
    for (std::size_t at = path.begin; at < path.end; ++at) {
      if (is(at, "[") || is(at, "("))
        lastElement = name.size();
      const bool fixed =
          at + 2 < path.end && llvm::all_of(words[at + 1].text, llvm::isDigit) && (is(at + 2, "]") || is(at + 2, ")"));
      if ((is(at, "[") || is(at, "(")) && !fixed)
        break;
      name += is(at, "->") ? "." : is(at, "(") ? "[" : is(at, ")") ? "]" : words[at].text.str();
    }
    if (address && lastElement != std::string::npos && !name.empty() && name.back() == ']')
      name.resize(lastElement);
    names.insert(name);
  }

  /// With what the paths were given in the scope and in the file.
  PathNames closure(const LaunchScope &scope, PathNames names) const {
    std::vector<std::string> work(names.begin(), names.end());
    bool clear = true;
    while (!work.empty()) {
      const std::string path = std::move(work.back());
      work.pop_back();
      if (path == kAnything)
        continue;
      clear = clear && isClear(scope, path);
      auto follow = [&](const LaunchScope &where) {
        for (const auto &[target, from] : where.made)
          if (sharePath(target, path))
            for (const std::string &one : from)
              if (names.insert(one).second)
                work.push_back(one);
      };
      for (const LaunchScope *where = &scope; where; where = around(*where))
        follow(*where);
      follow(scopes.front());
    }
    if (!clear)
      names.insert(kAnything);
    return names;
  }

  /// The launch or call of `name` with these arguments.
  Launch launchOf(llvm::StringRef name, const LaunchScope &scope, TokenSpan list, std::size_t skipped = 0) const {
    Launch launch;
    launch.kernel = name.str();
    addArguments(scope, list, launch);
    const auto first =
        std::next(launch.arguments.begin(), static_cast<std::ptrdiff_t>(std::min(skipped, launch.arguments.size())));
    launch.arguments.erase(launch.arguments.begin(), first);
    return launch;
  }

  void addArguments(const LaunchScope &scope, TokenSpan list, Launch &launch) const {
    for (TokenSpan argument : split(list)) {
      const std::string name = argument.empty() ? "" : words[argument.begin].text.str();
      auto macro = objectMacros.find(name);
      if (macro != objectMacros.end() && argument.end == argument.begin + 1 && split(macro->second).size() > 1 &&
          !(macro->second.begin <= list.begin && list.begin < macro->second.end)) {
        addArguments(scope, macro->second, launch);
        continue;
      }
      launch.arguments.push_back(closure(scope, namesIn(scope, argument, /*pointersOnly=*/false)));
      if (auto known = byName.find(name); known != byName.end() && is(argument.begin + 1, "("))
        for (std::size_t callee : known->second) // a macro that is several arguments
          launch.unclear |= !is(scopes[callee].body.begin, "{") && split(scopes[callee].body).size() > 1;
    }
  }

  // Calls.

  bool isTriple(std::size_t at, llvm::StringRef two) const {
    return is(at, two) && is(at + 1, two.take_front(1)) && words[at].end() == words[at + 1].begin;
  }

  void readCalls(const LaunchScope &scope) {
    std::set<Launch> &own = launches.emplace_back();
    std::vector<Launch> &other = calls.emplace_back();
    for (std::size_t at = scope.body.begin; at < scope.body.end; ++at) {
      if (!inside(scope, at))
        continue;
      if (isTriple(at, "<<"))
        readLaunch(scope, at, own);
      else if (is(at, kLaunchMacro) && is(at + 1, "(") && is(at + 3, ")") && is(at + 4, "("))
        addLaunch(launchOf(words[at + 2].text, scope, inBrackets(at + 4, scope), kBlocksAndStream), scope, own);
      else if (isName(at) && words[at].text.starts_with(kLaunchPrefix) && is(at + 1, "("))
        addLaunch(launchOf(words[at].text.drop_front(kLaunchPrefix.size()), scope, inBrackets(at + 1, scope),
                           kBlocksAndStream),
                  scope, own);
      else if (isName(at))
        readCall(scope, at, own, other);
    }
  }

  TokenSpan inBrackets(std::size_t open, const LaunchScope &scope) const {
    return {open + 1, behind(open, scope.body.end) - 1};
  }

  void readLaunch(const LaunchScope &scope, std::size_t at, std::set<Launch> &own) const {
    std::size_t name = at;
    if (name > 0 && is(name - 1, ">")) { // template arguments
      int depth = 0;
      for (--name; name > 0; --name) {
        depth += is(name, ">") ? 1 : is(name, ">>") ? 2 : is(name, "<") ? -1 : 0;
        if (depth <= 0)
          break;
      }
    }
    std::size_t next = at + 2;
    while (next < scope.body.end && !isTriple(next, ">>"))
      ++next;
    while (name > 0 && is(name - 1, ")"))
      --name; // `(k)<<<...>>>`
    if (name == 0 || !words[name - 1].isIdentifier() || next + 2 >= scope.body.end || !is(next + 2, "("))
      return;
    addLaunch(launchOf(words[name - 1].text, scope, inBrackets(next + 2, scope)), scope, own);
  }

  /// Of the kernel of that name, or of each that a variable or a macro of that name may stand for.
  void addLaunch(Launch launch, const LaunchScope &scope, std::set<Launch> &own) const {
    for (const std::string &kernel : closure(scope, {launch.kernel}))
      if (kernels.count(kernel) || kernel == launch.kernel) {
        launch.kernel = kernel;
        own.insert(launch);
      }
  }

  /// A call of a kernel, or of what may launch one.
  void readCall(const LaunchScope &scope, std::size_t at, std::set<Launch> &own, std::vector<Launch> &other) const {
    const std::size_t open = behindTemplate(at + 1, scope.body.end);
    const std::string name = words[at].text.str();
    if (!is(open, "(") || headers.count(at))
      return;
    const bool declared = at > 0 && (isTypeWord(at - 1) || (is(at - 1, "*") && at > 1 && words[at - 2].isIdentifier()));
    const bool known = isKnown(name);
    if (declared || (!known && !kernels.count(name)))
      return;
    Launch call = launchOf(name, scope, inBrackets(open, scope));
    if (kernels.count(name))
      own.insert(call);
    if (known)
      other.push_back(std::move(call));
  }

  /// What a callee launches with its parameters, a caller launches with its arguments.
  void passOn() {
    for (bool changed = true; changed && !tooMany;) {
      changed = false;
      for (std::size_t caller = 0; caller < scopes.size(); ++caller)
        for (const Launch &call : calls[caller])
          for (std::size_t callee : byName.at(call.kernel))
            if (callee != caller)
              changed |= passOn(call, callee, caller);
    }
  }

  bool passOn(const Launch &call, std::size_t callee, std::size_t caller) {
    bool changed = false;
    const std::set<Launch> inner = launches[callee];
    for (const Launch &launch : inner) {
      Launch outer;
      outer.unclear = launch.unclear || call.unclear;
      for (const PathNames &names : launch.arguments)
        if (names.count(kRest))
          addRest(scopes[callee], call, outer);
        else
          outer.arguments.push_back(substituted(names, scopes[callee], call));
      for (const std::string &kernel : substituted({launch.kernel}, scopes[callee], call)) {
        outer.kernel = kernel;
        if (launches[caller].insert(outer).second) {
          changed = true;
          tooMany |= ++passed > kMostLaunches;
        }
      }
    }
    return changed;
  }

  static void addRest(const LaunchScope &callee, const Launch &call, Launch &outer) {
    const auto rest = std::find(callee.parameters.begin(), callee.parameters.end(), "...");
    for (auto i = static_cast<std::size_t>(rest - callee.parameters.begin()); i < call.arguments.size(); ++i)
      outer.arguments.push_back(call.arguments[i]);
  }

  static PathNames substituted(const PathNames &names, const LaunchScope &callee, const Launch &call) {
    PathNames result;
    for (const std::string &path : names) {
      const std::string first = firstName(path);
      auto parameter = std::find(callee.parameters.begin(), callee.parameters.end(), first);
      const auto number = static_cast<std::size_t>(parameter - callee.parameters.begin());
      if (parameter == callee.parameters.end() || number >= call.arguments.size()) {
        result.insert(path);
        continue;
      }
      for (const std::string &given : call.arguments[number])
        result.insert(given + path.substr(first.size()));
    }
    return result;
  }

  const std::set<std::string> &kernels;
  llvm::ArrayRef<SourceToken> words;
  std::vector<bool> ofChip;                                            // by word: it is code of the chip
  std::vector<LaunchScope> scopes;                                     // the file first
  std::set<std::size_t> headers;                                       // names of functions where they are defined
  std::map<std::string, std::vector<std::size_t>, std::less<>> byName; // functions and macros
  std::map<std::string, TokenSpan> objectMacros;
  std::set<std::string> setElsewhere, setMembers, arrays; // names
  std::vector<std::set<Launch>> launches;                 // by scope
  std::vector<std::vector<Launch>> calls;                 // by scope, of other scopes
  std::size_t passed = 0;
  bool tooMany = false;
};

} // namespace

bool mayLaunch(llvm::StringRef text) {
  return text.contains("<<<") || text.contains(kLaunchMacro) || text.contains(kLaunchPrefix);
}

std::map<std::string, ArgumentPairs> sharedArguments(const TokenStream &file, const std::set<std::string> &kernels,
                                                     const std::vector<SourceRange> &chip) {
  return LaunchReader(file, kernels, chip).read();
}

} // namespace ptosync
