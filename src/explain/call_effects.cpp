#include "explain/call_effects.h"

#include "machine/footprint.h"
#include "ordering/kernel_analysis.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

using Phases = std::map<const Statement *, std::vector<CallPhase>>;

CallAccess accessOf(const Program &program, const Access &access) {
  CallAccess result;
  result.operand = access.name;
  result.space = program.machine->spaces()[access.space].name;
  result.bytes = access.bytes;
  result.reads = access.reads;
  result.writes = access.writes;
  result.scratch = access.scratch;
  result.hidden = access.hidden;
  const std::optional<ChainRule> &chain = program.machine->rules().chain;
  if (chain && access.tile && !access.scratch && !access.widened && contiguousValidRegion(*access.tile)) {
    LineShape shape = lineShape(*access.tile);
    result.readAfter = chainDistance(shape, AccessOrder::Sequential, access.order, chain->repeatBytes);
    result.readBy = chainDistance(shape, access.order, AccessOrder::Sequential, chain->repeatBytes);
  }
  if (access.base.isConstant())
    result.begin = access.base.constant;
  else if (std::optional<AtomId> root = program.scalars->algebra().pointerRoot(access.base)) {
    result.argument = program.scalars->algebra()[*root].key;
    if (access.base.terms.size() == 1 && access.base.modulus == 0)
      result.begin = access.base.constant;
  }
  return result;
}

/// Phases of every call of a program; copies of expanded loops repeat what their first block says.
Phases phasesOf(const Program &program) {
  Phases phases;
  for (BlockId block = 0; block < program.kernel->blocks.size(); ++block)
    for (const Event &event : program.steps[block]) {
      if (!event.statement || event.kind == Event::Kind::Inside ||
          !std::holds_alternative<Instruction>(event.statement->action))
        continue;
      CallPhase phase;
      if (event.kind == Event::Kind::Barrier) {
        phase.barrier = true;
        phase.pipe = event.source;
      } else {
        const Node &node = program.nodes[event.node];
        phase.pipe = node.pipe;
        for (const Access &access : node.accesses)
          phase.accesses.push_back(accessOf(program, access));
      }
      phases[event.statement].push_back(std::move(phase));
    }
  return phases;
}

KernelCalls callsOf(const Kernel &kernel, const Machine &machine, OrderingOptions options) {
  KernelCalls result;
  result.kernel = kernel.name;
  result.section = kernel.section;
  result.reason = kernel.reason;
  if (!kernel.analysable)
    return result;
  options.trust = Trust::Tile;
  llvm::Expected<Analysis> tile = Analysis::of(kernel, machine, options);
  options.trust = Trust::Library;
  llvm::Expected<Analysis> library = Analysis::of(kernel, machine, options);
  if (!tile || !library) {
    result.reason = llvm::toString(llvm::joinErrors(tile.takeError(), library.takeError()));
    return result;
  }
  Phases atTile = phasesOf(tile->program()), atLibrary = phasesOf(library->program());
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      const auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction)
        continue;
      Effects effects = effectsOf(kernel, *instruction, machine, Trust::Library);
      CallEffects call;
      call.kernel = kernel.name;
      call.line = statement.line;
      call.name = instruction->name;
      call.fence = effects.fence;
      call.flags = effects.flags;
      if (effects.form)
        call.form = static_cast<std::size_t>(effects.form - machine.instruction(call.name)->forms.data());
      for (const Operand &operand : instruction->operands)
        call.operands.push_back(operand.spelling);
      call.tile = std::move(atTile[&statement]);
      call.library = std::move(atLibrary[&statement]);
      auto barrier = [](const CallPhase &phase) { return phase.barrier; };
      call.inside =
          call.tile.size() != call.library.size() || std::any_of(call.library.begin(), call.library.end(), barrier);
      result.calls.push_back(std::move(call));
    }
  std::stable_sort(result.calls.begin(), result.calls.end(),
                   [](const CallEffects &a, const CallEffects &b) { return a.line < b.line; });
  return result;
}

} // namespace

std::vector<KernelCalls> callEffects(const Module &module, const Machine &machine, OrderingOptions options) {
  std::vector<KernelCalls> kernels;
  kernels.reserve(module.kernels.size());
  for (const Kernel &kernel : module.kernels)
    kernels.push_back(callsOf(kernel, machine, options));
  return kernels;
}

namespace {

using Json = nlohmann::ordered_json;

const char *fenceName(FenceKind fence) {
  switch (fence) {
  case FenceKind::None: return "none";
  case FenceKind::Pipes: return "pipes";
  case FenceKind::Acquire: return "acquire";
  case FenceKind::Release: return "release";
  case FenceKind::All: return "all";
  }
  return "";
}

Json callAccessJson(const CallAccess &access) {
  Json json{{"operand", access.operand},
            {"space", access.space},
            {"argument", access.argument},
            {"begin", access.begin ? Json(*access.begin) : Json(nullptr)}};
  json["rows"] = access.bytes ? Json(access.bytes->rows) : Json(nullptr);
  json["rowBytes"] = access.bytes ? Json(access.bytes->rowBytes) : Json(nullptr);
  json["stride"] = access.bytes ? Json(access.bytes->stride) : Json(nullptr);
  json["reads"] = access.reads;
  json["writes"] = access.writes;
  json["scratch"] = access.scratch;
  json["hidden"] = access.hidden;
  json["readAfter"] = access.readAfter ? Json(*access.readAfter) : Json(nullptr);
  json["readBy"] = access.readBy ? Json(*access.readBy) : Json(nullptr);
  return json;
}

Json phasesJson(const std::vector<CallPhase> &phases) {
  Json list = Json::array();
  for (const CallPhase &phase : phases) {
    Json json{{"pipe", pipeName(phase.pipe)}, {"barrier", phase.barrier}, {"accesses", Json::array()}};
    for (const CallAccess &access : phase.accesses)
      json["accesses"].push_back(callAccessJson(access));
    list.push_back(std::move(json));
  }
  return list;
}

Json callJson(const CallEffects &call) {
  Json flags = Json::array();
  for (const HiddenFlag &flag : call.flags)
    flags.push_back({pipeName(flag.source), pipeName(flag.destination), flag.id});
  return {{"line", call.line},
          {"name", call.name},
          {"form", call.form ? Json(*call.form) : Json(nullptr)},
          {"fence", fenceName(call.fence)},
          {"operands", call.operands},
          {"flags", std::move(flags)},
          {"inside", call.inside},
          {"tile", phasesJson(call.tile)},
          {"library", phasesJson(call.library)}};
}

/// "writes v3 UB [4096, 8192)", "reads v7 GM v1 + [0, 64) x 16 rows, 4096 apart".
std::string accessText(const CallAccess &access) {
  std::string text = access.reads && access.writes ? "reads and writes " : access.writes ? "writes " : "reads ";
  text += access.operand + " " + access.space;
  if (!access.argument.empty())
    text += " " + access.argument + " +";
  if (!access.bytes || !access.begin)
    return text + (access.bytes ? " " + std::to_string(access.bytes->extent()) + " bytes" : " anywhere");
  text += " [" + std::to_string(*access.begin) + ", " + std::to_string(*access.begin + access.bytes->rowBytes) + ")";
  if (access.bytes->rows > 1)
    text += " x " + std::to_string(access.bytes->rows) + " rows, " + std::to_string(access.bytes->stride) + " apart";
  return text;
}

std::string phasesText(const char *trust, const std::vector<CallPhase> &phases) {
  std::string text;
  for (const CallPhase &phase : phases) {
    text += std::string("    ") + trust + ": " + std::string(pipeName(phase.pipe)) + (phase.barrier ? " barrier" : "");
    const char *separator = " ";
    for (const CallAccess &access : phase.accesses) {
      text += separator + accessText(access);
      separator = "; ";
    }
    text += "\n";
  }
  return text;
}

} // namespace

std::string callText(const CallReport &report) {
  std::string text;
  for (const KernelCalls &kernel : report.kernels) {
    text += kernel.kernel + " (" + std::string(sectionName(kernel.section)) + ")\n";
    if (!kernel.reason.empty())
      text += "  not analysed: " + kernel.reason + "\n";
    for (const CallEffects &call : kernel.calls) {
      text += "  " + report.file + ":" + std::to_string(call.line) + " " + call.name +
              (call.form ? " form " + std::to_string(*call.form) : std::string(" unknown")) + "\n";
      text += phasesText("tile", call.tile);
      if (call.inside)
        text += phasesText("library", call.library);
    }
  }
  return text;
}

std::string callJson(const CallReport &report) {
  Json json{{"schema", kCallJsonSchema}, {"tool", report.toolVersion}, {"file", report.file},
            {"arch", report.arch},       {"library", report.library},  {"kernels", Json::array()}};
  for (const KernelCalls &kernel : report.kernels) {
    Json entry{{"kernel", kernel.kernel},
               {"section", sectionName(kernel.section)},
               {"reason", kernel.reason},
               {"calls", Json::array()}};
    for (const CallEffects &call : kernel.calls)
      entry["calls"].push_back(callJson(call));
    json["kernels"].push_back(std::move(entry));
  }
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ptosync
