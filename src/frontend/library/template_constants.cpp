#include "frontend/library/template_constants.h"

#include "frontend/guard/bodies.h"
#include "frontend/library/type_reader.h"
#include "frontend/read/prelude.h"

#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>

namespace ptosync {
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
