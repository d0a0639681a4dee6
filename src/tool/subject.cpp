#include "tool/subject.h"

#include "frontend/directives.h"
#include "tool/file_list.h"
#include "tool/files.h"
#include "tool/session.h"

#include <algorithm>
#include <future>

namespace ptosync {

char SettingError::ID = 0;
void SettingError::log(llvm::raw_ostream &stream) const { stream << text; }
std::error_code SettingError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }

namespace {

constexpr const char *kDefault = "a3";

std::string otherThan(const std::string &arch) { return arch == "a3" ? "a5" : "a3"; }

llvm::Error asSetting(llvm::Error error) { return llvm::make_error<SettingError>(llvm::toString(std::move(error))); }

/// A sign with the file it is in.
struct PlacedSign {
  std::string file;
  ArchSign sign;
  std::string place() const { return file + ":" + std::to_string(sign.line); }
};

std::optional<PlacedSign> firstSign(const std::vector<Module> &modules, const Machine &machine, const Machine &other) {
  for (const Module &module : modules)
    if (std::vector<ArchSign> signs = signsAgainst(module, machine, other); !signs.empty())
      return PlacedSign{module.source.name(), signs.front()};
  return std::nullopt;
}

} // namespace

llvm::Expected<SubjectReader> SubjectReader::create(const ToolOptions &options) {
  SubjectReader reader(options);
  reader.options.arch = options.given.arch.value_or("");
  // Each takes some milliseconds, every run wants both: the text is held against them.
  std::map<std::string, std::future<llvm::Expected<ProvedMachine>>> models;
  for (const char *arch : kArchitectures)
    models[arch] = std::async(std::launch::async, builtInMachine, arch, options.includeDirectory);
  for (auto &[arch, model] : models) {
    llvm::Expected<ProvedMachine> proved = model.get();
    if (!proved)
      return asSetting(proved.takeError());
    reader.machines[arch] = std::make_shared<const Machine>(std::move(proved->machine));
    reader.checks[arch] = std::move(proved->check);
  }
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

llvm::Expected<std::vector<Module>> SubjectReader::lift(const std::vector<SourceText> &sources,
                                                        const Machine &machine) const {
  FrontendOptions frontend = frontendOptions(machine, options);
  // To compare with what comes of an edit.
  frontend.shapes = options.command == Command::Optimize || options.command == Command::PatchVecBarriers ||
                    options.command == Command::Fix || (options.command == Command::Audit && options.audit.fixes);
  std::vector<std::future<llvm::Expected<Module>>> others;
  for (std::size_t i = 1; i < sources.size(); ++i)
    others.push_back(std::async(std::launch::async, [&, i] { return liftModule(sources[i], frontend); }));
  std::vector<Module> modules;
  std::string problems;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    llvm::Expected<Module> module = i == 0 ? liftModule(sources[i], frontend) : others[i - 1].get();
    if (!module)
      problems += llvm::toString(module.takeError());
    else
      modules.push_back(std::move(*module));
  }
  if (!problems.empty())
    return llvm::createStringError(problems);
  return modules;
}

/// A guess before parsing, so that a kernel is seldom parsed twice: what decides is decide().
std::string SubjectReader::firstGuess(const std::vector<SourceText> &sources) const {
  for (const AbsentFact &fact : machines.at(kDefault)->absent())
    for (const std::string &name : fact.calls)
      for (const SourceText &source : sources)
        if (source.text().find(name) != std::string::npos)
          return otherThan(kDefault);
  return kDefault;
}

/// What the text says, where nobody has chosen.
llvm::Expected<ArchChoice> SubjectReader::decide(const std::vector<Module> &modules) const {
  const Machine &usual = *machines.at(kDefault), &other = *machines.at(otherThan(kDefault));
  std::optional<PlacedSign> againstUsual = firstSign(modules, usual, other);
  std::optional<PlacedSign> againstOther = firstSign(modules, other, usual);
  if (againstUsual && againstOther)
    return llvm::createStringError(
        againstUsual->place() + ": " + againstUsual->sign.text + " is not for " + usual.arch() + ", and " +
        againstOther->place() + ": " + againstOther->sign.text + " is not for " + other.arch() +
        (againstUsual->file == againstOther->file ? ": the kernel is for no known architecture"
                                                  : ": the files are for different architectures"));
  auto because = [](const PlacedSign &sign, const std::string &arch) {
    return "line " + std::to_string(sign.sign.line) + ": " + sign.sign.text + ", not for " + arch;
  };
  if (againstUsual)
    return ArchChoice{other.arch(), "text", because(*againstUsual, usual.arch())};
  if (againstOther)
    return ArchChoice{usual.arch(), "text", because(*againstOther, other.arch())};
  return ArchChoice{usual.arch(), "default", "nothing in the text decides"};
}

llvm::Error SubjectReader::contradiction(const ArchChoice &choice, const std::vector<Module> &modules) const {
  const Machine &own = *machines.at(choice.arch), &other = *machines.at(otherThan(choice.arch));
  std::optional<PlacedSign> sign = firstSign(modules, own, other);
  if (!sign)
    return llvm::Error::success();
  std::string advice = choice.source == "default" || choice.source == "text"
                           ? ""
                           : "; if the kernel is for " + other.arch() + ", say so with --arch=" + other.arch() +
                                 " or `// ptosync: arch " + other.arch() + "`";
  return llvm::createStringError(sign->place() + ": " + sign->sign.text + " is not for " + choice.arch +
                                 ", which is the architecture by " + choice.source + " (" + choice.detail + ")" +
                                 advice);
}

llvm::Expected<Subject> SubjectReader::read(std::vector<SourceText> sources, const AuditConfig &config) const {
  llvm::Expected<std::optional<ArchChoice>> choice = chosen(sources, config);
  if (!choice)
    return choice.takeError();
  std::string first = *choice ? (*choice)->arch : firstGuess(sources);
  llvm::Expected<std::vector<Module>> modules = lift(sources, *machines.at(first));
  if (!modules)
    return modules.takeError();
  if (*choice) {
    if (llvm::Error error = contradiction(**choice, *modules))
      return std::move(error);
  } else {
    llvm::Expected<ArchChoice> decided = decide(*modules);
    if (!decided)
      return decided.takeError();
    *choice = std::move(*decided);
    if ((*choice)->arch != first)
      modules = lift(sources, *machines.at((*choice)->arch));
    if (!modules)
      return modules.takeError();
  }
  Subject subject{options, machines.at((*choice)->arch), checks.at((*choice)->arch), std::move(*modules)};
  subject.options.arch = (*choice)->arch;
  subject.options.archChoice = std::move(**choice);
  subject.options.optimize.ordering = {modelChoices(settings(config))};
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
