#include "frontend/entry_wrapper.h"

#include "frontend/raw_tokens.h"
#include "kernel/walk.h"

#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <set>

namespace ptosync {
namespace {

using clang::dyn_cast;
using clang::isa;

constexpr std::uint64_t kMostEntries = 4096; // far below what the end of the address space would wrap

/// A pointer, or a whole number of 64 bits.
bool isAddress(const clang::Expr *expression) {
  clang::QualType type = expression->getType();
  auto *plain = type->getAs<clang::BuiltinType>();
  return type->isPointerType() ||
         (plain &&
          (plain->getKind() == clang::BuiltinType::Long || plain->getKind() == clang::BuiltinType::ULong ||
           plain->getKind() == clang::BuiltinType::LongLong || plain->getKind() == clang::BuiltinType::ULongLong));
}

/// Without the casts that keep every bit of an address.
const clang::Expr *withoutCasts(const clang::Expr *expression) {
  for (;;)
    if (auto *parentheses = dyn_cast<clang::ParenExpr>(expression))
      expression = parentheses->getSubExpr();
    else if (auto *cast = dyn_cast<clang::CastExpr>(expression);
             cast && cast->getCastKind() != clang::CK_LValueBitCast && isAddress(cast) && isAddress(cast->getSubExpr()))
      expression = cast->getSubExpr();
    else
      return expression;
}

const clang::VarDecl *variableOf(const clang::Expr *expression) {
  auto *reference = dyn_cast<clang::DeclRefExpr>(expression);
  return reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

/// How often the file spells the name; a definition and a call are two.
unsigned mentionsOf(llvm::StringRef name, const SourceText &source) {
  unsigned count = 0;
  const std::string &text = source.text();
  forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &, std::uint32_t begin, std::uint32_t end) {
    count += llvm::StringRef(text).slice(begin, end) == name;
    return true;
  });
  return count;
}

class WrapperReader {
public:
  WrapperReader(const clang::FunctionDecl *wrapper, const WrapperContext &context, WrapperSyncs syncs)
      : wrapper(wrapper), context(context), syncs(syncs) {}

  std::optional<Forwarding> read() {
    list = wrapper->getNumParams() == 1 ? wrapper->getParamDecl(0) : nullptr;
    auto *body = dyn_cast<clang::CompoundStmt>(wrapper->getBody());
    if (!list || !list->getType()->isPointerType() || !isListEntry(list->getType()->getPointeeType()) || !body ||
        list->hasAttrs() || !context.bodies.keepsItsValue(list))
      return std::nullopt;
    const clang::Stmt *last = nullptr;
    for (const clang::Stmt *one : body->body())
      if (!isIgnored(one))
        last = one;
    for (const clang::Stmt *one : body->body())
      if (one != last && !isPlain(one))
        return std::nullopt;
    auto *expression = llvm::dyn_cast_or_null<clang::Expr>(last);
    return expression ? readCall(dyn_cast<clang::CallExpr>(expression->IgnoreImplicit())) : std::nullopt;
  }

private:
  static bool isListEntry(clang::QualType type) {
    auto *plain = type->getAs<clang::BuiltinType>();
    return plain && (plain->getKind() == clang::BuiltinType::Long || plain->getKind() == clang::BuiltinType::LongLong);
  }

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
    return Forwarding{definition, mention};
  }

  /// True for a kernel that nothing but this call can run.
  bool isOnlyHere(const clang::FunctionDecl *kernel) const {
    if (!context.mayBeKernel(kernel) || kernel->isTemplateInstantiation() || kernel->isExternallyVisible() ||
        mentionsOf(kernel->getName(), context.source) != 2)
      return false;
    for (const clang::ParmVarDecl *parameter : kernel->parameters())
      if (!parameter->getType()->isArithmeticType() && !parameter->getType()->isPointerType())
        return false;
    return true;
  }

  bool isIgnored(const clang::Stmt *statement) const {
    auto *expression = dyn_cast<clang::Expr>(statement);
    auto *call = expression ? dyn_cast<clang::CallExpr>(expression->IgnoreImplicit()) : nullptr;
    const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (syncs == WrapperSyncs::Refused || !callee || !callee->getDeclName().isIdentifier())
      return isa<clang::NullStmt>(statement);
    llvm::StringRef name = callee->getName();
    return name == "set_flag" || name == "wait_flag" || name == "pipe_barrier";
  }

  /// Statements and expressions that change nothing but variables, and what of memory is read.
  bool isPlain(const clang::Stmt *start) {
    Walk<const clang::Stmt *> walk({start});
    while (std::optional<const clang::Stmt *> next = walk.next()) {
      if (isIgnored(*next))
        continue;
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
    if (!variable || variable == list)
      return variable != nullptr;
    if (std::optional<std::uint64_t> entry = descriptorOf(variable)) {
      described.insert(*entry);
      return true;
    }
    std::optional<std::uint64_t> entry = tensorOf(variable);
    if (entry)
      readFrom.insert(*entry);
    return entry.has_value();
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

  /// K of a variable `T *x = reinterpret_cast<T *>(args[K])` of a class: what says where a tensor is, not the tensor.
  std::optional<std::uint64_t> descriptorOf(const clang::VarDecl *variable) const {
    if (!variable->hasLocalStorage() || !variable->getInit() || !variable->getType()->isPointerType() ||
        !variable->getType()->getPointeeType()->isRecordType() || !context.bodies.keepsItsValue(variable))
      return std::nullopt;
    return entryOf(withoutCasts(variable->getInit()));
  }

  /// K of a pointer to numbers: an address that is entry K or stands in what that points to, plus numbers.
  std::optional<std::uint64_t> tensorOf(const clang::VarDecl *variable, bool *isRaw = nullptr) const {
    if (!variable->hasLocalStorage() || !variable->getInit() || !variable->getType()->isPointerType() ||
        variable->getType()->getPointeeType()->isRecordType() ||
        variable->getType()->getPointeeType()->isPointerType() || !context.bodies.keepsItsValue(variable))
      return std::nullopt;
    const clang::Expr *value = variable->getInit()->IgnoreParenImpCasts();
    std::set<const clang::VarDecl *> shifted; // whose own offset is added
    while (auto *sum = dyn_cast<clang::BinaryOperator>(value)) {
      bool pointerFirst = sum->getLHS()->getType()->isPointerType();
      if ((sum->getOpcode() != clang::BO_Add && sum->getOpcode() != clang::BO_Sub) ||
          !sum->getType()->isPointerType() ||
          !(pointerFirst ? sum->getRHS() : sum->getLHS())->getType()->isIntegerType())
        return std::nullopt;
      const clang::Expr *number = (pointerFirst ? sum->getRHS() : sum->getLHS())->IgnoreParenImpCasts();
      if (auto *member = dyn_cast<clang::MemberExpr>(number);
          member && member->isArrow() && sum->getOpcode() == clang::BO_Add && fieldIs(member, "start_offset"))
        shifted.insert(variableOf(member->getBase()->IgnoreParenImpCasts()));
      else if (member)
        return std::nullopt; // of another tensor's, perhaps
      value = (pointerFirst ? sum->getLHS() : sum->getRHS())->IgnoreParenImpCasts();
    }
    if (!isa<clang::CXXReinterpretCastExpr, clang::CStyleCastExpr>(value))
      return std::nullopt;
    value = withoutCasts(value);
    if (std::optional<std::uint64_t> entry = entryOf(value)) {
      if (isRaw)
        *isRaw = true;
      return entry;
    }
    // Two tensors may share a buffer: the address and the offset together say where one is.
    auto *address = dyn_cast<clang::MemberExpr>(value->IgnoreParenImpCasts());
    auto *buffer = address && !address->isArrow() && fieldIs(address, "addr") && isAddress(address)
                       ? dyn_cast<clang::MemberExpr>(address->getBase()->IgnoreParenImpCasts())
                       : nullptr;
    if (!buffer || !buffer->isArrow() || !fieldIs(buffer, "buffer"))
      return std::nullopt;
    const clang::VarDecl *holder = variableOf(buffer->getBase()->IgnoreParenImpCasts());
    return holder && shifted.size() == 1 && shifted.count(holder) ? descriptorOf(holder) : std::nullopt;
  }

  static bool fieldIs(const clang::MemberExpr *member, llvm::StringRef name) {
    auto *field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    return field && field->getDeclName().isIdentifier() && field->getName() == name && !field->isBitField();
  }

  /// A number, or a pointer that no other argument shares an entry with.
  bool passOn(const clang::Expr *argument) {
    if (argument->getType()->isArithmeticType())
      return true;
    const clang::VarDecl *variable = variableOf(argument->IgnoreParenImpCasts());
    if (!argument->getType()->isPointerType() || !variable)
      return false;
    bool isRaw = false;
    std::optional<std::uint64_t> entry = tensorOf(variable, &isRaw);
    if (isRaw)
      raw.insert(*entry);
    return entry && passed.insert(*entry).second;
  }

  const clang::FunctionDecl *wrapper;
  const WrapperContext &context;
  const WrapperSyncs syncs;
  const clang::ParmVarDecl *list = nullptr;
  std::set<std::uint64_t> passed;    // entries that the kernel's pointers come from
  std::set<std::uint64_t> raw;       // those of them that are the pointer
  std::set<std::uint64_t> described; // entries that what they point to is read of
  std::set<std::uint64_t> readFrom;  // entries of tensors that the wrapper itself reads
};

/// True if the file itself defines or undefines what tells the host's build.
bool decidesItsBuild(const SourceText &source) {
  bool behind = false, found = false;
  const std::string &text = source.text();
  forEachRawToken(text, 0, Comments::Skipped, [&](const clang::Token &, std::uint32_t begin, std::uint32_t end) {
    llvm::StringRef token = llvm::StringRef(text).slice(begin, end);
    found = behind && token.starts_with("__CPU_SIM");
    behind = token == "define" || token == "undef";
    return !found;
  });
  return found;
}

/// The only conditions in it are on the build that runs kernels on the host, as the generator writes them.
bool hasPlainText(const clang::FunctionDecl *function, const WrapperContext &context) {
  SourceRange range = context.bodies.rangeOf(function);
  if (range.begin >= range.end || decidesItsBuild(context.source))
    return false;
  std::uint32_t first = context.source.position(range.begin).line, last = context.source.position(range.end - 1).line;
  for (std::uint32_t number = 1; number <= context.source.lineCount(); ++number) {
    llvm::StringRef line = llvm::StringRef(context.source.line(number)).trim();
    bool inside = first <= number && number <= last;
    if (inside && (line.contains('#') || line.contains("%:") || line.ends_with("\\")) &&
        line != "#if !defined(__CPU_SIM)" && line != "#ifndef __CPU_SIM" && line != "#endif")
      return false;
  }
  return true;
}

} // namespace

std::optional<Forwarding> forwardingOf(const clang::FunctionDecl *function, const WrapperContext &context,
                                       WrapperSyncs syncs) {
  if (!function->doesThisDeclarationHaveABody() || function->isTemplated() || isa<clang::CXXMethodDecl>(function) ||
      !function->getDeclName().isIdentifier() || function->getName() != "kernel_entry" ||
      !hasPlainText(function, context))
    return std::nullopt;
  return WrapperReader(function, context, syncs).read();
}

} // namespace ptosync
