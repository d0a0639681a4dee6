#include "run/run.h"

#include "frontend/library/library_text.h"
#include "frontend/read/directives.h"
#include "patterns/pattern_reader.h"
#include "run/progress.h"

#include <algorithm>
#include <functional>
#include <future>

namespace ptosync {
namespace {

constexpr const char *kDefault = "a3";

std::string otherThan(const std::string &arch) { return arch == "a3" ? "a5" : "a3"; }

/// The macros of each chip of the architecture.
std::vector<BuildMacros> buildsOf(const Machine &machine) {
  std::size_t chips = 1;
  for (const MacroFact &fact : machine.macros())
    chips = std::max(chips, fact.values.size());
  std::vector<BuildMacros> builds(chips);
  for (const MacroFact &fact : machine.macros())
    for (std::size_t chip = 0; chip < chips && established(fact.grade); ++chip)
      builds[chip].push_back(
          {fact.name, fact.values[fact.values.size() == 1 ? 0 : chip], fact.section, fact.byLibrary});
  return builds;
}

} // namespace

// Settings and choices.

void beginStage(Progress &progress, const RunInput &input, const char *name) {
  progress.stage(name);
  input.choices.allowance.stage(name);
}

llvm::Error settingError(std::string text) { return llvm::make_error<SettingError>(std::move(text)); }

llvm::Error asSetting(llvm::Error error) { return settingError(llvm::toString(std::move(error))); }

AuditConfig Settings::merged() const { return ptosync::merged(ptosync::merged(file, environment), commandLine); }

FrontendOptions frontendOptions(const Machine &machine, const RunChoices &choices) {
  FrontendOptions frontend;
  frontend.includeDirectory = choices.includeDirectory;
  frontend.includes = choices.includes;
  frontend.defines = choices.defines;
  frontend.builds = buildsOf(machine);
  frontend.architecture = machine.arch();
  frontend.memory = choices.headers;
  frontend.reads = choices.reads;
  frontend.allowance = choices.allowance;
  frontend.assumptions = choices.assumptions;
  frontend.assumptions.insert(frontend.assumptions.end(), machine.assumptions().begin(), machine.assumptions().end());
  frontend.argumentsApart = !choices.optimize.ordering.argumentsMayAlias && machine.rules().argumentsApart();
  for (std::string &name : machine.instructions().names()) {
    if (machine.instructions().mayMention(name, "assigns"))
      for (const InstructionForm &form : machine.instruction(name)->forms)
        if (form.assigns != Assigns::Nothing)
          frontend.placing.insert(name);
    frontend.instructions.insert(std::move(name));
  }
  frontend.insideFlags = [shared = std::make_shared<Machine>(machine)](const std::string &name) {
    return shared->insideFlags(name);
  };
  return frontend;
}

replay::Options replayOptions(const RunChoices &choices) {
  replay::Options options{choices.optimize.ordering, choices.arguments};
  options.budget.allowance = choices.allowance;
  return options;
}

replay::Options timingOptions(const RunChoices &choices) {
  ModelChoices model = choices.optimize.ordering;
  model.trust = Trust::Tile;
  replay::Options options{model, choices.costArguments};
  options.budget.allowance = choices.allowance;
  return options;
}

std::function<llvm::Expected<Module>(const std::string &text)> lifterOf(const std::string &name,
                                                                        const FrontendOptions &frontend) {
  return [name, frontend](const std::string &text) { return liftModule(SourceText(name, text), frontend); };
}

llvm::Error checkReservedIds(const Machine &machine, const RunChoices &choices) {
  auto ids = static_cast<std::int64_t>(machine.flagIds());
  auto wrong = choices.reservedIds.lower_bound(ids);
  if (wrong == choices.reservedIds.end())
    return llvm::Error::success();
  return settingError("--reserve-ids: '" + std::to_string(*wrong) + "' is no event id of the " + machine.arch() +
                      ": expected numbers from 0 to " + std::to_string(ids - 1));
}

llvm::Expected<Catalogue> loadCatalogue(const RunChoices &choices, PatternCases cases) {
  llvm::Expected<Catalogue> catalogue = Catalogue::builtIn(cases);
  if (!catalogue)
    return catalogue;
  for (const SourceText &text : choices.patternTexts) {
    llvm::Expected<Pattern> pattern = parsePattern(text.text(), text.name());
    if (!pattern)
      return pattern.takeError();
    if (llvm::Error error = catalogue->add(std::move(*pattern)))
      return std::move(error);
  }
  return catalogue;
}

// The library of --pto-include.

std::set<std::string> LibraryCheck::unproved() const {
  std::set<std::string> names;
  for (const auto &[name, match] : matches)
    if (match != LibraryMatch::Same)
      names.insert(name);
  return names;
}

llvm::Expected<LibraryCheck> checkLibrary(const RunChoices &choices, const Machine &machine) {
  const std::string &directory = choices.includeDirectory;
  llvm::Expected<std::vector<LibraryVersion>> versions = knownLibraryVersions();
  if (!versions)
    return versions.takeError();
  llvm::Expected<LibraryText> text = readLibraryText(directory, machine.arch(), choices.reads.get());
  if (!text)
    return text.takeError();
  std::vector<std::string> instructions = machine.instructions().names();
  InstructionHashes given = instructionHashes(*text, instructions);
  LibraryComparison compared = compareVersions(*versions, machine.library(), machine.arch(), given);
  LibraryCheck check{directory,
                     machine.library(),
                     !compared.versions.empty(),
                     std::move(compared.versions),
                     std::move(compared.matches),
                     {}};
  if (!check.known) // nothing is proved
    for (const std::string &name : instructions)
      check.matches[name] = given.count(name) ? LibraryMatch::Changed : LibraryMatch::Absent;
  return check;
}

std::string describeLibraryCheck(const LibraryCheck &check) {
  if (!check.known)
    return "library " + check.library +
           " is not known to the tool, so nothing inside its calls is relied on; `ptosync model --hashes` makes a file "
           "for it";
  std::string changed, absent, all;
  for (const auto &[name, match] : check.matches)
    if (match != LibraryMatch::Same)
      (match == LibraryMatch::Changed ? changed : absent) += " " + name;
  if (changed.empty() && absent.empty()) {
    const std::string version = describeVersions(check.versions);
    return "the same as " + version +
           (version == check.library ? "" : ", for which the facts made from " + check.library + " hold");
  }
  for (const VersionMatch &version : check.versions)
    all += (all.empty() ? "" : " and ") + version.library;
  return (changed.empty() ? "" : "changed since " + all + ":" + changed) +
         (changed.empty() || absent.empty() ? "" : "; ") + (absent.empty() ? "" : "absent:" + absent);
}

LibraryUse describeLibraryUse(const Module &module, const Subject &subject, const std::set<std::uint32_t> &reliedOn) {
  LibraryUse use;
  use.library = subject.machine->library();
  use.assumed = assumedOf(module);
  use.counted = countedCalls(module, *subject.machine, subject.choices.optimize.ordering.trust, reliedOn);
  if (!subject.library)
    return use;
  const LibraryCheck &check = *subject.library;
  use.directory = check.directory;
  std::set<std::string> unproved = check.unproved();
  use.standing = unproved.empty() ? LibraryStanding::Same : LibraryStanding::Differs;
  if (unproved.empty())
    use.sameAs = describeVersions(check.versions);
  for (LibraryUse::Calls &calls : callsOf(module, unproved))
    use.unproved.push_back({calls.name, std::move(calls.lines), check.matches.at(calls.name) == LibraryMatch::Absent,
                            check.phasesLost.count(calls.name) != 0});
  return use;
}

// The machine models.

namespace {

/// Takes the phases out of the model that the library does not prove.
ProvedMachine provedMachine(Machine machine, const RunChoices &choices) {
  const std::string &directory = choices.includeDirectory;
  if (directory.empty())
    return {std::move(machine), std::nullopt};
  llvm::Expected<LibraryCheck> check = checkLibrary(choices, machine);
  if (!check) {
    // Headers of some other kind: a kernel is parsed against them, but no phase is proved by them.
    llvm::consumeError(check.takeError());
    check = LibraryCheck{directory, machine.library(), false, {}, {}, {}};
    for (const std::string &name : machine.instructions().names())
      check->matches[name] = LibraryMatch::Absent;
  }
  for (const std::string &name : check->unproved())
    for (const InstructionForm &form : machine.instruction(name)->forms)
      if (!form.library.empty())
        check->phasesLost.insert(name);
  return {machine.withoutPhases(check->phasesLost), std::move(*check)};
}

llvm::Expected<ProvedMachine> builtInMachine(const std::string &arch, const RunChoices &choices) {
  llvm::Expected<Machine> machine = Machine::builtIn(arch);
  if (!machine)
    return machine.takeError();
  return provedMachine(std::move(*machine), choices);
}

} // namespace

llvm::Expected<ProvedMachine> loadMachine(const RunChoices &choices, const std::string &arch) {
  if (!choices.machineText)
    return builtInMachine(arch, choices);
  const std::string &text = choices.machineText->text(), &name = choices.machineText->name();
  llvm::Expected<Machine> machine = Machine::parse(text, name);
  if (!machine)
    return machine.takeError();
  if (!arch.empty() && machine->arch() != arch)
    return llvm::createStringError(name + ": /arch: is " + machine->arch() + ", expected " + arch + " (set --arch)");
  return provedMachine(std::move(*machine), choices);
}

llvm::Expected<Models> loadModels(const RunChoices &choices, const std::optional<std::string> &arch) {
  // Every run wants both: the text is held against them. Headers that have to be held against them as well take longer
  // than a thread costs.
  const std::launch how = choices.includeDirectory.empty() ? std::launch::deferred : std::launch::async;
  std::map<std::string, std::future<llvm::Expected<ProvedMachine>>> loaded;
  for (const char *each : kArchitectures)
    loaded[each] = std::async(how, builtInMachine, each, std::cref(choices));
  Models models;
  for (auto &[each, model] : loaded) {
    llvm::Expected<ProvedMachine> proved = model.get();
    if (!proved)
      return asSetting(proved.takeError());
    models.byArch[each] = {std::make_shared<const Machine>(std::move(proved->machine)), nullptr,
                           std::move(proved->check)};
  }
  for (auto &[each, model] : models.byArch)
    model.undecided =
        std::make_shared<const Machine>(model.machine->sharingAsIn(*models.byArch.at(otherThan(each)).machine));
  if (!choices.machineText)
    return models;
  llvm::Expected<ProvedMachine> proved = loadMachine(choices, arch.value_or(""));
  if (!proved)
    return asSetting(proved.takeError());
  models.given = proved->machine.arch();
  Models::Model &model = models.byArch[models.given];
  model.machine = std::make_shared<const Machine>(std::move(proved->machine));
  model.library = std::move(proved->check);
  return models;
}

// The architecture.

namespace {

/// Returns what somebody has chosen; empty if nobody has.
llvm::Expected<std::optional<ArchChoice>> chosenArch(const RunInput &input, const Models &models) {
  std::optional<ArchChoice> said;
  const std::vector<SourceText> &sources = input.sources;
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
  const Settings &settings = input.settings;
  std::optional<ArchChoice> choice;
  if (settings.commandLine.arch)
    choice = ArchChoice{*settings.commandLine.arch, "command line", "--arch"};
  else if (!models.given.empty())
    choice = ArchChoice{models.given, "command line", "--machine"};
  if (choice && said && choice->arch != said->arch)
    return llvm::createStringError(sources.front().name() + ": " + said->detail + " says `ptosync: arch " + said->arch +
                                   "`, but " + choice->detail + " says " + choice->arch +
                                   "; take the comment out, or leave out " + choice->detail);
  if (choice)
    return choice;
  if (said)
    return said;
  if (settings.environment.arch)
    return ArchChoice{*settings.environment.arch, "environment", "PTOSYNC_ARCH"};
  if (settings.file.arch)
    return ArchChoice{*settings.file.arch, "configuration", settings.file.file};
  return std::nullopt;
}

const Machine &machineOf(const Models &models, const std::string &arch) { return *models.byArch.at(arch).machine; }

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

/// A guess before parsing, so that a kernel is seldom parsed twice; archOfText decides.
std::string firstGuess(const std::vector<SourceText> &sources, const Models &models) {
  for (const AbsentFact &fact : machineOf(models, kDefault).absent())
    for (const std::string &name : fact.calls)
      for (const SourceText &source : sources)
        if (source.text().find(name) != std::string::npos)
          return otherThan(kDefault);
  return kDefault;
}

/// The architecture that the text shows, where nobody has chosen.
llvm::Expected<ArchChoice> archOfText(const std::vector<Module> &modules, const Models &models) {
  const Machine &usual = machineOf(models, kDefault), &other = machineOf(models, otherThan(kDefault));
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

llvm::Error contradiction(const ArchChoice &choice, const std::vector<Module> &modules, const Models &models) {
  const Machine &other = machineOf(models, otherThan(choice.arch));
  std::optional<PlacedSign> sign = firstSign(modules, machineOf(models, choice.arch), other);
  if (!sign)
    return llvm::Error::success();
  std::string advice = choice.isDefault() || choice.source == "text"
                           ? ""
                           : "; if the kernel is for " + other.arch() + ", say so with --arch=" + other.arch() +
                                 " or `// ptosync: arch " + other.arch() + "`";
  return llvm::createStringError(sign->place() + ": " + sign->sign.text + " is not for " + choice.arch +
                                 ", which is the architecture by " + choice.source + " (" + choice.detail + ")" +
                                 advice);
}

// Lifting.

/// Lifts all sources side by side. The error has the problems of all.
llvm::Expected<std::vector<Module>> liftAll(const std::vector<SourceText> &sources, const FrontendOptions &frontend) {
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

Allowance::Size sizeOf(const std::vector<Module> &modules) {
  Allowance::Size size;
  for (const Module &module : modules) {
    size.sections += module.kernels.size();
    size.syncs += module.sites.size();
    for (const Kernel &kernel : module.kernels)
      for (const Block &block : kernel.blocks)
        size.statements += block.statements.size();
  }
  return size;
}

/// Fails if something that the user assumes is about no kernel.
llvm::Error checkAssumptions(const Subject &subject) {
  for (const Assumption &given : subject.choices.assumptions) {
    bool known = false, any = false;
    for (const Module &module : subject.modules)
      for (const Kernel &kernel : module.kernels) {
        any = any || kernel.analysable;
        known = known || llvm::any_of(kernel.assumptions, [&](const Assumption &one) {
                  return one.origin == Assumption::Origin::Option && one.text == given.text;
                });
      }
    if (any && !known)
      return settingError("--assume '" + given.text + "': no kernel of " + subject.modules.front().source.name() +
                          " has arguments of all these names");
  }
  return llvm::Error::success();
}

/// Lifts for the chosen architecture; without one for the guess, and again if that was wrong.
llvm::Expected<Subject> liftAs(std::optional<ArchChoice> chosen, const RunInput &input, const Models &models,
                               Shapes shapes) {
  Subject subject{input.choices, {}, nullptr, {}, {}};
  const AuditConfig settled = input.settings.merged();
  subject.choices.optimize.ordering = {modelChoices(settled)};
  subject.choices.optimize.ordering.allowance = input.choices.allowance;
  subject.choices.includes = settled.includes;
  llvm::Expected<std::vector<Definition>> macros = parseDefinitions(settled.defines, settled.undefines);
  if (!macros)
    return asSetting(macros.takeError());
  subject.choices.defines = std::move(*macros);
  const bool stated = chosen.has_value();
  auto liftFor = [&](const std::string &arch) {
    FrontendOptions frontend = frontendOptions(machineOf(models, arch), subject.choices);
    frontend.shapes = shapes == Shapes::Read;
    if (!stated) // what the text shows may stand in one of its arms alone
      frontend.otherBuilds = buildsOf(machineOf(models, otherThan(arch)));
    return liftAll(input.sources, frontend);
  };
  std::string first = stated ? chosen->arch : firstGuess(input.sources, models);
  llvm::Expected<std::vector<Module>> modules = liftFor(first);
  if (!modules)
    return modules.takeError();
  if (stated) {
    if (llvm::Error error = contradiction(*chosen, *modules, models))
      return std::move(error);
    subject.arch = std::move(*chosen);
  } else {
    llvm::Expected<ArchChoice> decided = archOfText(*modules, models);
    if (!decided)
      return decided.takeError();
    subject.arch = std::move(*decided);
    if (subject.arch.arch != first)
      modules = liftFor(subject.arch.arch);
    if (!modules)
      return modules.takeError();
  }
  const Models::Model &model = models.byArch.at(subject.arch.arch);
  subject.machine = subject.arch.isDefault() ? model.undecided : model.machine;
  subject.library = model.library;
  subject.modules = std::move(*modules);
  if (llvm::Error error = checkAssumptions(subject))
    return std::move(error);
  input.choices.allowance.sized(sizeOf(subject.modules));
  return subject;
}

} // namespace

llvm::Expected<Subject> liftSubject(const RunInput &input, const Models &models, Shapes shapes) {
  llvm::Expected<std::optional<ArchChoice>> choice = chosenArch(input, models);
  if (!choice)
    return choice.takeError();
  return liftAs(std::move(*choice), input, models, shapes);
}

llvm::Expected<std::shared_ptr<const Models>> modelsOf(const RunInput &input) {
  if (input.models)
    return input.models;
  llvm::Expected<Models> models = loadModels(input.choices, input.settings.commandLine.arch);
  if (!models)
    return models.takeError();
  return std::make_shared<const Models>(std::move(*models));
}

llvm::Expected<Subject> liftSubject(const RunInput &input, Shapes shapes) {
  llvm::Expected<std::shared_ptr<const Models>> models = modelsOf(input);
  if (!models)
    return models.takeError();
  return liftSubject(input, **models, shapes);
}

llvm::Expected<Subject> liftForOther(const RunInput &input, const Models &models, const Subject &subject) {
  return liftAs(ArchChoice{otherThan(subject.arch.arch), subject.arch.source, subject.arch.detail}, input, models,
                Shapes::LeftOut);
}

} // namespace ptosync
