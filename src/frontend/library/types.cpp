#include "frontend/library/types.h"

#include "frontend/library/event_types.h"
#include "frontend/read/origin.h"
#include "frontend/read/prelude.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/Basic/SourceManager.h>
#include <llvm/Support/raw_ostream.h>

#include <limits>

namespace ptosync {

namespace {

using clang::QualType;

const clang::ClassTemplateSpecializationDecl *specialization(QualType type) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(record) : nullptr;
}

std::int64_t integerArgument(const clang::TemplateArgumentList &arguments, unsigned index, std::int64_t fallback) {
  if (index >= arguments.size() || arguments[index].getKind() != clang::TemplateArgument::Integral)
    return fallback;
  return integerBits(arguments[index].getAsIntegral());
}

std::string enumArgument(const clang::TemplateArgumentList &arguments, unsigned index) {
  if (index >= arguments.size() || arguments[index].getKind() != clang::TemplateArgument::Integral)
    return {};
  return enumeratorName(arguments[index].getIntegralType(), integerBits(arguments[index].getAsIntegral()));
}

/// The only member of an array of event ids; null if the class holds or does anything else.
const clang::FieldDecl *eventArrayField(const clang::ClassTemplateSpecializationDecl *record) {
  record = llvm::cast_or_null<clang::ClassTemplateSpecializationDecl>(record->getDefinition());
  if (!record || record->getNumBases() != 0 || record->hasUserDeclaredConstructor() ||
      !record->hasTrivialDestructor() || std::distance(record->field_begin(), record->field_end()) != 1)
    return nullptr;
  const clang::FieldDecl *field = *record->field_begin();
  auto *array = llvm::dyn_cast<clang::ConstantArrayType>(field->getType().getCanonicalType().getTypePtr());
  if (!array || array->getSize().getLimitedValue() !=
                    static_cast<std::uint64_t>(integerArgument(record->getTemplateArgs(), 0, 0)))
    return nullptr;
  if (const clang::Expr *initial = field->getInClassInitializer()) { // zeros, or none
    auto *list = llvm::dyn_cast<clang::InitListExpr>(initial->IgnoreParenImpCasts());
    const clang::InitListExpr *written = list && list->getSyntacticForm() ? list->getSyntacticForm() : list;
    if (!written || written->getNumInits() != 0)
      return nullptr;
  }
  return field;
}

std::uint32_t toExtent(std::int64_t value) { return value > 0 ? static_cast<std::uint32_t>(value) : 0; }

} // namespace

std::int64_t integerBits(const llvm::APSInt &value) { return value.extOrTrunc(64).getSExtValue(); }

ObjectKind objectKind(QualType type) {
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  if (!record)
    return ObjectKind::None;
  llvm::StringRef name = record->getName();
  if (name == "PTOAS_EventIdArray") // emitted into the file itself
    return eventArrayField(record) ? ObjectKind::EventArray : ObjectKind::None;
  if (name == "Event")
    return eventClass(type) ? ObjectKind::Event : ObjectKind::None;
  bool known = name == "Tile" || name == "GlobalTensor" || name == "Shape" || name == "Stride" || name == "TPipe";
  if (!known || !isLibraryDeclaration(record->getSpecializedTemplate(), record->getASTContext()))
    return ObjectKind::None; // a class of the user's own
  if (name == "Tile")
    return ObjectKind::Tile;
  if (name == "GlobalTensor")
    return ObjectKind::Tensor;
  if (name == "Shape" || name == "Stride")
    return ObjectKind::Dimensions;
  if (name == "TPipe")
    return ObjectKind::Fifo;
  return ObjectKind::None;
}

bool isPlainData(QualType type) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition() || !record->getDeclName().isIdentifier())
    return false;
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
        parent && (parent->getName() == "ptosync_byte" || parent->getName() == "ptosync_data"))
      return true;
  std::string scope;
  for (const clang::DeclContext *outer = record->getDeclContext(); outer; outer = outer->getParent())
    if (auto *space = llvm::dyn_cast<clang::NamespaceDecl>(outer); space && space->getName() != "pto")
      scope.insert(0, (space->getName() + (scope.empty() ? "" : "::")).str());
  const LibraryType *known = libraryType(scope, record->getName());
  return known && !known->acts;
}

bool isCallResult(QualType type) {
  const clang::CXXRecordDecl *record = type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  return record && record->getDeclName().isIdentifier() && record->getName() == "ptosync_any";
}

IntegerType integerType(QualType type, const clang::ASTContext &context) {
  type = type.getNonReferenceType().getCanonicalType();
  if (type->isPointerType() || type->isNullPtrType())
    return kAddress;
  if (type->isDependentType() || !type->isIntegralOrEnumerationType() || type->isIncompleteType())
    return {};
  if (type->isBooleanType())
    return kBoolean;
  if (type->isBitIntType())
    return {}; // of any width
  std::uint64_t bits = context.getTypeSize(type);
  if (bits > 64)
    return {};
  return {static_cast<std::uint8_t>(bits), type->isSignedIntegerOrEnumerationType()};
}

std::string elementName(QualType type, const clang::ASTContext &context, std::uint32_t &bits) {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  bits = type->isIncompleteType() || type->isDependentType() || type->isVoidType()
             ? 0
             : static_cast<std::uint32_t>(context.getTypeSize(type));
  if (const clang::RecordType *record = type->getAs<clang::RecordType>())
    return record->getDecl()->getNameAsString();
  if (type->isSpecificBuiltinType(clang::BuiltinType::Float16) || type->isHalfType())
    return "half";
  if (type->isSpecificBuiltinType(clang::BuiltinType::BFloat16))
    return "bfloat16_t";
  if (type->isBooleanType())
    return "bool";
  if (type->isIntegerType())
    return (type->isSignedIntegerType() ? "int" : "uint") + std::to_string(bits) + "_t";
  return type.getAsString(context.getPrintingPolicy());
}

Tile readTile(QualType type, const clang::ASTContext &context) {
  Tile tile;
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  if (!record)
    return tile;
  const clang::TemplateArgumentList &arguments = record->getTemplateArgs();
  tile.location = enumArgument(arguments, 0);
  if (arguments.size() > 1 && arguments[1].getKind() == clang::TemplateArgument::Type)
    tile.element = elementName(arguments[1].getAsType(), context, tile.elementBits);
  tile.rows = toExtent(integerArgument(arguments, 2, 0));
  tile.cols = toExtent(integerArgument(arguments, 3, 0));
  tile.blockLayout = enumArgument(arguments, 4) == "ColMajor" ? BlockLayout::ColMajor : BlockLayout::RowMajor;
  tile.staticValidRows = integerArgument(arguments, 5, -1);
  tile.staticValidCols = integerArgument(arguments, 6, -1);
  std::string inner = enumArgument(arguments, 7);
  tile.innerLayout = inner == "RowMajor"   ? InnerLayout::RowMajor
                     : inner == "ColMajor" ? InnerLayout::ColMajor
                                           : InnerLayout::NoneBox;
  tile.fractalBytes = toExtent(integerArgument(arguments, 8, 512));
  tile.padded = enumArgument(arguments, 9) != "Null";
  std::string compact = enumArgument(arguments, 10);
  tile.compactMode = compact == "Null" || compact.empty() ? CompactMode::Null
                     : compact == "Normal"                ? CompactMode::Normal
                                                          : CompactMode::RowPlusOne;
  return tile;
}

std::array<std::int64_t, 5> readDimensions(QualType type) {
  std::array<std::int64_t, 5> entries;
  entries.fill(-1);
  if (const clang::ClassTemplateSpecializationDecl *record = specialization(type))
    for (unsigned i = 0; i < entries.size(); ++i)
      entries[i] = integerArgument(record->getTemplateArgs(), i, -1);
  // Beyond what any memory holds: static, but nothing can be computed with it.
  for (std::int64_t &entry : entries)
    if (entry > std::numeric_limits<std::int32_t>::max() || entry < -1)
      entry = kUnknownExtent;
  return entries;
}

Tensor readTensor(QualType type, const clang::ASTContext &context) {
  Tensor tensor;
  tensor.shape.fill(-1);
  tensor.stride.fill(-1);
  tensor.shapeVariables.fill(kNone);
  tensor.strideVariables.fill(kNone);
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  if (!record)
    return tensor;
  const clang::TemplateArgumentList &arguments = record->getTemplateArgs();
  if (arguments.size() > 0 && arguments[0].getKind() == clang::TemplateArgument::Type)
    tensor.element = elementName(arguments[0].getAsType(), context, tensor.elementBits);
  if (arguments.size() > 1 && arguments[1].getKind() == clang::TemplateArgument::Type)
    tensor.shape = readDimensions(arguments[1].getAsType());
  if (arguments.size() > 2 && arguments[2].getKind() == clang::TemplateArgument::Type)
    tensor.stride = readDimensions(arguments[2].getAsType());
  return tensor;
}

/// The name of a direction that the FIFO's type takes as a number: by the library's own enumeration beside it.
static std::string directionName(const clang::ClassTemplateSpecializationDecl *fifo, std::int64_t value) {
  const clang::DeclContext *scope = fifo->getDeclContext();
  for (const clang::NamedDecl *found : scope->lookup(&fifo->getASTContext().Idents.get("Direction")))
    if (auto *directions = llvm::dyn_cast<clang::EnumDecl>(found))
      for (const clang::EnumConstantDecl *enumerator : directions->enumerators())
        if (integerBits(enumerator->getInitVal()) == value)
          return enumerator->getNameAsString();
  return {};
}

Fifo readFifo(QualType type) {
  Fifo fifo;
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  if (!record)
    return fifo;
  const clang::TemplateArgumentList &arguments = record->getTemplateArgs();
  fifo.flagBase = integerArgument(arguments, 0, -1);
  fifo.direction = enumArgument(arguments, 1);
  if (fifo.direction.empty())
    fifo.direction = directionName(record, integerArgument(arguments, 1, -1));
  fifo.slotBytes = integerArgument(arguments, 2, -1);
  fifo.slots = integerArgument(arguments, 3, -1);
  fifo.localSlots = integerArgument(arguments, 4, -1);
  return fifo;
}

std::uint32_t readEventArray(QualType type) {
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  return record ? toExtent(integerArgument(record->getTemplateArgs(), 0, 0)) : 0;
}

IntegerType eventArrayElement(QualType type, const clang::ASTContext &context) {
  const clang::ClassTemplateSpecializationDecl *record = specialization(type);
  const clang::FieldDecl *field = record ? eventArrayField(record) : nullptr;
  return field ? integerType(context.getAsConstantArrayType(field->getType())->getElementType(), context) : kInt32;
}

std::string enumeratorName(QualType type, std::int64_t value) {
  const clang::EnumType *enumType = type.getCanonicalType()->getAs<clang::EnumType>();
  if (!enumType)
    return {};
  for (const clang::EnumConstantDecl *enumerator : enumType->getDecl()->enumerators())
    if (integerBits(enumerator->getInitVal()) == value)
      return enumerator->getNameAsString();
  return {};
}

std::string templateArgumentText(const clang::TemplateArgument &argument, const clang::ASTContext &context) {
  if (argument.getKind() == clang::TemplateArgument::Integral) {
    std::string name = enumeratorName(argument.getIntegralType(), integerBits(argument.getAsIntegral()));
    if (const clang::EnumType *type = argument.getIntegralType()->getAs<clang::EnumType>(); type && !name.empty())
      return type->getDecl()->getNameAsString() + "::" + name;
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  argument.print(context.getPrintingPolicy(), stream, /*IncludeType=*/false);
  return text;
}

namespace {

using clang::dyn_cast;

constexpr unsigned kLongestChain = 16; // of constants that are defined by one another

TemplateConstant unknownConstant() { return {"?", {}}; }

/// The enumeration, if its declaration is the library's or the prelude's.
const clang::EnumDecl *libraryEnumeration(clang::QualType type, const clang::ASTContext &context) {
  const auto *known = type.getCanonicalType()->getAs<clang::EnumType>();
  return known && isLibraryDeclaration(known->getDecl(), context) ? known->getDecl() : nullptr;
}

/// True if the numbers of its enumerators are those of the library.
bool numbersAreKnown(const clang::EnumDecl *enumeration, const clang::ASTContext &context) {
  const clang::SourceManager &sources = context.getSourceManager();
  const bool madeUp =
      sources.getFilename(sources.getExpansionLoc(enumeration->getLocation())).starts_with("/ptosync-prelude/");
  return !madeUp || preludeEnumeration("", enumeration->getName());
}

TemplateConstant ofNumber(const llvm::APSInt &number, clang::QualType type, const clang::ASTContext &context) {
  if (type->isEnumeralType()) {
    const clang::EnumDecl *enumeration = libraryEnumeration(type, context);
    if (!enumeration)
      return unknownConstant();
    TemplateConstant constant{enumeration->getNameAsString(), {}};
    std::string name = numbersAreKnown(enumeration, context) ? enumeratorName(type, number.getExtValue()) : "";
    if (!name.empty())
      constant.value = constant.kind + "::" + name;
    return constant;
  }
  if (!type->isIntegralOrEnumerationType())
    return unknownConstant();
  return {"number", std::to_string(number.getExtValue())};
}

TemplateConstant ofExpression(const clang::Expr *expression, const clang::ASTContext &context, unsigned chain = 0) {
  expression = expression->IgnoreParenImpCasts();
  if (const auto *replaced = dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    expression = replaced->getReplacement()->IgnoreParenImpCasts();
  if (const auto *constant = dyn_cast<clang::ConstantExpr>(expression))
    expression = constant->getSubExpr()->IgnoreParenImpCasts();
  if (const auto *reference = dyn_cast<clang::DeclRefExpr>(expression)) {
    if (const auto *enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl())) {
      const clang::EnumDecl *enumeration = libraryEnumeration(enumerator->getType(), context);
      if (!enumeration)
        return unknownConstant();
      return {enumeration->getNameAsString(), enumeration->getNameAsString() + "::" + enumerator->getNameAsString()};
    }
    const auto *variable = dyn_cast<clang::VarDecl>(reference->getDecl());
    const clang::Expr *value = variable ? variable->getAnyInitializer() : nullptr;
    if (value && variable->isUsableInConstantExpressions(context) && chain < kLongestChain)
      return ofExpression(value, context, chain + 1);
  }
  clang::Expr::EvalResult result;
  if (expression->isValueDependent() || !expression->EvaluateAsInt(result, context)) {
    const clang::EnumDecl *enumeration = libraryEnumeration(expression->getType(), context);
    return enumeration ? TemplateConstant{enumeration->getNameAsString(), {}} : unknownConstant();
  }
  return ofNumber(result.Val.getInt(), expression->getType(), context);
}

} // namespace

std::optional<TemplateConstant> templateConstant(const clang::TemplateArgument &argument,
                                                 const clang::ASTContext &context) {
  switch (argument.getKind()) {
  case clang::TemplateArgument::Type:
  case clang::TemplateArgument::Template:
  case clang::TemplateArgument::TemplateExpansion: return std::nullopt;
  case clang::TemplateArgument::Expression: return ofExpression(argument.getAsExpr(), context);
  case clang::TemplateArgument::Integral:
    return ofNumber(argument.getAsIntegral(), argument.getIntegralType(), context);
  default: return unknownConstant();
  }
}

} // namespace ptosync
