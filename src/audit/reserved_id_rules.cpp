// Flags between the cores that a library call uses itself: reserved-id.
//
// A FIFO counts its entries with flags from its base on, two of them, or four if it goes both ways. The machine model
// says which calls use some of the same numbers. Both in one kernel: one wakes the other up. Which of the reserved
// numbers a call uses depends on its kind of core, so no such finding is certain. Messages that a kernel computes for
// ffts_cross_core_sync itself are not read. Tested by tests/audit/reserved_id_rules_test.cpp.
#include "audit/audit_context.h"

#include <algorithm>
#include <map>

namespace ptosync {
namespace {

struct Use {
  const AuditedKernel *kernel = nullptr;
  const Statement *statement = nullptr;
};

/// The first call that reserves ids, by the name of its kernel: both cores' sections count as one.
std::map<std::string, Use> reservingCalls(const AuditContext &context, const ReservedIds &reserved) {
  std::map<std::string, Use> first;
  for (const AuditedKernel &kernel : context.kernels)
    for (const Block &block : kernel.kernel->blocks)
      for (const Statement &statement : block.statements) {
        const auto *call = std::get_if<Instruction>(&statement.action);
        if (call && call->operands.size() == reserved.arguments &&
            std::find(reserved.calls.begin(), reserved.calls.end(), call->name) != reserved.calls.end())
          first.emplace(kernel.kernel->name, Use{&kernel, &statement});
      }
  return first;
}

std::string idList(const std::vector<std::int64_t> &ids) {
  std::string text;
  for (std::int64_t id : ids)
    text += (text.empty() ? "" : ", ") + std::to_string(id);
  return text;
}

void checkFifos(AuditContext &context, const AuditedKernel &kernel, const ReservedIds &reserved, const Use &call) {
  std::vector<bool> seen(kernel.kernel->fifos.size());
  for (const Block &block : kernel.kernel->blocks)
    for (const Statement &statement : block.statements) {
      const auto *instruction = std::get_if<Instruction>(&statement.action);
      if (!instruction)
        continue;
      for (const Operand &operand : instruction->operands) {
        if (operand.kind != Operand::Kind::Fifo || seen[operand.index])
          continue;
        seen[operand.index] = true;
        const Fifo &fifo = kernel.kernel->fifos[operand.index];
        std::int64_t last = fifo.flagBase + (fifo.direction == "DIR_BOTH" ? 3 : 1);
        bool meets = fifo.flagBase >= 0 && std::any_of(reserved.ids.begin(), reserved.ids.end(), [&](std::int64_t id) {
                       return fifo.flagBase <= id && id <= last;
                     });
        if (!meets)
          continue;
        Finding finding =
            context.at("reserved-id", kernel, statement,
                       fifo.name + " uses the flags " + std::to_string(fifo.flagBase) + " to " + std::to_string(last) +
                           " between the cores, of which " + std::get<Instruction>(call.statement->action).name +
                           " takes " + idList(reserved.ids) + " for itself: give the FIFO others");
        finding.notes.push_back(context.note(*call.statement, "this call uses them"));
        finding.demotion = established(reserved.grade) ? 0 : 1;
        context.report(std::move(finding));
      }
    }
}

} // namespace

void auditReservedIds(AuditContext &context) {
  for (const ReservedIds &reserved : context.machine.reservedBetweenCores())
    for (const auto &[name, call] : reservingCalls(context, reserved))
      for (const AuditedKernel &kernel : context.kernels)
        if (kernel.kernel->name == name)
          checkFifos(context, kernel, reserved, call);
}

} // namespace ptosync
