#include "frontend/guard/kernel_functions.h"

#include "base/walk.h"
#include "frontend/library/names.h"
#include "frontend/read/origin.h"
#include "frontend/read/syntax_tree.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace ptosync {

namespace {

using clang::dyn_cast;
using clang::isa;

constexpr std::uint64_t kMostEntries = 4096; // far below what the end of the address space would wrap

const clang::VarDecl *variableOf(const clang::Expr *expression) {
  auto *reference = dyn_cast<clang::DeclRefExpr>(expression);
  return reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// Returns how often the file spells the name; a definition and a call are two.
std::size_t mentionsOf(llvm::StringRef name, const TokenStream &file) {
  return static_cast<std::size_t>(
      llvm::count_if(file.tokens(), [&](const SourceToken &token) { return token.text == name; }));
}

/// Whose memory is it? What the wrapper's variables have of the entries of its list.
class ArgumentList {
public:
  ArgumentList(const clang::ParmVarDecl *list, const BodyGraph &bodies) : list(list), bodies(bodies) {}

  struct Tensor {
    std::uint64_t entry = 0;
    bool described = true; // false: the entry is the tensor's address itself
  };

  bool is(const clang::VarDecl *variable) const { return variable == list; }

  /// K of a variable `T *x = reinterpret_cast<T *>(args[K])` of a class: what says where a tensor is, not the tensor.
  std::optional<std::uint64_t> descriptorOf(const clang::VarDecl *variable) const {
    const clang::Expr *value = addressIn(variable);
    return value && variable->getType()->getPointeeType()->isRecordType() ? entryOf(sameBits(value)) : std::nullopt;
  }

  /// Of a pointer to numbers: an address that is entry K, or the buffer's and the offset in what that points to, plus
  /// numbers.
  std::optional<Tensor> tensorOf(const clang::VarDecl *variable) const {
    const clang::Expr *value = addressIn(variable);
    if (!value || variable->getType()->getPointeeType()->isRecordType() ||
        variable->getType()->getPointeeType()->isPointerType())
      return std::nullopt;
    std::set<const clang::VarDecl *> shifted; // whose own offset is added
    for (value = value->IgnoreParenImpCasts(); auto *sum = dyn_cast<clang::BinaryOperator>(value);
         value = value->IgnoreParenImpCasts()) {
      const clang::Expr *number = sum->getRHS();
      value = sum->getLHS();
      if (!value->getType()->isPointerType())
        std::swap(value, number);
      number = number->IgnoreParenImpCasts();
      if ((sum->getOpcode() != clang::BO_Add && sum->getOpcode() != clang::BO_Sub) ||
          !sum->getType()->isPointerType() || !number->getType()->isIntegerType())
        return std::nullopt;
      auto *member = dyn_cast<clang::MemberExpr>(number);
      if (member && (sum->getOpcode() != clang::BO_Add || !isArrow(member, kTensorOffset)))
        return std::nullopt; // of another tensor, perhaps
      if (member)
        shifted.insert(holderOf(member));
    }
    if (!isa<clang::CXXReinterpretCastExpr, clang::CStyleCastExpr>(value))
      return std::nullopt;
    value = sameBits(value);
    if (std::optional<std::uint64_t> entry = entryOf(value))
      return Tensor{*entry, false};
    // Two tensors may share a buffer: the address and the offset together say where one is.
    auto *address = dyn_cast<clang::MemberExpr>(value);
    auto *buffer = address && !address->isArrow() && isField(address, kBufferAddress)
                       ? dyn_cast<clang::MemberExpr>(address->getBase()->IgnoreParenImpCasts())
                       : nullptr;
    if (!buffer || !isArrow(buffer, kTensorBuffer) || shifted != std::set{holderOf(buffer)} || !holderOf(buffer))
      return std::nullopt;
    std::optional<std::uint64_t> entry = descriptorOf(holderOf(buffer));
    return entry ? std::optional(Tensor{*entry, true}) : std::nullopt;
  }

private:
  /// What a pointer of the wrapper's own is, if it is that for good.
  const clang::Expr *addressIn(const clang::VarDecl *variable) const {
    return variable->hasLocalStorage() && variable->getType()->isPointerType() && bodies.keepsItsValue(variable)
               ? variable->getInit()
               : nullptr;
  }

  const clang::Expr *sameBits(const clang::Expr *expression) const {
    return expression->IgnoreParenNoopCasts(list->getASTContext());
  }

  /// K of `args[K]`.
  std::optional<std::uint64_t> entryOf(const clang::Expr *expression) const {
    auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression);
    if (!subscript || variableOf(subscript->getBase()->IgnoreParenImpCasts()) != list)
      return std::nullopt;
    auto *index = dyn_cast<clang::IntegerLiteral>(subscript->getIdx()->IgnoreParenImpCasts());
    return index && index->getValue().ult(kMostEntries) ? std::optional(index->getValue().getZExtValue())
                                                        : std::nullopt;
  }

  static bool isField(const clang::MemberExpr *member, llvm::StringRef name) {
    auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    return field && field->getDeclName().isIdentifier() && field->getName() == name && !field->isBitField();
  }
  static bool isArrow(const clang::MemberExpr *member, llvm::StringRef name) {
    return member->isArrow() && isField(member, name);
  }
  static const clang::VarDecl *holderOf(const clang::MemberExpr *member) {
    return variableOf(member->getBase()->IgnoreParenImpCasts());
  }

  const clang::ParmVarDecl *list;
  const BodyGraph &bodies;
};

class WrapperReader {
public:
  WrapperReader(const clang::FunctionDecl *wrapper, const WrapperContext &context)
      : wrapper(wrapper), context(context), list(wrapper->getParamDecl(0), context.bodies) {}

  std::optional<Forwarding> read() {
    auto *body = dyn_cast<clang::CompoundStmt>(wrapper->getBody());
    if (!body)
      return std::nullopt;
    const clang::Stmt *last = nullptr;
    for (const clang::Stmt *one : body->body())
      if (!isa<clang::NullStmt>(one) && !isSyncCall(one, wrapper->getASTContext()))
        last = one;
    for (const clang::Stmt *one : body->body())
      if (one != last && !isPlain(one))
        return std::nullopt;
    auto *expression = llvm::dyn_cast_or_null<clang::Expr>(last);
    return expression ? readCall(dyn_cast<clang::CallExpr>(expression->IgnoreImplicit())) : std::nullopt;
  }

private:
  std::optional<Forwarding> readCall(const clang::CallExpr *call) {
    auto *mention = call ? dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts()) : nullptr;
    const clang::FunctionDecl *definition = nullptr;
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!mention || call->getBeginLoc().isMacroID() || !callee || !callee->hasBody(definition) ||
        definition == wrapper || !isOnlyHere(definition))
      return std::nullopt;
    for (const clang::Expr *argument : call->arguments())
      if (!isPlain(argument) || !passOn(argument))
        return std::nullopt;
    for (std::uint64_t entry : readFrom)
      if (passed.count(entry))
        return std::nullopt;
    for (std::uint64_t entry : described)
      if (raw.count(entry))
        return std::nullopt; // a tensor, read as if it said where one is
    return Forwarding{definition, mention, hasSyncs};
  }

  /// True for a kernel that nothing but this call can run.
  bool isOnlyHere(const clang::FunctionDecl *kernel) const {
    if (!context.mayBeKernel(kernel) || kernel->isTemplateInstantiation() || kernel->isExternallyVisible() ||
        mentionsOf(kernel->getName(), context.file) != 2)
      return false;
    for (const clang::ParmVarDecl *parameter : kernel->parameters())
      if (!parameter->getType()->isArithmeticType() && !parameter->getType()->isPointerType())
        return false;
    return true;
  }

  /// Statements and expressions that change nothing but variables, and what of memory is read.
  bool isPlain(const clang::Stmt *start) {
    Walk<const clang::Stmt *> walk({start});
    while (std::optional<const clang::Stmt *> next = walk.next()) {
      if (isSyncCall(*next, wrapper->getASTContext())) {
        hasSyncs = true;
        continue;
      }
      if ((*next)->getBeginLoc().isMacroID() || (*next)->getEndLoc().isMacroID() || !isPlainNode(*next))
        return false;
      for (const clang::Stmt *child : (*next)->children())
        if (child)
          walk.reach(child);
    }
    return true;
  }

  bool isPlainNode(const clang::Stmt *node) {
    if (auto *expression = dyn_cast<clang::Expr>(node); expression && runsCode(expression->getType()))
      return false;
    if (auto *cast = dyn_cast<clang::ExplicitCastExpr>(node); cast && runsCode(cast->getTypeAsWritten()))
      return false;
    if (auto *declaration = dyn_cast<clang::DeclStmt>(node))
      return isPlainDeclaration(declaration);
    if (auto *binary = dyn_cast<clang::BinaryOperator>(node))
      return !binary->isPtrMemOp() && binary->getOpcode() != clang::BO_Comma &&
             (!binary->isAssignmentOp() || isPlainTarget(binary->getLHS()));
    if (auto *unary = dyn_cast<clang::UnaryOperator>(node))
      return unary->getOpcode() == clang::UO_Minus || unary->getOpcode() == clang::UO_LNot;
    if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(node))
      return noteRead(subscript->getBase());
    if (auto *member = dyn_cast<clang::MemberExpr>(node))
      return isa<clang::FieldDecl>(member->getMemberDecl()) && !member->getMemberDecl()->getType()->isReferenceType() &&
             (!member->isArrow() || noteRead(member->getBase()));
    if (auto *call = dyn_cast<clang::CallExpr>(node))
      return !isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call) && call->getDirectCallee() &&
             context.onlyReads(call->getDirectCallee());
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(node))
      return isa<clang::VarDecl, clang::FunctionDecl>(reference->getDecl());
    if (auto *construct = dyn_cast<clang::CXXConstructExpr>(node)) // a union for a change of type
      return construct->getConstructor()->isTrivial();
    if (auto *condition = dyn_cast<clang::IfStmt>(node))
      return !condition->getInit() && !condition->getConditionVariable() && !condition->isConstexpr();
    return isa<clang::CXXStaticCastExpr, clang::CXXReinterpretCastExpr, clang::CStyleCastExpr, clang::ImplicitCastExpr,
               clang::ParenExpr, clang::IntegerLiteral, clang::FloatingLiteral, clang::ConditionalOperator,
               clang::CompoundStmt, clang::NullStmt>(node);
  }

  /// True for a type with the bound of an array in it that is worked out when the text runs.
  static bool runsCode(clang::QualType type) { return type->isVariablyModifiedType(); }

  static bool isPlainUnion(const clang::RecordDecl *record) {
    for (const clang::Decl *one : record->decls()) {
      auto *field = dyn_cast<clang::FieldDecl>(one);
      if (field ? !field->getType()->isArithmeticType() || field->hasInClassInitializer() || field->hasAttrs()
                : !one->isImplicit())
        return false;
    }
    return record->isUnion() && !record->hasAttrs();
  }

  static bool isPlainDeclaration(const clang::DeclStmt *statement) {
    for (const clang::Decl *one : statement->decls()) {
      if (auto *record = dyn_cast<clang::RecordDecl>(one)) {
        if (!isPlainUnion(record))
          return false;
        continue;
      }
      auto *variable = dyn_cast<clang::VarDecl>(one);
      if (!variable || !variable->hasLocalStorage() || variable->hasAttrs() ||
          variable->getType().isVolatileQualified())
        return false;
      clang::QualType type = variable->getType();
      if (runsCode(type) || type.isDestructedType() != clang::QualType::DK_none)
        return false;
      if (!type->isArithmeticType() && !type->isPointerType() && !type->isUnionType())
        return false;
    }
    return true;
  }

  /// A number of the wrapper's own or of the file's, or a part of a local union.
  static bool isPlainTarget(const clang::Expr *target) {
    target = target->IgnoreParens();
    bool part = false;
    if (auto *member = dyn_cast<clang::MemberExpr>(target); member && !member->isArrow()) {
      target = member->getBase()->IgnoreParens();
      part = true;
    }
    const clang::VarDecl *variable = variableOf(target);
    if (!variable || variable->getType()->isReferenceType())
      return false;
    return part ? variable->hasLocalStorage() && variable->getType()->isUnionType()
                : variable->getType()->isArithmeticType();
  }

  /// Memory read through `pointer`: the list itself, what one of its entries points to, or a tensor.
  bool noteRead(const clang::Expr *pointer) {
    pointer = pointer->IgnoreParenImpCasts();
    if (auto *member = dyn_cast<clang::MemberExpr>(pointer)) // an array in what an entry points to
      return member->getType()->isArrayType();
    const clang::VarDecl *variable = variableOf(pointer);
    if (!variable || list.is(variable))
      return variable != nullptr;
    if (std::optional<std::uint64_t> entry = list.descriptorOf(variable)) {
      described.insert(*entry);
      return true;
    }
    std::optional<ArgumentList::Tensor> tensor = list.tensorOf(variable);
    if (tensor)
      readFrom.insert(tensor->entry);
    return tensor.has_value();
  }

  /// A number, or a pointer that no other argument shares an entry with.
  bool passOn(const clang::Expr *argument) {
    if (argument->getType()->isArithmeticType())
      return true;
    const clang::VarDecl *variable = variableOf(argument->IgnoreParenImpCasts());
    if (!argument->getType()->isPointerType() || !variable)
      return false;
    std::optional<ArgumentList::Tensor> tensor = list.tensorOf(variable);
    if (tensor && !tensor->described)
      raw.insert(tensor->entry);
    return tensor && passed.insert(tensor->entry).second;
  }

  const clang::FunctionDecl *wrapper;
  const WrapperContext &context;
  const ArgumentList list;
  bool hasSyncs = false;
  std::set<std::uint64_t> passed;    // entries that the kernel's pointers come from
  std::set<std::uint64_t> raw;       // those of them that are the pointer
  std::set<std::uint64_t> described; // entries that what they point to is read of
  std::set<std::uint64_t> readFrom;  // entries of tensors that the wrapper itself reads
};

/// True for `kernel_entry(int64_t *)`.
bool isRuntimeEntry(const clang::FunctionDecl *function) {
  if (!function->doesThisDeclarationHaveABody() || function->isTemplated() || isa<clang::CXXMethodDecl>(function) ||
      !function->getDeclName().isIdentifier() || function->getName() != kRuntimeEntry ||
      function->getNumParams() != 1 || function->getParamDecl(0)->hasAttrs())
    return false;
  clang::QualType list = function->getParamDecl(0)->getType();
  return list->isPointerType() && (list->getPointeeType()->isSpecificBuiltinType(clang::BuiltinType::Long) ||
                                   list->getPointeeType()->isSpecificBuiltinType(clang::BuiltinType::LongLong));
}

/// The only conditions in it are on the build that runs kernels on the host, as the generator writes them.
bool hasPlainText(const clang::FunctionDecl *function, const WrapperContext &context) {
  SourceRange range = context.bodies.rangeOf(function);
  if (range.begin >= range.end || decidesSimulator(context.file))
    return false;
  const std::uint32_t last = context.file.source().position(range.end - 1).line;
  for (std::uint32_t number = context.file.source().position(range.begin).line; number <= last; ++number) {
    llvm::StringRef line = llvm::StringRef(context.file.source().line(number)).trim();
    if ((line.contains('#') || line.contains("%:") || line.ends_with("\\")) && line != "#if !defined(__CPU_SIM)" &&
        line != "#ifndef __CPU_SIM" && line != "#endif")
      return false;
  }
  return true;
}

} // namespace

std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context) {
  if (!isRuntimeEntry(function) || !context.bodies.keepsItsValue(function->getParamDecl(0)) ||
      !hasPlainText(function, context))
    return std::nullopt;
  return WrapperReader(function, context).read();
}

namespace {

class CallFinder : public SyntaxWalker {
public:
  CallFinder(const clang::SourceManager &sources, const SourceText &source, const OwnHeaders &headers)
      : SyntaxWalker({.instantiations = true, .types = false}), sources(sources), source(source), headers(headers) {}

  std::map<std::string, std::uint32_t> found;

private:
  bool visit(clang::Stmt *statement) override {
    auto *call = llvm::dyn_cast<clang::CallExpr>(statement);
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!callee)
      return true;
    std::uint32_t line =
        outer ? outer : source.position(sources.getFileOffset(sources.getFileLoc(call->getBeginLoc()))).line;
    const clang::FunctionDecl *definition = nullptr;
    if (callee->hasBody(definition) && headers.holds(definition->getLocation())) {
      if (!entered.insert(definition).second)
        return true;
      std::uint32_t before = std::exchange(outer, line);
      bool result = walk(definition->getBody());
      outer = before;
      return result;
    }
    if (!callee->getDeclName().isIdentifier() || sources.isWrittenInMainFile(callee->getLocation()))
      return true;
    std::string name = callee->getName().str();
    if (name == "pipe_barrier" && call->getNumArgs() == 1)
      name += "(" + enumerator(call->getArg(0)) + ")";
    auto [entry, inserted] = found.emplace(std::move(name), line);
    if (!inserted)
      entry->second = std::min(entry->second, line);
    return true;
  }

  static std::string enumerator(const clang::Expr *argument) {
    const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenCasts());
    const auto *constant = reference ? llvm::dyn_cast<clang::EnumConstantDecl>(reference->getDecl()) : nullptr;
    return constant ? constant->getName().str() : "";
  }

  const clang::SourceManager &sources;
  const SourceText &source;
  const OwnHeaders &headers;
  std::uint32_t outer = 0; // line of the call that led into a header; 0: in the main file
  std::set<const clang::FunctionDecl *> entered;
};

} // namespace

std::map<std::string, std::uint32_t> findCalledNames(clang::ASTContext &ast, const SourceText &source,
                                                     const OwnHeaders &headers) {
  CallFinder finder(ast.getSourceManager(), source, headers);
  finder.walkMainFile(ast, SyntaxWalker::Written::File);
  return std::move(finder.found);
}

namespace {

bool isBoilerplate(const clang::FunctionDecl *function) {
  if (!function->getDeclName().isIdentifier())
    return true;
  llvm::StringRef name = function->getName();
  return llvm::any_of(kEmittedPrefixes, [&](llvm::StringRef prefix) { return name.starts_with(prefix); });
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

KernelFunctions::KernelFunctions(clang::ASTContext &ast, const TokenStream &file, const OwnHeaders &headers,
                                 const FrontendOptions &options)
    : sources(ast.getSourceManager()), file(file), headers(headers), options(options) {
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
  WrapperContext context{bodies, file, [&](Function function) { return onlyReads(function, invented); }, mayBeKernel};
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
