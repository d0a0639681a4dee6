#include "frontend/entry_wrapper.h"

#include "kernel/walk.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/STLExtras.h>

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace ptosync {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Where a value comes from: entries of the argument list, by index.
struct Origin {
  std::set<std::uint64_t> entries;
  bool known = true; // false: from the list in another way
};

class WrapperReader {
public:
  WrapperReader(const clang::FunctionDecl *wrapper, const WrapperContext &context)
      : wrapper(wrapper), context(context) {}

  std::optional<Forwarding> read() {
    list = wrapper->getNumParams() == 1 ? wrapper->getParamDecl(0) : nullptr;
    auto *body = dyn_cast<clang::CompoundStmt>(wrapper->getBody());
    if (!list || !list->getType()->isPointerType() || !list->getType()->getPointeeType()->isIntegerType() || !body ||
        !context.bodies.keepsItsValue(list) || body->body_empty())
      return std::nullopt;
    const clang::Stmt *last = body->body_back();
    for (const clang::Stmt *one : body->body())
      if (one != last && !isPlain(one))
        return std::nullopt;
    // Numbers are written on the way: what was read is known when all of that was seen.
    auto *expression = dyn_cast<clang::Expr>(last);
    return expression ? readCall(dyn_cast<clang::CallExpr>(expression->IgnoreImplicit())) : std::nullopt;
  }

private:
  std::optional<Forwarding> readCall(const clang::CallExpr *call) {
    auto *mention = call ? dyn_cast<clang::DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts()) : nullptr;
    const clang::FunctionDecl *definition = nullptr;
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (!mention || !callee || !callee->hasBody(definition) || definition == wrapper ||
        !context.mayBeKernel(definition))
      return std::nullopt;
    for (const clang::ParmVarDecl *parameter : definition->parameters())
      if (parameter->getType()->isReferenceType())
        return std::nullopt;
    for (const clang::Expr *argument : call->arguments())
      if (!isPlain(argument) || !passOn(argument))
        return std::nullopt;
    for (const clang::VarDecl *tensor : readThrough) {
      Origin origin = originOf(tensor);
      if (!origin.known || llvm::any_of(origin.entries, [&](std::uint64_t entry) { return passed.count(entry) != 0; }))
        return std::nullopt;
    }
    return Forwarding{definition, mention};
  }

  /// Statements and expressions that change nothing but variables, and what of memory is read.
  bool isPlain(const clang::Stmt *start) {
    Walk<const clang::Stmt *> walk({start});
    while (std::optional<const clang::Stmt *> next = walk.next()) {
      if (!isPlainNode(*next))
        return false;
      for (const clang::Stmt *child : (*next)->children())
        if (child)
          walk.reach(child);
    }
    return true;
  }

  bool isPlainNode(const clang::Stmt *node) {
    if (auto *declaration = dyn_cast<clang::DeclStmt>(node))
      return isPlainDeclaration(declaration);
    if (auto *binary = dyn_cast<clang::BinaryOperator>(node))
      return !binary->isAssignmentOp() || notePlainWrite(binary->getLHS(), binary->getRHS());
    if (auto *unary = dyn_cast<clang::UnaryOperator>(node))
      return !unary->isIncrementDecrementOp() && unary->getOpcode() != clang::UO_AddrOf &&
             (unary->getOpcode() != clang::UO_Deref || noteRead(unary->getSubExpr()));
    if (auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(node))
      return noteRead(subscript->getBase());
    if (auto *member = dyn_cast<clang::MemberExpr>(node))
      return isa<clang::FieldDecl>(member->getMemberDecl()) && (!member->isArrow() || noteRead(member->getBase()));
    if (auto *call = dyn_cast<clang::CallExpr>(node))
      return !isa<clang::CXXMemberCallExpr, clang::CXXOperatorCallExpr>(call) && call->getDirectCallee() &&
             context.onlyReads(call->getDirectCallee());
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(node))
      return isa<clang::VarDecl, clang::EnumConstantDecl, clang::FunctionDecl>(reference->getDecl());
    if (auto *construct = dyn_cast<clang::CXXConstructExpr>(node)) // a union for a change of type
      return construct->getConstructor()->isTrivial();
    return isa<clang::CastExpr, clang::ParenExpr, clang::IntegerLiteral, clang::FloatingLiteral,
               clang::CXXBoolLiteralExpr, clang::ConditionalOperator, clang::ConstantExpr, clang::IfStmt,
               clang::CompoundStmt, clang::NullStmt>(node);
  }

  bool isPlainDeclaration(const clang::DeclStmt *statement) {
    for (const clang::Decl *one : statement->decls()) {
      if (isa<clang::RecordDecl>(one))
        continue;
      auto *variable = dyn_cast<clang::VarDecl>(one);
      if (!variable || !variable->hasLocalStorage() || variable->getType().isVolatileQualified())
        return false;
      clang::QualType type = variable->getType();
      if (type.isDestructedType() != clang::QualType::DK_none)
        return false;
      if (!type->isArithmeticType() && !type->isPointerType() && !type->isUnionType())
        return false;
    }
    return true;
  }

  /// A number of the wrapper's own or of the file's, or a part of a local union.
  bool notePlainWrite(const clang::Expr *target, const clang::Expr *value) {
    target = target->IgnoreParens();
    bool part = false;
    if (auto *member = dyn_cast<clang::MemberExpr>(target); member && !member->isArrow()) {
      target = member->getBase()->IgnoreParens();
      part = true;
    }
    auto *reference = dyn_cast<clang::DeclRefExpr>(target);
    auto *variable = reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (!variable || variable->getType()->isReferenceType())
      return false;
    written[variable].push_back(value);
    return part ? variable->hasLocalStorage() && variable->getType()->isUnionType()
                : variable->getType()->isArithmeticType();
  }

  /// Memory read through `pointer`: the list itself, what one of its entries points to, or a tensor.
  bool noteRead(const clang::Expr *pointer) {
    pointer = pointer->IgnoreParenImpCasts();
    if (auto *member = dyn_cast<clang::MemberExpr>(pointer)) // an array in what an entry points to
      return member->getType()->isArrayType();
    auto *reference = dyn_cast<clang::DeclRefExpr>(pointer);
    auto *variable = reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (!variable)
      return false;
    if (variable != list && !isDescriptor(variable))
      readThrough.insert(variable);
    return true;
  }

  /// True for `reinterpret_cast<T *>(args[K])` of a class: what says where a tensor is, not the tensor.
  bool isDescriptor(const clang::VarDecl *variable) const {
    const clang::Expr *value = variable->getInit();
    while (value && isa<clang::CastExpr, clang::ParenExpr>(value) && !entryOf(value))
      value = isa<clang::ParenExpr>(value) ? llvm::cast<clang::ParenExpr>(value)->getSubExpr()
                                           : llvm::cast<clang::CastExpr>(value)->getSubExpr();
    return value && entryOf(value) && variable->getType()->isPointerType() &&
           variable->getType()->getPointeeType()->isRecordType() && context.bodies.keepsItsValue(variable);
  }

  /// K of `args[K]`.
  std::optional<std::uint64_t> entryOf(const clang::Expr *expression) const {
    auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(expression->IgnoreParens());
    if (!subscript)
      return std::nullopt;
    auto *base = dyn_cast<clang::DeclRefExpr>(subscript->getBase()->IgnoreParenImpCasts());
    auto *index = dyn_cast<clang::IntegerLiteral>(subscript->getIdx()->IgnoreParenImpCasts());
    if (!base || base->getDecl() != list || !index)
      return std::nullopt;
    return index->getValue().getLimitedValue();
  }

  /// Every entry that the variable's value can come from. What a call gives is a number of the runtime's.
  Origin originOf(const clang::VarDecl *start) const {
    Origin origin;
    Walk<const clang::VarDecl *> variables({start});
    while (std::optional<const clang::VarDecl *> variable = variables.next()) {
      Walk<const clang::Stmt *> nodes;
      if (const clang::Expr *value = (*variable)->getInit())
        nodes.reach(value);
      if (auto writes = written.find(*variable); writes != written.end())
        for (const clang::Expr *value : writes->second)
          nodes.reach(value);
      origin.known &= (*variable)->hasLocalStorage() && *variable != list;
      while (std::optional<const clang::Stmt *> node = nodes.next()) {
        auto *expression = dyn_cast<clang::Expr>(*node);
        if (std::optional<std::uint64_t> entry = expression ? entryOf(expression) : std::nullopt) {
          origin.entries.insert(*entry);
          continue;
        }
        if (auto *reference = dyn_cast<clang::DeclRefExpr>(*node)) {
          if (auto *used = dyn_cast<clang::VarDecl>(reference->getDecl()))
            variables.reach(used);
        }
        if (!isa<clang::CallExpr>(*node))
          for (const clang::Stmt *child : (*node)->children())
            if (child)
              nodes.reach(child);
      }
    }
    return origin;
  }

  /// A number, or a pointer that no other argument shares an entry with.
  bool passOn(const clang::Expr *argument) {
    if (argument->getType()->isArithmeticType())
      return true;
    auto *reference = dyn_cast<clang::DeclRefExpr>(argument->IgnoreParenImpCasts());
    auto *variable = reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
    if (!argument->getType()->isPointerType() || !variable || isDescriptor(variable) ||
        !context.bodies.keepsItsValue(variable))
      return false;
    Origin origin = originOf(variable);
    if (!origin.known || origin.entries.empty())
      return false;
    for (std::uint64_t entry : origin.entries)
      if (!passed.insert(entry).second)
        return false;
    return true;
  }

  const clang::FunctionDecl *wrapper;
  const WrapperContext &context;
  const clang::ParmVarDecl *list = nullptr;
  std::set<std::uint64_t> passed;               // entries that the kernel's pointers come from
  std::set<const clang::VarDecl *> readThrough; // tensors that the wrapper itself reads
  std::map<const clang::VarDecl *, std::vector<const clang::Expr *>> written; // behind the initialiser
};

} // namespace

std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context) {
  if (!function->hasBody() || function->isTemplated() || isa<clang::CXXMethodDecl>(function))
    return std::nullopt;
  return WrapperReader(function, context).read();
}

} // namespace ptosync
