// A machine model of one instruction, and what a call does in print.
#pragma once

#include "machine/call.h"
#include "machine/whole_model.h"

#include <initializer_list>
#include <string>

namespace ptosync::test {

/// "V(0w 1r 2rw*) | barrier V": operands by number, hidden memory by name, scratch with a star.
inline std::string describe(const Effects &effects) {
  std::string text;
  for (const EffectPhase &phase : effects.phases) {
    text += (text.empty() ? "" : " | ") + std::string(phase.barrier ? "barrier " : "") +
            std::string(pipeName(phase.pipe).substr(5)) + (phase.observed ? "" : "-");
    if (phase.accesses.empty())
      continue;
    text += "(";
    bool first = true;
    for (const EffectAccess &access : phase.accesses) {
      text += first ? "" : " ";
      text += access.operand ? std::to_string(*access.operand) : access.hidden->name;
      text += std::string(access.reads ? "r" : "") + (access.writes ? "w" : "") + (access.scratch ? "*" : "");
      first = false;
    }
    text += ")";
  }
  return text;
}

/// A model with one instruction X of the given forms.
inline Machine machineWith(const std::string &forms) {
  const std::string sketch =
      R"({"instructions": {"X": {"templates": ["AtomicType", "number"], "forms": [)" + forms + "]}}}";
  return llvm::cantFail(Machine::parse(wholeModel(nlohmann::json::parse(sketch)).dump(), "m.json"));
}

inline std::string form(const std::string &operands, const std::string &pipe, const std::string &rest = "") {
  return R"({"operands": [)" + operands + R"(], "pipes": [")" + pipe + "\"]" + rest + "}";
}

inline constexpr const char *kDst = R"({"name": "dst", "role": "write"})";
inline constexpr const char *kSrc = R"({"name": "src", "role": "read"})";
inline constexpr const char *kScalar = R"({"name": "scalar", "role": "scalar"})";
inline constexpr const char *kTmp = R"({"name": "tmp", "role": "scratch", "optional": true})";

inline std::string list(std::initializer_list<const char *> operands) {
  std::string text;
  for (const char *operand : operands)
    text += (text.empty() ? "" : ", ") + std::string(operand);
  return text;
}

inline std::string chosen(const Machine &machine, const Call &call) {
  return describe(call.effects(machine, Trust::Tile));
}

} // namespace ptosync::test
