// Checks a machine file against src/machine/schema.json (embedded), with valijson.
// Tested by tests/machine/machine_schema_test.cpp.
#pragma once

#include <llvm/Support/Error.h>

#include <string_view>

namespace ptosync {

/// The error names file, JSON pointer and what the schema expects there.
llvm::Error checkMachineSchema(std::string_view text, std::string_view name);

} // namespace ptosync
