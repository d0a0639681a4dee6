// Source text -> Module: the only way into the tool for a kernel file.
//
//   text --parse (per core section)--> AST --lower--> Kernel (per entry function and section)
//
// Functions with `__global__`, and `AICORE` functions that nobody in the file calls, are
// entries; helpers are expanded at the call. Code outside any core section belongs to both.
// What cannot be lowered marks its kernel `analysable == false`; what is not C++ is an error
// with Clang's own message. Free of file access but for `#include`s of the user's own headers.
// Tested by tests/frontend/.
#pragma once

#include "frontend/build_macros.h"
#include "kernel/kernel.h"
#include "base/messages.h"

#include <llvm/Support/Error.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace ptosync {

class HeaderMemory; // header_memory.h

struct FrontendOptions {
  std::set<std::string> instructions; // names the machine model knows
  std::set<std::string> placing;      // those of them that may give an operand another address
  /// The pipes, from and to, of flags that an instruction may set and wait for inside. Empty: none does.
  std::function<std::set<std::pair<Pipe, Pipe>>(const std::string &)> insideFlags;
  std::string includeDirectory;         // real PTO headers; empty: the built-in prelude
  std::vector<std::string> includes;    // where the kernel's own headers are, besides beside it
  std::vector<Definition> defines;      // by the kernel's own build
  std::vector<BuildMacros> builds;      // of the architecture, by compiler and library; the first is read
  std::vector<BuildMacros> otherBuilds; // of another that the text may be for as well: nobody has chosen
  std::string architecture = "a3";      // for the real headers: "a3" or "a5"
  bool shapes = false;                  // fill Module::shapes
  bool argumentsApart = true;           // pointers of a kernel never overlap: entry_wrapper.h
  std::shared_ptr<HeaderMemory> memory; // of the readings before with the same options; null: each finds all anew
};

/// The input is not C++ that Clang accepts. `message()` is Clang's text, one diagnostic a line.
class SourceError : public TextError<SourceError> {
public:
  using TextError::TextError;
};

/// Only the core sections in `sections` (Both: each) of a file that has sections. A module of one section alone
/// may hold helpers of the other one as kernels: look kernels up by name and section.
llvm::Expected<Module> liftModule(const SourceText &source, const FrontendOptions &options,
                                  const std::set<Section> &sections = {Section::Both});

} // namespace ptosync
