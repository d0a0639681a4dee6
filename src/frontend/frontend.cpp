#include "frontend/frontend.h"

#include "frontend/guard/bodies.h"
#include "frontend/guard/file_refusal.h"
#include "frontend/guard/file_shape.h"
#include "frontend/guard/kernel_functions.h"
#include "frontend/guard/launch_arguments.h"
#include "frontend/guard/nesting.h"
#include "frontend/library/types.h"
#include "frontend/lower/lowering.h"
#include "frontend/read/conditions.h"
#include "frontend/read/directives.h"
#include "frontend/read/parse.h"
#include "frontend/read/syntax_tree.h"

#include <clang/AST/Attr.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>
#include <future>
#include <iterator>

namespace ptosync {

namespace {

/// "runTAdd<float, 64>" for an instance of a template. `full`: "lib::runTAdd<float, 64>(float *, int)".
std::string kernelName(const clang::FunctionDecl *function, const clang::ASTContext &ast, bool full = false) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  function->getNameForDiagnostic(stream, ast.getPrintingPolicy(), full);
  for (unsigned i = 0; full && i < function->getNumParams(); ++i)
    stream << (i == 0 ? "(" : ", ") << function->getParamDecl(i)->getType().getAsString(ast.getPrintingPolicy());
  if (full)
    stream << (function->getNumParams() ? ")" : "()");
  return name;
}

/// Names of kernels that no two of them share: kernels of two versions of a file are matched by them.
class KernelNames {
public:
  KernelNames(const std::vector<const clang::FunctionDecl *> &kernels, const clang::ASTContext &ast) : ast(ast) {
    for (const clang::FunctionDecl *kernel : kernels)
      ++counts[kernelName(kernel, ast)];
  }
  std::string of(const clang::FunctionDecl *kernel) const {
    auto found = counts.find(kernelName(kernel, ast));
    return kernelName(kernel, ast, found != counts.end() && found->second > 1);
  }

private:
  const clang::ASTContext &ast;
  std::map<std::string, std::size_t> counts;
};

struct LiftedSection {
  std::set<std::pair<std::uint32_t, std::string>> called; // line and name of what others call, wrappers aside
  std::set<std::uint32_t> globalLines;                    // of functions that the host calls
  std::set<std::uint32_t> forwardedLines;                 // of kernels that a wrapper calls
  std::vector<Kernel> kernels;
  SiteTable sites;
  std::map<std::string, std::set<std::uint32_t>> unknown;
  std::map<std::string, std::uint32_t> calledNames; // and the first line of each
  std::vector<UnreadBody> unread;
  std::map<Section, FileShape> shapes;
  std::string notEdited;              // the first of the reasons for the whole file
  bool headersTellCoresApart = false; // own headers do, and the cores were not read apart
};

std::string describe(const SelectedText &selected) {
  std::string text = "another build of it is another program: ";
  text += selected.condition.empty()
              ? selected.place + " names " + selected.macro + ", which not every build gives the same value"
              : "the preprocessor condition on " + selected.condition + " selects " + selected.place;
  if (!selected.macro.empty())
    text +=
        "; say with -D or -U what " + selected.macro + " is" + (selected.ofChip ? ", or with --arch which chip" : "");
  return text;
}

/// Why nothing of the file may be edited; empty if it may.
std::vector<UnreadBody> wholeFile(const SourceText &source, const ParsedSection &parsed,
                                  const std::optional<SelectedText> &selected) {
  std::vector<UnreadBody> reasons;
  auto add = [&](std::string reason, bool wasRead = false) {
    UnreadBody &all = reasons.emplace_back();
    all.range.end = static_cast<std::uint32_t>(source.text().size());
    all.reason = std::move(reason);
    all.wasRead = wasRead;
  };
  if (parsed.ownHeaderMissing)
    for (const std::string &header : parsed.skippedHeaders)
      add("the header " + header + " was not found, so it may declare anything; name its folder with -I");
  if (parsed.hostBroken)
    add("host code of the file has errors and was not read, so it may launch anything; mend the errors or move the "
        "kernel to a file of its own");
  if (selected)
    add(describe(*selected), /*wasRead=*/true);
  return reasons;
}

/// Which arguments of the kernels share a buffer where code of the host launches or calls them.
std::map<std::string, ArgumentPairs> launchedWithOneBuffer(const TokenStream &file, const KernelFunctions &functions,
                                                           const KernelFunctions::Roles &roles,
                                                           const BodyGraph &bodies) {
  std::set<std::string> names;
  bool called = false;
  for (const clang::FunctionDecl *kernel : roles.kernels) {
    names.insert(nameOf(kernel));
    called |= roles.called.count(kernel) != 0;
  }
  if (!called && !mayLaunch(file.source().text()))
    return {};
  std::vector<SourceRange> chip;
  for (const clang::FunctionDecl *function : functions.codeOfChip())
    chip.push_back(bodies.rangeOf(function));
  return sharedArguments(file, names, chip);
}

void relateArguments(Kernel &kernel, const clang::FunctionDecl *function,
                     const std::map<std::string, ArgumentPairs> &shared) {
  auto found = shared.find(nameOf(function));
  if (found == shared.end())
    return;
  auto points = [&](std::uint32_t number) {
    return number < function->getNumParams() && !function->getParamDecl(number)->getType()->isArithmeticType();
  };
  for (const auto &[one, other] : found->second)
    if (points(one) && points(other))
      kernel.related.insert({one, other});
}

/// `apart`: code of this core alone.
llvm::Expected<LiftedSection> liftOnThisStack(const TokenStream &file, Section section, const FrontendOptions &options,
                                              bool apart) {
  if (options.allowance.spent(WorkUnit::Reading))
    return llvm::createStringError("its run has met a limit");
  const SourceText &source = file.source();
  llvm::Expected<ParsedSection> parsed = parseSection(file, section, options);
  if (!parsed)
    return parsed.takeError();
  LiftedSection lifted;
  clang::ASTContext &ast = parsed->unit->getASTContext();
  if (options.shapes)
    lifted.shapes.emplace(section, shapeOf(*parsed->unit, file));
  const OwnHeaders headers(ast, parsed->brokenHeaders, knownMacros(options.builds, options.defines, section, apart),
                           file);
  lifted.calledNames = findCalledNames(ast, source, headers);
  BodyGraph bodies(ast, source, headers);
  std::vector<BuildMacros> everyBuild = options.builds;
  everyBuild.insert(everyBuild.end(), options.otherBuilds.begin(), options.otherBuilds.end());
  KnownMacros known = knownMacros(everyBuild, options.defines, section, apart);
  known.redefined = headers.macros().redefined;
  const std::optional<SelectedText> selected = selectedText(headers.textsOfKernel(), known);
  LoweringContext context{ast,
                          source,
                          file,
                          options.instructions,
                          options.placing,
                          options.insideFlags,
                          lifted.sites,
                          lifted.unknown,
                          foreignConditionals(source, headers.macros()),
                          bodies,
                          headers,
                          fileRefusal(ast, headers)};
  std::set<const clang::Stmt *> followed;
  std::set<const clang::FunctionDecl *> entries;
  std::vector<BodyGraph::GivenUp> givenUp;
  const KernelFunctions functions(ast, file, headers, options);
  const KernelFunctions::Roles roles = functions.roles(bodies, parsed->declaredOnTheFly);
  const std::map<std::string, ArgumentPairs> shared = launchedWithOneBuffer(file, functions, roles, bodies);
  followed.insert(roles.forwarded.begin(), roles.forwarded.end());
  auto lineOf = [&](const clang::FunctionDecl *function) {
    clang::SourceLocation written = ast.getSourceManager().getExpansionLoc(function->getLocation());
    return source.position(ast.getSourceManager().getFileOffset(written)).line;
  };
  for (const clang::FunctionDecl *function : roles.global)
    lifted.globalLines.insert(lineOf(function));
  for (const clang::FunctionDecl *function : roles.called)
    for (bool full : {false, true}) // in the other core's text another function may have the name as well
      lifted.called.insert({lineOf(function), kernelName(function, ast, full)});
  const KernelNames names(roles.kernels, ast);
  for (const clang::FunctionDecl *function : roles.kernels) {
    Kernel kernel;
    kernel.name = names.of(function);
    kernel.section = section;
    kernel.line = lineOf(function);
    Lowering lowering(context, kernel);
    lowering.run(function);
    relateArguments(kernel, function, shared);
    if (roles.forwardedTo.count(function))
      lifted.forwardedLines.insert(kernel.line); // text that is not read may run it otherwise: no entry
    else
      entries.insert(function);
    if (kernel.analysable)
      followed.insert(lowering.followed().begin(), lowering.followed().end());
    else
      givenUp.push_back({function, kernel.line, "kernel " + kernel.name + " was not analysed: " + kernel.reason});
    lifted.kernels.push_back(std::move(kernel));
  }
  lifted.unread = bodies.unreadBodies(followed, entries, givenUp);
  // Without them the same text would be read as other kernels.
  for (const clang::FunctionDecl *function : roles.wrapperButForSyncs)
    lifted.unread.push_back({bodies.rangeOf(function),
                             "without syncs " + function->getNameAsString() + " would be a wrapper of its kernel", 0,
                             true});
  std::vector<UnreadBody> whole = wholeFile(source, *parsed, selected);
  lifted.notEdited = whole.empty() ? "" : whole.front().reason;
  std::move(whole.begin(), whole.end(), std::back_inserter(lifted.unread));
  lifted.headersTellCoresApart = !apart && headers.tellCoresApart();
  return lifted;
}

llvm::Expected<LiftedSection> liftOnDeepStack(const TokenStream &file, Section section, const FrontendOptions &options,
                                              bool apart) {
  std::optional<llvm::Expected<LiftedSection>> lifted;
  runOnDeepStack([&] { lifted.emplace(liftOnThisStack(file, section, options, apart)); });
  return std::move(*lifted);
}

/// PIPE_ALL in front of a cache flush makes scalar stores visible: no pipe analysis sees that.
void protectFlushes(const std::vector<Kernel> &kernels, SiteTable &sites) {
  for (const Kernel &kernel : kernels)
    for (const Block &block : kernel.blocks)
      for (std::size_t i = 0; i < block.statements.size(); ++i) {
        const auto *sync = std::get_if<Sync>(&block.statements[i].action);
        if (!sync || sync->kind != SyncKind::Barrier)
          continue;
        for (std::size_t next = i + 1; next < block.statements.size(); ++next) {
          const auto &action = block.statements[next].action;
          const auto *follower = std::get_if<Instruction>(&action);
          if (follower && (follower->name == "dcci" || follower->name == "dsb") &&
              sites[sync->site].protection == Protection::None)
            sites[sync->site].protection = Protection::Flush;
          if (follower)
            break;
        }
      }
}

/// Syncs in bodies that unread text can reach.
void protectUnread(LiftedSection &section) {
  for (const UnreadBody &body : section.unread)
    for (auto site = section.sites.lower_bound(body.range.begin);
         site != section.sites.end() && site->first < body.range.end; ++site) {
      Protection &protection = site->second.protection;
      if (protection != Protection::None && protection != Protection::KeepComment)
        continue;
      protection = Protection::NotOneStatement;
      site->second.keepReason = body.wasRead ? body.reason : "text that was not read may run it: " + body.reason;
    }
}

void numberSites(Module &module, SiteTable &sites) {
  std::map<std::uint32_t, SiteId> numbers;
  for (auto &[offset, site] : sites) {
    std::uint32_t lastLine = module.source.position(site.range.end).line;
    if (const Directive *keep = keepOf(module.directives, site.line, lastLine)) {
      if (site.protection == Protection::None || site.protection == Protection::KeepComment) {
        site.keepReason = keep->argument;
        site.protection = Protection::KeepComment;
      }
    }
    numbers[offset] = static_cast<SiteId>(module.sites.size());
    module.sites.push_back(site);
  }
  for (Kernel &kernel : module.kernels)
    for (Block &block : kernel.blocks)
      for (Statement &statement : block.statements)
        if (auto *sync = std::get_if<Sync>(&statement.action))
          sync->site = numbers.at(sync->site);
}

/// A name that both sections call counts for both, from its first line.
std::vector<CalledName> mergedNames(const LiftedSection *cube, const LiftedSection *vec) {
  std::map<std::string, CalledName> names;
  auto take = [&](const LiftedSection *lifted, Section section) {
    if (!lifted)
      return;
    for (const auto &[name, line] : lifted->calledNames) {
      auto [entry, inserted] = names.try_emplace(name, CalledName{name, section, line});
      if (inserted)
        continue;
      entry->second.section = Section::Both;
      entry->second.line = std::min(entry->second.line, line);
    }
  };
  take(cube, Section::Cube);
  take(vec, Section::Vec);
  std::vector<CalledName> list;
  list.reserve(names.size());
  for (auto &[name, called] : names)
    list.push_back(std::move(called));
  return list;
}

void merge(LiftedSection &into, LiftedSection from) {
  for (Kernel &kernel : from.kernels)
    into.kernels.push_back(std::move(kernel));
  for (auto &[offset, site] : from.sites) {
    auto [entry, inserted] = into.sites.try_emplace(offset, site);
    // Two programs must agree on what a site is before it may be edited.
    if (!inserted && (entry->second.text != site.text || entry->second.kind != site.kind ||
                      entry->second.source != site.source || entry->second.destination != site.destination))
      entry->second.protection = Protection::NotOneStatement;
    if (!inserted && site.protection != Protection::None && entry->second.protection == Protection::None)
      entry->second.protection = site.protection;
    entry->second.namedId |= site.namedId;
  }
  into.unread.insert(into.unread.end(), from.unread.begin(), from.unread.end());
  if (into.notEdited.empty())
    into.notEdited = std::move(from.notEdited);
  into.shapes.merge(from.shapes);
  for (auto &[name, lines] : from.unknown)
    into.unknown[name].insert(lines.begin(), lines.end());
}

} // namespace

/// A helper that only one core section calls is no kernel of the other.
void dropHelpers(LiftedSection &section, const LiftedSection &other) {
  std::erase_if(section.kernels, [&](const Kernel &kernel) {
    bool dropped = other.called.count({kernel.line, kernel.name}) && !section.globalLines.count(kernel.line);
    if (dropped)
      std::erase_if(section.unread, [&](const UnreadBody &body) { return body.owner == kernel.line; });
    return dropped;
  });
}

/// Clang fills its table of class names at the first question, and two threads must not ask that at once.
void nameStatementClasses() {
  static const bool named = clang::NullStmt(clang::SourceLocation()).getStmtClassName() != nullptr;
  static_cast<void>(named);
}

struct LiftedCores {
  LiftedSection lifted;
  std::vector<CalledName> calledNames;
};

/// A file that does not tell the cores apart: one reading stands for both.
llvm::Expected<LiftedCores> liftTogether(const TokenStream &file, const FrontendOptions &options) {
  llvm::Expected<LiftedSection> only = liftOnDeepStack(file, Section::Vec, options, false);
  if (!only && !options.includeDirectory.empty()) {
    // The real headers have members that only the other core sees.
    llvm::Expected<LiftedSection> other = liftOnDeepStack(file, Section::Cube, options, false);
    if (other) {
      llvm::consumeError(only.takeError());
      only = std::move(other);
    } else {
      llvm::consumeError(other.takeError());
    }
  }
  if (!only)
    return only.takeError();
  LiftedCores cores{std::move(*only), {}};
  cores.calledNames = mergedNames(nullptr, &cores.lifted);
  for (CalledName &called : cores.calledNames)
    called.section = Section::Both;
  for (Kernel &kernel : cores.lifted.kernels)
    kernel.section = Section::Both;
  return cores;
}

llvm::Expected<LiftedCores> liftOne(const TokenStream &file, const FrontendOptions &options, Section section) {
  llvm::Expected<LiftedSection> only = liftOnDeepStack(file, section, options, true);
  if (!only)
    return only.takeError();
  LiftedCores cores{std::move(*only), {}};
  bool cube = section == Section::Cube;
  cores.calledNames = mergedNames(cube ? &cores.lifted : nullptr, cube ? nullptr : &cores.lifted);
  return cores;
}

llvm::Expected<LiftedCores> liftBoth(const TokenStream &file, const FrontendOptions &options) {
  auto other = std::async(std::launch::async, [&] { return liftOnDeepStack(file, Section::Cube, options, true); });
  llvm::Expected<LiftedSection> vec = liftOnDeepStack(file, Section::Vec, options, true);
  llvm::Expected<LiftedSection> cube = other.get();
  if (!cube || !vec) {
    std::string cubeText = cube ? "" : llvm::toString(cube.takeError());
    std::string vecText = vec ? "" : llvm::toString(vec.takeError());
    return llvm::make_error<SourceError>(cubeText == vecText ? vecText : cubeText + vecText);
  }
  if (cube->forwardedLines != vec->forwardedLines) { // two programs: what is a wrapper in one may be none in the other
    FrontendOptions expanded = options;
    expanded.argumentsApart = false;
    return liftBoth(file, expanded);
  }
  LiftedCores cores;
  cores.calledNames = mergedNames(&*cube, &*vec);
  dropHelpers(*cube, *vec);
  dropHelpers(*vec, *cube);
  merge(cores.lifted, std::move(*cube));
  merge(cores.lifted, std::move(*vec));
  return cores;
}

llvm::Expected<LiftedCores> liftCores(const TokenStream &file, const FrontendOptions &options,
                                      const std::set<Section> &sections) {
  auto apart = [&]() -> llvm::Expected<LiftedCores> {
    bool both = sections.count(Section::Both) != 0;
    bool cube = both || sections.count(Section::Cube), vec = both || sections.count(Section::Vec);
    return cube && vec ? liftBoth(file, options) : liftOne(file, options, cube ? Section::Cube : Section::Vec);
  };
  if (tellsCoresApart(file.source().text(), macrosOfOneCore(options.builds)))
    return apart();
  llvm::Expected<LiftedCores> together = liftTogether(file, options);
  if (!together || !together->lifted.headersTellCoresApart)
    return together;
  // The file does not tell the cores apart, but a header of its own does.
  llvm::Expected<LiftedCores> cores = apart();
  if (cores)
    return cores;
  llvm::consumeError(cores.takeError());
  return together;
}

namespace {

/// The names in a kernel's text that an assumption may speak of.
class RunNumbers {
public:
  explicit RunNumbers(const Kernel &kernel) {
    for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
      if (const Expression &e = kernel.expressions[id];
          (e.kind == Expression::Kind::Parameter && e.sense != Expression::Sense::Pointer && e.type.bits != 0) ||
          e.kind == Expression::Kind::Query)
        known.emplace(e.name, &e);
  }

  /// With numbers and types; empty if the kernel has not all its names.
  std::optional<Assumption> resolved(Assumption assumption) const {
    for (Assumption::Term &term : assumption.terms) {
      auto found = known.find(term.name);
      if (found == known.end())
        return std::nullopt;
      term.type = found->second->type;
      if (found->second->kind == Expression::Kind::Parameter)
        term.argument = static_cast<std::uint32_t>(found->second->constant);
    }
    return assumption;
  }

  /// The first one for which no number is left; empty if there is none.
  std::optional<std::string> impossible(const std::vector<Assumption> &assumptions) const {
    for (const auto &[name, expression] : known)
      if (boundsOf(assumptions, *expression).empty())
        return name;
    return std::nullopt;
  }

  std::string list() const {
    std::string text;
    for (const auto &[name, expression] : known)
      text += (text.empty() ? "" : ", ") + name + (expression->kind == Expression::Kind::Query ? "()" : "");
    return text.empty() ? "none" : text;
  }

private:
  std::map<std::string, const Expression *> known;
};

/// True if the comment stands between the braces of the kernel, or alone above it.
bool isOf(const Directive &comment, const Kernel &kernel) {
  if (comment.lineBelow == kernel.line)
    return true;
  if (kernel.lists.empty())
    return false;
  const BraceList &body = kernel.lists.front();
  return comment.offset > body.open && comment.offset < body.close;
}

/// True for `#if defined(M)`, `#if defined M` and `#ifdef M` of a macro of one core, and for an include guard: `#ifndef
/// M` with `#define M` behind it. `at`: the number of the word behind the `#`.
bool compiledForSure(const std::vector<SourceToken> &tokens, std::size_t at,
                     const std::set<std::string> &macrosOfOneCore) {
  std::string text;
  std::size_t end = at;
  for (; end < tokens.size() && tokens[end].line == tokens[at].line; ++end)
    text += (end == at ? "" : " ") + tokens[end].text.str();
  if (llvm::StringRef guard = text; guard.consume_front("ifndef "))
    return end + 2 < tokens.size() && tokens[end].text == "#" && tokens[end + 1].text == "define" &&
           tokens[end + 2].text == guard;
  return llvm::any_of(macrosOfOneCore, [&](const std::string &macro) {
    return text == "if defined ( " + macro + " )" || text == "if defined " + macro || text == "ifdef " + macro;
  });
}

/// Why what a comment says may not be meant of the whole kernel: it stands in braces further in, where a name may be
/// that of something else, or under a condition that may leave it out. Empty: it is.
std::string whyPartial(const Directive &comment, const Kernel &kernel, const TokenStream &file,
                       const std::set<std::string> &macrosOfOneCore) {
  const std::vector<SourceToken> &tokens = file.tokens();
  std::vector<std::size_t> conditions; // the word of each that is open: the last `else` or `elif` in place of the `if`
  for (std::size_t i = 0; i < tokens.size() && tokens[i].begin < comment.offset; ++i) {
    const SourceToken &token = tokens[i];
    if ((token.text == "{" || token.text == "<%") && !kernel.lists.empty() && token.begin > kernel.lists.front().open &&
        token.partner != SourceToken::kNoPartner && tokens[token.partner].begin > comment.offset)
      return "it is taken for the whole kernel: write it outside of the braces that begin on line " +
             std::to_string(token.line);
    if (token.text != "#" || !token.startsLine || i + 1 == tokens.size())
      continue;
    if (tokens[i + 1].text.starts_with("if"))
      conditions.push_back(i + 1);
    else if (tokens[i + 1].text == "endif" && !conditions.empty())
      conditions.pop_back();
    else if (tokens[i + 1].text.starts_with("el") && !conditions.empty())
      conditions.back() = i + 1;
  }
  std::size_t ofCore = 0; // one inside the other may leave it out on both
  for (std::size_t at : conditions)
    if (!compiledForSure(tokens, at, macrosOfOneCore) || (tokens[at].text != "ifndef" && ++ofCore > 1))
      return "it is taken for the whole kernel: write it outside of the condition on line " +
             std::to_string(tokens[at].line);
  return "";
}

/// What comments, the user and the machine say of each kernel's numbers. Fails where a comment speaks of none, which is
/// known where both cores are read (`whole`).
llvm::Error addAssumptions(Module &module, const TokenStream &file, const FrontendOptions &options, bool whole) {
  std::string problems;
  auto complain = [&](const Directive &at, const std::string &text) {
    problems += module.source.name() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column) +
                ": error: 'ptosync: assume': " + text + "\n";
  };
  bool allRead = true;
  std::set<const Directive *> used;
  using Named = std::pair<const Directive *, std::string>;
  std::map<Named, std::string> unresolved; // why, in the first core
  std::set<Named> known;                   // of them, in another core
  for (Kernel &kernel : module.kernels) {
    allRead = allRead && kernel.analysable;
    if (!kernel.analysable)
      continue;
    const RunNumbers numbers(kernel);
    for (const Directive &comment : module.directives) {
      if (comment.kind != Directive::Kind::Assume || !isOf(comment, kernel))
        continue;
      const bool first = used.insert(&comment).second;
      if (const std::string partial = whyPartial(comment, kernel, file, macrosOfOneCore(options.builds));
          !partial.empty()) {
        if (first) // kernels of both cores have the same comments
          complain(comment, partial);
        continue;
      }
      for (Assumption &one : llvm::cantFail(readAssumptions(comment.argument))) {
        one.line = comment.line;
        const std::string text = one.text;
        std::string &unknown = unresolved[{&comment, text}]; // one core may ask what the other one never does
        if (std::optional<Assumption> resolved = numbers.resolved(std::move(one))) {
          kernel.assumptions.push_back(std::move(*resolved));
          known.insert({&comment, text});
        } else if (unknown.empty()) {
          unknown = "'" + text + "' names what is no number of kernel " + kernel.name +
                    " that stays as it is in a run; those are " + numbers.list();
        }
      }
    }
    for (const Assumption &one : options.assumptions)
      if (std::optional<Assumption> resolved = numbers.resolved(one))
        kernel.assumptions.push_back(std::move(*resolved));
    if (std::optional<std::string> name = numbers.impossible(kernel.assumptions)) {
      kernel.analysable = false;
      kernel.reason = "what is assumed of " + *name + " leaves no number that it could be";
    }
  }
  for (const auto &[named, why] : unresolved)
    if (whole && !known.count(named))
      complain(*named.first, why);
  for (const Directive &comment : module.directives)
    if (comment.kind == Directive::Kind::Assume && !used.count(&comment) && allRead)
      complain(comment, "it stands in no kernel; write it into the body of one, or on the line above it");
  return problems.empty() ? llvm::Error::success() : llvm::Error(llvm::make_error<SourceError>(problems));
}

} // namespace

llvm::Expected<Module> liftModule(const SourceText &source, const FrontendOptions &options,
                                  const std::set<Section> &sections) {
  nameStatementClasses();
  const TokenStream file(source);
  llvm::Expected<std::vector<Directive>> directives = readDirectives(file);
  if (!directives)
    return directives.takeError();
  if (llvm::Error error = checkNesting(file))
    return std::move(error);
  llvm::Expected<LiftedCores> cores = liftCores(file, options, sections);
  if (!cores)
    return cores.takeError();
  LiftedSection &lifted = cores->lifted;
  Module module;
  module.source = source;
  module.calledNames = std::move(cores->calledNames);
  module.directives = std::move(*directives);
  module.kernels = std::move(lifted.kernels);
  module.shapes = std::move(lifted.shapes);
  module.notEdited = std::move(lifted.notEdited);
  if (llvm::Error error = addAssumptions(module, file, options, sections.count(Section::Both) != 0))
    return std::move(error);
  protectUnread(lifted);
  protectFlushes(module.kernels, lifted.sites);
  numberSites(module, lifted.sites);
  for (auto &[name, lines] : lifted.unknown)
    module.unknownCalls.push_back({name, {lines.begin(), lines.end()}});
  return module;
}

namespace {

constexpr unsigned kLocalSlots = 4; // the template argument

class FifoTypeFinder : public SyntaxWalker {
public:
  FifoTypeFinder(const clang::ASTContext &ast, std::map<std::uint32_t, FifoTypeUse> &uses)
      : SyntaxWalker({}), ast(ast), sources(ast.getSourceManager()), uses(uses) {}

private:
  bool visit(clang::TypeLoc any) override {
    auto location = any.getAs<clang::TemplateSpecializationTypeLoc>();
    if (!location)
      return true;
    clang::QualType type = location.getType();
    if (objectKind(type) != ObjectKind::Fifo)
      return true;
    clang::SourceLocation begin = location.getTemplateNameLoc();
    if (!sources.isWrittenInMainFile(sources.getSpellingLoc(begin)))
      return true;
    FifoTypeUse use;
    use.type = readFifo(type);
    std::uint32_t offset = sources.getFileOffset(sources.getSpellingLoc(begin));
    use.line = sources.getSpellingLineNumber(begin);
    if (location.getNumArgs() > kLocalSlots)
      use.localSlots = literalRange(location.getArgLoc(kLocalSlots));
    uses.emplace(offset, use);
    return true;
  }

  std::optional<SourceRange> literalRange(const clang::TemplateArgumentLoc &argument) const {
    if (argument.getArgument().getKind() != clang::TemplateArgument::Expression)
      return std::nullopt;
    const clang::Expr *expression = argument.getSourceExpression()->IgnoreImplicit();
    clang::SourceLocation begin = expression->getBeginLoc();
    if (!llvm::isa<clang::IntegerLiteral>(expression) || begin.isMacroID() || !sources.isWrittenInMainFile(begin))
      return std::nullopt;
    std::uint32_t offset = sources.getFileOffset(begin);
    return SourceRange{offset, offset + clang::Lexer::MeasureTokenLength(begin, sources, ast.getLangOpts())};
  }

  const clang::ASTContext &ast;
  const clang::SourceManager &sources;
  std::map<std::uint32_t, FifoTypeUse> &uses;
};

} // namespace

llvm::Expected<std::vector<FifoTypeUse>> findFifoTypes(const SourceText &source, const FrontendOptions &options) {
  const TokenStream file(source);
  std::map<std::uint32_t, FifoTypeUse> uses; // by offset
  for (Section section : {Section::Cube, Section::Vec}) {
    llvm::Expected<ParsedSection> parsed = parseSection(file, section, options);
    if (!parsed)
      return parsed.takeError();
    clang::ASTContext &ast = parsed->unit->getASTContext();
    FifoTypeFinder finder(ast, uses);
    finder.walkMainFile(ast, SyntaxWalker::Written::Spelled);
  }
  std::vector<FifoTypeUse> list;
  list.reserve(uses.size());
  for (const auto &[offset, use] : uses)
    list.push_back(use);
  return list;
}

} // namespace ptosync
