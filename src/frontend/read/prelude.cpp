#include "frontend/read/prelude.h"

#include "frontend/read/prelude_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_map>
#include <utility>
#include <vector>

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

namespace {

// In an order that compiles: what another entry needs stands before it.
constexpr std::array kLibraryTypes = {
    // Options of instructions.
    LibraryType{"", "QuantType", "enum class QuantType : int { MXFP8, MXFP4_E2M1, INT8_SYM, INT8_ASYM };", ""},
    LibraryType{"", "QuantScaleAlg", "enum class QuantScaleAlg : int { OCP, NV };", ""},
    LibraryType{"", "MxQuantAlg",
                "enum class MxQuantAlg : int { OcpMxFp8E4M3, NvMxFp8E4M3, OcpMxFp4E2M1, NvMxFp4E2M1, Hif4 };", ""},
    LibraryType{"", "VecStoreMode", "enum class VecStoreMode : int { ND, NZ };", ""},
    LibraryType{"", "PrintFormat",
                "enum class PrintFormat : int { Width8_Precision4, Width8_Precision2, Width10_Precision6 };", ""},
    LibraryType{"", "TCopyMode", "enum class TCopyMode : int { SHALLOW_COPY, DEEP_COPY };", ""},
    LibraryType{"", "SyncAllMode", "enum class SyncAllMode : int { Hard, Soft };", ""},
    LibraryType{"", "SyncCoreType", "enum class SyncCoreType : int { AIVOnly, AICOnly, Mix };", ""},
    LibraryType{"", "VFImplKind",
                "enum VFImplKind : int { VFIMPL_DEFAULT, VFIMPL_1D_NO_POST_UPDATE, VFIMPL_2D_NO_POST_UPDATE, "
                "VFIMPL_1D_POST_UPDATE, VFIMPL_2D_POST_UPDATE };",
                ""},
    LibraryType{
        "", "SetFmatrixMode",
        "enum class SetFmatrixMode : int { FMATRIX_A_AUTO, FMATRIX_B_AUTO, FMATRIX_A_MANUAL, FMATRIX_B_MANUAL };", ""},
    LibraryType{"", "TileLayoutCustom", "enum class TileLayoutCustom : int { ND, DN, NZ, ZN, ZZ, NONE };", ""},
    LibraryType{"", "HistByte", "enum class HistByte : int { BYTE_0, BYTE_1, BYTE_2, BYTE_3 };", ""},
    LibraryType{"", "PowAlgorithm", "enum class PowAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "DivAlgorithm", "enum class DivAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "SqrtAlgorithm", "enum class SqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RsqrtAlgorithm", "enum class RsqrtAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RecipAlgorithm", "enum class RecipAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "ExpAlgorithm", "enum class ExpAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "LogAlgorithm", "enum class LogAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "FmodAlgorithm", "enum class FmodAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "FmodSAlgorithm", "enum class FmodSAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RemAlgorithm", "enum class RemAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "RemSAlgorithm", "enum class RemSAlgorithm : int { DEFAULT, HIGH_PRECISION };", ""},
    LibraryType{"", "ScatterAxis", "enum class ScatterAxis : int { SCATTER_ROW, SCATTER_COL };", ""},
    LibraryType{"", "ScatterAtomicOp", "enum class ScatterAtomicOp : int { None, Add, Max, Min };", ""},
    LibraryType{"", "ScatterOOB", "enum class ScatterOOB : int { Undefined, Skip, Clamp, Wrap };", ""},
    LibraryType{"", "ScatterConflict", "enum class ScatterConflict : int { Last, Default };", ""},
    LibraryType{"", "GatherAxis", "enum class GatherAxis : int { GATHER_ROW, GATHER_COL };", ""},
    LibraryType{"", "GatherOOB", "enum class GatherOOB : int { Undefined, Clamp, Wrap, Zero };", ""},
    LibraryType{"", "Coalesce", "enum class Coalesce : int { Row, Elem };", ""},
    LibraryType{"", "LayoutMode_t", "enum class LayoutMode_t : int { NZ2NZ, NZ2ND, NZ2DN };", ""},
    LibraryType{"", "DequantType", "enum class DequantType : int { SCALAR, TENSOR };", ""},
    LibraryType{"", "ClipReluMode_t", "enum ClipReluMode_t : int { NOCLIP_RELU, CLIP_RELU };", ""},
    // Configurations and plain data.
    LibraryType{"", "FixpipeParams",
                "template <LayoutMode_t = LayoutMode_t::NZ2ND, QuantMode_t = QuantMode_t::NoQuant, ReluPreMode = "
                "ReluPreMode::NoRelu, STPhase = STPhase::Unspecified, int = 0, AtomicType = AtomicType::AtomicNone, "
                "ClipReluMode_t = NOCLIP_RELU, bool = false> struct FixpipeParams {};",
                "LayoutMode_t ClipReluMode_t"},
    LibraryType{"", "MrgSortExecutedNumList",
                "struct MrgSortExecutedNumList { uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3; };",
                ""},
    LibraryType{"", "TRandomKey", "using TRandomKey = uint32_t[2];", ""},
    LibraryType{"", "TRandomCounter", "using TRandomCounter = uint32_t[4];", ""},
    LibraryType{"", "TileShape2D",
                "template <typename Element, long Rows = -1, long Cols = -1, Layout L = Layout::ND> "
                "struct TileShape2D : ptosync_data { TileShape2D(...); };",
                ""},
    LibraryType{"", "BaseShape2D",
                "template <typename Element, long Rows = -1, long Cols = -1, Layout L = Layout::ND> "
                "struct BaseShape2D : ptosync_data { BaseShape2D(...); };",
                ""},
    // Collectives and asynchronous transfers.
    LibraryType{"comm", "ReduceOp", "enum class ReduceOp : int { Sum, Max, Min };", ""},
    LibraryType{"comm", "DmaEngine", "enum class DmaEngine : int { SDMA, URMA, RDMA };", ""},
    LibraryType{"comm", "CollEngine", "enum class CollEngine : int { AIV, CCU };", ""},
    LibraryType{"comm", "CcuInputSource", "enum class CcuInputSource : int { HostManaged, AivStored };", ""},
    LibraryType{"comm", "CcuTriggerContext",
                "struct CcuTriggerContext { uint64_t ckeSlotVA; uint32_t mask, selfIdx; CcuInputSource inputSource; };",
                "CcuInputSource"},
    LibraryType{"comm", "AsyncSession", "struct AsyncSession : ptosync_data {};", ""},
    LibraryType{"comm", "AsyncEvent",
                "struct AsyncEvent : ptosync_data { ptosync_any Wait(...) const; ptosync_any Test(...) const; };", ""},
    LibraryType{"comm", "ParallelGroup",
                "template <typename Tensor> struct ParallelGroup : ptosync_data { ParallelGroup() = default; "
                "ParallelGroup(Tensor *, int, int); static ParallelGroup Create(Tensor *, int, int); };",
                ""},
    LibraryType{"comm", "Signal",
                "using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>, Layout::ND>;", ""},
    LibraryType{"comm", "GlobalSignal",
                "template <typename Element, typename ShapeType, typename StrideType, Layout L = Layout::ND> "
                "using GlobalSignal = GlobalTensor<Element, ShapeType, StrideType, L>;",
                ""},
    LibraryType{"comm::sdma", "SdmaBaseConfig",
                "struct SdmaBaseConfig { uint64_t block_bytes, comm_block_offset; uint32_t queue_num; };", ""},
    LibraryType{"comm::sdma", "sdma_base_config_t", "using sdma_base_config_t = SdmaBaseConfig;", "SdmaBaseConfig"},
    LibraryType{"comm::sdma", "SdmaSession", "struct SdmaSession : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "SdmaExecContext", "struct SdmaExecContext : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "SdmaEventContext", "struct SdmaEventContext : ptosync_data {};", ""},
    LibraryType{"comm::sdma", "TmpBuffer", "struct TmpBuffer { uint8_t *addr; uint32_t size; };", ""},
    LibraryType{"comm::urma", "UrmaSession", "struct UrmaSession : ptosync_data {};", ""},
    LibraryType{"comm::urma", "UrmaExecContext", "struct UrmaExecContext : ptosync_data {};", ""},
    LibraryType{"comm::urma", "UrmaEventContext", "struct UrmaEventContext : ptosync_data {};", ""},
    LibraryType{"", "PrefetchAsyncContext",
                "struct PrefetchAsyncContext : ptosync_unknown { PrefetchAsyncContext() = default; "
                "explicit PrefetchAsyncContext(uint8_t *); comm::AsyncSession session; };",
                "comm::AsyncSession", true},
    // Constants whose value the library publishes.
    LibraryType{"", "DYNAMIC", "constexpr int DYNAMIC = -1;", ""},
    LibraryType{"", "FFTS_MODE_VAL", "constexpr int FFTS_MODE_VAL = 2;", ""},
    LibraryType{"", "SYNC_AIC_FLAG", "constexpr uint16_t SYNC_AIC_FLAG = 11;", ""},
    LibraryType{"", "SYNC_AIV_FLAG", "constexpr uint16_t SYNC_AIV_FLAG = 12;", ""},
    LibraryType{"", "SYNC_AIC_AIV_FLAG", "constexpr uint16_t SYNC_AIC_AIV_FLAG = 13;", ""},
    LibraryType{"", "SYNC_AIV_ONLY_ALL", "constexpr uint16_t SYNC_AIV_ONLY_ALL = 14;", ""},
    LibraryType{"", "SYNC_FLAG_ID_MAX", "constexpr uint16_t SYNC_FLAG_ID_MAX = 16;", ""},
    LibraryType{"", "SYNCALL_SOFT_WORKSPACE_INT32", "constexpr int SYNCALL_SOFT_WORKSPACE_INT32 = 16;", ""},
    LibraryType{"GlobalTensorDim", "DIM_0", "constexpr int DIM_0 = 0;", ""},
    LibraryType{"GlobalTensorDim", "DIM_1", "constexpr int DIM_1 = 1;", ""},
    LibraryType{"GlobalTensorDim", "DIM_2", "constexpr int DIM_2 = 2;", ""},
    LibraryType{"GlobalTensorDim", "DIM_3", "constexpr int DIM_3 = 3;", ""},
    LibraryType{"GlobalTensorDim", "DIM_4", "constexpr int DIM_4 = 4;", ""},
    LibraryType{"GlobalTensorDim", "TOTAL_DIM", "constexpr int TOTAL_DIM = 5;", ""},
};

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find(' ', at), text.size());
    if (end > at)
      list.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return list;
}

std::string qualified(std::string_view scope, std::string_view name) {
  return scope.empty() ? std::string(name) : std::string(scope) + "::" + std::string(name);
}

} // namespace

const LibraryType *libraryType(std::string_view scope, std::string_view name) {
  for (const LibraryType &entry : kLibraryTypes)
    if (entry.scope == scope && entry.name == name)
      return &entry;
  return nullptr;
}

std::string libraryTypesText(const std::set<std::string> &names) {
  std::set<std::string> wanted = names;
  // Backwards: what an entry needs stands before it.
  for (auto entry = kLibraryTypes.rbegin(); entry != kLibraryTypes.rend(); ++entry)
    if (wanted.count(qualified(entry->scope, entry->name)))
      for (const std::string &needed : words(entry->needs))
        wanted.insert(libraryType(entry->scope, needed) ? qualified(entry->scope, needed) : needed);
  std::string text;
  for (const LibraryType &entry : kLibraryTypes) {
    if (!wanted.count(qualified(entry.scope, entry.name)))
      continue;
    if (!entry.scope.empty())
      text += "namespace " + std::string(entry.scope) + " { ";
    text += entry.text;
    text += entry.scope.empty() ? "\n" : " }\n";
  }
  return text;
}

} // namespace ptosync
