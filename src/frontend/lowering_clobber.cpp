// The default of every dispatcher: what text that is not followed may have done, and what it may get at later.
#include "frontend/lowering.h"
#include "frontend/syntax_walker.h"

#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>

namespace ptosync {

using clang::dyn_cast;

namespace {

/// Looks for text that could run a body, a sync or an instruction, or leave the expression.
class RunFinder : public SyntaxWalker {
public:
  RunFinder() : SyntaxWalker({.implicitCode = true}) {}
  const clang::Stmt *found = nullptr;

private:
  bool visit(clang::Stmt *statement) override {
    auto *construct = dyn_cast<clang::CXXConstructExpr>(statement);
    bool runs = construct
                    ? !construct->getConstructor()->isTrivial()
                    : !isa<clang::Expr>(statement) ||
                          isa<clang::CallExpr, clang::CXXBindTemporaryExpr, clang::CXXNewExpr, clang::CXXDeleteExpr,
                              clang::CXXThrowExpr, clang::CoroutineSuspendExpr, clang::LambdaExpr, clang::StmtExpr,
                              clang::BlockExpr, clang::CXXInheritedCtorInitExpr>(statement);
    if (runs)
      found = statement;
    return !runs;
  }
};

/// Looks for memory accesses and changes of variables.
class EffectFinder : public SyntaxWalker {
public:
  EffectFinder() : SyntaxWalker({.implicitCode = true}) {}

private:
  bool visit(clang::Stmt *statement) override {
    if (auto *binary = dyn_cast<clang::BinaryOperator>(statement))
      return !binary->isAssignmentOp();
    if (auto *unary = dyn_cast<clang::UnaryOperator>(statement))
      return !unary->isIncrementDecrementOp() && unary->getOpcode() != clang::UO_Deref &&
             unary->getOpcode() != clang::UO_AddrOf;
    if (auto *cast = dyn_cast<clang::CastExpr>(statement))
      return cast->getCastKind() != clang::CK_ArrayToPointerDecay && cast->getCastKind() != clang::CK_LValueToRValue;
    return !isa<clang::ArraySubscriptExpr, clang::MemberExpr, clang::AtomicExpr, clang::VAArgExpr>(statement);
  }
};

/// Names of variables in a piece of text, and `this`.
class NameFinder : public SyntaxWalker {
public:
  NameFinder() : SyntaxWalker({.implicitCode = true}) {}
  std::set<const clang::ValueDecl *> names;
  bool self = false;

private:
  bool visit(clang::Stmt *statement) override {
    if (auto *reference = dyn_cast<clang::DeclRefExpr>(statement))
      names.insert(reference->getDecl());
    else if (isa<clang::CXXThisExpr>(statement))
      self = true;
    else if (auto *lambda = dyn_cast<clang::LambdaExpr>(statement))
      for (const clang::LambdaCapture &capture : lambda->captures()) {
        if (capture.capturesVariable())
          names.insert(capture.getCapturedVar());
        self |= capture.capturesThis();
      }
    return true;
  }
};
} // namespace

/// `text` was not followed: every object it names has an unknown value now, and memory may have been touched.
void Lowering::clobber(const clang::Stmt *text) {
  if (!kernel.analysable)
    return;
  RunFinder runs;
  runs.walk(const_cast<clang::Stmt *>(text));
  if (runs.found)
    return giveUp(runs.found, std::string("what ") + runs.found->getStmtClassName() + " runs inside " +
                                  text->getStmtClassName() + " is not followed");
  if (EffectFinder().walk(const_cast<clang::Stmt *>(text)))
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
  finder.walk(const_cast<clang::Stmt *>(text));
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
