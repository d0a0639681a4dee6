// Lowers one entry function of a parsed section to a Kernel, helper calls expanded in place.
//
// Statements become basic blocks of plain assignments, instructions and syncs; expressions keep
// their casts. Evaluation order is C++'s. Sound by default: whatever is not understood becomes
// an opaque value, an instruction without facts (an opaque fence), or makes the kernel not
// analysable with a reason; nothing with an effect is dropped.
// Only src/frontend may include this header.
// Tested by tests/frontend/lowering_*_test.cpp.
#pragma once

#include "frontend/type_reader.h"
#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/DenseMap.h>

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ptosync {

/// Site numbers by file position, shared by every kernel of the file.
using SiteTable = std::map<std::uint32_t, SyncSite>;

struct LoweringContext {
  clang::ASTContext &ast;
  const SourceText &source;
  const std::set<std::string> &instructions;
  SiteTable &sites;                                        // Sync::site is the key (offset) until renumbered
  std::map<std::string, std::set<std::uint32_t>> &unknown; // call name -> lines
  std::set<std::uint32_t> conditionals;                    // lines of #if on anything but the core section
};

class Lowering {
public:
  Lowering(LoweringContext &context, Kernel &kernel) : shared(context), kernel(kernel) {}

  /// Fills the kernel from `function`, which has a body.
  void run(const clang::FunctionDecl *function);

private:
  // What a C++ variable stands for.
  struct Dimensions {
    std::array<std::int64_t, 5> entries{};
    std::array<VariableId, 5> variables{};
  };
  struct ScalarBinding { VariableId variable; };
  struct ArrayBinding { VariableId first; std::uint32_t count; };
  struct TileBinding { TileId tile; };
  struct TensorBinding { TensorId tensor; };
  struct FifoBinding { FifoId fifo; };
  struct OpaqueBinding {};
  using Binding = std::variant<OpaqueBinding, ScalarBinding, ArrayBinding, TileBinding, TensorBinding, FifoBinding,
                               Dimensions>;

  struct JumpTargets {
    BlockId breakTo = kNone, continueTo = kNone;
  };
  struct InlineFrame {
    const clang::FunctionDecl *function = nullptr;
    BlockId returnTo = kNone;       // kNone: the entry itself
    VariableId result = kNone;      // scalar result
    std::map<const clang::LabelDecl *, BlockId> labels;
  };

  // lowering_statement.cpp
  void lower(const clang::Stmt *statement);
  void lowerList(const clang::CompoundStmt *list);
  void lowerDeclaration(const clang::DeclStmt *statement);
  void lowerInit(const clang::Stmt *init);
  void lowerIf(const clang::IfStmt *statement);
  void lowerFor(const clang::ForStmt *statement);
  void lowerWhile(const clang::WhileStmt *statement);
  void lowerDo(const clang::DoStmt *statement);
  void lowerSwitch(const clang::SwitchStmt *statement);
  void lowerReturn(const clang::ReturnStmt *statement);
  void lowerLoopBody(const clang::Stmt *body, JumpTargets targets);
  void lowerSoleBody(const clang::Stmt *body);
  BlockId labelBlock(const clang::LabelDecl *label);

  // lowering_object.cpp
  void declareVariable(const clang::VarDecl *declaration);
  void declareScalar(const clang::VarDecl *declaration);
  void declareTile(const clang::VarDecl *declaration);
  void declareTensor(const clang::VarDecl *declaration);
  void declareFifo(const clang::VarDecl *declaration);
  void declareArray(const clang::VarDecl *declaration, std::uint32_t count, clang::QualType element);
  void bindParameters(const clang::FunctionDecl *function);
  void bindEntryParameter(const clang::ParmVarDecl *parameter, std::uint32_t number);
  bool bindReference(const clang::VarDecl *declaration, const clang::Expr *initializer);
  TileId newTile(clang::QualType type, std::string name, std::uint32_t line);
  TensorId newTensor(clang::QualType type, std::string name, std::uint32_t line);
  FifoId newFifo(clang::QualType type, std::string name, std::uint32_t line);
  void assignTileFrom(TileId tile, const clang::Expr *value);
  void assignTensorFrom(TensorId tensor, const clang::Expr *value);
  void assignFifoFrom(FifoId fifo, const clang::Expr *value);
  void assignDimensionsFrom(Dimensions &dimensions, const clang::Expr *value);
  Dimensions dimensionsOf(const clang::Expr *value);
  void copyDimensions(Tensor &tensor, bool stride, const Dimensions &dimensions);
  Binding *bindingOf(const clang::Expr *expression);
  Binding *bindingOf(const clang::ValueDecl *declaration);
  std::optional<TileId> tileOf(const clang::Expr *expression);
  std::optional<TensorId> tensorOf(const clang::Expr *expression);
  std::optional<FifoId> fifoOf(const clang::Expr *expression);
  std::optional<TileId> selectTile(const clang::ConditionalOperator *choice);

  // lowering_expression.cpp
  ExpressionId scalar(const clang::Expr *expression);
  ExpressionId condition(const clang::Expr *expression);
  ExpressionId unaryOperator(const clang::UnaryOperator *expression);
  ExpressionId binaryOperator(const clang::BinaryOperator *expression);
  ExpressionId arithmetic(const clang::BinaryOperator *expression, ExpressionId left, ExpressionId right);
  ExpressionId pointerArithmetic(const clang::BinaryOperator *expression, ExpressionId left, ExpressionId right);
  ExpressionId assignment(const clang::BinaryOperator *expression);
  ExpressionId increment(const clang::UnaryOperator *expression);
  ExpressionId stored(const clang::Expr *place, ExpressionId value, const clang::Expr *whole);
  ExpressionId conditional(const clang::Expr *whole, const clang::Expr *condition, const clang::Expr *whenTrue,
                           const clang::Expr *whenFalse);
  ExpressionId castExpression(const clang::CastExpr *expression);
  ExpressionId readReference(const clang::DeclRefExpr *expression);
  ExpressionId memoryLoad(const clang::Expr *place);
  ExpressionId memoryAddress(const clang::Expr *place, std::uint32_t &bytes);
  bool isMemoryPlace(const clang::Expr *expression);
  bool arrayPlace(const clang::Expr *expression, ArrayBinding &array, const clang::Expr *&index);
  void store(const clang::Expr *place, ExpressionId value, const clang::Expr *whole);
  ExpressionId opaqueExpression(const clang::Expr *expression);
  bool mayHaveEffect(const clang::Stmt *expression);
  bool opaqueConstruction(const clang::VarDecl *declaration);

  // lowering_call.cpp
  ExpressionId call(const clang::CallExpr *expression);
  ExpressionId memberCall(const clang::CXXMemberCallExpr *expression);
  ExpressionId expandHelper(const clang::CallExpr *expression, const clang::FunctionDecl *callee);
  bool addressCall(const clang::CallExpr *expression, llvm::StringRef name);
  void subview(const clang::CallExpr *expression);
  bool syncCall(const clang::CallExpr *expression, llvm::StringRef name);
  bool tailCall(const clang::CallExpr *expression);
  void emitSync(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination, ExpressionId event);
  SiteId siteOf(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination);
  ExpressionId instructionCall(const clang::CallExpr *expression, const std::string &name);
  Operand operandOf(const clang::Expr *argument, std::vector<VariableId> &results);
  std::optional<Pipe> pipeArgument(const clang::Expr *argument);
  void opaqueFence(const std::string &name, const clang::Stmt *at);

  // Emission.
  BlockId newBlock();
  void jump(BlockId target);
  void branch(ExpressionId condition, BlockId whenTrue, BlockId whenFalse, const clang::Stmt *at);
  void emit(std::variant<Assign, ArrayStore, Instruction, Sync> action, const clang::Stmt *at);
  void assign(VariableId variable, ExpressionId value, const clang::Stmt *at);
  VariableId newVariable(std::string name, IntegerType type);
  ExpressionId read(VariableId variable);
  ExpressionId constant(std::int64_t value, IntegerType type = kInt64);
  void giveUp(const clang::Stmt *at, std::string reason);
  void refuseConditionals(const clang::FunctionDecl *function);
  std::uint32_t lineOf(clang::SourceLocation location) const;
  std::uint32_t offsetOf(clang::SourceLocation location) const;
  SourceRange rangeOf(const clang::Stmt *statement) const;
  std::string spelling(const clang::Stmt *statement) const;

  LoweringContext &shared;
  Kernel &kernel;
  BlockId current = 0;
  std::uint32_t currentContext = 0;
  bool soleBody = false;
  Anchor anchor;
  const clang::Stmt *fullStatement = nullptr; // the statement being lowered, for sync sites
  std::map<const clang::ValueDecl *, Binding> bindings;
  std::vector<JumpTargets> jumps;
  std::vector<InlineFrame> frames;
};

/// The expression without parentheses, implicit casts that keep an object's identity, copies and
/// temporaries around it.
const clang::Expr *unwrapObject(const clang::Expr *expression);

} // namespace ptosync
