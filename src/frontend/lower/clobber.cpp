// The default of every dispatcher: what text that is not followed may have done, and what it may reach later.
#include "frontend/lower/lowering.h"

#include "frontend/guard/escaped_addresses.h"
#include "frontend/read/syntax_tree.h"

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
  instruction.followed = false;
  emit(std::move(instruction), at);
}

/// Whose address is known to somebody: a store through a pointer and whatever is not followed may write it, wherever in
/// the kernel the address was taken, since that may be the iteration before. What a call is named decides nothing: one
/// that is followed and is given no pointer and nothing unknown changes its own operands at most.
void Lowering::clobberExposed() {
  std::set<VariableId> open;
  for (ObjectId object : exposed)
    for (VariableId variable : variablesOf(object))
      open.insert(variable);
  for (Block &block : kernel.blocks)
    for (Statement &statement : block.statements) {
      auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction || instruction->name == "scalar.load")
        continue;
      bool reaches = instruction->name == "scalar.store" || !instruction->followed;
      for (const Operand &operand : instruction->operands)
        reaches |= operand.kind == Operand::Kind::Pointer || operand.kind == Operand::Kind::Unknown;
      if (!reaches)
        continue;
      std::set<VariableId> results(instruction->results.begin(), instruction->results.end());
      for (VariableId variable : open)
        if (results.insert(variable).second)
          instruction->results.push_back(variable);
    }
}

/// Two parameters that are references to one type may be one object: what changes in one may change in the other.
void Lowering::shareCallersObjects(Mark begin) {
  std::map<VariableId, std::vector<VariableId>> others;
  for (const auto &[object, type] : fromCaller)
    for (const auto &[other, otherType] : fromCaller)
      if (object != other && type == otherType)
        for (VariableId variable : variablesOf(object)) {
          std::vector<VariableId> more = variablesOf(other);
          others[variable].insert(others[variable].end(), more.begin(), more.end());
        }
  if (others.empty())
    return;
  for (Block &block : kernel.blocks) {
    std::vector<Statement> statements;
    for (Statement &statement : block.statements) {
      std::set<VariableId> changed;
      auto note = [&](VariableId variable) {
        if (auto found = others.find(variable); found != others.end())
          changed.insert(found->second.begin(), found->second.end());
      };
      if (auto *assigned = std::get_if<Assign>(&statement.action))
        note(assigned->variable);
      else if (auto *instruction = std::get_if<Instruction>(&statement.action)) {
        for (VariableId result : instruction->results)
          note(result);
        if (shared.placing.count(instruction->name))
          for (const Operand &operand : instruction->operands) {
            if (operand.kind == Operand::Kind::Tile)
              note(kernel.tiles[operand.index].address);
            if (operand.kind == Operand::Kind::Tensor)
              note(kernel.tensors[operand.index].pointer);
          }
      }
      const Statement place = statement;
      statements.push_back(std::move(statement));
      if (&block == &kernel.blocks[begin.block] && statements.size() <= begin.index)
        continue; // what the parameters are
      for (VariableId variable : changed) {
        statements.push_back(place);
        statements.back().action = Assign{variable, kernel.expressions.opaque(kernel.variables[variable].type)};
      }
    }
    block.statements = std::move(statements);
  }
}

void Lowering::noteEscapes() {
  if (!kernel.analysable)
    return;
  for (ExpressionId stored : lost)
    dropped.erase(stored);
  EscapeFacts facts{shared.instructions,     std::move(dropped), std::move(lost), {},
                    std::move(madePointers), pointersRead};
  for (ObjectId object : exposed)
    for (VariableId variable : variablesOf(object))
      facts.exposed.insert(variable);
  findEscapedAddresses(kernel, facts);
}

/// An object whose address goes where it is not followed, with the whole of what it is a part of: from the address of
/// an element the others are found, from that of a member the record.
void Lowering::expose(ObjectId object) {
  while (objects[object].container != kNone)
    object = objects[object].container;
  exposeParts(object);
}

void Lowering::exposeParts(ObjectId object) {
  if (!exposed.insert(object).second)
    return;
  const Object known = objects[object];
  if (auto *record = std::get_if<Object::Record>(&known.value)) {
    for (const auto &[field, part] : record->fields)
      exposeParts(part);
    for (const auto &[base, part] : record->bases)
      exposeParts(part);
  } else if (auto *elements = std::get_if<Object::Elements>(&known.value)) {
    for (ObjectId part : elements->list)
      exposeParts(part);
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
