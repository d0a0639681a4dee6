// What every run starts from: what is asked of it, the texts that it reads, and the kernel lifted under both.
//
//   RunInput (texts, settings, choices) --models, lift--> Subject --a page--> results and texts
//
// A command is one page: one function that holds it from its texts to its results (opt.h, audit.h, fix.h, patch.h,
// timeline.h, answers.h). No page reads a file that its input could hold as a text, prints, or ends the process, so
// that the tool, the tests and the fuzzers start the same run. Only the headers that a kernel includes are read by
// Clang.
//
// One order of precedence settles the architecture and the model's switches for every page: the command line, a comment
// `// ptosync: arch` (architecture only), the environment, the configuration file, what the text shows for certain, the
// default. An architecture that the text contradicts is refused, however it was chosen.
//
// A library that --pto-include names is held against the versions that the model's facts were read from. The phases of
// an instruction whose text differs are taken out of the model, so that nothing inside its calls is relied on.
//
// Tested by tests/run/run_test.cpp; the settings also by tests/tool/options_test.cpp, tests/tool/arch_guess_test.cpp
// and tests/scripts/misuse_test.sh.
#pragma once

#include "audit/config.h"
#include "base/messages.h"
#include "machine/arch_signs.h"
#include "machine/library_version.h"
#include "machine/machine.h"
#include "optimize/library_use.h"
#include "patterns/catalogue.h"
#include "run/choices.h"

#include <llvm/Support/Error.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ptosync {

/// The architectures that a model is built in for.
inline constexpr const char *kArchitectures[] = {"a3", "a5"};

/// What the command line, the environment and the nearest `.ptosync.json` say of what a configuration can say.
struct Settings {
  AuditConfig commandLine, environment, file;
  /// The command line over the environment over the file.
  AuditConfig merged() const;
};

class Progress; // progress.h
struct Models;

/// The texts of one run. There is one source, or two where two versions are held against each other.
struct RunInput {
  std::vector<SourceText> sources;
  Settings settings;
  RunChoices choices;
  std::shared_ptr<const Models> models = {}; // of a run of many kernels, which share them; null: it loads its own
};

/// Begins a stage of the run: "reading".
void beginStage(Progress &progress, const RunInput &input, const char *name);

/// Every page ends with this: `result`, or a LimitError in its place where the run has met a limit. Whatever was found
/// then may be wrong.
template <typename T> llvm::Expected<T> within(const RunInput &input, llvm::Expected<T> result) {
  input.choices.allowance.end();
  if (!input.choices.allowance.exceeded())
    return result;
  llvm::consumeError(result.takeError());
  return input.choices.allowance.error(input.sources.front().name());
}

/// A setting or an option is wrong, as opposed to the kernel. The tool exits with 2 instead of 3.
class SettingError : public TextError<SettingError> {
public:
  using TextError::TextError;
};
llvm::Error settingError(std::string text);
/// The same text as a SettingError.
llvm::Error asSetting(llvm::Error error);

/// The result of holding the library of --pto-include against the known versions.
struct LibraryCheck {
  std::string directory, library;              // library: the version that the model names
  bool known = false;                          // hashes of that version are there
  std::vector<VersionMatch> versions;          // those for which the model's facts hold
  std::map<std::string, LibraryMatch> matches; // by instruction
  std::set<std::string> phasesLost;            // unproved instructions for which the model lists phases
  /// The instructions whose facts are not proved for this library.
  std::set<std::string> unproved() const;
};

/// A machine model and the check of the library that it is used with; no check without --pto-include.
struct ProvedMachine {
  Machine machine;
  std::optional<LibraryCheck> check;
};

/// Fails if the folder of `choices.includeDirectory` holds no library.
llvm::Expected<LibraryCheck> checkLibrary(const RunChoices &choices, const Machine &machine);

/// Returns one line: "the same as pto-isa 3186c381 (2026-08-21)", "changed since pto-isa ...: TADD TSUB".
std::string describeLibraryCheck(const LibraryCheck &check);

/// Returns the model of `choices.machineText`, or else the built-in one of `arch`, without the phases that the library
/// does not prove. Fails if that text is no model, or one of another architecture than `arch`, where `arch` is not
/// empty.
llvm::Expected<ProvedMachine> loadMachine(const RunChoices &choices, const std::string &arch);

/// Returns the built-in patterns and those of `choices.patternTexts`, before any selection.
llvm::Expected<Catalogue> loadCatalogue(const RunChoices &choices, PatternCases cases = PatternCases::Left);

/// The models that a text is held against.
struct Models {
  struct Model {
    std::shared_ptr<const Machine> machine;
    std::shared_ptr<const Machine> undecided; // the same for a text that is taken for it by default
    std::optional<LibraryCheck> library;
  };
  std::map<std::string, Model> byArch; // a3 and a5
  std::string given;                   // the architecture of `machineText`; empty without one
};

/// `arch`: as the command line says it, if it does. Fails with a SettingError.
llvm::Expected<Models> loadModels(const RunChoices &choices, const std::optional<std::string> &arch);

/// Returns the models of the input, or those of its choices. Fails with a SettingError.
llvm::Expected<std::shared_ptr<const Models>> modelsOf(const RunInput &input);

/// The lifted sources and everything that was settled about them.
struct Subject {
  RunChoices choices; // with the ordering, the folders and the macros as the settings have them
  ArchChoice arch;
  std::shared_ptr<const Machine> machine;
  std::optional<LibraryCheck> library; // of --pto-include; empty without
  std::vector<Module> modules;         // one for each source
};

/// Whether the shape of the whole file is read too, to be compared with the shape of an edited one.
enum class Shapes : bool { LeftOut, Read };

/// Settles the architecture and lifts the sources for it. Where nobody has chosen one, the text decides, or the
/// default. Thread-safe. Errors: SettingError; that a source does not parse, or contradicts the architecture.
llvm::Expected<Subject> liftSubject(const RunInput &input, const Models &models, Shapes shapes);
/// The same with modelsOf the input.
llvm::Expected<Subject> liftSubject(const RunInput &input, Shapes shapes);

/// Lifts the same sources for the other architecture, where `subject` was lifted for the default and nobody has chosen.
/// The error says why the text cannot be for it.
llvm::Expected<Subject> liftForOther(const RunInput &input, const Models &models, const Subject &subject);

/// Fails with a SettingError if an id of `reservedIds` is none of the machine's.
llvm::Error checkReservedIds(const Machine &machine, const RunChoices &choices);

/// Says what the run relied on inside library calls. `reliedOn`: lines of calls whose barrier an edit names.
LibraryUse describeLibraryUse(const Module &module, const Subject &subject,
                              const std::set<std::uint32_t> &reliedOn = {});

} // namespace ptosync
