// From a kernel file to a lifted module and the choices that go with it: architecture, trust and the other switches.
//
// One order of precedence, the same for every subcommand: command line, `// ptosync: arch` in the file (for the
// architecture), environment, the nearest `.ptosync.json`, what the text shows for certain, the default. An
// architecture that the text contradicts is refused, however it was chosen. Tested by tests/tool/options_test.cpp,
// tests/tool/arch_guess_test.cpp and tests/scripts/misuse_test.sh.
#pragma once

#include "base/messages.h"
#include "pipeline/library_check.h"
#include "pipeline/lift_step.h"
#include "tool/options.h"

#include <map>
#include <memory>

namespace ptosync {

/// A configuration or an option is wrong: exit 2. Other errors of reading a subject are of the input: exit 3.
class SettingError : public TextError<SettingError> {
public:
  using TextError::TextError;
};

struct Subject {
  ToolOptions options; // arch, archChoice and ordering are settled
  std::shared_ptr<const Machine> machine;
  std::optional<LibraryCheck> library; // of --pto-include; empty without
  std::vector<Module> modules;         // one for each source
};

class SubjectReader {
public:
  /// Loads the machine models, and the file of --machine.
  static llvm::Expected<SubjectReader> create(const ToolOptions &options);

  /// The sources are of one kernel (`verify` has two). Thread-safe. `config` is that of the file.
  llvm::Expected<Subject> read(std::vector<SourceText> sources, const AuditConfig &config) const;

  /// The same sources read for the architecture that nobody has chosen either, where `subject` was read for the
  /// default. The error says why they cannot be.
  llvm::Expected<Subject> readForOther(std::vector<SourceText> sources, const AuditConfig &config,
                                       const Subject &subject) const;

  /// Command line over environment over configuration file.
  AuditConfig settings(const AuditConfig &config) const;

private:
  explicit SubjectReader(const ToolOptions &options) : options(options) {}
  llvm::Expected<Subject> readAs(std::optional<ArchChoice> choice, const std::vector<SourceText> &sources,
                                 const AuditConfig &config) const;
  llvm::Expected<std::optional<ArchChoice>> chosen(const std::vector<SourceText> &sources,
                                                   const AuditConfig &config) const;

  ToolOptions options;
  Machines machines;
  Machines undecided;                                        // the same for a text that is taken for them by default
  std::map<std::string, std::optional<LibraryCheck>> checks; // by architecture
};

/// The subject of a command with one kernel: reads the file and its configuration. The error carries its exit code
/// as exitCodeOf() tells.
llvm::Expected<Subject> readSubject(const ToolOptions &options, const std::vector<std::string> &files);

/// Prints the error and returns its exit code.
int failSubject(llvm::Error error);

/// 2 for a SettingError, 3 for any other.
int exitCodeOf(const llvm::Error &error);

} // namespace ptosync
