#include "pipeline/lift_step.h"

#include <future>

namespace ptosync {
namespace {

constexpr const char *kDefault = "a3";

std::string otherThan(const std::string &arch) { return arch == "a3" ? "a5" : "a3"; }

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

/// Side by side. The error has the problems of all.
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

/// A guess before parsing, so that a kernel is seldom parsed twice: what decides is decide().
std::string firstGuess(const std::vector<SourceText> &sources, const Machines &machines) {
  for (const AbsentFact &fact : machines.at(kDefault)->absent())
    for (const std::string &name : fact.calls)
      for (const SourceText &source : sources)
        if (source.text().find(name) != std::string::npos)
          return otherThan(kDefault);
  return kDefault;
}

/// What the text says, where nobody has chosen.
llvm::Expected<ArchChoice> decide(const std::vector<Module> &modules, const Machines &machines) {
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

llvm::Error contradiction(const ArchChoice &choice, const std::vector<Module> &modules, const Machines &machines) {
  const Machine &own = *machines.at(choice.arch), &other = *machines.at(otherThan(choice.arch));
  std::optional<PlacedSign> sign = firstSign(modules, own, other);
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

} // namespace

llvm::Expected<Lifted> liftSources(const std::vector<SourceText> &sources, std::optional<ArchChoice> chosen,
                                   const Machines &machines, const RunChoices &choices, bool shapes) {
  const bool stated = chosen.has_value();
  auto liftFor = [&](const std::string &arch) {
    FrontendOptions frontend = frontendOptions(*machines.at(arch), choices);
    frontend.shapes = shapes;
    if (!stated) // what the text shows may stand in one of its arms alone
      frontend.otherBuilds = buildsOf(*machines.at(otherThan(arch)));
    return liftAll(sources, frontend);
  };
  std::string first = chosen ? chosen->arch : firstGuess(sources, machines);
  llvm::Expected<std::vector<Module>> modules = liftFor(first);
  if (!modules)
    return modules.takeError();
  if (chosen) {
    if (llvm::Error error = contradiction(*chosen, *modules, machines))
      return std::move(error);
  } else {
    llvm::Expected<ArchChoice> decided = decide(*modules, machines);
    if (!decided)
      return decided.takeError();
    chosen = std::move(*decided);
    if (chosen->arch != first)
      modules = liftFor(chosen->arch);
    if (!modules)
      return modules.takeError();
  }
  return Lifted{std::move(*chosen), std::move(*modules)};
}

} // namespace ptosync
