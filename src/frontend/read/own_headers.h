// The headers of a kernel's own: beside it, or found as its own includes are. What they define is read like what the
// file defines, and nothing in them is ever edited.
//
//   main file     read, edited
//   own header    read: everything that is neither the main file, the library, nor the system's
//   the library   known by name (machine model), and a few of its own bodies (event_bodies.h)
//
// A body there is read only if it is the same in every build and came through the parser whole: not under a condition
// of the preprocessor on anything but the core and the chip, not in a file with an error. Another one is as unknown as
// a body that is elsewhere. A place in such a header is none in the main file. What stands there counts as standing
// where the main file calls it, in no list of statements, so nothing can be put in front of it. Only src/frontend may
// include this header. Tested by tests/frontend/read/own_headers_test.cpp.
#pragma once

#include "frontend/read/conditionals.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/DenseMap.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

class SyntaxWalker;

/// True if text at the place belongs to a header of the kernel's own; text of macros by where they are used.
bool inOwnHeader(clang::SourceLocation location, const clang::SourceManager &sources);

class OwnHeaders {
public:
  /// `broken`: the names of the files that the parser found errors in.
  OwnHeaders(const clang::ASTContext &ast, std::set<std::string> broken, KnownMacros known);

  /// What was given, with the names that the texts of the kernel define themselves.
  const KnownMacros &macros() const { return known; }
  bool holds(clang::SourceLocation location) const;
  /// Why the body of a function in such a header is not read; empty if it is.
  std::string refusal(const clang::FunctionDecl *definition) const;
  /// True if one of them does (conditionals.h): its constants and classes as well as its bodies.
  bool tellCoresApart() const;
  /// "helper.hpp:12".
  std::string placeOf(clang::SourceLocation location) const;
  /// A number for the place that is none of the main file's offsets, the same in every parse of the same files.
  std::uint32_t keyOf(clang::SourceLocation location) const;
  /// The main file, then these by their names.
  std::vector<clang::FileID> filesOfKernel() const;
  /// As the parser got them, named without folders.
  std::vector<SourceText> textsOfKernel() const;
  /// Walks every declaration of such headers, as in the main file.
  bool walk(SyntaxWalker &walker) const;

private:
  /// By their names.
  std::map<std::string, clang::FileID> files() const;
  const std::vector<ForeignRegion> &regionsOf(clang::FileID file) const;
  const std::map<std::string, std::uint32_t> &firstKeys() const;

  const clang::ASTContext &ast;
  const std::set<std::string> broken;
  KnownMacros known;
  mutable llvm::DenseMap<clang::FileID, bool> own;
  mutable std::map<clang::FileID, std::vector<ForeignRegion>> regions;
  mutable std::map<std::string, std::uint32_t> keys; // of the first byte of each
};

} // namespace ptosync
