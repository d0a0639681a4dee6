// Names that a form gives to operands which it does not have.
//
// A region, an index or a condition is told by the name of another operand of the form. A name that none has would be
// taken as "its own region" or as a condition that never holds, and a word that is misspelled must not pass as that.
// Tested by tests/machine/machine_reader_test.cpp.
#pragma once

#include "machine/instruction_facts.h"

#include <string>
#include <vector>

namespace ptosync {

struct StrangeName {
  std::string at; // from the form on: "/operands/1/walk"
  std::string name;
};

/// In the order of the form.
std::vector<StrangeName> strangeNames(const InstructionForm &form);

} // namespace ptosync
