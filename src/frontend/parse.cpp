#include "frontend/parse.h"

#include "frontend/missing_names.h"

#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/ADT/SmallString.h>

#include <optional>

namespace ptosync {
namespace {

constexpr int kMostParses = 12;
constexpr std::size_t kMostDiagnosticsShown = 20;
constexpr const char *kPreludeDirectory = "/ptosync-prelude";

/// Collects errors, and what an on-the-fly declaration could mend.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    ++errors;
    noteMissing(info);
    if (shown++ < kMostDiagnosticsShown)
      text += format(info);
  }

  PreludeAdditions missing;
  std::string text;
  std::size_t errors = 0;

private:
  std::string format(const clang::Diagnostic &info) {
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    std::string line;
    if (info.getLocation().isValid() && info.hasSourceManager()) {
      clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (place.isValid())
        line = std::string(place.getFilename()) + ":" + std::to_string(place.getLine()) + ":" +
               std::to_string(place.getColumn()) + ": ";
    }
    return line + "error: " + message.str().str() + "\n";
  }

  static std::optional<MissingKind> missingKind(const clang::Diagnostic &info) {
    namespace diag = clang::diag;
    switch (info.getID()) {
    case diag::err_unknown_typename:
    case diag::err_typename_nested_not_found:
    case diag::err_no_template:
      return MissingKind::Type;
    case diag::err_no_member: {
      llvm::SmallString<128> message;
      info.FormatDiagnostic(message);
      bool inNamespace = llvm::StringRef(message).contains(" in namespace '");
      return inNamespace || namesEnumeration(info) ? MissingKind::Name : MissingKind::Member;
    }
    case diag::err_template_arg_must_be_type:
    case diag::err_template_arg_must_be_type_suggest:
      return MissingKind::MustBeType;
    case diag::err_template_arg_must_be_expr:
      return MissingKind::MustBeValue;
    // The name is known, its use is wrong: declaring it again would only hide that.
    case diag::err_ovl_no_viable_function_in_call:
    case diag::err_typecheck_call_too_few_args:
    case diag::err_typecheck_call_too_few_args_one:
    case diag::err_typecheck_call_too_many_args:
    case diag::err_typecheck_call_too_many_args_one:
    case diag::err_ovl_ambiguous_call:
      return std::nullopt;
    default:
      return MissingKind::Name;
    }
  }

  /// "no member named 'A' in 'E'" with E an enumeration.
  static bool namesEnumeration(const clang::Diagnostic &info) {
    for (unsigned i = 0; i < info.getNumArgs(); ++i)
      if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_declcontext)
        return llvm::isa_and_nonnull<clang::EnumDecl>(reinterpret_cast<const clang::DeclContext *>(info.getRawArg(i)));
    return false;
  }

  void noteMissing(const clang::Diagnostic &info) {
    if (info.getID() == clang::diag::err_pp_file_not_found)
      return noteMissingHeader(info);
    std::optional<MissingKind> kind = missingKind(info);
    if (!kind || !info.getLocation().isValid() || !info.hasSourceManager())
      return;
    const clang::SourceManager &sources = info.getSourceManager();
    clang::SourceLocation location = sources.getSpellingLoc(info.getLocation());
    if (sources.isWrittenInMainFile(location))
      noteMissingName(sources.getBufferData(sources.getMainFileID()), sources.getFileOffset(location), *kind, missing);
  }

  void noteMissingHeader(const clang::Diagnostic &info) {
    if (info.getNumArgs() == 0)
      return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    llvm::StringRef name = llvm::StringRef(message).split('\'').second.split('\'').first;
    if (name.starts_with("pto/"))
      missing.headers.insert(name.str());
  }

  std::size_t shown = 0;
};

/// The kinds of the template arguments that calls are written with: which of them are types only the parser knows.
class SignatureFinder : public clang::RecursiveASTVisitor<SignatureFinder> {
public:
  explicit SignatureFinder(PreludeAdditions &missing) : missing(missing) {}
  bool VisitOverloadExpr(clang::OverloadExpr *expression) {
    std::string kinds;
    for (const clang::TemplateArgumentLoc &argument : expression->template_arguments())
      kinds += kindOf(argument.getArgument());
    if (!kinds.empty() && expression->getName().isIdentifier())
      missing.signatures[expression->getName().getAsString()].insert(kinds);
    return true;
  }

private:
  static char kindOf(const clang::TemplateArgument &argument) {
    if (argument.getKind() == clang::TemplateArgument::Type)
      return 'T';
    if (argument.getKind() != clang::TemplateArgument::Expression)
      return 'V';
    // A constant that was declared on the fly has an address and no value.
    auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument.getAsExpr()->IgnoreParenImpCasts());
    auto *variable = reference ? llvm::dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    return variable && variable->hasGlobalStorage() && !variable->getAnyInitializer() ? 'R' : 'V';
  }
  PreludeAdditions &missing;
};

void findSignatures(clang::ASTUnit &unit, PreludeAdditions &missing) {
  SignatureFinder finder(missing);
  clang::ASTContext &ast = unit.getASTContext();
  for (clang::Decl *declaration : ast.getTranslationUnitDecl()->decls())
    if (ast.getSourceManager().isWrittenInMainFile(ast.getSourceManager().getSpellingLoc(declaration->getLocation())))
      finder.TraverseDecl(declaration);
}

/// Errors in the user's file come first to mind; those that only the prelude shows are left out
/// unless there are no others.
std::string withoutPrelude(const std::string &text) {
  std::string own;
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines)
    if (!line.starts_with(kPreludeDirectory))
      own += line.str() + "\n";
  return own.empty() ? text : own;
}

std::vector<std::string> commandLine(Section section, const FrontendOptions &options) {
  // One target on every machine the tool runs on: sizes, and whether char is signed, are the same everywhere.
  std::vector<std::string> arguments = {
      "-xc++",        "-std=c++17",          "-w", "-fsyntax-only", "-ferror-limit=0",
      "-nostdlibinc", "-fno-spell-checking", "--target=x86_64-pc-linux-gnu"};
  arguments.push_back(section == Section::Cube ? "-D__DAV_CUBE__" : "-D__DAV_VEC__");
  if (!options.includeDirectory.empty())
    arguments.push_back("-I" + options.includeDirectory);
  // Behind the user's headers: it serves what they lack.
  arguments.push_back(std::string("-idirafter") + kPreludeDirectory);
  return arguments;
}

clang::tooling::FileContentMappings virtualFiles(const SourceText &source, const FrontendOptions &options,
                                                 const PreludeAdditions &additions) {
  std::string directory = kPreludeDirectory;
  clang::tooling::FileContentMappings files = {
      {directory + "/pto/pto-inst.hpp", preludeFor(source.text(), options.instructions, additions)},
      {directory + "/pto/comm/pto_comm_inst.hpp", "#pragma once\n#include \"pto/pto-inst.hpp\"\n"}};
  std::set<std::string> headers = additions.headers;
  // Every PTO header the file names is served; with the user's own directory, those it lacks.
  const std::string &text = source.text();
  for (std::size_t at = text.find("\"pto/"); at != std::string::npos; at = text.find("\"pto/", at + 1))
    if (std::size_t end = text.find_first_of("\"\n", at + 1); end != std::string::npos && text[end] == '"')
      headers.insert(text.substr(at + 1, end - at - 1));
  headers.erase("pto/pto-inst.hpp");
  headers.erase("pto/comm/pto_comm_inst.hpp");
  for (const std::string &header : headers)
    files.emplace_back(directory + "/" + header, "#pragma once\n#include \"pto/pto-inst.hpp\"\n");
  return files;
}

} // namespace

llvm::Expected<ParsedSection> parseSection(const SourceText &source, Section section, const FrontendOptions &options) {
  PreludeAdditions additions;
  for (int attempt = 0;; ++attempt) {
    DiagnosticCollector collector;
    auto unit = clang::tooling::buildASTFromCodeWithArgs(
        source.text(), commandLine(section, options), source.name(), "ptosync",
        std::make_shared<clang::PCHContainerOperations>(), clang::tooling::getClangStripDependencyFileAdjuster(),
        virtualFiles(source, options, additions), &collector);
    if (!unit)
      return llvm::make_error<SourceError>(collector.text.empty() ? source.name() + ": error: cannot be parsed\n"
                                                                  : collector.text);
    if (collector.errors == 0) {
      ParsedSection parsed;
      parsed.unit = std::move(unit);
      parsed.declaredOnTheFly = additions.functions();
      return parsed;
    }
    findSignatures(*unit, collector.missing);
    if (attempt + 1 >= kMostParses || !additions.merge(collector.missing))
      return llvm::make_error<SourceError>(withoutPrelude(collector.text));
  }
}

} // namespace ptosync
