// Helpers for tests of the replay: small kernels, run once, with what they issued as text.
#pragma once

#include "replay/judge/schedule.h"
#include "replay/verify.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace ptosync::test {

/// One lifted kernel with all that its replay needs; stays where it is, the parts refer to one another.
struct Replayed {
  explicit Replayed(const std::string &text, replay::Options given = {}, const std::string &arch = "a3")
      : Replayed(lift(text, arch), "", std::move(given), arch) {}
  /// The kernel of this name, as vector cores see it; "": the first one.
  Replayed(Module lifted, const std::string &name, replay::Options given = {}, const std::string &arch = "a3")
      : module(std::move(lifted)), options(std::move(given)),
        subject(std::make_unique<replay::Subject>(kernelOf(module, name), machineOf(arch), options)),
        rules(machineOf(arch), options) {}
  Replayed(const Replayed &) = delete;

  const replay::Trace &run(const replay::Inputs &inputs = {}, replay::Skipping skipping = replay::Skipping::Allowed) {
    replay::RunRequest request;
    request.inputs = inputs;
    request.skipping = skipping;
    trace = replay::interpret(*subject, request, options.budget);
    return trace;
  }
  /// With the integer argument `n` of `vectorKernel`.
  const replay::Trace &runWith(std::int64_t n) {
    replay::Inputs inputs;
    inputs.arguments[2] = n;
    return run(inputs);
  }

  static const Kernel &kernelOf(const Module &module, const std::string &name) {
    for (const Kernel &kernel : module.kernels)
      if (name.empty() || (kernel.name == name && kernel.section != Section::Cube))
        return kernel;
    throw std::runtime_error("no kernel " + name);
  }

  Module module;
  replay::Options options;
  std::unique_ptr<replay::Subject> subject;
  replay::ConflictRules rules;
  replay::Trace trace;
};

/// "TADD | set PIPE_V>PIPE_MTE3:0 | barrier PIPE_V | ..."; the closing PIPE_ALL and dsb of `vectorKernel` left out.
inline std::string issued(const replay::Trace &trace) {
  std::string text;
  for (const replay::Event &event : trace.events) {
    std::string part;
    switch (event.kind) {
    case replay::Event::Kind::Instruction: part = std::get<Instruction>(event.statement->action).name; break;
    case replay::Event::Kind::Barrier: part = "barrier " + std::string(pipeName(event.source)); break;
    default:
      part = (event.kind == replay::Event::Kind::SetFlag ? "set " : "wait ") + std::string(pipeName(event.source)) +
             ">" + std::string(pipeName(event.destination)) + ":" + std::to_string(event.id);
    }
    if (part != "dsb")
      text += (text.empty() ? "" : " | ") + part;
  }
  const std::string end = " | barrier PIPE_ALL";
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end
             ? text.substr(0, text.size() - end.size())
             : text;
}

/// "5+ 7-": lines of ways, `+` where the condition holds.
inline std::string listed(const replay::Ways &ways, const std::set<replay::Way> &some) {
  std::set<std::string> names;
  for (const replay::Way &way : some)
    names.insert(std::to_string(ways.lineOf(way)) + (way.taken ? "+" : "-"));
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : " ") + name;
  return text;
}

inline Module liftCorpus(const std::string &folder) { return lift(readText(corpusPath(folder + "/kernel.cpp"))); }

inline Module liftVector(const std::string &body) { return lift(vectorKernel(body)); }

/// What `verify` finds between two bodies of `vectorKernel`: "order RAW 7>9", one a line ("" for agreement). Lines are
/// those of the second.
inline std::string difference(const Module &before, const Module &after, const replay::Options &options = {},
                              const std::string &arch = "a3") {
  llvm::Expected<replay::Verdict> verdict = replay::verify(before, after, machineOf(arch), options);
  if (!verdict)
    return "error: " + llvm::toString(verdict.takeError());
  std::string text;
  for (const replay::Finding &finding : verdict->findings) {
    text += std::string(findingName(finding.kind)) + (finding.rule.empty() ? "" : " " + finding.rule);
    if (finding.kind == replay::FindingKind::Order)
      text += " " + std::to_string(finding.earlier.afterLine) + ">" + std::to_string(finding.later.afterLine);
    if (finding.kind == replay::FindingKind::End)
      text += " " + std::to_string(finding.earlier.afterLine);
    text += "\n";
  }
  return text;
}

inline std::string difference(const std::string &before, const std::string &after,
                              const replay::Options &options = {}) {
  return difference(liftVector(before), liftVector(after), options);
}

/// A tile of eight floats, and an instruction that works on it. What a test puts behind the tile stands from line 5 of
/// `vectorKernel` on.
inline const std::string kRowTile = tile("a", "float", 1, 8, 0);
inline const std::string kRowWork = "  TEXP(a, a);\n";

/// A row of eight floats in the memory of the first argument, so many elements behind its beginning.
inline std::string rowAt(const std::string &offset) {
  return "GlobalTensor<float, pto::Shape<1, 1, 1, 1, 8>, pto::Stride<8, 8, 8, 8, 1>, pto::Layout::ND>(in + (" + offset +
         "))";
}

} // namespace ptosync::test
