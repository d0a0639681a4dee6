// Where a piece of text comes from, and what follows from that.
//
//   main file     read and edited
//   own header    read, never edited: everything that is neither the main file, nor the library's, nor the system's
//   the library   known by name (machine model); of its bodies only those of `Event` are read (syntax_tree.h)
//   host code     functions of the main file that are no code of the chip; never lowered
//
// Own headers stand beside the kernel, or where its own includes find them. A body in one is read only if it is the
// same in every build and came through the parser whole: it stands under no condition except one on the core or the
// chip, and its file has no error. Any other body there is as unknown as one that is elsewhere. A place in such a
// header is none in the main file. Its statements count as standing where the main file calls them. They are in no list
// of statements, so nothing can be put in front of them.
//
// With the library's real headers, launchers, checks and tests beside the kernels want headers that are not there. An
// error in their bodies is not the kernel's. A function counts as the host's if neither `__global__` nor `AICORE` marks
// it and it is not `constexpr`; a file without any such mark has no host functions. A broken body must end at the brace
// that matches its first one in the text, since otherwise it may have swallowed what follows. An error outside of such
// bodies stays an error. A broken function is marked invalid, so a kernel that calls it is given up. It may have
// launched anything: the caller must not let anything of the file be edited.
//
// Only src/frontend may include this header. Tested by tests/frontend/read/origin_test.cpp.
#pragma once

#include "frontend/read/conditions.h"
#include "frontend/read/token_stream.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <llvm/ADT/DenseMap.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

class SyntaxWalker;

/// Returns true if the location is in the built-in declarations, the compiler's among them, in a header of the library
/// (a path with a folder "pto"), or in what such a header includes.
bool isLibraryLocation(clang::SourceLocation location, const clang::SourceManager &sources);

/// Returns true if the declaration and every other of the same thing are the library's: the built-in declarations, or a
/// header that is not of the file itself.
bool isLibraryDeclaration(const clang::Decl *declaration, const clang::ASTContext &ast);

/// Returns true if text at the place belongs to a header of the kernel's own. Text of a macro belongs to where the
/// macro is used.
bool inOwnHeader(clang::SourceLocation location, const clang::SourceManager &sources);

class OwnHeaders {
public:
  /// `broken`: the names of the files that the parser found errors in; `main`: the main file, as it is written.
  OwnHeaders(const clang::ASTContext &ast, std::set<std::string> broken, KnownMacros known, const TokenStream &main);

  /// Returns the given macros, with the names that the texts of the kernel define themselves.
  const KnownMacros &macros() const { return known; }
  bool holds(clang::SourceLocation location) const;
  /// Why the body of a function in such a header is not read; empty if it is.
  std::string refusal(const clang::FunctionDecl *definition) const;
  /// Returns true if one of the headers does (conditions.h), in its bodies, constants or classes.
  bool tellCoresApart() const;
  /// "helper.hpp:12".
  std::string placeOf(clang::SourceLocation location) const;
  /// A number for the place that is none of the main file's offsets, the same in every parse of the same files.
  std::uint32_t keyOf(clang::SourceLocation location) const;
  /// The main file, then the headers by their names.
  const std::vector<clang::FileID> &filesOfKernel() const { return ids; }
  /// The same files as the parser got them; headers are named without folders.
  const std::vector<TokenStream> &textsOfKernel() const { return texts; }
  /// Walks every declaration of such headers, as in the main file.
  bool walk(SyntaxWalker &walker) const;

private:
  const std::vector<ForeignRegion> &regionsOf(clang::FileID file) const;
  const std::map<std::string, std::uint32_t> &firstKeys() const;

  const clang::ASTContext &ast;
  const std::set<std::string> broken;
  KnownMacros known;
  std::map<std::string, clang::FileID> headers; // by their names
  std::vector<clang::FileID> ids;
  std::vector<TokenStream> texts;
  mutable llvm::DenseMap<clang::FileID, bool> own;
  mutable std::map<clang::FileID, std::vector<ForeignRegion>> regions;
  mutable std::map<std::string, std::uint32_t> keys; // of the first byte of each
};

/// Returns true if one of the function's declarations carries `annotate(mark)`.
bool hasMark(const clang::FunctionDecl *function, llvm::StringRef mark);

/// Returns true for a function of the chip: marked `__global__` or `AICORE`.
bool isMarked(const clang::FunctionDecl *function);

/// If every offset lies in the body of a host function of the main file, marks these functions invalid and returns
/// true. Otherwise changes nothing and returns false.
bool breakHostFunctions(clang::ASTContext &ast, const TokenStream &file, const std::vector<std::uint32_t> &errors);

/// Returns true for what breakHostFunctions made invalid, and for instances of it.
bool isBrokenFunction(const clang::FunctionDecl *function);

} // namespace ptosync
