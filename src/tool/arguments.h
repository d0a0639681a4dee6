// The command line checked before LLVM's parser sees it, so that every mistake is named in the tool's own words.
//
// Unknown commands and options (with the nearest known one), options given twice, values that are missing or empty,
// switches with a value, too few or too many files. What passes is handed on in one form, `--name=value ... -- files`:
// nothing in a value is taken for an option, a response file or a prefix. Tested by tests/tool/options_test.cpp,
// tests/scripts/misuse_test.sh.
#pragma once

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace ptosync {

/// `arguments` without the program's name; options count if they are of `category`. The program's name is added.
llvm::Expected<std::vector<std::string>> checkArguments(const std::vector<std::string> &arguments,
                                                        const std::vector<llvm::cl::SubCommand *> &commands,
                                                        llvm::cl::OptionCategory &category);

} // namespace ptosync
