#include "tool/subject.h"

#include "frontend/read/directives.h"
#include "tool/file_list.h"
#include "tool/files.h"
#include "tool/session.h"

#include <algorithm>
#include <future>

namespace ptosync {

namespace {

llvm::Error asSetting(llvm::Error error) { return llvm::make_error<SettingError>(llvm::toString(std::move(error))); }

} // namespace

llvm::Expected<SubjectReader> SubjectReader::create(const ToolOptions &options) {
  SubjectReader reader(options);
  reader.options.arch = options.given.arch.value_or("");
  // Every run wants both: the text is held against them. Headers that have to be held against them as well take longer
  // than a thread costs.
  const std::launch how = options.includeDirectory.empty() ? std::launch::deferred : std::launch::async;
  std::map<std::string, std::future<llvm::Expected<ProvedMachine>>> models;
  for (const char *arch : kArchitectures)
    models[arch] = std::async(how, builtInMachine, arch, options.includeDirectory);
  for (auto &[arch, model] : models) {
    llvm::Expected<ProvedMachine> proved = model.get();
    if (!proved)
      return asSetting(proved.takeError());
    reader.machines[arch] = std::make_shared<const Machine>(std::move(proved->machine));
    reader.checks[arch] = std::move(proved->check);
  }
  for (const auto &[arch, machine] : reader.machines)
    for (const auto &[name, other] : reader.machines)
      if (name != arch)
        reader.undecided[arch] = std::make_shared<const Machine>(machine->sharingAsIn(*other));
  if (options.machineFile.empty())
    return reader;
  llvm::Expected<ProvedMachine> proved = loadMachine(reader.options);
  if (!proved)
    return asSetting(proved.takeError());
  reader.options.arch = proved->machine.arch();
  reader.machines[reader.options.arch] = std::make_shared<const Machine>(std::move(proved->machine));
  reader.checks[reader.options.arch] = std::move(proved->check);
  return reader;
}

AuditConfig SubjectReader::settings(const AuditConfig &config) const {
  return merged(merged(config, options.environment), options.given);
}

/// Empty if nobody has chosen.
llvm::Expected<std::optional<ArchChoice>> SubjectReader::chosen(const std::vector<SourceText> &sources,
                                                                const AuditConfig &config) const {
  std::optional<ArchChoice> said;
  for (const SourceText &source : sources) {
    llvm::Expected<std::vector<Directive>> directives = readDirectives(source);
    if (!directives)
      return directives.takeError();
    for (const Directive &directive : *directives) {
      if (directive.kind != Directive::Kind::Arch)
        continue;
      if (said && said->arch != directive.argument)
        return llvm::createStringError(source.name() + ":" + std::to_string(directive.line) + ": is for " +
                                       directive.argument + ", but " + sources.front().name() + " is for " +
                                       said->arch);
      if (!said)
        said = ArchChoice{directive.argument, "comment", "line " + std::to_string(directive.line)};
    }
  }
  std::optional<ArchChoice> choice;
  if (options.given.arch)
    choice = ArchChoice{*options.given.arch, "command line", "--arch"};
  else if (!options.machineFile.empty())
    choice = ArchChoice{options.arch, "command line", "--machine"};
  if (choice && said && choice->arch != said->arch)
    return llvm::createStringError(sources.front().name() + ": " + said->detail + " says `ptosync: arch " + said->arch +
                                   "`, but " + choice->detail + " says " + choice->arch +
                                   "; take the comment out, or leave out " + choice->detail);
  if (choice)
    return choice;
  if (said)
    return said;
  if (options.environment.arch)
    return ArchChoice{*options.environment.arch, "environment", "PTOSYNC_ARCH"};
  if (config.arch)
    return ArchChoice{*config.arch, "configuration", config.file};
  return std::nullopt;
}

llvm::Expected<Subject> SubjectReader::read(std::vector<SourceText> sources, const AuditConfig &config) const {
  llvm::Expected<std::optional<ArchChoice>> choice = chosen(sources, config);
  if (!choice)
    return choice.takeError();
  return readAs(std::move(*choice), sources, config);
}

llvm::Expected<Subject> SubjectReader::readForOther(std::vector<SourceText> sources, const AuditConfig &config,
                                                    const Subject &subject) const {
  for (const char *arch : kArchitectures)
    if (arch != subject.options.arch)
      return readAs(ArchChoice{arch, subject.options.archChoice.source, subject.options.archChoice.detail}, sources,
                    config);
  return llvm::createStringError("there is no other architecture");
}

llvm::Expected<Subject> SubjectReader::readAs(std::optional<ArchChoice> choice, const std::vector<SourceText> &sources,
                                              const AuditConfig &config) const {
  // To compare with what comes of an edit.
  bool shapes = options.command == Command::Optimize || options.command == Command::PatchVecBarriers ||
                options.command == Command::Fix || (options.command == Command::Audit && options.audit.fixes);
  RunChoices choices = options;
  const AuditConfig settled = settings(config);
  choices.optimize.ordering = {modelChoices(settled)};
  choices.includes = settled.includes;
  llvm::Expected<std::vector<Definition>> macros = parseDefinitions(settled.defines, settled.undefines);
  if (!macros)
    return asSetting(macros.takeError());
  choices.defines = std::move(*macros);
  llvm::Expected<Lifted> lifted = liftSources(sources, std::move(choice), machines, choices, shapes);
  if (!lifted)
    return lifted.takeError();
  const std::string &arch = lifted->choice.arch;
  const Machines &models = lifted->choice.isDefault() ? undecided : machines;
  Subject subject{options, models.at(arch), checks.at(arch), std::move(lifted->modules)};
  subject.options.arch = arch;
  subject.options.archChoice = std::move(lifted->choice);
  subject.options.optimize.ordering = choices.optimize.ordering;
  subject.options.includes = choices.includes;
  subject.options.defines = choices.defines;
  return subject;
}

llvm::Expected<Subject> readSubject(const ToolOptions &options, const std::vector<std::string> &files) {
  llvm::Expected<SubjectReader> reader = SubjectReader::create(options);
  if (!reader)
    return reader.takeError();
  std::vector<SourceText> sources;
  for (const std::string &file : files) {
    llvm::Expected<std::string> text = readFile(file);
    if (!text)
      return asSetting(text.takeError());
    sources.emplace_back(file, std::move(*text));
  }
  ConfigFinder finder;
  llvm::Expected<AuditConfig> config = finder.find(files.front());
  if (!config)
    return asSetting(config.takeError());
  return reader->read(std::move(sources), *config);
}

int exitCodeOf(const llvm::Error &error) { return error.isA<SettingError>() ? kExitUsage : kExitNotAnalysed; }

int failSubject(llvm::Error error) {
  int exitCode = exitCodeOf(error);
  return fail(std::move(error), exitCode);
}

} // namespace ptosync
