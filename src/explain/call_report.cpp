#include "explain/call_report.h"

#include <nlohmann/json.hpp>

namespace ptosync {
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
