#include "frontend/read/missing_names.h"

#include "frontend/read/prelude.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <vector>

namespace ptosync {
namespace {

/// What stands behind a name.
enum class Use : std::uint8_t { Scope, Function, FunctionTemplate, ClassTemplate, Type, Value };

bool isPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool isStart(char c) { return isPart(c) && !std::isdigit(static_cast<unsigned char>(c)); }

std::size_t skipBlanks(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
    ++at;
  return at;
}

std::string identifierAt(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && isPart(text[end]))
    ++end;
  return end > at && isStart(text[at]) ? std::string(text.substr(at, end - at)) : std::string();
}

/// Behind the `>` that closes the `<` at `open`; npos if this is no list of template arguments.
/// `commas` receives the places that part the arguments, and both brackets.
std::size_t closeArguments(std::string_view text, std::size_t open, std::vector<std::size_t> *commas = nullptr) {
  int angles = 0, others = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    char c = text[at];
    if (c == ';' || c == '{' || c == '}')
      return std::string_view::npos;
    if (c == '(' || c == '[')
      ++others;
    else if (c == ')' || c == ']')
      --others;
    if (others < 0)
      return std::string_view::npos;
    if (others == 0 && c == '<' && ++angles == 1 && commas)
      commas->push_back(at);
    if (others == 0 && angles == 1 && c == ',' && commas)
      commas->push_back(at);
    if (others == 0 && c == '>' && text[at - 1] != '-' && --angles == 0) {
      if (commas)
        commas->push_back(at);
      return at + 1;
    }
  }
  return std::string_view::npos;
}

Use useAt(std::string_view text, std::size_t begin) {
  std::size_t at = begin;
  while (at < text.size() && isPart(text[at]))
    ++at;
  at = skipBlanks(text, at);
  if (at >= text.size())
    return Use::Value;
  if (text.substr(at, 2) == "::")
    return Use::Scope;
  if (text[at] == '(')
    return Use::Function;
  if (text[at] == '{' || isStart(text[at]))
    return Use::Type;
  if (text[at] != '<')
    return Use::Value;
  std::size_t behind = closeArguments(text, at);
  if (behind == std::string_view::npos)
    return Use::Value;
  behind = skipBlanks(text, behind);
  return behind < text.size() && text[behind] == '(' ? Use::FunctionTemplate : Use::ClassTemplate;
}

/// The names before `S::T::` that ends at `end`, outermost first, without `pto`; nullopt if they belong to the standard
/// library.
std::optional<std::string> scopeBefore(std::string_view text, std::size_t end) {
  std::vector<std::string> names;
  while (end >= 2 && text.substr(end - 2, 2) == "::") {
    std::size_t begin = end - 2;
    while (begin > 0 && isPart(text[begin - 1]))
      --begin;
    if (begin == end - 2)
      break;
    names.emplace_back(text.substr(begin, end - 2 - begin));
    end = begin;
  }
  std::reverse(names.begin(), names.end());
  if (!names.empty() && names.front() == "std")
    return std::nullopt;
  if (!names.empty() && names.front() == "pto")
    names.erase(names.begin());
  std::string scope;
  for (const std::string &name : names)
    scope += (scope.empty() ? "" : "::") + name;
  return scope;
}

/// One kernel text, searched for every use of a name.
class Reader {
public:
  Reader(MissingText texts, PreludeAdditions &missing) : text(texts.all), compiled(texts.compiled), missing(missing) {}

  void noteName(std::size_t offset, bool mustBeType);
  void noteMember(std::size_t offset);
  void noteArgument(std::size_t offset, char kind);

private:
  template <typename Visit> void forEachUse(const std::string &name, Visit visit) const {
    forEachIn(text, name, visit);
  }
  template <typename Visit> static void forEachIn(std::string_view text, const std::string &name, Visit visit) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1))
      if ((at == 0 || !isPart(text[at - 1])) && identifierAt(text, at) == name)
        visit(at);
  }
  bool usedAs(const std::string &name, Use use) const {
    bool found = false;
    forEachUse(name, [&](std::size_t at) { found |= useAt(text, at) == use && !declaredAt(at); });
    return found;
  }
  std::string_view wordBefore(std::size_t offset) const;
  bool declaredAt(std::size_t offset) const;
  /// A macro of this name is none here, else Clang would not have met the name.
  bool declared(const std::string &name) const {
    bool found = false;
    forEachIn(compiled, name, [&](std::size_t at) { found |= declaredAt(at) && wordBefore(at) != "define"; });
    return found;
  }
  void noteInScope(const std::string &scope, std::size_t offset, bool mustBeType);
  void noteScope(const std::string &scope, const std::string &name, std::size_t member);
  std::string argumentKinds(const std::string &name) const;
  char argumentKind(std::string argument) const;
  bool fromLibrary(const std::string &scope, const std::string &name) {
    if (!libraryType(scope, name))
      return false;
    missing.library.insert(nameWithin(scope, name));
    return true;
  }

  std::string_view text, compiled;
  PreludeAdditions &missing;
};

std::string_view Reader::wordBefore(std::size_t offset) const {
  std::size_t end = offset;
  while (end > 0 && std::isspace(static_cast<unsigned char>(text[end - 1])))
    --end;
  std::size_t begin = end;
  while (begin > 0 && isPart(text[begin - 1]))
    --begin;
  return text.substr(begin, end - begin);
}

/// True if the file itself declares the name that stands here.
bool Reader::declaredAt(std::size_t offset) const {
  std::string_view before = wordBefore(offset);
  for (std::string_view keyword : {"struct", "class", "enum", "union", "using", "namespace", "typename", "define"})
    if (before == keyword)
      return true;
  return false;
}

/// Constants are spelled `FFTS_MODE_VAL` or `kLimit`; anything may be one that is named with its scope.
bool spelledAsConstant(const std::string &name) {
  if (name.size() >= 2 && name[0] == 'k' && std::isupper(static_cast<unsigned char>(name[1])))
    return true;
  return name.size() >= 3 && std::all_of(name.begin(), name.end(), [](char c) {
           return std::isupper(static_cast<unsigned char>(c)) || std::isdigit(static_cast<unsigned char>(c)) ||
                  c == '_';
         });
}

bool spelledAsType(const std::string &name) {
  for (std::string_view prefix : {"acl", "rt", "hccl", "Hccl"}) // the host's runtime
    if (name.size() > prefix.size() && name.compare(0, prefix.size(), prefix) == 0 &&
        std::isalpha(static_cast<unsigned char>(name[prefix.size()])))
      return true;
  return std::isupper(static_cast<unsigned char>(name[0])) || (name.size() > 2 && name.substr(name.size() - 2) == "_t");
}

void Reader::noteName(std::size_t offset, bool mustBeType) {
  std::optional<std::string> scope = scopeBefore(text, offset);
  if (scope)
    noteInScope(*scope, offset, mustBeType);
}

void Reader::noteInScope(const std::string &scope, std::size_t offset, bool mustBeType) {
  std::string name = identifierAt(text, offset);
  if (name.empty() || fromLibrary(scope, name) || (scope.empty() && (declared(name) || preludeDeclares(name))))
    return;
  Use use = useAt(text, offset);
  if (use == Use::Scope) {
    std::size_t member = text.find("::", offset) + 2;
    return noteScope(scope, name, skipBlanks(text, member));
  }
  // `S::N` with S an enumeration.
  std::size_t cut = scope.rfind("::");
  std::string outer = cut == std::string::npos ? "" : scope.substr(0, cut);
  std::string last = cut == std::string::npos ? scope : scope.substr(cut + 2);
  bool enumeration = preludeEnumeration(outer, last) ||
                     (!scope.empty() && last != "comm" && !usedAs(name, Use::Type) && !usedAs(last, Use::Type) &&
                      std::isupper(static_cast<unsigned char>(last[0])));
  if (enumeration && (use == Use::Value || use == Use::Type) && !mustBeType) {
    missing.scopes[outer].enumerators[last].insert(name);
    return;
  }
  MissingInScope &into = missing.scopes[scope];
  bool known = !scope.empty();
  if (use == Use::ClassTemplate || (use == Use::FunctionTemplate && usedAs(name, Use::ClassTemplate)))
    into.classTemplates[name] = argumentKinds(name);
  else if (use == Use::Type || (spelledAsType(name) && usedAs(name, Use::Type)) ||
           (mustBeType && use != Use::Function)) {
    // `scope::NAME(x);` may declare a variable too, and says so by the missing type; a call is what kernels mean.
    if (known || spelledAsType(name))
      into.types.insert(name);
  } else if (use == Use::Function || use == Use::FunctionTemplate)
    into.functions.insert(name);
  else if (known || spelledAsConstant(name))
    into.constants.insert(name);
  else if (spelledAsType(name) && !usedAs(name, Use::Function))
    into.types.insert(name); // an argument of a template
}

/// `NAME::member` with NAME not declared: an enumeration, a class or a namespace.
void Reader::noteScope(const std::string &scope, const std::string &name, std::size_t member) {
  std::string inner = nameWithin(scope, name), memberName = identifierAt(text, member);
  if (memberName.empty())
    return;
  if (fromLibrary(inner, memberName))
    return;
  Use use = useAt(text, member);
  if (use == Use::Value && !usedAs(name, Use::ClassTemplate)) {
    if (!usedAs(name, Use::Type) || std::isupper(static_cast<unsigned char>(name[0])))
      missing.scopes[scope].enumerators[name].insert(memberName);
    return;
  }
  if (usedAs(name, Use::Type))
    missing.scopes[scope].types.insert(name);
  missing.scopes[inner];
  noteInScope(inner, member, false);
}

/// The member at `offset` of an object or class of the library.
void Reader::noteMember(std::size_t offset) {
  std::string name = identifierAt(text, offset);
  if (name.empty())
    return;
  bool ofObject =
      offset > 0 && (text[offset - 1] == '.' || text.substr(offset - std::min<std::size_t>(offset, 2), 2) == "->");
  Use use = useAt(text, offset);
  if (use == Use::Function || use == Use::FunctionTemplate)
    missing.memberFunctions.insert(name);
  else if (!ofObject && (use == Use::Type || use == Use::ClassTemplate))
    missing.memberTypes.insert(name);
  else
    missing.memberValues.insert(name);
}

char Reader::argumentKind(std::string argument) const {
  argument.erase(0, argument.find_first_not_of(" \t\r\n"));
  argument.erase(argument.find_last_not_of(" \t\r\n") + 1);
  if (argument.empty())
    return 'T';
  if (!isStart(argument[0]))
    return 'V';
  for (std::string_view word : {"true", "false", "sizeof", "nullptr"})
    if (argument.compare(0, word.size(), word) == 0)
      return 'V';
  if (argument.find('<') != std::string::npos)
    return 'T';
  std::size_t cut = argument.rfind("::");
  if (cut == std::string::npos)
    return spelledAsConstant(argument) ||
                   (argument[0] == 'v' && argument.size() > 1 && std::isdigit(static_cast<unsigned char>(argument[1])))
               ? 'V'
               : 'T';
  std::optional<std::string> scope = scopeBefore(argument, cut + 2);
  if (!scope)
    return 'T';
  std::size_t last = scope->rfind("::");
  std::string enumeration = last == std::string::npos ? *scope : scope->substr(last + 2);
  // An enumerator stands in an enumeration, a type in a namespace: those are spelled small.
  return !enumeration.empty() && std::isupper(static_cast<unsigned char>(enumeration[0])) ? 'V' : 'T';
}

/// Kinds of the parameters, from the longest list of arguments the file gives.
std::string Reader::argumentKinds(const std::string &name) const {
  std::string kinds;
  forEachUse(name, [&](std::size_t at) {
    std::size_t open = skipBlanks(text, at + name.size());
    std::vector<std::size_t> commas;
    if (open >= text.size() || text[open] != '<' || closeArguments(text, open, &commas) == std::string_view::npos)
      return;
    std::string here;
    for (std::size_t i = 0; i + 1 < commas.size(); ++i)
      here += argumentKind(std::string(text.substr(commas[i] + 1, commas[i + 1] - commas[i] - 1)));
    if (here.size() > kinds.size())
      kinds = here;
  });
  return kinds;
}

/// The template argument at `offset` must be of `kind`: corrects the guess for the template it is given to, or for the
/// name that it is.
void Reader::noteArgument(std::size_t offset, char kind) {
  int depth = 0;
  std::size_t index = 0;
  for (std::size_t at = offset; at > 0; --at) {
    char c = text[at - 1];
    if (c == ';' || c == '{' || c == '}')
      return;
    if (c == '>' || c == ')' || c == ']')
      ++depth;
    else if (c == ',' && depth == 0)
      ++index;
    else if (c == '<' && depth == 0) {
      std::size_t end = at - 1, begin = end;
      while (begin > 0 && isPart(text[begin - 1]))
        --begin;
      missing.argumentKinds[std::string(text.substr(begin, end - begin))][index] = kind;
      return;
    } else if (c == '<' || c == '(' || c == '[')
      --depth;
    if (depth < 0)
      return;
  }
}

} // namespace

void noteMissingName(MissingText text, std::size_t offset, MissingKind kind, PreludeAdditions &missing) {
  static constexpr std::array<std::string_view, 19> kKeywords = {
      "if",  "while", "for",    "switch",   "return",   "sizeof", "do",    "decltype", "alignof", "typeid",
      "int", "float", "double", "unsigned", "template", "auto",   "const", "else",     "void"};
  std::string name = identifierAt(text.all, offset);
  bool keyword = std::find(kKeywords.begin(), kKeywords.end(), name) != kKeywords.end();
  Reader reader(text, missing);
  switch (kind) {
  case MissingKind::Name:
  case MissingKind::Type:
    if (!keyword) // else a syntax error, which no declaration mends
      reader.noteName(offset, kind == MissingKind::Type);
    return;
  case MissingKind::Member: return reader.noteMember(offset);
  case MissingKind::MustBeType: return reader.noteArgument(offset, 'T');
  case MissingKind::MustBeValue: return reader.noteArgument(offset, 'V');
  }
}

} // namespace ptosync
