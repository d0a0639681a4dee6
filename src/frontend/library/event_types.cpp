#include "frontend/library/event_types.h"

#include "frontend/library/types.h"
#include "frontend/read/origin.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtCXX.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

#include <algorithm>

namespace ptosync {

using clang::dyn_cast;
using clang::isa;

namespace {

constexpr int kDeepestBody = 16; // of members that call one another

/// Walks bodies of the library; everything that is not spelled out here makes the walk fail.
class BodyReader {
public:
  explicit BodyReader(const clang::ASTContext &ast) : ast(ast) {}
  EventActions actions;

  bool function(const clang::FunctionDecl *called) {
    const clang::FunctionDecl *definition = nullptr;
    if (++depth > kDeepestBody || !called->hasBody(definition) || !isLibraryDeclaration(definition, ast))
      return false;
    bool good = initialisers(dyn_cast<clang::CXXConstructorDecl>(definition)) && statement(definition->getBody());
    --depth;
    return good;
  }

private:
  bool initialisers(const clang::CXXConstructorDecl *constructor) {
    if (!constructor)
      return true;
    for (const clang::CXXCtorInitializer *part : constructor->inits()) {
      if (part->isMemberInitializer() && isa<clang::CXXDefaultInitExpr>(part->getInit()))
        continue; // the id: a value
      if (!part->isBaseInitializer() || !expression(part->getInit()))
        return false;
    }
    return true;
  }

  bool statement(const clang::Stmt *statement) {
    if (!statement || isa<clang::NullStmt>(statement))
      return true;
    if (auto *list = dyn_cast<clang::CompoundStmt>(statement))
      return std::all_of(list->body_begin(), list->body_end(),
                         [&](const clang::Stmt *one) { return this->statement(one); });
    if (auto *choice = dyn_cast<clang::IfStmt>(statement)) {
      if (!choice->isConstexpr() || choice->getInit() || choice->getConditionVariable() ||
          choice->getCond()->isValueDependent())
        return false;
      auto taken = choice->getNondiscardedCase(ast);
      return taken && this->statement(*taken);
    }
    if (auto *result = dyn_cast<clang::ReturnStmt>(statement))
      return !result->getRetValue() || expression(result->getRetValue());
    if (auto *declared = dyn_cast<clang::DeclStmt>(statement))
      return std::all_of(declared->decl_begin(), declared->decl_end(), [](const clang::Decl *one) {
        auto *variable = dyn_cast<clang::VarDecl>(one);
        return isa<clang::StaticAssertDecl, clang::TypedefNameDecl>(one) || (variable && variable->isConstexpr());
      });
    auto *value = dyn_cast<clang::Expr>(statement);
    return value && expression(value);
  }

  bool expression(const clang::Expr *value) {
    value = value->IgnoreParenCasts();
    if (auto *full = dyn_cast<clang::FullExpr>(value))
      return expression(full->getSubExpr());
    if (auto *unary = dyn_cast<clang::UnaryOperator>(value))
      return (unary->getOpcode() == clang::UO_Deref || unary->getOpcode() == clang::UO_AddrOf) &&
             expression(unary->getSubExpr());
    if (auto *made = dyn_cast<clang::CXXConstructExpr>(value))
      return std::all_of(made->arg_begin(), made->arg_end(),
                         [&](const clang::Expr *argument) { return expression(argument); }) &&
             (made->getConstructor()->isTrivial() || function(made->getConstructor()));
    if (auto *temporary = dyn_cast<clang::MaterializeTemporaryExpr>(value))
      return expression(temporary->getSubExpr());
    if (auto *call = dyn_cast<clang::CallExpr>(value))
      return this->call(call);
    return isa<clang::CXXThisExpr, clang::DeclRefExpr, clang::IntegerLiteral>(value);
  }

  bool call(const clang::CallExpr *call) {
    const clang::FunctionDecl *callee = call->getDirectCallee();
    if (!callee || !isLibraryDeclaration(callee, ast))
      return false;
    if (callee->getDeclName().isIdentifier()) {
      llvm::StringRef name = callee->getName();
      if (name == "pipe_barrier" && call->getNumArgs() == 1)
        return sync(EventAction::Kind::Barrier, call);
      if ((name == "set_flag" || name == "wait_flag") && call->getNumArgs() == 3)
        return sync(name == "set_flag" ? EventAction::Kind::Set : EventAction::Kind::Wait, call);
    }
    if (auto *member = dyn_cast<clang::CXXMemberCallExpr>(call);
        member && !expression(member->getImplicitObjectArgument()))
      return false;
    return call->getNumArgs() == 0 && function(callee);
  }

  bool sync(EventAction::Kind kind, const clang::CallExpr *call) {
    EventAction action;
    action.kind = kind;
    std::optional<Pipe> source = pipeOf(call->getArg(0), ast);
    std::optional<Pipe> destination = kind == EventAction::Kind::Barrier ? source : pipeOf(call->getArg(1), ast);
    if (!source || !destination)
      return false;
    action.source = *source;
    action.destination = *destination;
    if (kind != EventAction::Kind::Barrier) {
      auto *id = dyn_cast<clang::MemberExpr>(call->getArg(2)->IgnoreParenCasts());
      action.id = id && isa<clang::CXXThisExpr>(id->getBase()->IgnoreParenCasts())
                      ? dyn_cast<clang::FieldDecl>(id->getMemberDecl())
                      : nullptr;
      if (!action.id || !action.id->getType().isConstQualified() || *source == Pipe::All || *destination == Pipe::All)
        return false;
    }
    actions.push_back(action);
    return true;
  }

  const clang::ASTContext &ast;
  int depth = 0;
};

/// True if the template arguments are what the parameters have as defaults.
bool isDefaulted(const clang::FunctionDecl *instance, const clang::FunctionTemplateDecl *pattern) {
  const clang::TemplateArgumentList *given = instance->getTemplateSpecializationArgs();
  const clang::TemplateParameterList *parameters = pattern->getTemplateParameters();
  if (!given || given->size() != parameters->size())
    return false;
  for (unsigned i = 0; i < parameters->size(); ++i) {
    auto *number = dyn_cast<clang::NonTypeTemplateParmDecl>(parameters->getParam(i));
    const clang::Expr *usual =
        number && number->hasDefaultArgument() ? number->getDefaultArgument().getArgument().getAsExpr() : nullptr;
    clang::Expr::EvalResult value;
    if (!usual || usual->isValueDependent() || given->get(i).getKind() != clang::TemplateArgument::Integral ||
        !usual->EvaluateAsInt(value, pattern->getASTContext()) ||
        !llvm::APSInt::isSameValue(given->get(i).getAsIntegral(), value.Val.getInt()))
      return false;
  }
  return true;
}

/// The instance of the member `Wait` without template arguments of its own, of the class or of what it derives from.
const clang::FunctionDecl *waitOf(const clang::CXXRecordDecl *event) {
  for (const clang::Decl *member : event->decls()) {
    auto *pattern = dyn_cast<clang::FunctionTemplateDecl>(member);
    auto *plain = dyn_cast<clang::CXXMethodDecl>(member);
    const clang::NamedDecl *named = pattern ? static_cast<const clang::NamedDecl *>(pattern) : plain;
    if (!named || !named->getDeclName().isIdentifier() || named->getName() != "Wait")
      continue;
    if (plain)
      return plain;
    for (const clang::FunctionDecl *instance : const_cast<clang::FunctionTemplateDecl *>(pattern)->specializations())
      if (const clang::FunctionDecl *definition = nullptr;
          isDefaulted(instance, pattern) && instance->hasBody(definition))
        return definition;
  }
  for (const clang::CXXBaseSpecifier &base : event->bases())
    if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl(); parent && parent->hasDefinition())
      if (const clang::FunctionDecl *wait = waitOf(parent->getDefinition()))
        return wait;
  return nullptr;
}

/// The members of the class and of what it derives from that are no functions.
void fieldsOf(const clang::CXXRecordDecl *record, std::vector<const clang::FieldDecl *> &fields) {
  fields.insert(fields.end(), record->field_begin(), record->field_end());
  for (const clang::CXXBaseSpecifier &base : record->bases())
    if (const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl(); parent && parent->hasDefinition())
      fieldsOf(parent->getDefinition(), fields);
}

/// The tokens of a body, up to `most`; empty if the text of the function cannot be seen.
std::vector<std::string> bodyTokens(const clang::FunctionDecl *pattern, std::size_t most) {
  const clang::ASTContext &ast = pattern->getASTContext();
  const clang::SourceManager &sources = ast.getSourceManager();
  clang::FunctionTypeLoc type = pattern->getFunctionTypeLoc();
  clang::SourceLocation begin = type ? type.getRParenLoc() : clang::SourceLocation();
  if (begin.isInvalid() || begin.isMacroID())
    return {};
  bool invalid = false;
  auto [file, offset] = sources.getDecomposedLoc(begin);
  llvm::StringRef text = sources.getBufferData(file, &invalid);
  if (invalid)
    return {};
  clang::Lexer lexer(sources.getLocForStartOfFile(file), ast.getLangOpts(), text.begin(), text.begin() + offset,
                     text.end());
  clang::Token token;
  std::vector<std::string> tokens;
  bool inside = false;
  while (tokens.size() < most && !lexer.LexFromRawLexer(token) && token.isNot(clang::tok::eof)) {
    if (!inside && token.is(clang::tok::semi))
      return {};
    if (inside)
      tokens.push_back(clang::Lexer::getSpelling(token, sources, ast.getLangOpts()));
    inside |= token.is(clang::tok::l_brace);
  }
  return tokens;
}

const clang::FunctionDecl *patternOf(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *pattern = function->getTemplateInstantiationPattern(/*ForDefinition=*/false);
  if (!pattern)
    if (const clang::FunctionTemplateDecl *primary = function->getPrimaryTemplate())
      pattern = primary->getTemplatedDecl();
  return pattern;
}

enum class Waits : std::uint8_t { No, First, Alone };

/// Whether the body begins with waiting for the parameter pack, itself or by a function of the library that does.
Waits waitsFor(const clang::FunctionDecl *pattern, int depth) {
  if (depth > 4 || pattern->param_empty() || !pattern->parameters().back()->isParameterPack())
    return Waits::No;
  std::string pack = pattern->parameters().back()->getNameAsString();
  std::vector<std::string> tokens = bodyTokens(pattern, 12);
  auto begins = [&](const std::vector<std::string> &expected) {
    return tokens.size() > expected.size() && std::equal(expected.begin(), expected.end(), tokens.begin());
  };
  auto closing = [&](std::size_t length) { return tokens[length] == "}" ? Waits::Alone : Waits::First; };
  std::vector<std::string> each = {"(", pack, ".", "Wait", "(", ")", ",", "...", ")", ";"};
  if (begins(each))
    return closing(each.size());
  if (tokens.empty() || !begins({tokens[0], "(", pack, "...", ")", ";"}))
    return Waits::No;
  const clang::ASTContext &ast = pattern->getASTContext();
  const clang::IdentifierInfo *name = &const_cast<clang::ASTContext &>(ast).Idents.get(tokens[0]);
  for (const clang::DeclContext *scope = pattern->getDeclContext(); scope; scope = scope->getParent()) {
    const clang::FunctionDecl *next = nullptr; // of the same name, the one that takes a pack alone
    for (const clang::NamedDecl *found : scope->lookup(name))
      if (auto *one = dyn_cast<clang::FunctionTemplateDecl>(found))
        if (const clang::FunctionDecl *taken = one->getTemplatedDecl();
            taken->getNumParams() == 1 && taken->parameters().back()->isParameterPack()) {
          if (next && next->getCanonicalDecl() != taken->getCanonicalDecl())
            return Waits::No;
          next = taken;
        }
    if (next && isLibraryDeclaration(next, ast))
      return waitsFor(next, depth + 1) == Waits::Alone ? closing(6) : Waits::No;
  }
  return Waits::No;
}

bool sameId(const EventActions &actions, const clang::FieldDecl *&id) {
  return std::all_of(actions.begin(), actions.end(), [&](const EventAction &action) {
    if (!action.id)
      return true;
    const clang::FieldDecl *mine = action.id->getCanonicalDecl();
    bool same = !id || id == mine;
    id = mine;
    return same;
  });
}

} // namespace

std::optional<Pipe> pipeOf(const clang::Expr *argument, const clang::ASTContext &ast) {
  argument = argument->IgnoreParenImpCasts();
  if (auto *reference = dyn_cast<clang::DeclRefExpr>(argument))
    if (auto *enumerator = dyn_cast<clang::EnumConstantDecl>(reference->getDecl()))
      return isLibraryDeclaration(enumerator, ast) ? parsePipe(enumerator->getName()) : std::nullopt;
  auto *type = argument->getType()->getAs<clang::EnumType>();
  clang::Expr::EvalResult value;
  if (type && isLibraryDeclaration(type->getDecl(), ast) && !argument->isValueDependent() &&
      argument->EvaluateAsInt(value, ast))
    return parsePipe(enumeratorName(argument->getType(), integerBits(value.Val.getInt())));
  return std::nullopt;
}

std::optional<EventActions> actionsOf(const clang::FunctionDecl *function) {
  BodyReader reader(function->getASTContext());
  if (!reader.function(function))
    return std::nullopt;
  return std::move(reader.actions);
}

const clang::CXXRecordDecl *eventClass(clang::QualType type) {
  const clang::CXXRecordDecl *record =
      type.getNonReferenceType().getCanonicalType().getUnqualifiedType()->getAsCXXRecordDecl();
  auto *instance = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(record);
  if (!instance || instance->getName() != "Event" || !instance->hasDefinition() || !instance->hasTrivialDestructor() ||
      !isLibraryDeclaration(instance->getSpecializedTemplate(), instance->getASTContext()))
    return nullptr;
  const clang::CXXRecordDecl *event = instance->getDefinition();
  std::vector<const clang::FieldDecl *> fields;
  fieldsOf(event, fields);
  const clang::FunctionDecl *wait = waitOf(event);
  std::optional<EventActions> actions = wait ? actionsOf(wait) : std::nullopt;
  const clang::FieldDecl *id = nullptr;
  return actions && actions->size() <= 1 && fields.size() == 1 && sameId(*actions, id) ? event : nullptr;
}

EventActions waitActions(const clang::CXXRecordDecl *event) {
  const clang::FunctionDecl *wait = waitOf(event);
  std::optional<EventActions> actions = wait ? actionsOf(wait) : std::nullopt;
  return actions ? *actions : EventActions{};
}

std::optional<std::int64_t> fixedEventId(const clang::CXXRecordDecl *event) {
  std::vector<const clang::FieldDecl *> fields;
  fieldsOf(event, fields);
  const clang::Expr *initial = fields.size() == 1 ? fields[0]->getInClassInitializer() : nullptr;
  clang::Expr::EvalResult value;
  if (!initial || initial->isValueDependent() || !initial->EvaluateAsInt(value, event->getASTContext()))
    return std::nullopt;
  return integerBits(value.Val.getInt());
}

std::optional<WaitingFunction> waitingFunction(const clang::FunctionDecl *function) {
  const clang::FunctionDecl *pattern = patternOf(function);
  if (!pattern || !isLibraryDeclaration(function, function->getASTContext()))
    return std::nullopt;
  Waits waits = waitsFor(pattern, 0);
  if (waits == Waits::No)
    return std::nullopt;
  return WaitingFunction{pattern->getNumParams() - 1, waits == Waits::Alone};
}

} // namespace ptosync
