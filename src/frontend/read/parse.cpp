#include "frontend/read/parse.h"

#include "frontend/read/headers.h"
#include "frontend/read/missing_names.h"
#include "frontend/read/origin.h"
#include "frontend/read/prelude.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

namespace ptosync {
namespace {

constexpr int kMostParses = 12;
constexpr int kMostParsesOfHeaders = 4; // with the real headers, which cost more
constexpr std::size_t kMostDiagnosticsShown = 20;
constexpr const char *kPreludeDirectory = "/ptosync-prelude";
constexpr const char *kSkippedDirectory = "/ptosync-skipped/headers/of/others"; // deep enough for "../../common.hpp"

/// Returns what is read in the place of a header that is not there.
std::string inPlaceOf(const std::string &header, const char *part) {
  return std::string(headerPart("headers.hpp", isHostHeader(header) ? "host" : part));
}

/// Collects errors, and what an on-the-fly declaration could mend.
class DiagnosticCollector : public clang::DiagnosticConsumer {
public:
  /// `name`: of the main file, as messages have it. With the library's real headers, what is wrong in them alone is not
  /// the kernel's error: their bodies use what only the chip's compiler has.
  DiagnosticCollector(const std::string &name, bool realHeaders) : name(name), realHeaders(realHeaders) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) override {
    clang::DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error)
      return;
    noteMissing(info);
    if (realHeaders)
      noteDeclared(info);
    if (realHeaders && level < clang::DiagnosticsEngine::Fatal && inHeader(info)) {
      const clang::SourceManager &sources = info.getSourceManager();
      brokenHeaders.insert(sources.getFilename(sources.getExpansionLoc(info.getLocation())).str());
      ownHeaders |= inOwnHeader(info.getLocation(), sources);
      if (shownOfHeaders++ < kMostDiagnosticsShown)
        headerText += format(info);
      return;
    }
    noteOwn(level, info);
    ++errors;
    if (shown++ < kMostDiagnosticsShown)
      text += format(info);
  }

  /// Once the text is parsed: what a condition left out below a name is known then.
  void noteMissingNames(SyntaxUnit &unit) {
    std::map<clang::FileID, std::pair<std::string, std::string>> texts; // many names of one file are missing at once
    for (const MissingPlace &place : places) {
      auto [known, isNew] = texts.try_emplace(place.file);
      if (isNew)
        known->second = textsOf(unit, place.file);
      noteMissingName({known->second.first, known->second.second}, place.offset, place.kind, missing);
    }
  }

  PreludeAdditions missing;
  std::string text;
  std::string headerText; // what is wrong in the real headers
  std::set<std::string> brokenHeaders;
  bool ownHeaders = false; // one of them is the kernel's own
  std::size_t errors = 0;
  std::vector<std::uint32_t> own; // offsets of the errors in the main file
  bool elsewhere = false;         // an error has no such place, or ended the parse

private:
  void noteOwn(clang::DiagnosticsEngine::Level level, const clang::Diagnostic &info) {
    if (level >= clang::DiagnosticsEngine::Fatal || !info.getLocation().isValid() || !info.hasSourceManager() ||
        inHeader(info))
      elsewhere = true;
    else
      own.push_back(info.getSourceManager().getFileOffset(info.getSourceManager().getExpansionLoc(info.getLocation())));
  }

  std::string format(const clang::Diagnostic &info) {
    llvm::SmallString<256> message;
    info.FormatDiagnostic(message);
    std::string line;
    if (info.getLocation().isValid() && info.hasSourceManager()) {
      clang::PresumedLoc place = info.getSourceManager().getPresumedLoc(info.getLocation());
      if (place.isValid())
        line = (place.getFilename() == clangName(name) ? name : std::string(place.getFilename())) + ":" +
               std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn()) + ": ";
    }
    if (info.getID() == clang::diag::err_pp_file_not_found && !realHeaders)
      message += ": put it beside the file that includes it, name its folder with -I, or give the library's real "
                 "headers (--pto-include)";
    return line + "error: " + message.str().str() + "\n";
  }

  static std::optional<MissingKind> missingKind(const clang::Diagnostic &info) {
    namespace diag = clang::diag;
    switch (info.getID()) {
    case diag::err_unknown_typename:
    case diag::err_typename_nested_not_found:
    case diag::err_no_template: return MissingKind::Type;
    case diag::err_no_member: {
      llvm::SmallString<128> message;
      info.FormatDiagnostic(message);
      bool inNamespace = llvm::StringRef(message).contains(" in namespace '");
      return inNamespace || namesEnumeration(info) ? MissingKind::Name : MissingKind::Member;
    }
    case diag::err_template_arg_must_be_type:
    case diag::err_template_arg_must_be_type_suggest: return MissingKind::MustBeType;
    case diag::err_template_arg_must_be_expr: return MissingKind::MustBeValue;
    // The name is known, its use is wrong: declaring it again would only hide that.
    case diag::err_ovl_no_viable_function_in_call:
    case diag::err_typecheck_call_too_few_args:
    case diag::err_typecheck_call_too_few_args_one:
    case diag::err_typecheck_call_too_many_args:
    case diag::err_typecheck_call_too_many_args_one:
    case diag::err_ovl_ambiguous_call: return std::nullopt;
    default: return MissingKind::Name;
    }
  }

  /// "no member named 'A' in 'E'" with E an enumeration.
  static bool namesEnumeration(const clang::Diagnostic &info) {
    for (unsigned i = 0; i < info.getNumArgs(); ++i)
      if (info.getArgKind(i) == clang::DiagnosticsEngine::ak_declcontext)
        // Clang keeps the argument as a number. NOLINTNEXTLINE(performance-no-int-to-ptr)
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
    if (!sources.getFilename(location).starts_with(kPreludeDirectory))
      places.push_back({sources.getFileID(location), sources.getFileOffset(location), *kind});
  }

  /// The text of a file as it is, and as far as it is compiled; comments are blanked in both.
  static std::pair<std::string, std::string> textsOf(SyntaxUnit &unit, clang::FileID file) {
    const clang::SourceManager &sources = unit.getASTContext().getSourceManager();
    const std::string all = TokenStream(SourceText("", sources.getBufferData(file).str())).withoutComments();
    std::string compiled = all;
    for (const clang::SourceRange &range : unit.skippedText())
      if (sources.getFileID(range.getBegin()) == file)
        for (unsigned at = sources.getFileOffset(range.getBegin()); at < sources.getFileOffset(range.getEnd()); ++at)
          if (compiled[at] != '\n')
            compiled[at] = ' ';
    return {all, compiled};
  }

  /// What the real headers declare themselves, the compiler's declarations must leave out.
  void noteDeclared(const clang::Diagnostic &info) {
    namespace diag = clang::diag;
    unsigned id = info.getID();
    if (id != diag::err_redefinition && id != diag::err_redefinition_different_kind &&
        id != diag::err_redefinition_different_typedef)
      return;
    if (!inHeader(info))
      return;
    bool invalid = false;
    const clang::SourceManager &sources = info.getSourceManager();
    const char *at = sources.getCharacterData(sources.getSpellingLoc(info.getLocation()), &invalid);
    std::string name;
    while (!invalid && (std::isalnum(static_cast<unsigned char>(*at)) || *at == '_'))
      name += *at++;
    missing.declaredByHeaders.insert(name);
  }

  static bool inHeader(const clang::Diagnostic &info) {
    return info.getLocation().isValid() && info.hasSourceManager() &&
           !inMainFile(info.getLocation(), info.getSourceManager());
  }

  void noteMissingHeader(const clang::Diagnostic &info) {
    if (info.getNumArgs() == 0)
      return;
    llvm::SmallString<128> message;
    info.FormatDiagnostic(message);
    llvm::StringRef name = llvm::StringRef(message).split('\'').second.split('\'').first;
    if (realHeaders ? !isLibraryHeader(name) : isLibraryHeader(name) || isHostHeader(name))
      missing.headers.insert(name.str());
  }

  struct MissingPlace {
    clang::FileID file;
    unsigned offset;
    MissingKind kind;
  };
  const std::string &name;
  bool realHeaders;
  std::vector<MissingPlace> places;
  std::size_t shown = 0, shownOfHeaders = 0;
};

/// The kinds of the template arguments that calls are written with: which of them are types only the parser knows.
class SignatureFinder : public SyntaxWalker {
public:
  explicit SignatureFinder(PreludeAdditions &missing) : SyntaxWalker({}), missing(missing) {}

private:
  bool visit(clang::Stmt *statement) override {
    auto *expression = llvm::dyn_cast<clang::OverloadExpr>(statement);
    if (!expression)
      return true;
    std::string kinds;
    for (const clang::TemplateArgumentLoc &argument : expression->template_arguments())
      kinds += kindOf(argument.getArgument());
    if (!kinds.empty() && expression->getName().isIdentifier())
      missing.signatures[expression->getName().getAsString()].insert(kinds);
    return true;
  }

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

/// What Clang could not make sense of, although the file itself has no error: a class of the library that does not
/// accept these arguments, say.
class BrokenFinder : public SyntaxWalker {
public:
  /// `hostBroken`: what breakHostFunctions left is passed over.
  explicit BrokenFinder(bool hostBroken) : SyntaxWalker({.instantiations = true}), hostBroken(hostBroken) {}

private:
  bool enter(clang::Decl *declaration) override {
    auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
    if (auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
      function = pattern->getTemplatedDecl();
    return (hostBroken && function && isBrokenFunction(function)) || walkInto(declaration);
  }
  bool visit(clang::Stmt *statement) override { return !llvm::isa<clang::RecoveryExpr>(statement); }
  bool visit(clang::Decl *declaration) override {
    return !llvm::isa<clang::VarDecl, clang::FunctionDecl>(declaration) || !declaration->isInvalidDecl();
  }
  bool hostBroken;
};

bool isBroken(SyntaxUnit &unit, bool hostBroken) {
  return !BrokenFinder(hostBroken).walkMainFile(unit.getASTContext(), SyntaxWalker::Written::Spelled);
}

void findSignatures(SyntaxUnit &unit, PreludeAdditions &missing) {
  SignatureFinder(missing).walkMainFile(unit.getASTContext(), SyntaxWalker::Written::Spelled);
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

std::vector<std::string> commandLine(Section section, const FrontendOptions &options,
                                     const std::vector<std::string> &systemDirectories) {
  // One target on every machine the tool runs on: sizes, and whether char is signed, are the same everywhere.
  std::vector<std::string> arguments = {"-xc++",
                                        "-std=c++17",
                                        "-w",
                                        "-fsyntax-only",
                                        "-ferror-limit=0",
                                        "-nostdinc",
                                        "-fno-spell-checking",
                                        "-fno-caret-diagnostics",
                                        "--target=x86_64-pc-linux-gnu"};
  arguments.push_back(section == Section::Cube ? "-D__DAV_CUBE__" : "-D__DAV_VEC__");
  for (const BuildMacro &macro : options.builds.empty() ? BuildMacros() : options.builds.front())
    if (!macro.byLibrary && macro.value && (macro.section == Section::Both || macro.section == section))
      arguments.push_back("-D" + macro.name + "=" + *macro.value);
  for (const Definition &definition : options.defines)
    arguments.push_back(definition.value ? "-D" + definition.name + "=" + *definition.value : "-U" + definition.name);
  for (const std::string &directory : options.includes)
    arguments.push_back("-I" + directory);
  if (!options.includeDirectory.empty()) {
    arguments.push_back("-include" + std::string(kPreludeDirectory) + "/compiler.hpp");
    arguments.push_back("-I" + options.includeDirectory);
  }
  for (const std::string &directory : systemDirectories)
    arguments.push_back("-isystem" + directory);
  if (!options.includeDirectory.empty())
    arguments.push_back(std::string("-idirafter") + kSkippedDirectory);
  // Behind the user's headers: it serves what they lack.
  arguments.push_back(std::string("-idirafter") + kPreludeDirectory);
  return arguments;
}

std::vector<std::pair<std::string, std::string>> virtualFiles(const TokenStream &file, const FrontendOptions &options,
                                                              const PreludeAdditions &additions) {
  const SourceText &source = file.source();
  const std::string directory = std::string(kPreludeDirectory) + "/", skipped = std::string(kSkippedDirectory) + "/";
  std::vector<std::pair<std::string, std::string>> files;
  auto serve = [&](const std::map<std::string, std::string> &headers) {
    for (const auto &[name, text] : headers)
      files.emplace_back(directory + name, text);
  };
  if (!options.includeDirectory.empty()) {
    files.emplace_back(directory + "compiler.hpp", compilerText(additions));
    files.emplace_back(skipped + ".exists", ""); // else "../common.hpp" is not looked for
    for (const std::string &header : additions.headers)
      files.emplace_back(skipped + header, inPlaceOf(header, "own"));
    serve(runtimeHeaders(file, "cstdint"));
    return files;
  }
  files = {{directory + "pto/pto-inst.hpp",
            preludeFor(source.text(), options.instructions, additions, libraryMacros(options.builds))},
           {directory + "pto/comm/pto_comm_inst.hpp", std::string(headerPart("headers.hpp", "library"))}};
  std::set<std::string> headers = additions.headers;
  // Every PTO header the file names is served.
  const std::string &text = source.text();
  for (std::size_t at = text.find("\"pto/"); at != std::string::npos; at = text.find("\"pto/", at + 1))
    if (std::size_t end = text.find_first_of("\"\n", at + 1); end != std::string::npos && text[end] == '"')
      if (std::string name = text.substr(at + 1, end - at - 1); isLibraryHeader(name))
        headers.insert(std::move(name));
  headers.erase("pto/pto-inst.hpp");
  headers.erase("pto/comm/pto_comm_inst.hpp");
  for (const std::string &header : headers)
    files.emplace_back(directory + header, inPlaceOf(header, "library"));
  serve(standardHeaders("pto/pto-inst.hpp"));
  serve(runtimeHeaders(file, "pto/pto-inst.hpp"));
  return files;
}

/// From what was found to be missing before, and adds to that.
llvm::Expected<ParsedSection> parseFrom(HeaderMemory::Found &found, const TokenStream &file, Section section,
                                        const FrontendOptions &options) {
  const SourceText &source = file.source();
  PreludeAdditions &additions = found.additions;
  UnitRequest request;
  request.text = plainText(file);
  request.name = clangName(source.name());
  request.reads = options.reads.get();
  request.skipBodies = !options.includeDirectory.empty();
  std::vector<std::string> systemDirectories;
  if (!options.includeDirectory.empty()) {
    llvm::Expected<std::vector<std::string>> directories = systemHeaders();
    if (!directories)
      return directories.takeError();
    systemDirectories = std::move(*directories);
  }
  request.arguments = commandLine(section, options, systemDirectories);
  std::optional<ParsedSection> good;
  HeaderMemory::Found whereGood;
  for (int &attempt = found.parses;; ++attempt) {
    DiagnosticCollector collector(source.name(), request.skipBodies);
    request.files = virtualFiles(file, options, additions);
    std::unique_ptr<SyntaxUnit> unit = parseUnit(request, collector);
    if (!unit)
      return llvm::make_error<SourceError>(
          collector.text.empty()
              ? source.name() +
                    ": error: Clang could not parse the file and gave no reason; please report it with the file\n"
              : collector.text);
    collector.noteMissingNames(*unit);
    bool sameTypes =
        std::includes(additions.declaredByHeaders.begin(), additions.declaredByHeaders.end(),
                      collector.missing.declaredByHeaders.begin(), collector.missing.declaredByHeaders.end());
    ParsedSection parsed;
    if (request.skipBodies)
      parsed.skippedHeaders = additions.headers;
    for (const std::string &header : parsed.skippedHeaders)
      parsed.ownHeaderMissing |= !isHostHeader(header);
    findSignatures(*unit, collector.missing);
    PreludeAdditions before = additions;
    int most = request.skipBodies ? kMostParsesOfHeaders : kMostParses;
    bool more = attempt + 1 < most && additions.merge(collector.missing);
    // Where nothing may be edited anyway, host code is not worth another parse.
    if (collector.errors != 0 && request.skipBodies && !collector.elsewhere && sameTypes &&
        (!more || parsed.ownHeaderMissing) && breakHostFunctions(unit->getASTContext(), file, collector.own)) {
      collector.errors = 0;
      parsed.hostBroken = true;
    }
    if (collector.errors == 0 && (parsed.hostBroken || !collector.headerText.empty()) &&
        isBroken(*unit, parsed.hostBroken)) {
      ++collector.errors;
      collector.text += collector.headerText;
    }
    if (collector.errors == 0 && sameTypes) {
      parsed.unit = std::move(unit);
      parsed.brokenHeaders = std::move(collector.brokenHeaders);
      parsed.declaredOnTheFly = before.functions();
      if (!collector.ownHeaders || !more || parsed.ownHeaderMissing) {
        additions = std::move(before);
        return parsed;
      }
      // Readable as it is, and perhaps more of it where its own headers get what they lack.
      good = std::move(parsed);
      whereGood = {std::move(before), attempt};
      continue;
    }
    if (!more && good) {
      found = std::move(whereGood);
      return std::move(*good);
    }
    if (!more)
      return llvm::make_error<SourceError>(withoutPrelude(collector.text) + collector.headerText);
  }
}

} // namespace

llvm::Expected<ParsedSection> parseSection(const TokenStream &file, Section section, const FrontendOptions &options) {
  const SourceText &source = file.source();
  bool remembers = options.memory && !options.includeDirectory.empty();
  if (std::optional<HeaderMemory::Found> known =
          remembers ? options.memory->find(source.name(), options.architecture, section) : std::nullopt) {
    HeaderMemory::Found found = *known;
    llvm::Expected<ParsedSection> parsed = parseFrom(found, file, section, options);
    if (parsed && found.parses == known->parses)
      return parsed;
    llvm::consumeError(parsed.takeError()); // another text, which lacks other things
  }
  HeaderMemory::Found found;
  llvm::Expected<ParsedSection> parsed = parseFrom(found, file, section, options);
  if (parsed && remembers)
    options.memory->remember(source.name(), options.architecture, section, std::move(found));
  return parsed;
}

} // namespace ptosync
