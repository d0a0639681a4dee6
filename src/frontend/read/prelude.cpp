#include "frontend/read/prelude.h"

#include "frontend/read/library_types.h"
#include "frontend/read/prelude_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>

namespace ptosync {
namespace {

/// What comes out of unknown calls, what all objects of the library have, and what unknown types are made of. A
/// `ptosync_data` only holds values; what making a `ptosync_unknown` does, nobody knows.
void appendBases(std::string &text, const PreludeAdditions &additions) {
  std::string members;
  for (const std::string &name : additions.memberValues)
    members += "  static ptosync_any " + name + ";\n";
  for (const std::string &name : additions.memberFunctions)
    for (const char *parameters : {"", "template <typename...> ", "template <auto, auto...> "})
      members += std::string("  ") + parameters + "static ptosync_any " + name + "(...);\n";
  for (const std::string &name : additions.memberTypes)
    members += "  struct " + name + ";\n";
  text += "struct ptosync_any;\nstruct ptosync_members {\n" + members + "};\n";
  text += R"(struct ptosync_open : ptosync_members {};
struct ptosync_any : ptosync_open {
  template <typename T> operator T() const;
  template <typename T> ptosync_any operator[](T &&) const;
  ptosync_any Wait(...) const;
  ptosync_any Test(...) const;
};
struct ptosync_data : ptosync_members { template <typename T> operator T() const; };
struct ptosync_unknown : ptosync_open {
  ptosync_unknown(...); // of no arguments too
  template <typename T> operator T() const;
  ptosync_any operator[](long) const;
};
)";
  for (const std::string &name : additions.memberTypes)
    text += "struct ptosync_members::" + name + " : ptosync_unknown { using ptosync_unknown::ptosync_unknown; };\n";
}

const MissingInScope &missingIn(const PreludeAdditions &additions, const std::string &scope) {
  static const MissingInScope kNothing;
  auto found = additions.scopes.find(scope);
  return found == additions.scopes.end() ? kNothing : found->second;
}

void appendEnums(std::string &text, bool inPto, const PreludeAdditions &additions) {
  const auto &enumerators = missingIn(additions, "").enumerators;
  for (const EnumText &known : kEnums) {
    if (known.inPto != inPto || additions.declaredByHeaders.count(std::string(known.name)))
      continue;
    text += known.scoped ? "enum class " : "enum ";
    text += known.name;
    text += " : int { ";
    text += known.enumerators;
    auto extra = enumerators.find(std::string(known.name));
    if (extra != enumerators.end())
      for (const std::string &name : extra->second)
        text += ", " + name;
    text += " };\n";
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
      text += " static ptosync_any " + function + "(...); template <typename...> static ptosync_any " + function +
              "(...); template <auto, auto...> static ptosync_any " + function + "(...);";
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
      parameters += std::string(parameters.empty() ? "" : ", ") + (kind == 'T' ? "typename = void" : "auto = 0");
    text += "template <" + parameters + "> struct " + name +
            " : ptosync_unknown { using ptosync_unknown::ptosync_unknown; };\n";
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
  if (scope == "comm")
    for (const auto &[known, enumerators] : kCommEnums)
      if (known == name)
        return true;
  if (scope.empty())
    for (const EnumText &known : kEnums)
      if (known.name == name)
        return true;
  return false;
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
  std::string text(kMacros);
  text += kCompiler;
  text += "#define __aicor_ __aicore__\n";
  // One declaration a line.
  for (std::string_view rest = kScalars; !rest.empty();) {
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
    text += "template <typename A, typename B, int (*)[__is_base_of(ptosync_open, __remove_cvref(A)) || "
            "__is_base_of(ptosync_open, __remove_cvref(B)) ? 1 : -1] = nullptr> ptosync_any operator" +
            std::string(sign) + "(A &&, B &&);\n";
  }
  appendEnums(text, false, additions);
  text += kQueries;
  text += kCompilerTypes;
  for (const char *element :
       {"bool", "address", "align", "u8",   "s8",   "u16",    "s16",    "u32",    "s32",      "u64",
        "s64",  "f16",     "f32",   "bf16", "hif8", "f8e4m3", "f8e5m2", "f8e8m0", "f4e1m2x2", "f4e2m1x2"})
    if (!missingIn(additions, "").types.count("vector_" + std::string(element)))
      text += "struct vector_" + std::string(element) + " : ptosync_data {};\n";
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
  std::string text(kMacros);
  for (const Definition &macro : macros)
    text += "#ifndef " + macro.name + "\n#define " + macro.name + " " + macro.value.value_or("") + "\n#endif\n";
  text += kQualifiers;
  text += kScalars;
  text += kLimits;
  appendBases(text, additions);
  appendEnums(text, false, additions);
  text += kQueries;
  text += "namespace pto {\n";
  appendEnums(text, true, additions);
  appendUnknownEnums(text, "", root);
  text += kTypes;
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
  for (const auto &[name, enumerators] : kCommEnums) {
    auto extra = comm.enumerators.find(name);
    text += std::string("enum class ") + name + " : int { " + enumerators + ", " +
            (extra == comm.enumerators.end() ? "" : joined(extra->second)) + "};\n";
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

} // namespace ptosync
