// Lowers one entry function of a parsed section to a Kernel, helper calls expanded in place.
//
// Statements become basic blocks of plain assignments, instructions and syncs; expressions keep their casts. Evaluation
// order is that of C++17. There are four dispatchers: statements (lower), values (scalar), places (place) and
// initialisers of objects (initialise). Each asks readingOf whether the class that it meets has a handler. A class
// without one goes to the default, the clobber:
//
//   clobber   everything that the text names, and everything whose address anybody has, holds an unknown value
//             afterwards, and memory is fenced; text that could run a sync or an instruction gives the kernel up
//
// readingOf is the table of Clang's statement and expression classes. It names every class, so a newer Clang's classes
// have no entry until somebody has thought about them; a class without an entry gives the kernel up.
//
// The lowering knows C++ objects by two notions:
//
//   object   one thing that a declaration, a temporary or a member names: a scalar, an array of scalars, a tile, ...
//   place    what an lvalue designates: one object, one of several (a ternary, an element by an index that only the
//            run knows), an element of an array of scalars, or memory at an address
//
// A place is found once and its parts are kept in variables, so it means the same thing whenever it is read or written
// later. A place that was not followed is memory at an unknown address. Whatever it could mean was *exposed* before: an
// object whose address or reference goes where it is not followed loses its value at every store through a pointer and
// at every call of something unknown, wherever in the kernel these stand (see run()).
//
// The calls that were expanded are remembered, so that text that was not read protects the bodies it can reach
// (bodies.h). Only src/frontend may include this header. Tested by tests/frontend/lower/lowering_*_test.cpp and the
// differential test.
#pragma once

#include "frontend/guard/bodies.h"
#include "frontend/guard/file_refusal.h"
#include "frontend/library/event_types.h"
#include "frontend/library/names.h"
#include "frontend/library/types.h"
#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <clang/AST/StmtCXX.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptosync {

using ObjectId = std::uint32_t;

/// The entries of a Shape or Stride: static (>= 0) or held by the variable of the same index.
struct Dimensions {
  std::array<std::int64_t, 5> entries{};
  std::array<VariableId, 5> variables{};
};

struct Target {
  enum class Kind : std::uint8_t { Object, Element, Memory };
  Kind kind = Kind::Memory;
  ObjectId object = kNone;  // Object
  VariableId first = kNone; // Element `index` of the variables [first, first + count)
  std::uint32_t count = 0;
  ExpressionId index = kNone;
  ExpressionId address = kNone; // Memory: byte address
  std::uint32_t bytes = 0;      // Memory: bytes that an access touches
};

/// The target if `guard` holds; kNone: whenever no choice before it was taken.
struct Choice {
  ExpressionId guard = kNone;
  Target target;
};

/// Never empty; the last choice has no guard.
struct Place {
  std::vector<Choice> choices;
};

/// The parts of a record, in the order of their declaration.
template <typename Key> class Parts {
public:
  void add(const Key *key, ObjectId object) { list.emplace_back(key, object); }
  ObjectId find(const Key *key) const {
    for (const auto &[known, object] : list)
      if (known == key)
        return object;
    return kNone;
  }
  auto begin() const { return list.begin(); }
  auto end() const { return list.end(); }
  std::size_t size() const { return list.size(); }

private:
  std::vector<std::pair<const Key *, ObjectId>> list;
};

struct Object {
  struct Untracked {}; // a value that is not followed
  struct Scalar {
    VariableId variable;
  };
  struct Array {
    VariableId first;
    std::uint32_t count;
  };
  struct TileObject {
    TileId tile;
  };
  struct TensorObject {
    TensorId tensor;
  };
  struct FifoObject {
    FifoId fifo;
  };
  struct Event {
    VariableId id;        // of its flag
    std::uint32_t number; // in the order of their making
  };
  struct Record {
    Parts<clang::FieldDecl> fields;
    Parts<clang::CXXRecordDecl> bases;
  };
  struct Elements {
    std::vector<ObjectId> list;
  }; // an array of anything but scalars
  struct Alias {
    Place place;
    bool bound = false;
  }; // a reference; bound once, or nothing is known
  struct Pointer {
    Place place;
  }; // a pointer that keeps its only value, and what it points to
  std::variant<Untracked, Scalar, Array, TileObject, TensorObject, FifoObject, Dimensions, Event, Record, Elements,
               Alias, Pointer>
      value;
  ObjectId container = kNone; // the array or record that this is a part of
};

/// What becomes of a class of Clang's statements and expressions.
enum class Reading : unsigned char {
  Lowered,   // has a handler; what a handler does not follow is clobbered there
  Clobbered, // may change all that it names, and memory; what could run a sync in it gives the kernel up
  GivesUp,   // the kernel is left alone
  Absent,    // never in a body that is compiled: template patterns, other languages, types of syntax
  Undecided, // no entry
};

/// `className` as Clang's Stmt::getStmtClassName() gives it.
Reading readingOf(std::string_view className);

/// Site numbers by file position, shared by every kernel of the file.
using SiteTable = std::map<std::uint32_t, SyncSite>;

/// Empty for operators, conversions, constructors and destructors.
std::string nameOf(const clang::FunctionDecl *function);

/// Returns true if the place that `expression` names is rooted in a variable of the file or a static member.
bool isRootedOutside(const clang::Expr *expression);

/// The object, or the pointer to one, that a member of a class is called of that the object's own class derives from.
const clang::Expr *withoutBaseCasts(const clang::Expr *object);

/// The template arguments that a call spells out.
llvm::ArrayRef<clang::TemplateArgumentLoc> writtenTemplateArguments(const clang::CallExpr *expression);

struct LoweringContext {
  clang::ASTContext &ast;
  const SourceText &source;
  const TokenStream &file; // of `source`
  const std::set<std::string> &instructions;
  const std::set<std::string> &placing; // instructions that give operands an address
  const std::function<std::set<std::pair<Pipe, Pipe>>(const std::string &)> &insideFlags; // of an instruction
  SiteTable &sites;                                        // Sync::site is the key (offset) until renumbered
  std::map<std::string, std::set<std::uint32_t>> &unknown; // call name -> lines
  std::set<std::uint32_t> conditionals;                    // lines of #if on anything but the core section
  const BodyGraph &bodies;
  const OwnHeaders &headers;
  const std::optional<FileRefusal> refusal; // of every kernel of the file
};

class Lowering {
public:
  Lowering(LoweringContext &context, Kernel &kernel) : shared(context), kernel(kernel) {}

  /// Fills the kernel from `function`, which has a body.
  void run(const clang::FunctionDecl *function);

  /// The calls, constructions and closures whose bodies were followed.
  const std::set<const clang::Stmt *> &followed() const { return followedMentions; }

private:
  struct JumpTargets {
    BlockId breakTo = kNone, continueTo = kNone;
  };
  struct InlineFrame {
    const clang::FunctionDecl *function = nullptr;
    BlockId returnTo = kNone;        // kNone: the entry itself
    VariableId result = kNone;       // scalar result
    ObjectId resultObject = kNone;   // a result of class type
    std::vector<Place> resultPlaces; // a result that is a reference: one a return statement
    VariableId whichPlace = kNone;   // number of the return that ran
    std::optional<Place> self;       // *this
    std::map<const clang::ValueDecl *, Place> captures;
    std::map<const clang::LabelDecl *, BlockId> labels;
  };
  /// A position in the blocks, to put an assignment there later.
  struct Mark {
    BlockId block;
    std::size_t index;
  };
  /// Counts how deep the dispatchers are inside one another.
  class Depth {
  public:
    Depth(Lowering &lowering, const clang::Stmt *at);
    ~Depth() { --lowering.depth; }

  private:
    Lowering &lowering;
  };

  // statement.cpp: control flow.
  void lower(const clang::Stmt *statement);
  void lowerKnown(const clang::Stmt *statement, bool sole);
  void lowerList(const clang::CompoundStmt *list);
  void lowerDeclaration(const clang::DeclStmt *statement);
  void lowerInit(const clang::Stmt *init);
  void lowerIf(const clang::IfStmt *statement);
  void lowerFor(const clang::ForStmt *statement);
  void lowerRangeFor(const clang::CXXForRangeStmt *statement);
  void lowerWhile(const clang::WhileStmt *statement);
  void lowerDo(const clang::DoStmt *statement);
  void lowerSwitch(const clang::SwitchStmt *statement);
  void refuseJumps(const clang::Stmt *head);
  void lowerLabel(const clang::SwitchCase *label);
  void lowerReturn(const clang::ReturnStmt *statement);
  void lowerLoopBody(const clang::Stmt *body, JumpTargets targets);
  void lowerSoleBody(const clang::Stmt *body);
  BlockId labelBlock(const clang::LabelDecl *label);

  // object.cpp: what declarations make, and how objects get their values.
  ObjectId newObject(clang::QualType type, const std::string &name, std::uint32_t line);
  ObjectId newArray(const clang::ConstantArrayType *type, const std::string &name, std::uint32_t line);
  void refuseDestructor(clang::QualType type);
  ObjectId newRecord(const clang::CXXRecordDecl *record, const std::string &name, std::uint32_t line);
  ObjectId addObject(Object object);
  ObjectId containing(ObjectId whole, const std::vector<ObjectId> &parts);
  void declareVariable(const clang::VarDecl *declaration);
  void declareBindings(const clang::DecompositionDecl *declaration);
  bool declarePointer(const clang::VarDecl *declaration, const clang::Expr *initializer);
  bool declarePointers(const clang::VarDecl *declaration, const clang::Expr *initializer);
  void bindParameters(const clang::FunctionDecl *function);
  void bindEntryParameter(const clang::ParmVarDecl *parameter, std::uint32_t number);
  Place referencePlace(const clang::Expr *initializer);
  TileId newTile(clang::QualType type, std::string name, std::uint32_t line);
  TensorId newTensor(clang::QualType type, std::string name, std::uint32_t line);
  FifoId newFifo(clang::QualType type, std::string name, std::uint32_t line);
  void assignTileFrom(TileId tile, const clang::Expr *value);
  void assignTensorFrom(TensorId tensor, const clang::Expr *value);
  void assignFifoFrom(FifoId fifo, const clang::Expr *value);
  void assignDimensionsFrom(Dimensions &dimensions, const clang::Expr *value);
  Dimensions dimensionsOf(const clang::Expr *value);
  Dimensions dimensionsAt(const Place &place, const clang::Expr *at);
  void discardUnread(const clang::Expr *value);
  void copyDimensions(TensorId tensor, bool stride, const Dimensions &from, ExpressionId guard, const clang::Stmt *at);
  ExpressionId entryOf(const Dimensions &dimensions, std::size_t i);
  void placeTensor(TensorId tensor, ExpressionId pointer, const clang::Stmt *at);
  void copyTile(TileId to, TileId from, ExpressionId guard, const clang::Stmt *at);
  void copyTensor(TensorId to, TensorId from, ExpressionId guard, const clang::Stmt *at);

  // initialise.cpp: initialisers and copies.
  void initialise(ObjectId object, const clang::Expr *value, const clang::Stmt *at);
  bool initialiseByControl(ObjectId object, const clang::Expr *value, const clang::Stmt *at);
  void initialiseArray(const Object::Array &array, const clang::Expr *value, const clang::Stmt *at);
  void initialiseElements(const Object::Elements &elements, const clang::Expr *value, const clang::Stmt *at);
  void initialiseRecord(ObjectId object, const clang::Expr *value, const clang::Stmt *at);
  void initialiseUntracked(const clang::Expr *value);
  void initialiseFields(ObjectId object, const clang::InitListExpr *list, const clang::Stmt *at);
  void initialiseClosure(ObjectId object, const clang::LambdaExpr *lambda);
  void bindReference(ObjectId object, const Place &target, const clang::Stmt *at);
  void bindPointer(ObjectId object, Place target, const clang::Stmt *at);
  bool copiesPlainly(const clang::CXXRecordDecl *record) const;
  static std::string copyReason(const clang::CXXRecordDecl *record);
  bool isCopiedPlainly(clang::QualType type) const;
  static bool isDefaultConstruction(const clang::Expr *value);
  void construct(ObjectId object, const clang::CXXConstructExpr *value, const clang::Stmt *at);
  void expandConstructor(ObjectId object, const clang::CXXConstructExpr *value, const clang::CXXConstructorDecl *body);
  void copyObject(ObjectId to, const Place &from, clang::QualType type, const clang::Stmt *at);
  void copyObject(ObjectId to, ObjectId from, const clang::Stmt *at);
  void zero(ObjectId object, const clang::Stmt *at);
  std::vector<VariableId> variablesOf(ObjectId object) const;
  void forget(ObjectId object, const clang::Stmt *at);

  // place.cpp: what lvalues mean.
  Place place(const clang::Expr *expression);
  Place knownPlace(const clang::Expr *expression);
  Place subscriptPlace(const clang::ArraySubscriptExpr *subscript);
  Place declaredPlace(const clang::Expr *expression, const clang::ValueDecl *declaration);
  Place memberPlace(const clang::MemberExpr *expression);
  Place fieldOf(const Place &record, const clang::FieldDecl *field);
  Place castPlace(const clang::CastExpr *expression);
  Place basePlace(Place derived, const clang::CastExpr *cast);
  Place pointee(const clang::Expr *pointer);
  bool leadsToObjects(const clang::Expr *pointer);
  Place pointeeOf(const Place &holder, const clang::Expr *held);
  Place guarded(ExpressionId guard, const Place &place);
  Place elementOf(const Place &array, ExpressionId index, clang::QualType element);
  Place chosenPlace(const clang::ConditionalOperator *choice, llvm::function_ref<Place(const clang::Expr *)> ofArm);
  Place materialise(const clang::Expr *value);
  Place operandPlace(const clang::Expr *object);
  Place objectPlace(ObjectId object) const;
  Place unknownPlace() { return memoryPlace(kernel.expressions.opaque(kAddress), 0); }
  Place memoryPlace(ExpressionId address, std::uint32_t bytes) const;
  Place kept(Place place, const clang::Stmt *at);
  std::optional<ObjectId> soleObject(const Place &place) const;
  template <typename Kind> const Kind *soleKind(const Place &place) const {
    std::optional<ObjectId> object = soleObject(place);
    return object ? std::get_if<Kind>(&objects[*object].value) : nullptr;
  }

  // place.cpp: reading and writing what a place means.
  Instruction scalarAccess(std::string name, const Target &target, const clang::Expr *written) const;
  ExpressionId readPlace(const Place &place, const clang::Expr *at);
  ExpressionId readTarget(const Target &target, const clang::Expr *at);
  void writePlace(const Place &place, ExpressionId value, const clang::Expr *written, const clang::Stmt *at);
  void writeTarget(const Target &target, ExpressionId guard, ExpressionId value, const clang::Expr *written,
                   const clang::Stmt *at);
  void forEachChoice(const Place &place, llvm::function_ref<void(const Target &, ExpressionId)> act);
  ExpressionId selected(const Place &place, IntegerType type, llvm::function_ref<ExpressionId(const Object &)> part);
  Place decided(Place place, const clang::Stmt *at);
  void refuseOthers(const Place &found, const clang::Expr *at);
  TileId tileAt(const Place &found, clang::QualType type, const clang::Expr *at);
  TensorId tensorAt(const Place &found, clang::QualType type, const clang::Expr *at);
  std::optional<TileId> tileOf(const clang::Expr *expression);
  std::optional<TensorId> tensorOf(const clang::Expr *expression);
  std::optional<FifoId> fifoOf(const clang::Expr *expression);
  void changeObjects(const std::string &name, unsigned operands, const Place &place, const clang::Stmt *at,
                     llvm::function_ref<bool(const Object &, ExpressionId)> change);

  // expression.cpp: values.
  ExpressionId scalar(const clang::Expr *expression);
  ExpressionId knownScalar(const clang::Expr *expression);
  std::vector<ExpressionId> scalars(llvm::ArrayRef<const clang::Expr *> expressions, const clang::Stmt *at);
  ExpressionId discard(const clang::Expr *expression);
  void drop(const clang::Expr *expression);
  ExpressionId condition(const clang::Expr *expression);
  ExpressionId unaryOperator(const clang::UnaryOperator *expression);
  ExpressionId binaryOperator(const clang::BinaryOperator *expression);
  ExpressionId arithmetic(const clang::BinaryOperator *expression, ExpressionId left, ExpressionId right);
  ExpressionId pointerArithmetic(const clang::BinaryOperator *expression, ExpressionId left, ExpressionId right);
  ExpressionId assignment(const clang::BinaryOperator *expression, Place *where = nullptr);
  ExpressionId increment(const clang::UnaryOperator *expression, Place *where = nullptr);
  ExpressionId stored(const Place &place, ExpressionId value, const clang::Expr *written, const clang::Expr *whole);
  ExpressionId conditional(const clang::Expr *whole, const clang::Expr *condition, const clang::Expr *whenTrue,
                           const clang::Expr *whenFalse);
  ExpressionId integerToPointer(ExpressionId value);
  ExpressionId castExpression(const clang::CastExpr *expression);
  ExpressionId statementExpression(const clang::StmtExpr *expression);
  std::optional<ExpressionId> compileTimeValue(const clang::Expr *expression);
  Mark mark() const { return {current, kernel.blocks[current].statements.size()}; }
  ExpressionId settled(Mark before, ExpressionId value, const clang::Stmt *at);

  // clobber.cpp: the default.
  void clobber(const clang::Stmt *text);
  void unknownEffect(const std::string &name, const clang::Stmt *at, const std::vector<VariableId> &changed);
  void clobberExposed();
  void shareCallersObjects(Mark begin);
  void noteEscapes();
  void expose(ObjectId object);
  void exposeParts(ObjectId object);
  void expose(const Place &place);
  void exposeNamed(const clang::Stmt *text);

  // call.cpp: what a call is.
  ExpressionId call(const clang::CallExpr *expression);
  ExpressionId libraryCall(const clang::CallExpr *expression, const clang::FunctionDecl *callee);
  ExpressionId builtinCall(const clang::CallExpr *expression, const clang::FunctionDecl *callee);
  std::optional<ExpressionId> memberCall(const clang::CXXMemberCallExpr *expression);
  void setValidShape(const clang::CXXMemberCallExpr *expression, const Place &tile, llvm::StringRef name);
  bool operatorCall(const clang::CXXOperatorCallExpr *expression, Place *where);
  bool addressCall(const clang::CallExpr *expression, llvm::StringRef name);
  ExpressionId assignedAddress(const clang::CallExpr *expression);
  ExpressionId viewedAddress(const clang::CallExpr *expression, llvm::StringRef name);
  bool actsBeside(const clang::CallExpr *call, unsigned number) const;
  ExpressionId subviewAddress(const clang::CallExpr *expression, TileId parent);
  bool isLibrary(const clang::Decl *declaration) const;

  // instruction.cpp: instructions.
  bool syncCall(const clang::CallExpr *expression, llvm::StringRef name);
  bool tailCall(const clang::CallExpr *expression, const clang::FunctionDecl *definition);
  bool setAndWaitCall(const clang::CallExpr *expression);
  bool bufferCall(const clang::CallExpr *expression, SyncKind kind);
  bool isTailBody(const clang::FunctionDecl *definition) const;
  std::optional<Pipe> drainedByTail(const clang::FunctionDecl *definition, std::optional<std::int64_t> mode) const;
  void emitSync(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination, ExpressionId event,
                BufferMode mode = BufferMode::Blocking);
  SiteId headerSite(const clang::Stmt *at, const Sync &sync, const std::string &text);
  SiteId siteOf(const clang::CallExpr *expression, SyncKind kind, Pipe source, Pipe destination);

  // instruction.cpp: syncs.
  /// An object of the library's Event.
  struct EventObject {
    const clang::CXXRecordDecl *type = nullptr;
    VariableId id = kNone;
    std::string name; // "event0 (line 35)"
    std::optional<std::pair<Pipe, Pipe>> pipes;
    bool fixed = false; // its type fixes its id
  };
  ObjectId newEvent(clang::QualType type, const std::string &name, std::uint32_t line);
  void initialiseEvent(ObjectId object, const clang::Expr *value, const clang::Stmt *at);
  void runEvent(std::uint32_t number, const std::vector<EventAction> &actions, const clang::Stmt *at);
  std::optional<std::uint32_t> eventAt(const Place &place, const clang::Stmt *at);
  const clang::Expr *eventOf(const clang::Expr *object) const;
  void eventMember(const clang::CXXMemberCallExpr *expression, const Place &event);
  bool eventAssignment(const clang::CXXOperatorCallExpr *expression, Place *where);
  void waitForEvent(const clang::Expr *argument);
  bool eventCall(const clang::CallExpr *expression, const std::string &name, bool known);
  bool barrierCall(const clang::CallExpr *expression);
  SiteId eventSite(const clang::Stmt *at, const Sync &sync, const std::string &what, bool namedId);
  void nameEventIds();

  // instruction.cpp: events.
  void libraryConstruction(const clang::CXXConstructExpr *construct);
  ExpressionId instructionCall(const clang::CallExpr *expression, const std::string &name, bool known,
                               std::optional<unsigned> firstEvent = std::nullopt);
  Operand operandOf(const clang::Expr *argument, bool known, std::vector<VariableId> &results);
  Operand objectOperand(const Place &found, clang::QualType type, const clang::Expr *at, bool known,
                        std::vector<VariableId> &results);
  Operand recordOperand(const clang::Expr *object, std::vector<VariableId> &results);
  Operand addressOperand(const clang::Expr *object, std::vector<VariableId> &results);
  Operand scalarOperand(const clang::Expr *argument, bool known, std::vector<VariableId> &results);

  // call.cpp: bodies of the file in place of their calls.
  ExpressionId expandHelper(const clang::CallExpr *expression, const clang::FunctionDecl *body,
                            std::optional<Place> self, llvm::ArrayRef<const clang::Expr *> arguments,
                            const clang::Expr *assigned);
  bool mayExpand(const clang::Stmt *at, const clang::FunctionDecl *body);
  bool bindArguments(const clang::FunctionDecl *body, llvm::ArrayRef<const clang::Expr *> arguments,
                     const clang::Stmt *at, llvm::function_ref<void()> beforeNames = nullptr);
  void bindCaptures(InlineFrame &frame, const clang::CXXMethodDecl *method, const clang::Stmt *at);
  void runBody(InlineFrame frame, const clang::FunctionDecl *body, const clang::Stmt *at,
               llvm::function_ref<void()> before);
  Place mergedResult(const InlineFrame &frame);
  const clang::FunctionDecl *bodyOf(const clang::FunctionDecl *function) const;

  // Emission.
  BlockId newBlock();
  void jump(BlockId target);
  void branch(ExpressionId condition, BlockId whenTrue, BlockId whenFalse, const clang::Stmt *at);
  Statement statementAt(std::variant<Assign, ArrayStore, Instruction, Sync> action, const clang::Stmt *at) const;
  void emit(std::variant<Assign, ArrayStore, Instruction, Sync> action, const clang::Stmt *at);
  void assign(VariableId variable, ExpressionId value, const clang::Stmt *at);
  void assignIf(ExpressionId guard, VariableId variable, ExpressionId value, const clang::Stmt *at);
  VariableId newVariable(std::string name, IntegerType type);
  ExpressionId read(VariableId variable);
  ExpressionId constant(std::int64_t value, IntegerType type = kInt64);
  ExpressionId keptValue(ExpressionId value, const std::string &name, const clang::Stmt *at);
  void giveUp(const clang::Stmt *at, std::string reason) { giveUp(at->getBeginLoc(), std::move(reason)); }
  void giveUp(clang::SourceLocation at, const std::string &reason);
  void refuseConditionals(const clang::FunctionDecl *function);
  void readLists(const clang::FunctionDecl *function);
  bool inMainFile(clang::SourceLocation location) const;
  bool inOwnText(clang::SourceLocation location) const;
  std::uint32_t lineOf(clang::SourceLocation location) const;
  std::uint32_t offsetOf(clang::SourceLocation location) const;
  std::uint32_t beginInText(clang::SourceLocation location) const;
  SourceRange rangeOf(const clang::Stmt *statement) const;
  std::string spelling(const clang::Stmt *statement) const;
  IntegerType typeOf(const clang::Expr *expression) const { return integerType(expression->getType(), shared.ast); }

  LoweringContext &shared;
  Kernel &kernel;
  BlockId current = 0;
  std::uint32_t currentContext = 0;
  bool soleBody = false;
  Anchor anchor;
  const clang::Stmt *headerCall = nullptr;    // in the body of an own header: what runs it in the main file
  const clang::Stmt *fullStatement = nullptr; // the statement being lowered, for sync sites
  std::vector<Object> objects;
  std::map<const clang::ValueDecl *, Place> bindings;
  std::set<ObjectId> exposed;
  std::optional<Place> returned; // what the last call designates, if not a plain value
  std::vector<JumpTargets> jumps;
  std::vector<InlineFrame> frames;
  std::map<const clang::SwitchCase *, BlockId> caseBlocks;
  std::set<const clang::Stmt *> followedMentions;
  /// Bodies whose lists the kernel has.
  std::set<const clang::FunctionDecl *> listed;
  std::vector<EventObject> events;
  std::vector<std::pair<ObjectId, clang::QualType>> fromCaller; // what the entry's parameters refer to
  std::set<ExpressionId> dropped;                               // values that nobody uses...
  std::set<ExpressionId> lost;                                  // ...or that were stored where they are not followed
  std::set<ExpressionId> madePointers;                          // integers that became pointers
  bool pointersRead = false;                                    // from memory, or from what is not followed
  bool movesOperands = false;                                   // the instruction may put its operands elsewhere
  bool othersAct = false;                                       // an argument beside the one that is read has effects
  std::size_t depth = 0, statementCount = 0, expansions = 0;
};

/// The expression without parentheses, implicit casts that keep an object's identity, copies and
/// temporaries around it.
const clang::Expr *unwrapObject(const clang::Expr *expression);

} // namespace ptosync
