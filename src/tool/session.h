// What every command needs before it can start: machine model and patterns.
#pragma once

#include "machine/machine.h"
#include "patterns/catalogue.h"
#include "pipeline/library_check.h"
#include "tool/options.h"

namespace ptosync {

/// Those that a model is built in for.
inline constexpr const char *kArchitectures[] = {"a3", "a5"};

/// The built-in model of an architecture; of what is inside the library's calls only what the library of --pto-include
/// (if it is given) has as it was read.
llvm::Expected<ProvedMachine> builtInMachine(const std::string &arch, const std::string &includeDirectory);
/// That, or the file of --machine.
llvm::Expected<ProvedMachine> loadMachine(const ToolOptions &options);
/// Built-in patterns and --pattern-file.
llvm::Expected<Catalogue> loadCatalogue(const ToolOptions &options, PatternCases cases = PatternCases::Left);

/// What is wrong with --reserve-ids on this machine, empty if nothing is: an id that it does not have.
std::string wrongReservedId(const Machine &machine, const ToolOptions &options);

/// Prints "ptosync: MESSAGE" on standard error and returns `exitCode`.
int fail(llvm::Error error, int exitCode);

} // namespace ptosync
