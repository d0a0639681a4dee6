#include "frontend/launch_arguments.h"

#include "frontend/raw_tokens.h"

#include <llvm/ADT/StringSwitch.h>

#include <algorithm>
#include <optional>

namespace ptosync {
namespace {

constexpr std::size_t kMostLaunches = 4096; // of the file, callers counted

struct LaunchToken {
  llvm::StringRef text;
  std::uint32_t begin, end;
  bool identifier, startsLine;
  bool chip = false; // code of the chip
};
using LaunchTokens = std::vector<LaunchToken>;

struct TokenSpan {
  std::size_t begin = 0, end = 0; // of words
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

/// One is the other, or a part of it.
bool sharePath(const std::string &one, const std::string &other) {
  const std::string &shorter = one.size() < other.size() ? one : other;
  const std::string &longer = one.size() < other.size() ? other : one;
  return longer.compare(0, shorter.size(), shorter) == 0 &&
         (longer.size() == shorter.size() || longer[shorter.size()] == '.' || longer[shorter.size()] == '[');
}

bool share(const PathNames &one, const PathNames &other) {
  return std::any_of(one.begin(), one.end(), [&](const std::string &a) {
    return std::any_of(other.begin(), other.end(), [&](const std::string &b) { return sharePath(a, b); });
  });
}

std::string firstName(const std::string &path) { return path.substr(0, path.find_first_of(".[")); }

/// A function, lambda or macro whose text is read, or the file around them.
struct LaunchScope {
  std::string name;
  std::vector<std::string> parameters;
  TokenSpan body;
  std::set<std::string> numbers;         // names declared as such
  std::set<std::string> pointers;        // names declared with a star
  std::map<std::string, PathNames> made; // what a path was given
};

struct Launch {
  std::string kernel;
  std::vector<PathNames> arguments;
  bool operator<(const Launch &other) const {
    return std::tie(kernel, arguments) < std::tie(other.kernel, other.arguments);
  }
};

class LaunchReader {
public:
  LaunchReader(llvm::StringRef text, const std::set<std::string> &kernels, const std::vector<SourceRange> &chip)
      : kernels(kernels) {
    forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &token, std::uint32_t begin, std::uint32_t end) {
      const bool ofChip = std::any_of(chip.begin(), chip.end(), [&](const SourceRange &range) {
        return range.begin <= begin && begin < range.end;
      });
      words.push_back(
          {text.slice(begin, end), begin, end, token.is(clang::tok::raw_identifier), token.isAtStartOfLine(), ofChip});
      return true;
    });
  }

  std::map<std::string, ArgumentPairs> read() {
    findScopes();
    for (LaunchScope &scope : scopes)
      readDeclarations(scope);
    for (LaunchScope &scope : scopes)
      readCalls(scope);
    passOn();
    std::map<std::string, ArgumentPairs> found;
    for (const std::set<Launch> &own : launches)
      for (const Launch &launch : own)
        for (std::uint32_t i = 0; i < launch.arguments.size(); ++i)
          for (std::uint32_t j = i + 1; j < launch.arguments.size(); ++j)
            if (tooMany || share(launch.arguments[i], launch.arguments[j]))
              found[launch.kernel].insert({i, j});
    return found;
  }

private:
  bool is(std::size_t at, llvm::StringRef text) const { return at < words.size() && words[at].text == text; }
  bool isName(std::size_t at) const { return at < words.size() && words[at].identifier && !isKeyword(words[at].text); }

  /// Behind the bracket that closes the one at `open`.
  std::size_t behind(std::size_t open, std::size_t end) const {
    const llvm::StringRef opens = words[open].text;
    const llvm::StringRef closes = opens == "(" ? ")" : opens == "[" ? "]" : opens == "{" ? "}" : ">";
    int depth = 0;
    for (std::size_t at = open; at < end; ++at) {
      depth += words[at].text == opens ? 1 : words[at].text == closes ? -1 : 0;
      if (opens == "<" && words[at].text == ">>")
        depth -= 2;
      if (opens == "<" && (is(at, ";") || is(at, "{")))
        return open;
      if (depth <= 0)
        return at + 1;
    }
    return end;
  }

  std::vector<TokenSpan> split(TokenSpan list) const {
    std::vector<TokenSpan> parts;
    std::size_t from = list.begin;
    int depth = 0;
    for (std::size_t at = list.begin; at < list.end; ++at) {
      const llvm::StringRef text = words[at].text;
      depth += text == "(" || text == "[" || text == "{" ? 1 : text == ")" || text == "]" || text == "}" ? -1 : 0;
      if (text == "<" && at > list.begin && words[at - 1].identifier) { // template arguments, or a comparison
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
    scopes.push_back({"", {}, {0, words.size()}, {}, {}, {}}); // the file
    for (std::size_t at = 0; at < words.size(); ++at) {
      if (words[at].startsLine && is(at, "#") && is(at + 1, "define") && at + 2 < words.size())
        at = findMacro(at + 2) - 1;
      else if (is(at, "{"))
        findFunction(at);
    }
  }

  std::size_t findMacro(std::size_t name) {
    std::size_t end = name + 1;
    while (end < words.size() && !words[end].startsLine)
      ++end;
    LaunchScope macro{words[name].text.str(), {}, {name + 1, end}, {}, {}, {}};
    if (is(name + 1, "(") && words[name + 1].begin == words[name].end) {
      const std::size_t close = behind(name + 1, end);
      for (TokenSpan parameter : split({name + 2, close - 1}))
        macro.parameters.push_back(parameter.empty() ? "" : words[parameter.end - 1].text.str());
      macro.body.begin = close;
    } else { // another name for what it stands for
      scopes.front().made[macro.name].merge(namesIn(scopes.front(), macro.body, /*pointersOnly=*/false));
    }
    scopes.push_back(std::move(macro));
    return end;
  }

  /// The function or lambda whose body begins at `brace`, if it is one.
  void findFunction(std::size_t brace) {
    std::size_t at = brace;
    while (at > 0 &&
           (words[at - 1].identifier || is(at - 1, "*") || is(at - 1, "&") || is(at - 1, "->") || is(at - 1, "::")) &&
           !is(at - 1, "else") && !is(at - 1, "do"))
      --at; // const, noexcept, -> type
    if (at == 0 || !is(at - 1, ")"))
      return;
    std::size_t open = at - 1;
    for (int depth = 0; open > 0; --open) {
      depth += is(open, ")") ? 1 : is(open, "(") ? -1 : 0;
      if (depth == 0)
        break;
    }
    if (open == 0)
      return;
    std::size_t name = open - 1;
    if (is(name, "]")) { // a lambda: what it is called stands in front of the `=`
      while (name > 0 && !is(name, "["))
        --name;
      if (name < 2 || !(is(name - 1, "=") || is(name - 1, "{") || is(name - 1, "(")) || !isName(name - 2))
        return;
      name -= 2;
    } else if (!isName(name)) {
      return;
    }
    LaunchScope scope{words[name].text.str(), {}, {brace, behind(brace, words.size())}, {}, {}, {}};
    for (TokenSpan parameter : split({open + 1, at - 1})) {
      scope.parameters.push_back(declaredName(scope, parameter));
    }
    headers.insert(name);
    scopes.push_back(std::move(scope));
  }

  /// The name of a parameter, noted as a number or pointer.
  std::string declaredName(LaunchScope &scope, TokenSpan declaration) const {
    std::string name;
    bool star = false, number = false;
    for (std::size_t at = declaration.begin; at < declaration.end && !is(at, "="); ++at) {
      star |= is(at, "*") || is(at, "[");
      number |= isNumberType(words[at].text);
      if (isName(at))
        name = words[at].text.str();
    }
    if (star)
      scope.pointers.insert(name);
    else if (number)
      scope.numbers.insert(name);
    return name;
  }

  bool inside(const LaunchScope &scope, std::size_t at) const {
    if (words[at].chip)
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
      if (isName(at) && at > scope.body.begin) {
        const bool star = is(at - 1, "*") && at > 1 && (words[at - 2].identifier || is(at - 2, ">"));
        const bool ends = is(at + 1, "=") || is(at + 1, ";") || is(at + 1, ",") || is(at + 1, ":") || is(at + 1, "{");
        if (star && (ends || is(at + 1, "(")))
          scope.pointers.insert(words[at].text.str());
        else if (isNumberType(words[at - 1].text) && ends)
          scope.numbers.insert(words[at].text.str());
      }
      const bool assigns = is(at, "=") || is(at, "+=") || is(at, "-=");
      const bool declares = at > scope.body.begin && isName(at - 1) && at > 1 && (is(at, "(") || is(at, "{")) &&
                            (words[at - 2].identifier || is(at - 2, "*") || is(at - 2, "&")) && !is(at - 2, "return") &&
                            !is(at - 2, "else");
      if (!assigns && !declares)
        continue;
      TokenSpan value = assigns ? TokenSpan{at + 1, endOfExpression(at + 1, scope.body.end)}
                                : TokenSpan{at + 1, behind(at, scope.body.end) - 1};
      const std::string path = pathEndingAt(at, scope.body.begin);
      if (!path.empty())
        scope.made[path].merge(namesIn(scope, value, /*pointersOnly=*/false));
    }
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
  PathNames namesIn(const LaunchScope &scope, TokenSpan expression, bool pointersOnly) const {
    PathNames names;
    for (std::size_t at = expression.begin; at < expression.end;) {
      if (is(at, "(") && isCast({at + 1, behind(at, expression.end) - 1}, expression.end)) {
        at = behind(at, expression.end);
      } else if (is(at, "sizeof")) {
        at = is(at + 1, "(") ? behind(at + 1, expression.end) : at + 2;
      } else if (is(at, "<") && at > expression.begin && words[at - 1].identifier && isKeyword(words[at - 1].text)) {
        at = std::max(behind(at, expression.end), at + 1); // of a cast
      } else if (isName(at) || is(at, "this")) {
        at = addName(scope, {at, expression.end}, pointersOnly, at > expression.begin && is(at - 1, "&"), names);
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
    return std::all_of(words.begin() + inner.begin, words.begin() + inner.end, [](const LaunchToken &word) {
      return word.identifier || word.text == "*" || word.text == "::" || word.text == "<" || word.text == ">";
    });
  }

  /// Adds the name at the beginning of `rest`, and what is given to it if it is called; behind that.
  std::size_t addName(const LaunchScope &scope, TokenSpan rest, bool pointersOnly, bool address,
                      PathNames &names) const {
    std::size_t at = rest.begin + 1;
    while (is(at, "::") && at + 1 < rest.end)
      at += 2; // a qualified name
    if (is(at, "<")) {
      const std::size_t after = behind(at, rest.end);
      if (after != at && is(after, "("))
        at = after;
    }
    if (is(at, "(")) { // a function
      const std::size_t after = behind(at, rest.end);
      names.merge(namesIn(scope, {at + 1, after - 1}, /*pointersOnly=*/true));
      return after;
    }
    const std::size_t end = endOfPath(rest, names, scope, pointersOnly);
    const std::string first = words[rest.begin].text.str();
    const bool counts =
        pointersOnly ? scope.pointers.count(first) != 0 || isParameter(scope, first) : !scope.numbers.count(first);
    if (counts && !is(rest.begin - 1, "#"))
      addPath({rest.begin, end}, names, address);
    return behindPath(rest);
  }

  static bool isParameter(const LaunchScope &scope, const std::string &name) {
    return !scope.numbers.count(name) &&
           std::find(scope.parameters.begin(), scope.parameters.end(), name) != scope.parameters.end();
  }

  /// Behind members, elements and calls.
  std::size_t behindPath(TokenSpan rest) const {
    std::size_t at = rest.begin + 1;
    while (at < rest.end) {
      if ((is(at, ".") || is(at, "->") || is(at, "::")) && at + 1 < rest.end) {
        at += is(at + 1, "template") ? 3 : 2;
        if (is(at, "<")) {
          const std::size_t after = behind(at, rest.end);
          at = after != at && is(after, "(") ? after : at;
        }
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
      std::size_t next = at + (is(at + 1, "template") ? 3 : 2);
      std::size_t call = next;
      if (is(next, "<")) {
        const std::size_t after = behind(next, rest.end);
        call = after != next ? after : next;
      }
      if (!is(call, "(")) {
        at = next;
        continue;
      }
      const std::size_t after = behind(call, rest.end);
      names.merge(namesIn(scope, {call + 1, after - 1}, /*pointersOnly=*/true));
      if (is(next - 1, "at") && !pointersOnly)
        at = after; // an element
      else
        return at;
    }
    return at;
  }

  /// The words of a path as its name. Of an element whose address is taken, the array.
  void addPath(TokenSpan path, PathNames &names, bool address = false) const {
    std::string name;
    std::size_t lastElement = std::string::npos;
    for (std::size_t at = path.begin; at < path.end; ++at) {
      if (is(at, "[") || is(at, "("))
        lastElement = name.size();
      name += is(at, "->") ? "." : is(at, "(") ? "[" : is(at, ")") ? "]" : words[at].text.str();
    }
    if (address && lastElement != std::string::npos && !name.empty() && name.back() == ']')
      name.resize(lastElement);
    names.insert(name);
  }

  /// With what the paths were given in the scope and in the file.
  PathNames closure(const LaunchScope &scope, PathNames names) const {
    std::vector<std::string> work(names.begin(), names.end());
    while (!work.empty()) {
      const std::string path = std::move(work.back());
      work.pop_back();
      for (const LaunchScope *where : {&scope, &scopes.front()})
        for (const auto &[target, from] : where->made)
          if (sharePath(target, path))
            for (const std::string &one : from)
              if (names.insert(one).second)
                work.push_back(one);
    }
    return names;
  }

  std::vector<PathNames> argumentsIn(const LaunchScope &scope, TokenSpan list) const {
    std::vector<PathNames> arguments;
    for (TokenSpan argument : split(list))
      arguments.push_back(closure(scope, namesIn(scope, argument, /*pointersOnly=*/false)));
    return arguments;
  }

  // Calls.

  bool isTriple(std::size_t at, llvm::StringRef two) const {
    return is(at, two) && is(at + 1, two.take_front(1)) && words[at].end == words[at + 1].begin;
  }

  void readCalls(const LaunchScope &scope) {
    std::set<Launch> &own = launches.emplace_back();
    std::vector<Launch> &other = calls.emplace_back();
    for (std::size_t at = scope.body.begin; at < scope.body.end; ++at) {
      if (!inside(scope, at))
        continue;
      if (isTriple(at, "<<"))
        readLaunch(scope, at, own);
      else if (is(at, "ACLRT_LAUNCH_KERNEL") && is(at + 1, "(") && is(at + 3, ")") && is(at + 4, "("))
        own.insert({words[at + 2].text.str(), withoutFirst(argumentsIn(scope, inBrackets(at + 4, scope)))});
      else if (isName(at) && words[at].text.starts_with("aclrtlaunch_") && is(at + 1, "("))
        own.insert({words[at].text.drop_front(12).str(), withoutFirst(argumentsIn(scope, inBrackets(at + 1, scope)))});
      else if (isName(at))
        readCall(scope, at, own, other);
    }
  }

  TokenSpan inBrackets(std::size_t open, const LaunchScope &scope) const {
    return {open + 1, behind(open, scope.body.end) - 1};
  }

  /// Without the number of blocks and the stream.
  static std::vector<PathNames> withoutFirst(std::vector<PathNames> arguments) {
    arguments.erase(arguments.begin(), arguments.begin() + std::min<std::size_t>(2, arguments.size()));
    return arguments;
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
    if (name == 0 || !words[name - 1].identifier || next + 2 >= scope.body.end || !is(next + 2, "("))
      return;
    own.insert({words[name - 1].text.str(), argumentsIn(scope, inBrackets(next + 2, scope))});
  }

  /// A call of a kernel, or of what may launch one.
  void readCall(const LaunchScope &scope, std::size_t at, std::set<Launch> &own, std::vector<Launch> &other) const {
    std::size_t open = at + 1;
    if (is(open, "<")) {
      const std::size_t after = behind(open, scope.body.end);
      open = after == open ? open : after;
    }
    const std::string name = words[at].text.str();
    if (!is(open, "(") || headers.count(at))
      return;
    const bool declared = at > 0 && ((words[at - 1].identifier && !is(at - 1, "return") && !is(at - 1, "else")) ||
                                     (is(at - 1, "*") && at > 1 && words[at - 2].identifier));
    const bool known =
        std::any_of(scopes.begin() + 1, scopes.end(), [&](const LaunchScope &callee) { return callee.name == name; });
    if (declared || (!known && !kernels.count(name)))
      return;
    Launch call{name, argumentsIn(scope, inBrackets(open, scope))};
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
          for (std::size_t callee = 1; callee < scopes.size(); ++callee)
            if (scopes[callee].name == call.kernel && callee != caller)
              changed |= passOn(call, callee, caller);
    }
  }

  bool passOn(const Launch &call, std::size_t callee, std::size_t caller) {
    bool changed = false;
    const std::set<Launch> inner = launches[callee];
    for (const Launch &launch : inner) {
      Launch outer{launch.kernel, {}};
      for (const PathNames &names : launch.arguments)
        outer.arguments.push_back(substituted(names, scopes[callee], call));
      if (launches[caller].insert(std::move(outer)).second) {
        changed = true;
        tooMany |= ++passed > kMostLaunches;
      }
    }
    return changed;
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
  LaunchTokens words;
  std::vector<LaunchScope> scopes;        // the file first
  std::set<std::size_t> headers;          // names of functions where they are defined
  std::vector<std::set<Launch>> launches; // by scope
  std::vector<std::vector<Launch>> calls; // by scope, of other scopes
  std::size_t passed = 0;
  bool tooMany = false;
};

} // namespace

bool mayLaunch(llvm::StringRef text) {
  return text.contains("<<<") || text.contains("ACLRT_LAUNCH_KERNEL") || text.contains("aclrtlaunch_");
}

std::map<std::string, ArgumentPairs> sharedArguments(llvm::StringRef text, const std::set<std::string> &kernels,
                                                     const std::vector<SourceRange> &chip) {
  return LaunchReader(text, kernels, chip).read();
}

} // namespace ptosync
