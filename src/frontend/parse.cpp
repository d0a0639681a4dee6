#include "frontend/parse.h"

#include "frontend/prelude.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticLex.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/ADT/SmallString.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace ptosync {
namespace {

constexpr int kMostParses = 8;
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

  void noteMissing(const clang::Diagnostic &info) {
    if (info.getID() == clang::diag::err_pp_file_not_found) {
      noteMissingHeader(info);
      return;
    }
    unsigned id = info.getID();
    // The name is known, its use is wrong: declaring it again would only hide that.
    bool wrongUse = id == clang::diag::err_ovl_no_viable_function_in_call ||
                    id == clang::diag::err_typecheck_call_too_few_args ||
                    id == clang::diag::err_typecheck_call_too_few_args_one ||
                    id == clang::diag::err_typecheck_call_too_many_args ||
                    id == clang::diag::err_typecheck_call_too_many_args_one ||
                    id == clang::diag::err_ovl_ambiguous_call;
    if (wrongUse || !info.getLocation().isValid() || !info.hasSourceManager())
      return;
    const clang::SourceManager &sources = info.getSourceManager();
    clang::SourceLocation location = sources.getSpellingLoc(info.getLocation());
    if (!sources.isWrittenInMainFile(location))
      return;
    bool invalid = false;
    const char *at = sources.getCharacterData(location, &invalid);
    if (invalid)
      return;
    const char *fileBegin = sources.getBufferData(sources.getMainFileID()).data();
    noteMissingName(fileBegin, at);
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

  static bool isPart(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  /// The identifier that ends just before `end`, or empty.
  static std::string identifierBefore(const char *begin, const char *end) {
    const char *start = end;
    while (start > begin && isPart(start[-1]))
      --start;
    return std::string(start, end);
  }

  void noteMissingName(const char *fileBegin, const char *at) {
    std::string name;
    for (const char *c = at; isPart(*c); ++c)
      name += *c;
    if (name.empty())
      return;
    const char *after = at + name.size();
    while (*after == ' ')
      ++after;
    static const std::set<std::string> kKeywords = {"if",     "while",  "for",      "switch",   "return",
                                                    "sizeof", "do",     "decltype", "alignof",  "typeid",
                                                    "int",    "float",  "double",   "unsigned", "template"};
    if (kKeywords.count(name))
      return; // a syntax error, which no declaration mends
    std::string scope = at - fileBegin >= 2 && at[-1] == ':' && at[-2] == ':' ? identifierBefore(fileBegin, at - 2) : "";
    if (after[0] == ':' && after[1] == ':') {
      // An undeclared scope: an enumeration of instruction options.
      const char *member = after + 2;
      std::string enumerator;
      for (const char *c = member; isPart(*c); ++c)
        enumerator += *c;
      if (!enumerator.empty())
        (scope == "comm" ? missing.commEnumerators : missing.enumerators)[name].insert(enumerator);
      return;
    }
    if (*after == '(' || *after == '<') {
      if (scope == "comm")
        missing.commFunctions.insert(name);
      else if (scope.empty() || scope == "pto")
        missing.functions.insert(name);
      return;
    }
    if (scope.empty() || scope == "pto" || scope == "comm")
      return;
    const char *scopeBegin = at - 2 - scope.size();
    bool comm = scopeBegin - fileBegin >= 2 && scopeBegin[-1] == ':' && identifierBefore(fileBegin, scopeBegin - 2) == "comm";
    (comm ? missing.commEnumerators : missing.enumerators)[scope].insert(name);
  }

  std::size_t shown = 0;
};

bool grow(PreludeAdditions &known, const PreludeAdditions &missing) {
  auto size = [](const PreludeAdditions &a) {
    std::size_t enumerators = 0;
    for (const auto *group : {&a.enumerators, &a.commEnumerators})
      for (const auto &[name, members] : *group)
        enumerators += members.size();
    return a.functions.size() + a.commFunctions.size() + a.headers.size() + enumerators;
  };
  std::size_t before = size(known);
  known.functions.insert(missing.functions.begin(), missing.functions.end());
  known.commFunctions.insert(missing.commFunctions.begin(), missing.commFunctions.end());
  known.headers.insert(missing.headers.begin(), missing.headers.end());
  for (const auto &[name, members] : missing.enumerators)
    known.enumerators[name].insert(members.begin(), members.end());
  for (const auto &[name, members] : missing.commEnumerators)
    known.commEnumerators[name].insert(members.begin(), members.end());
  return size(known) > before;
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
      parsed.declaredOnTheFly = additions.functions;
      parsed.declaredOnTheFly.insert(additions.commFunctions.begin(), additions.commFunctions.end());
      return parsed;
    }
    if (attempt + 1 >= kMostParses || !grow(additions, collector.missing))
      return llvm::make_error<SourceError>(withoutPrelude(collector.text));
  }
}

} // namespace ptosync
