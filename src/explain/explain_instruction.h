// Explains an instruction: its pipes, what it touches, what it waits for and who waits for it. Tested by
// tests/explain/explain_instruction_test.cpp.
#pragma once

#include "explain/analysed_file.h"
#include "explain/explanation.h"

namespace ptosync {

/// Explains `statement` of `kernel`, which must hold an instruction that some path reaches.
InstructionExplanation explainInstruction(const AnalysedFile &file, std::size_t kernel, const Statement &statement);

/// Joins the explanations that say the same of several calls or kernels.
void mergeEqual(std::vector<InstructionExplanation> &explanations);

} // namespace ptosync
