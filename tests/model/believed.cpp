#include "believed.h"

namespace probes {
namespace {

using nlohmann::json;

/// Pointer argument i of a probe is 0x10000000 + i * 0x1000000; the dump says "argument i name".
std::uint64_t argumentAddress(const std::string &argument) {
  if (argument.rfind("argument ", 0) != 0)
    return 0;
  return 0x10000000 + std::stoull(argument.substr(9)) * 0x1000000;
}

BelievedAccess accessOf(const json &value) {
  BelievedAccess access;
  access.operand = value["operand"];
  access.space = value["space"];
  access.reads = value["reads"];
  access.writes = value["writes"];
  access.scratch = value["scratch"];
  access.hidden = value["hidden"];
  if (!value["readAfter"].is_null())
    access.readAfter = value["readAfter"].get<std::int64_t>();
  if (!value["readBy"].is_null())
    access.readBy = value["readBy"].get<std::int64_t>();
  access.anywhere = value["begin"].is_null() || value["rows"].is_null();
  if (access.anywhere)
    return access;
  access.begin = value["begin"].get<std::uint64_t>() + argumentAddress(value["argument"]);
  access.rows = value["rows"];
  access.rowBytes = value["rowBytes"];
  access.stride = value["stride"];
  return access;
}

std::vector<BelievedPhase> phasesOf(const json &list) {
  std::vector<BelievedPhase> phases;
  for (const json &value : list) {
    BelievedPhase phase{value["pipe"], value["barrier"], {}};
    for (const json &access : value["accesses"])
      phase.accesses.push_back(accessOf(access));
    phases.push_back(std::move(phase));
  }
  return phases;
}

} // namespace

std::map<std::string, BelievedCall> believedCalls(const json &dump) {
  std::map<std::string, BelievedCall> calls;
  for (const json &kernel : dump["kernels"]) {
    std::string name = kernel["kernel"];
    std::string instruction = name.substr(name.find('_') + 1);
    for (const json &value : kernel["calls"]) {
      if (value["name"] != instruction)
        continue;
      BelievedCall call;
      call.name = instruction;
      call.fence = value["fence"];
      if (!value["form"].is_null())
        call.form = value["form"].get<std::size_t>();
      for (const json &flag : value["flags"])
        call.flags.insert(
            {flag[0].get<std::string>(), flag[1].get<std::string>(), std::to_string(flag[2].get<unsigned>())});
      call.inside = value["inside"];
      call.tile = phasesOf(value["tile"]);
      call.library = phasesOf(value["library"]);
      calls[name] = std::move(call);
    }
  }
  return calls;
}

} // namespace probes
