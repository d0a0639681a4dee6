// The constants among the template arguments of a call, by enumeration and enumerator.
//
// A library call may run on another pipe because of such a constant, so what is not followed to its name counts as not
// known. An enumerator is known by the name that the file gives it, directly or through constants of the file. A
// number that is cast to an enumeration is known only where the declaration of the enumeration is the library's own or
// one of the prelude's with the same numbers: those that the prelude makes up for a file have other ones.
// Tested by tests/frontend/library/template_constants_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/TemplateBase.h>

#include <optional>

namespace ptosync {

/// Empty for a type.
std::optional<TemplateConstant> templateConstant(const clang::TemplateArgument &argument,
                                                 const clang::ASTContext &context);

} // namespace ptosync
