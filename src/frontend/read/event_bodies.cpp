#include "frontend/read/event_bodies.h"

#include <clang/AST/DeclTemplate.h>
#include <llvm/ADT/StringSet.h>

namespace ptosync {
namespace {

/// Of the class itself, and of the class that it derives from.
bool isEventClass(llvm::StringRef name) { return name == "Event" || name == "EventBase"; }

bool isEventMember(const clang::FunctionDecl *function) {
  if (!function->getDeclName().isIdentifier()) // operators and constructors; conversions and destructors tell as much
    return true;
  static const llvm::StringSet<> kMembers = {"Wait", "WaitImpl", "Init", "InitImpl", "Record", "self"};
  return kMembers.contains(function->getName());
}

const clang::FunctionDecl *asFunction(const clang::Decl *declaration) {
  if (auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(declaration))
    return pattern->getTemplatedDecl();
  return llvm::dyn_cast<clang::FunctionDecl>(declaration);
}

/// The call of `Wait` as it is written without arguments.
void instantiateWait(clang::Sema &sema, const clang::CXXRecordDecl *record) {
  for (clang::Decl *member : record->decls()) {
    auto *pattern = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    if (!pattern || !pattern->getDeclName().isIdentifier() || pattern->getName() != "Wait")
      continue;
    llvm::SmallVector<clang::TemplateArgument> arguments;
    for (clang::NamedDecl *parameter : *pattern->getTemplateParameters()) {
      auto *number = llvm::dyn_cast<clang::NonTypeTemplateParmDecl>(parameter);
      clang::Expr::EvalResult value;
      if (!number || !number->hasDefaultArgument() || number->getType()->isDependentType())
        return;
      const clang::Expr *given = number->getDefaultArgument().getArgument().getAsExpr();
      if (given->isValueDependent() || !given->EvaluateAsInt(value, sema.Context))
        return;
      llvm::APSInt bits =
          value.Val.getInt().extOrTrunc(static_cast<unsigned>(sema.Context.getIntWidth(number->getType())));
      bits.setIsSigned(number->getType()->isSignedIntegerOrEnumerationType());
      arguments.emplace_back(sema.Context, bits, number->getType().getUnqualifiedType());
    }
    auto *list = clang::TemplateArgumentList::CreateCopy(sema.Context, arguments);
    if (clang::FunctionDecl *wait = sema.InstantiateFunctionDeclaration(pattern, list, pattern->getLocation()))
      sema.InstantiateFunctionDefinition(pattern->getLocation(), wait, /*Recursive=*/true, /*DefinitionRequired=*/true);
  }
}

void instantiateWaits(clang::Sema &sema, clang::ClassTemplateDecl *events) {
  llvm::SmallVector<clang::ClassTemplateSpecializationDecl *> instances(events->specializations());
  for (clang::ClassTemplateSpecializationDecl *event : instances) {
    if (!event->hasDefinition() || event->isInvalidDecl() || event->isDependentContext())
      continue;
    instantiateWait(sema, event->getDefinition());
    for (const clang::CXXBaseSpecifier &base : event->getDefinition()->bases())
      if (const clang::CXXRecordDecl *record = base.getType()->getAsCXXRecordDecl(); record && record->hasDefinition())
        instantiateWait(sema, record->getDefinition());
  }
}

} // namespace

bool isEventBody(const clang::Decl *declaration) {
  const clang::FunctionDecl *function = asFunction(declaration);
  if (!function)
    return false;
  auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(function->getDeclContext());
  if (record)
    return record->getDeclName().isIdentifier() && isEventClass(record->getName()) && isEventMember(function);
  bool barrier = function->getDeclName().isIdentifier() && function->getNumParams() == 0 &&
                 (function->getName() == "TSYNC" || function->getName() == "TSYNC_IMPL");
  return barrier;
}

void instantiateEvents(clang::Sema &sema) {
  clang::ASTContext &ast = sema.Context;
  bool heard = sema.getDiagnostics().getSuppressAllDiagnostics();
  sema.getDiagnostics().setSuppressAllDiagnostics(true);
  for (clang::NamedDecl *space : ast.getTranslationUnitDecl()->lookup(&ast.Idents.get("pto")))
    if (auto *library = llvm::dyn_cast<clang::NamespaceDecl>(space))
      for (clang::NamedDecl *found : library->lookup(&ast.Idents.get("Event")))
        if (auto *events = llvm::dyn_cast<clang::ClassTemplateDecl>(found))
          instantiateWaits(sema, events);
  sema.getDiagnostics().setSuppressAllDiagnostics(heard);
}

} // namespace ptosync
