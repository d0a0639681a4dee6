// Makes of the documents of several runs the one that a single run over all their kernels would have written, byte for
// byte.
//
//   tables (JSON), JSON of `audit`, SARIF --mergeDocuments--> the same of all kernels; a table in any form
//
// Documents of shards (base/shard.h) say which part they are: all of them must be there, of one list of kernels, and
// their kernels are dealt out in turn, as they were divided. Other documents, of runs that somebody else divided, are
// put together in the order of the names of their kernels, which is that of a run over the folder that holds them. A
// single document keeps its order. In all cases the sums, what a person is told and what code scanning takes are made
// anew from the rows.
//
// Refused, with the name of the file: what is no such document or is damaged, documents of different kinds, commands or
// versions, a shard that is missing or there twice, and a kernel that two documents have. Nothing is guessed of what is
// not there, since whoever reads the result believes that it is whole. Tested by tests/report/merge_test.cpp and
// tests/tool/merge_command_test.cpp.
#pragma once

#include "report/kernel_table.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/Support/Error.h>

#include <cstddef>
#include <string>
#include <vector>

namespace ptosync {

struct NamedText {
  std::string name, text;
};

struct MergedDocument {
  std::string text;
  int exitCode = 0;               // of a run over all kernels
  std::vector<std::string> lines; // what a person is told of a table; none of other documents
  std::size_t kernels = 0;
  std::size_t leftOut = 0; // results that code scanning would not take
};

/// `form`: of a table; other documents have one form, TableForm::Json. The error says what is wrong, and what to do.
llvm::Expected<MergedDocument> mergeDocuments(llvm::ArrayRef<NamedText> inputs, TableForm form);

} // namespace ptosync
