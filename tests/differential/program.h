// A generated program as a tree of text: what surrounds a kernel, and its body, in pieces that can be taken out.
//
// Tested by tests/differential/unit/program_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ptosync::differential {

/// A statement or declaration, or one around others: `open`, the inner ones, `close`.
struct Piece {
  std::string open;
  std::vector<Piece> inside;
  std::string close;
};

struct Program {
  std::uint64_t number = 0;
  std::set<std::string> features;
  std::vector<Piece> around; // helpers, types, macros in front of the kernel
  std::vector<Piece> body;
};

/// Of the kernel that the program is.
std::string kernelName(const Program &program);

/// What every file of programs begins with.
std::string fileHeader();

std::string spelled(const Program &program);

/// A file of these programs.
std::string fileOf(const std::vector<Program> &programs);

/// The program alone, with the types of `fileHeader` in place of their short names: for a reader that knows no aliases.
std::string withoutAliases(const Program &program);

/// Pieces, those inside others included.
std::size_t sizeOf(const Program &program);

} // namespace ptosync::differential
