// Text form of a lifted kernel, for `--print=kernel` and for failing tests.
// Tested by tests/kernel/print_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <string>

namespace ptosync {

std::string printExpression(const Kernel &kernel, ExpressionId id);
/// "TADD(v66, v66, v70)", as spelled in the source.
std::string printInstruction(const Instruction &instruction);
std::string printStatement(const Kernel &kernel, const Statement &statement);
std::string printKernel(const Kernel &kernel);

} // namespace ptosync
