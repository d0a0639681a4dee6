#include "frontend/read/prelude.h"

#include "frontend/read/headers.h"
#include "frontend/read/token_stream.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/ADT/Twine.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptosync {

namespace {

constexpr std::array<std::string_view, 16> kDeclaredNames = {
    "get_block_idx", "get_block_num", "get_subblockid", "get_subblocknum", "get_subblockdim", "get_coreid",
    "set_flag",      "wait_flag",     "pipe_barrier",   "get_buf",         "rls_buf",         "Tile",
    "GlobalTensor",  "TPipe",         "Shape",          "Stride"};
constexpr std::string_view kPrelude = "prelude.hpp";

std::string part(std::string_view name) { return std::string(headerPart(kPrelude, name)); }

/// Returns the declarations of a text, each in one line: a line that four blanks indent goes on from the one before.
std::vector<std::string> declarationsIn(llvm::StringRef text) {
  std::vector<std::string> declarations;
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (line.consume_front("    "))
      declarations.back() += " " + line.str();
    else if (!line.starts_with("//"))
      declarations.push_back(line.str());
  return declarations;
}

struct KnownEnumeration {
  std::string name, declaration;
};

std::vector<KnownEnumeration> readEnumerations(std::string_view name) {
  std::vector<KnownEnumeration> known;
  for (std::string &declaration : declarationsIn(headerPart(kPrelude, name)))
    known.push_back({llvm::StringRef(declaration).split(" : int").first.rsplit(' ').second.str(), declaration});
  return known;
}

/// Returns the enumerations that the prelude always declares in the global scope (""), in pto or in pto::comm ("comm").
const std::vector<KnownEnumeration> &enumerationsOf(std::string_view scope) {
  static const std::vector<KnownEnumeration> global = readEnumerations("enumerations"),
                                             pto = readEnumerations("enumerations of pto"),
                                             comm = readEnumerations("enumerations of comm"), none;
  return scope.empty() ? global : scope == "pto" ? pto : scope == "comm" ? comm : none;
}

bool declaresEnumeration(std::string_view scope, std::string_view name) {
  return llvm::any_of(enumerationsOf(scope), [&](const KnownEnumeration &known) { return known.name == name; });
}

void appendBases(std::string &text, const PreludeAdditions &additions) {
  std::string members;
  for (const std::string &name : additions.memberValues)
    members += "  static ptosync_any " + name + ";\n";
  for (const std::string &name : additions.memberFunctions)
    for (const char *parameters : {"", "template <typename...> ", "template <auto, auto...> "})
      members += std::string("  ") + parameters + "static ptosync_any " + name + "(...);\n";
  for (const std::string &name : additions.memberTypes)
    members += "  struct " + name + ";\n";
  text += "struct ptosync_any;\nstruct ptosync_members {\n" + members + "};\n" + part("bases");
  for (const std::string &name : additions.memberTypes)
    text += "struct ptosync_members::" + name + " : ptosync_unknown { using ptosync_unknown::ptosync_unknown; };\n";
}

const MissingInScope &missingIn(const PreludeAdditions &additions, const std::string &scope) {
  static const MissingInScope kNothing;
  auto found = additions.scopes.find(scope);
  return found == additions.scopes.end() ? kNothing : found->second;
}

/// `scope`: "" or "pto".
void appendEnumerations(std::string &text, std::string_view scope, const PreludeAdditions &additions) {
  const auto &enumerators = missingIn(additions, "").enumerators;
  for (const auto &[name, declaration] : enumerationsOf(scope)) {
    if (additions.declaredByHeaders.count(name))
      continue;
    constexpr llvm::StringLiteral kEnd = " };";
    text += llvm::StringRef(declaration).drop_back(kEnd.size());
    if (auto extra = enumerators.find(name); extra != enumerators.end())
      for (const std::string &more : extra->second)
        text += ", " + more;
    text += kEnd.str() + "\n";
  }
}

std::string joined(const std::set<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += name + ", ";
  return text;
}

/// Enumerations of instruction options that nothing here knows: `Foo::BAR` with Foo undeclared.
void appendUnknownEnums(std::string &text, const std::string &scope, const MissingInScope &missing) {
  for (const auto &[name, enumerators] : missing.enumerators)
    if (!preludeEnumeration(scope, name))
      text += "enum class " + name + " : int { " + joined(enumerators) + "};\n";
}

/// "TV" -> "typename, auto"; 'R' stands for a constant whose value nobody knows, taken by its address.
std::string templateParameters(const std::string &kinds) {
  std::string text;
  for (char kind : kinds)
    text += std::string(text.empty() ? "" : ", ") + (kind == 'T' ? "typename" : kind == 'R' ? "const auto &" : "auto");
  return text;
}

/// C-variadic parameters keep the declarations free of per-call template instantiation. Explicit
/// template arguments mix types and values, so there is one overload per leading number of types,
/// and one per mix that a first parse found (`signatures`).
void appendFunction(std::string &text, const std::string &name, bool explicitArguments,
                    const std::set<std::string> &signatures) {
  text += "ptosync_any " + name + "(...);\n";
  for (const std::string &kinds : signatures)
    text += "template <" + templateParameters(kinds) + "> ptosync_any " + name + "(...);\n";
  if (!explicitArguments || !signatures.empty())
    return; // beside an overload that fits exactly a longer one would be ambiguous
  // Every mix of up to four; longer ones start with types, or with one value and then types.
  for (unsigned count = 1; count <= 4; ++count)
    for (unsigned kinds = 1; kinds < (1u << count); ++kinds) {
      std::string mix;
      for (unsigned i = 0; i < count; ++i)
        mix += (kinds >> i) & 1 ? 'V' : 'T';
      text += "template <" + templateParameters(mix) + "> ptosync_any " + name + "(...);\n";
    }
  text += "template <typename...> ptosync_any " + name + "(...);\n";
  text += "template <auto, typename, typename, auto, auto, auto...> ptosync_any " + name + "(...);\n";
  std::string types;
  for (unsigned leading = 0; leading <= 6; ++leading) {
    text += "template <" + types;
    for (unsigned values = leading; values < 5 || values == leading; ++values)
      text += "auto, ";
    text += "auto...> ptosync_any " + name + "(...);\n";
    types += "typename, ";
  }
}

/// Declares the unknown types, templates and constants of a scope. A type that is a scope as well holds what
/// was found missing there.
void appendUnknownTypes(std::string &text, const std::string &scope, const PreludeAdditions &additions) {
  const MissingInScope &missing = missingIn(additions, scope);
  for (const std::string &name : missing.types) {
    text += "struct " + name + " : ptosync_unknown { using ptosync_unknown::ptosync_unknown;";
    const MissingInScope &inside = missingIn(additions, nameWithin(scope, name));
    for (const std::string &constant : inside.constants)
      text += " static const int " + constant + ";";
    for (const std::string &function : inside.functions)
      text += (" static ptosync_any " + llvm::Twine(function) + "(...); template <typename...> static ptosync_any " +
               function + "(...); template <auto, auto...> static ptosync_any " + function + "(...);")
                  .str();
    for (const std::string &type : inside.types)
      text += " struct " + type + " : ptosync_unknown { using ptosync_unknown::ptosync_unknown; };";
    text += " };\n";
  }
  for (const auto &[name, guessed] : missing.classTemplates) {
    std::string kinds = guessed, parameters;
    if (auto corrected = additions.argumentKinds.find(name); corrected != additions.argumentKinds.end())
      for (const auto &[index, kind] : corrected->second)
        if (index < kinds.size())
          kinds[index] = kind;
    for (char kind : kinds)
      parameters.append(parameters.empty() ? "" : ", ").append(kind == 'T' ? "typename = void" : "auto = 0");
    text += ("template <" + llvm::Twine(parameters) + "> struct " + name +
             " : ptosync_unknown { using ptosync_unknown::ptosync_unknown; };\n")
                .str();
  }
  for (const std::string &name : missing.constants)
    text += "extern const int " + name + ";\n";
}

/// A scope that is the name of an unknown type is declared with the type.
bool isTypeScope(const std::string &scope, const PreludeAdditions &additions) {
  std::size_t cut = scope.rfind("::");
  std::string outer = cut == std::string::npos ? "" : scope.substr(0, cut);
  return missingIn(additions, outer).types.count(cut == std::string::npos ? scope : scope.substr(cut + 2)) != 0;
}

bool isIdentifierStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool isIdentifierPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

} // namespace

std::string nameWithin(const std::string &scope, const std::string &name) {
  return scope.empty() ? name : scope + "::" + name;
}

bool preludeDeclares(std::string_view name) {
  if (libraryType("", name))
    return true; // as a type, where the file needs it
  for (std::string_view declared : kDeclaredNames)
    if (declared == name)
      return true;
  return false;
}

bool preludeEnumeration(std::string_view scope, std::string_view name) {
  if (scope.empty())
    return declaresEnumeration("", name) || declaresEnumeration("pto", name);
  return scope == "comm" && declaresEnumeration(scope, name);
}

std::set<std::string> PreludeAdditions::functions() const {
  std::set<std::string> all;
  for (const auto &[scope, missing] : scopes)
    all.insert(missing.functions.begin(), missing.functions.end());
  return all;
}

bool PreludeAdditions::merge(const PreludeAdditions &more) {
  PreludeAdditions before = *this;
  auto add = [](auto &into, const auto &from) { into.insert(from.begin(), from.end()); };
  for (const auto &[scope, missing] : more.scopes) {
    MissingInScope &into = scopes[scope];
    add(into.functions, missing.functions);
    add(into.types, missing.types);
    add(into.constants, missing.constants);
    for (const auto &[name, kinds] : missing.classTemplates)
      if (into.classTemplates[name].size() < kinds.size())
        into.classTemplates[name] = kinds;
    for (const auto &[name, enumerators] : missing.enumerators)
      add(into.enumerators[name], enumerators);
  }
  add(library, more.library);
  for (const auto &[name, kinds] : more.signatures)
    add(signatures[name], kinds);
  for (const auto &[name, kinds] : more.argumentKinds)
    add(argumentKinds[name], kinds);
  add(memberFunctions, more.memberFunctions);
  add(memberValues, more.memberValues);
  add(memberTypes, more.memberTypes);
  add(headers, more.headers);
  add(declaredByHeaders, more.declaredByHeaders);
  return !(*this == before);
}

std::string compilerText(const PreludeAdditions &additions) {
  std::string text = part("macros") + part("compiler");
  text += "#define __aicor_ __aicore__\n";
  // One declaration a line.
  for (std::string_view rest = headerPart(kPrelude, "scalars"); !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    bool theirs = line.find(" int4b_t ") != std::string_view::npos; // the library has one of its own in pto
    for (const std::string &name : additions.declaredByHeaders)
      theirs |= line.find(" " + name + " ") != std::string_view::npos;
    if (!theirs)
      text += std::string(line) + "\n";
  }
  appendBases(text, additions);
  // What host code computes with objects, and results of functions, that nothing here knows.
  for (const char *sign : {"==", "!=", "<", ">", "<=", ">=", "+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}) {
    text += "template <typename PtoA_, typename PtoB_, int (*)[__is_base_of(ptosync_open, "
            "__remove_cvref(PtoA_)) || __is_base_of(ptosync_open, __remove_cvref(PtoB_)) ? 1 : -1] = nullptr> "
            "ptosync_any operator" +
            std::string(sign) + "(PtoA_ &&, PtoB_ &&);\n";
  }
  appendEnumerations(text, "", additions);
  text += part("queries") + part("types of the compiler");
  for (const std::string &vector : declarationsIn(headerPart(kPrelude, "vectors of the compiler")))
    if (!missingIn(additions, "").types.count(llvm::StringRef(vector).split(' ').second.split(' ').first.str()))
      text += vector + "\n";
  appendUnknownTypes(text, "", additions);
  for (const auto &[scope, missing] : additions.scopes) {
    if (!scope.empty() && isTypeScope(scope, additions))
      continue;
    if (!scope.empty())
      text += "namespace " + scope + " {\n";
    appendUnknownEnums(text, scope, missing);
    if (!scope.empty())
      appendUnknownTypes(text, scope, additions);
    for (const std::string &name : missing.functions)
      if (!preludeDeclares(name)) {
        auto signatures = additions.signatures.find(name);
        appendFunction(text, name, true,
                       signatures == additions.signatures.end() ? std::set<std::string>{} : signatures->second);
      }
    if (!scope.empty())
      text += "}\n";
  }
  return text;
}

std::string preludeText(const MentionedNames &names, const PreludeAdditions &additions,
                        const std::vector<Definition> &macros) {
  const MissingInScope &root = missingIn(additions, "");
  std::string text = part("macros");
  for (const Definition &macro : macros)
    text += "#ifndef " + macro.name + "\n#define " + macro.name + " " + macro.value.value_or("") + "\n#endif\n";
  text += part("qualifiers") + part("scalars") + part("limits");
  appendBases(text, additions);
  appendEnumerations(text, "", additions);
  text += part("queries");
  text += "namespace pto {\n";
  appendEnumerations(text, "pto", additions);
  appendUnknownEnums(text, "", root);
  text += part("types");
  text += libraryTypesText(additions.library);
  text += "}\n";
  appendUnknownTypes(text, "", additions);
  auto append = [&](const std::string &name, const std::set<std::string> &invented) {
    auto signatures = additions.signatures.find(name);
    appendFunction(text, name, invented.count(name) || names.explicitArguments.count(name),
                   signatures == additions.signatures.end() ? std::set<std::string>{} : signatures->second);
  };
  std::set<std::string> all = names.functions;
  all.insert(root.functions.begin(), root.functions.end());
  // In the global namespace a name is found with and without `using namespace pto`; a using
  // declaration makes the qualified form work too.
  for (const std::string &name : all)
    if (!preludeDeclares(name))
      append(name, root.functions);
  text += "namespace pto {\n";
  for (const std::string &name : all)
    if (!preludeDeclares(name))
      text += "using ::" + name + ";\n";
  for (const std::string &name : root.types)
    text += "using ::" + name + ";\n";
  for (const auto &[name, kinds] : root.classTemplates)
    text += "using ::" + name + ";\n";
  for (const std::string &name : root.constants)
    text += "using ::" + name + ";\n";
  const MissingInScope &comm = missingIn(additions, "comm");
  text += "namespace comm {\n";
  for (const auto &[name, declaration] : enumerationsOf("comm")) {
    constexpr llvm::StringLiteral kEnd = "};";
    auto extra = comm.enumerators.find(name);
    text += llvm::StringRef(declaration).drop_back(kEnd.size());
    text += (extra == comm.enumerators.end() ? "" : joined(extra->second)) + kEnd.str() + "\n";
  }
  for (const std::string &name : names.commFunctions)
    if (!comm.functions.count(name))
      append(name, {});
  text += "}\n";
  for (const auto &[scope, missing] : additions.scopes) {
    if (scope.empty() || isTypeScope(scope, additions))
      continue;
    text += "namespace " + scope + " {\n";
    appendUnknownEnums(text, scope, missing);
    appendUnknownTypes(text, scope, additions);
    for (const std::string &name : missing.functions)
      append(name, missing.functions);
    text += "}\n";
  }
  text += "}\n";
  return text;
}

MentionedNames mentionedNames(std::string_view source, const std::set<std::string> &known) {
  // Kernels repeat a few names thousands of times: look each spelling up once.
  std::unordered_map<std::string_view, bool> seen;
  MentionedNames names;
  std::size_t i = 0;
  while (i < source.size()) {
    if (!isIdentifierStart(source[i])) {
      // A digit starts a number; its suffix letters are no identifier.
      bool number = std::isdigit(static_cast<unsigned char>(source[i]));
      ++i;
      while (number && i < source.size() && isIdentifierPart(source[i]))
        ++i;
      continue;
    }
    std::size_t begin = i;
    while (i < source.size() && isIdentifierPart(source[i]))
      ++i;
    std::string_view name = source.substr(begin, i - begin);
    auto [entry, inserted] = seen.try_emplace(name, false);
    if (inserted)
      entry->second = known.count(std::string(name)) != 0;
    if (!entry->second)
      continue;
    bool comm = begin >= 6 && source.substr(begin - 6, 6) == "comm::";
    (comm ? names.commFunctions : names.functions).insert(std::string(name));
    std::size_t next = source.find_first_not_of(" \t\r\n", i);
    if (next != std::string_view::npos && source[next] == '<')
      names.explicitArguments.insert(std::string(name));
  }
  return names;
}

std::string preludeFor(std::string_view source, const std::set<std::string> &instructions,
                       const PreludeAdditions &additions, const std::vector<Definition> &macros) {
  return preludeText(mentionedNames(source, instructions), additions, macros);
}

namespace {

std::string qualified(const LibraryType &type) { return nameWithin(type.scope, type.name); }

/// Reads library/types.hpp.
class LibraryTypeReader {
public:
  std::vector<LibraryType> read() {
    for (llvm::StringRef line : declarationsIn(headerPart("types.hpp", "types")))
      if (line.consume_front("namespace "))
        scope = line.split(' ').first.str();
      else if (line == "}")
        scope.clear();
      else
        add(line);
    return std::move(types);
  }

private:
  void add(llvm::StringRef declaration) {
    LibraryType type;
    type.scope = scope;
    type.acts = declaration.consume_back(" // acts");
    type.text = declaration.str();
    const TokenStream file(SourceText("", type.text));
    type.name = nameIn(file.tokens());
    addNeeds(file.tokens(), type);
    known.insert(qualified(type));
    types.push_back(std::move(type));
  }

  /// Returns the name in front of the first `:`, `{` or `=` behind `template <...>`.
  static std::string nameIn(const std::vector<SourceToken> &tokens) {
    int angles = 0;
    for (std::size_t at = 1; at < tokens.size(); ++at) {
      angles += tokens[at].text == "<" ? 1 : tokens[at].text == ">" ? -1 : 0;
      if (angles == 0 && llvm::is_contained({":", "{", "="}, tokens[at].text))
        return tokens[at - 1].text.str();
    }
    return {};
  }

  /// Each of those in front of it that it names, in its own scope or in pto.
  void addNeeds(const std::vector<SourceToken> &tokens, LibraryType &type) const {
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (!tokens[at].isIdentifier())
        continue;
      std::string path = tokens[at].text.str();
      while (true) {
        for (const std::string &name : {nameWithin(scope, path), path})
          if (known.count(name))
            type.needs.insert(name);
        if (at + 2 >= tokens.size() || tokens[at + 1].text != "::" || !tokens[at + 2].isIdentifier())
          break;
        at += 2;
        path += "::" + tokens[at].text.str();
      }
    }
  }

  std::string scope;
  std::vector<LibraryType> types;
  std::set<std::string> known; // their names, with scopes
};

const std::vector<LibraryType> &libraryTypes() {
  static const std::vector<LibraryType> types = LibraryTypeReader().read();
  return types;
}

} // namespace

const LibraryType *libraryType(std::string_view scope, std::string_view name) {
  for (const LibraryType &type : libraryTypes())
    if (type.scope == scope && type.name == name)
      return &type;
  return nullptr;
}

std::string libraryTypesText(const std::set<std::string> &names) {
  std::set<std::string> wanted = names;
  for (const LibraryType &type : llvm::reverse(libraryTypes())) // what one needs stands in front of it
    if (wanted.count(qualified(type)))
      wanted.insert(type.needs.begin(), type.needs.end());
  std::string text;
  for (const LibraryType &type : libraryTypes()) {
    if (!wanted.count(qualified(type)))
      continue;
    if (!type.scope.empty())
      text += "namespace " + type.scope + " { ";
    text += type.text;
    text += type.scope.empty() ? "\n" : " }\n";
  }
  return text;
}

} // namespace ptosync
