// Where the statements of a lifted kernel stand in its text's lists of statements.
//
//   Kernel + source --trees of its bodies--> a path for each statement
//
// The body of a helper that the kernel calls once counts as a list inside the call; what a helper does that is called
// more often is all at the call. Tested by tests/synthesis/kernel_text_test.cpp.
#pragma once

#include "synthesis/statement_tree.h"

#include <set>

namespace ptosync::synthesis {

class KernelText {
public:
  /// The error says why no sync can be put into this kernel's text.
  static llvm::Expected<KernelText> read(const Kernel &kernel, const SourceText &source);

  const StatementTree &tree() const { return statements; }
  /// Empty where the statement is in no list.
  TreePath pathOf(const Statement &statement) const;

private:
  llvm::Error addHelper(const Kernel &kernel, const SourceText &source, std::uint32_t context,
                        const std::map<std::uint32_t, std::uint32_t> &bodies);

  StatementTree statements;
  std::map<std::uint32_t, TreePath> calls; // by context: of what has no lists of its own
  std::set<std::uint32_t> opened;          // contexts that have
};

} // namespace ptosync::synthesis
