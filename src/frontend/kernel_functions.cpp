#include "frontend/kernel_functions.h"

#include "frontend/entry_wrapper.h"
#include "frontend/host_text.h"
#include "frontend/syntax_walker.h"
#include "base/walk.h"

#include <clang/AST/ExprCXX.h>
#include <llvm/ADT/STLExtras.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace ptosync {
namespace {

bool isBoilerplate(const clang::FunctionDecl *function) {
  if (!function->getDeclName().isIdentifier())
    return true;
  llvm::StringRef name = function->getName();
  return name.starts_with("ptoas_") || name.starts_with("PTOAS_");
}

} // namespace

class FunctionFinder : public SyntaxWalker {
public:
  FunctionFinder(KernelFunctions &found)
      : SyntaxWalker({.instantiations = true, .types = false}), found(found), sources(found.sources) {}

private:
  bool enter(clang::Decl *declaration) override {
    if (declaration->getKind() != clang::Decl::Function) // a function of no class
      return walkInto(declaration);
    auto *function = llvm::cast<clang::FunctionDecl>(declaration);
    bool own = function->doesThisDeclarationHaveABody() && isOwn(function) && !function->isDependentContext();
    if (own && inMainFile(function->getLocation(), sources)) {
      found.definitions.push_back(function);
      found.marked |= isMarked(function);
    }
    const clang::FunctionDecl *outer = std::exchange(inside, own ? function : inside);
    bool result = walkInto(declaration);
    inside = outer;
    return result;
  }
  bool visit(clang::Stmt *statement) override {
    auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
    const clang::FunctionDecl *definition = nullptr;
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    bool own = callee->hasBody(definition) && isOwn(definition);
    if (own)
      found.called.insert(definition->getCanonicalDecl());
    if (own && inside)
      found.helpers[inside].insert(definition);
    else if (inside && callee->getDeclName().isIdentifier() && isLibraryDeclaration(callee, callee->getASTContext()))
      found.calls[inside].insert(callee->getName().str());
    return true;
  }

  bool isOwn(const clang::FunctionDecl *function) const {
    return inMainFile(function->getLocation(), sources) || found.headers.holds(function->getLocation());
  }

  KernelFunctions &found;
  const clang::SourceManager &sources;
  const clang::FunctionDecl *inside = nullptr;
};

KernelFunctions::KernelFunctions(clang::ASTContext &ast, const SourceText &source, const OwnHeaders &headers,
                                 const FrontendOptions &options)
    : sources(ast.getSourceManager()), source(source), headers(headers), options(options) {
  FunctionFinder finder(*this);
  headers.walk(finder);
  finder.walkMainFile(ast, SyntaxWalker::Written::Expanded);
}

/// True if the function or a helper it calls issues an instruction or a sync.
bool KernelFunctions::issuesWork(Function function) const {
  Walk<Function> walk({function});
  while (std::optional<Function> next = walk.next()) {
    if (auto library = calls.find(*next); library != calls.end())
      for (const std::string &name : library->second)
        if (options.instructions.count(name) || isSyncName(name))
          return true;
    if (auto own = helpers.find(*next); own != helpers.end())
      for (Function helper : own->second)
        walk.reach(helper);
  }
  return false;
}

bool KernelFunctions::isKernel(Function function) const {
  if (isBoilerplate(function) || llvm::isa<clang::CXXMethodDecl>(function))
    return false;
  if (hasMark(function, "ptosync_global"))
    return true;
  if (called.count(function->getCanonicalDecl()))
    return false;
  if (hasMark(function, "ptosync_aicore"))
    return true;
  // Headers that give the marks another meaning: a function that issues work is a kernel.
  return !options.includeDirectory.empty() && !marked && issuesWork(function);
}

/// True for a number that the chip or the runtime knows: `get_block_idx()`, `get_block_idx(args)`, as the tool or the
/// library declares it. No instruction looks like that. What has a body elsewhere may do anything.
bool KernelFunctions::onlyReads(Function function, const std::set<std::string> &invented) const {
  auto byReference = [](const clang::ParmVarDecl *parameter) { return parameter->getType()->isReferenceType(); };
  constexpr llvm::StringLiteral names[] = {"get_block_idx",    "get_block_num",     "get_subblockid",
                                           "get_sub_block_id", "get_sub_block_num", "get_coreid"};
  return function->getDeclName().isIdentifier() && llvm::is_contained(names, function->getName()) &&
         !function->hasBody() && function->getReturnType()->isArithmeticType() && !function->isVariadic() &&
         !function->isTemplateInstantiation() && function->getNumParams() <= 1 &&
         llvm::none_of(function->parameters(), byReference) && !invented.count(function->getName().str()) &&
         isLibraryDeclaration(function, function->getASTContext());
}

std::vector<const clang::FunctionDecl *> KernelFunctions::codeOfChip() const {
  std::vector<Function> found;
  std::copy_if(definitions.begin(), definitions.end(), std::back_inserter(found),
               [](Function function) { return isMarked(function); });
  return found;
}

KernelFunctions::Roles KernelFunctions::roles(const BodyGraph &bodies, const std::set<std::string> &invented) const {
  auto mayBeKernel = [&](Function function) {
    return inMainFile(function->getLocation(), sources) && !isBoilerplate(function) &&
           !llvm::isa<clang::CXXMethodDecl>(function) && isMarked(function);
  };
  WrapperContext context{bodies, source, [&](Function function) { return onlyReads(function, invented); }, mayBeKernel};
  std::set<Function> wrappers;
  Roles roles;
  for (Function function : definitions) {
    if (!options.argumentsApart || !isKernel(function))
      continue;
    std::optional<Forwarding> forwarding = forwardingOf(function, context);
    if (forwarding && forwarding->hasSyncs)
      roles.wrapperButForSyncs.insert(function);
    if (!forwarding || forwarding->hasSyncs)
      continue;
    wrappers.insert(function);
    roles.forwardedTo.insert(forwarding->kernel);
    roles.forwarded.insert(forwarding->mention);
  }
  for (Function function : definitions) {
    bool kernel = roles.forwardedTo.count(function) != 0;
    if (hasMark(function, "ptosync_global"))
      roles.global.insert(function);
    if (!kernel && called.count(function->getCanonicalDecl()))
      roles.called.insert(function);
    if (kernel || (!wrappers.count(function) && isKernel(function)))
      roles.kernels.push_back(function);
  }
  return roles;
}

} // namespace ptosync
