// Source text -> Module: the only way into the tool for a kernel file.
//
//   text --read (per core section)--> tokens, AST --guard--> what may be believed --lower--> Kernel (per entry
//   function)
//
//   read      tokens, directives, conditions of the preprocessor, the declarations and the Clang parse
//   library   the library's types, events and headers; its declarations as data (*.hpp)
//   guard     the checks that keep the reader from believing a text that it did not understand
//   lower     AST -> Kernel
//
// Functions with `__global__` are entries, and so are `AICORE` functions that nobody in the file calls; helpers are
// expanded at the call. Code outside any core section belongs to both. A kernel that cannot be lowered has
// `analysable == false`. A text that is not C++ is an error with Clang's own message. The only files that are read are
// those that the text includes. Tested by tests/frontend/.
#pragma once

#include "base/allowance.h"
#include "base/messages.h"
#include "frontend/read/conditions.h"
#include "kernel/kernel.h"

#include <llvm/Support/Error.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

class HeaderMemory; // read/prelude.h
class ReadFiles;    // base/read_files.h

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
  std::vector<Assumption> assumptions;  // of the user and of the machine, for each kernel that has all their names
  bool argumentsApart = true;           // pointers of a kernel never overlap: guard/kernel_functions.h
  std::shared_ptr<HeaderMemory> memory; // of the readings before with the same options; null: each finds all anew
  std::shared_ptr<ReadFiles> reads;     // notes the headers that are read; null: nobody asks
  Allowance allowance = {};             // past it nothing more is read: base/allowance.h
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

struct FifoTypeUse {
  Fifo type;                             // as read; no name, no variables
  std::optional<SourceRange> localSlots; // the literal; empty: there is none of its own
  std::uint32_t line = 0;
};

/// Every place of a file where a TPipe type spells its local slot count, by position, each once. A FIFO's type is
/// spelled at its declaration and in every call on it; all must change together. A type that comes from a macro, or
/// whose count is left out or is no literal number, has no bytes to change and says so. `decltype` and aliases spell
/// nothing and need nothing. Tested by tests/frontend/fifo_types_test.cpp.
llvm::Expected<std::vector<FifoTypeUse>> findFifoTypes(const SourceText &source, const FrontendOptions &options);

} // namespace ptosync
