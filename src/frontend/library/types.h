// Reads Tile<>, GlobalTensor<>, Shape<>, Stride<> and TPipe<> out of Clang types, and the constants among the template
// arguments of a call.
//
// Template arguments are read by position and enumerators by name, so the built-in prelude and the vendor's headers
// give the same answer. Anything unexpected yields "unknown", never a guess.
//
// A library call may run on another pipe because of a constant among its template arguments. A constant that is not
// followed to its name counts as unknown. An enumerator is known by the name that the file gives it, directly or
// through constants of the file. A number that is cast to an enumeration is known only if the declaration of that
// enumeration is the library's own or one of the prelude's with the same numbers; those that the prelude invents for a
// file have others.
//
// Tested by tests/frontend/library/types_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/TemplateBase.h>
#include <clang/AST/Type.h>
#include <llvm/ADT/APSInt.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ptosync {

enum class ObjectKind : std::uint8_t { None, Tile, Tensor, Dimensions, Fifo, EventArray, Event };

/// Returns the kind of PTO object that a type (or a reference to it) is.
ObjectKind objectKind(clang::QualType type);

/// A class that only holds values, so that making or copying one does nothing: numbers of one byte or less, and the
/// library's plain data. Every other class is code that nobody has read.
bool isPlainData(clang::QualType type);

/// Returns true for the type that the prelude's instructions return, which converts to anything.
bool isCallResult(clang::QualType type);

/// Integers, enumerations and booleans; pointers are kAddress; everything else has 0 bits.
IntegerType integerType(clang::QualType type, const clang::ASTContext &context);

/// The value as the 64-bit pattern that expressions hold.
std::int64_t integerBits(const llvm::APSInt &value);

/// "float", "half", "int32_t", ... as kernels spell it; `bits` receives its width, 0 if unknown.
std::string elementName(clang::QualType type, const clang::ASTContext &context, std::uint32_t &bits);

/// Fills everything but name, variables and line.
Tile readTile(clang::QualType type, const clang::ASTContext &context);
Tensor readTensor(clang::QualType type, const clang::ASTContext &context);
Fifo readFifo(clang::QualType type);
/// An entry that its type fixes at a value nobody can use.
inline constexpr std::int64_t kUnknownExtent = -2;
/// The five entries of a Shape or Stride; -1 where it is a run-time value, kUnknownExtent.
std::array<std::int64_t, 5> readDimensions(clang::QualType type);
/// Number of elements of a PTOAS_EventIdArray; 0 if unknown.
std::uint32_t readEventArray(clang::QualType type);

/// Type of an element of a PTOAS_EventIdArray.
IntegerType eventArrayElement(clang::QualType type, const clang::ASTContext &context);

/// Name of the enumerator of `type` with this value; empty if there is none.
std::string enumeratorName(clang::QualType type, std::int64_t value);

/// Template argument as a reader would write it.
std::string templateArgumentText(const clang::TemplateArgument &argument, const clang::ASTContext &context);

/// Empty for a type.
std::optional<TemplateConstant> templateConstant(const clang::TemplateArgument &argument,
                                                 const clang::ASTContext &context);

} // namespace ptosync
