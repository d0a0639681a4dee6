// The default of every dispatcher: what text that is not followed may have done, and what it may get at later.
#include "frontend/lowering.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Looks for text that could run a body, a sync or an instruction, or leave the expression.
class RunFinder : public clang::RecursiveASTVisitor<RunFinder> {
public:
  bool shouldVisitImplicitCode() const { return true; }
  const clang::Stmt *found = nullptr;

  bool VisitCallExpr(clang::CallExpr *call) { return stop(call); }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr *construct) {
    return construct->getConstructor()->isTrivial() ? true : stop(construct);
  }
  bool VisitCXXBindTemporaryExpr(clang::CXXBindTemporaryExpr *bound) { return stop(bound); }
  bool VisitCXXNewExpr(clang::CXXNewExpr *e) { return stop(e); }
  bool VisitCXXDeleteExpr(clang::CXXDeleteExpr *e) { return stop(e); }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr *e) { return stop(e); }
  bool VisitCoroutineSuspendExpr(clang::CoroutineSuspendExpr *e) { return stop(e); }
  bool VisitLambdaExpr(clang::LambdaExpr *e) { return stop(e); }
  bool VisitStmtExpr(clang::StmtExpr *e) { return stop(e); }
  bool VisitBlockExpr(clang::BlockExpr *e) { return stop(e); }
  bool VisitCXXInheritedCtorInitExpr(clang::CXXInheritedCtorInitExpr *e) { return stop(e); }
  bool VisitStmt(clang::Stmt *statement) { return isa<clang::Expr>(statement) ? true : stop(statement); }

private:
  bool stop(const clang::Stmt *at) {
    found = at;
    return false;
  }
};

/// Looks for memory accesses and changes of variables.
class EffectFinder : public clang::RecursiveASTVisitor<EffectFinder> {
public:
  bool shouldVisitImplicitCode() const { return true; }
  bool found = false;
  bool VisitBinaryOperator(clang::BinaryOperator *e) { return e->isAssignmentOp() ? stop() : true; }
  bool VisitUnaryOperator(clang::UnaryOperator *e) {
    return e->isIncrementDecrementOp() || e->getOpcode() == clang::UO_Deref || e->getOpcode() == clang::UO_AddrOf ? stop()
                                                                                                                 : true;
  }
  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr *) { return stop(); }
  bool VisitMemberExpr(clang::MemberExpr *) { return stop(); }
  bool VisitAtomicExpr(clang::AtomicExpr *) { return stop(); }
  bool VisitVAArgExpr(clang::VAArgExpr *) { return stop(); }
  bool VisitCastExpr(clang::CastExpr *e) {
    return e->getCastKind() == clang::CK_ArrayToPointerDecay || e->getCastKind() == clang::CK_LValueToRValue ? stop() : true;
  }

private:
  bool stop() {
    found = true;
    return false;
  }
};

/// Names of variables in a piece of text, and `this`.
class NameFinder : public clang::RecursiveASTVisitor<NameFinder> {
public:
  bool shouldVisitImplicitCode() const { return true; }
  bool VisitDeclRefExpr(clang::DeclRefExpr *reference) {
    names.insert(reference->getDecl());
    return true;
  }
  bool VisitCXXThisExpr(clang::CXXThisExpr *) {
    self = true;
    return true;
  }
  bool VisitLambdaExpr(clang::LambdaExpr *lambda) {
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable())
        names.insert(capture.getCapturedVar());
      else if (capture.capturesThis())
        self = true;
    return true;
  }
  std::set<const clang::ValueDecl *> names;
  bool self = false;
};
} // namespace

/// `text` was not followed: every object it names has an unknown value now, and memory may have been touched.
void Lowering::clobber(const clang::Stmt *text) {
  if (!kernel.analysable)
    return;
  RunFinder runs;
  runs.TraverseStmt(const_cast<clang::Stmt *>(text));
  if (runs.found)
    return giveUp(runs.found, std::string("what ") + runs.found->getStmtClassName() + " runs inside " +
                                  text->getStmtClassName() + " is not followed");
  EffectFinder effects;
  effects.TraverseStmt(const_cast<clang::Stmt *>(text));
  if (!effects.found)
    return; // literals and names: nothing to lose
  exposeNamed(text);
  unknownEffect("expression", text, {});
}

/// A fence on every pipe and memory. What is exposed loses its value there as well (clobberExposed).
void Lowering::unknownEffect(const std::string &name, const clang::Stmt *at, const std::vector<VariableId> &changed) {
  shared.unknown[name].insert(lineOf(at->getBeginLoc()));
  Instruction instruction;
  instruction.name = name;
  instruction.results = changed;
  emit(std::move(instruction), at);
}

/// Whose address is known to somebody: a store through a pointer or anything unknown may write it, wherever in the
/// kernel the address was taken, since that may be the iteration before.
void Lowering::clobberExposed() {
  std::set<VariableId> open;
  for (ObjectId object : exposed)
    for (VariableId variable : variablesOf(object))
      open.insert(variable);
  for (VariableId variable : open)
    reassignedDimensions.insert(variable);
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements) {
      auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction || instruction->name == "scalar.load")
        continue;
      bool reaches = instruction->name == "scalar.store" || !shared.instructions.count(instruction->name);
      for (const Operand &operand : instruction->operands)
        reaches |= operand.kind == Operand::Kind::Pointer || operand.kind == Operand::Kind::Unknown;
      if (!reaches)
        continue;
      std::set<VariableId> results(instruction->results.begin(), instruction->results.end());
      for (VariableId variable : open)
        if (results.insert(variable).second)
          instruction->results.push_back(variable);
    }
  for (Tensor &tensor : kernel.tensors)
    for (auto *variables : {&tensor.shapeVariables, &tensor.strideVariables})
      for (VariableId &variable : *variables)
        if (reassignedDimensions.count(variable))
          variable = kNone;
}

void Lowering::expose(ObjectId object) {
  if (!exposed.insert(object).second)
    return;
  const Object known = objects[object];
  if (auto *record = std::get_if<Object::Record>(&known.value)) {
    for (const auto &[field, part] : record->fields)
      expose(part);
    for (const auto &[base, part] : record->bases)
      expose(part);
  } else if (auto *elements = std::get_if<Object::Elements>(&known.value)) {
    for (ObjectId part : elements->list)
      expose(part);
  } else if (auto *alias = std::get_if<Object::Alias>(&known.value)) {
    expose(alias->place);
  } else if (auto *pointer = std::get_if<Object::Pointer>(&known.value)) {
    expose(pointer->place);
  }
}

void Lowering::expose(const Place &place) {
  for (const Choice &choice : place.choices) {
    if (choice.target.kind == Target::Kind::Object)
      expose(choice.target.object);
    if (choice.target.kind != Target::Kind::Element)
      continue;
    for (ObjectId id = 0; id < objects.size(); ++id)
      if (auto *array = std::get_if<Object::Array>(&objects[id].value); array && array->first == choice.target.first)
        expose(id);
  }
}

void Lowering::exposeNamed(const clang::Stmt *text) {
  NameFinder finder;
  finder.TraverseStmt(const_cast<clang::Stmt *>(text));
  for (const clang::ValueDecl *name : finder.names) {
    if (!frames.empty())
      if (auto captured = frames.back().captures.find(name); captured != frames.back().captures.end())
        expose(captured->second);
    if (auto bound = bindings.find(name); bound != bindings.end())
      expose(bound->second);
  }
  if (finder.self && !frames.empty() && frames.back().self)
    expose(*frames.back().self);
}

} // namespace ptosync
