// Verifies what the synthesis made, from its text and from nothing: no order lost, no finding more.
#pragma once

#include "audit/audit.h"
#include "kernel/kernel.h"
#include "machine/machine.h"
#include "ordering/program.h"
#include "replay/options.h"
#include "synthesis/edited_kernel.h"
#include "synthesis/kernel_state.h"

#include <llvm/Support/Error.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace ptosync::synthesis {

// Whether a kernel whose syncs were placed anew is right: asked of its text, from nothing.
//
//   text --lifted--> ordering, tokens, audit; replay against the input --> accepted, or the reason why not
//
// Nothing that the side which placed the syncs says is looked at. Accepted only if no conflict is open but what a
// contested rule orders, no flag is anything but binary, nothing else that is open has an order on some path of the
// input (order_comparison.h: contested pairs, orders relative to opaque calls, flags set again, what is over at the
// end), the audit finds nothing that it does not find in the input, and every run that the replay compares keeps the
// orders that the input has. Tested by tests/synthesis/verification_test.cpp.

struct VerificationOptions {
  OrderingOptions ordering;
  replay::Options replay;
};

/// What of all that needs an order in a kernel has none, with nothing to hold it against: a conflict, not even one that
/// a contested rule orders; an order relative to a fence that is needed in any kernel; what still runs where the kernel
/// ends; a flag that is not binary, or may be set again too early. Empty: there is nothing.
std::optional<std::string> openOrder(const Kernel &kernel, const Machine &machine, const OrderingOptions &options);

/// True for what takes time on a pipe that nobody waits for at the kernel's end: no flag, nothing of the scalar unit,
/// which ends the kernel, and no memory fence, which runs nowhere.
bool mayOutlastKernel(const Program &program, const Node &node);

/// What may still run where a kernel ends.
std::vector<OpenObligation> runningAtEnds(const Analysis &analysis);

/// Of the kernels named `kernel` in a section. Empty: accepted. With OrderingOptions::fromNothing nothing may be open
/// in `after` (openOrder), whatever `before` orders.
std::optional<std::string> refusal(const Module &before, const Module &after, const std::string &kernel,
                                   Section section, const Machine &machine, const VerificationOptions &options);

// Whether a mended file is right as far as it says it is: asked of its text, from nothing.
//
//   text --lifted--> ordering, tokens, audit; replay against the input and against full order --> accepted, or why not
//
// Accepted only if the rest of the file is as it was (where the modules say what it is: Module::shapes) and, in every
// kernel of it, no order is lost on any path (order_comparison.h) and no flag is faulty that was not before, no flag
// may be set again before its wait that could not before (nor one that is mended, but by the very statements of the
// input that could), the audit finds nothing that it did not find but pairs of one kernel that nothing orders (another
// finding may have hid them; whether the input orders them is asked above), the replay finds no order lost and no fault
// or deadlock against the input, and none against a kernel with all order but of pairs that the analysis says are open.
// That what was to be mended is mended is seen by what the audit no longer finds.
// Tested by tests/synthesis/verification_test.cpp.

struct FixCheckOptions {
  AuditOptions audit; // its ordering options are those of the analysis
  replay::Options replay;
};

/// True for the findings of two statements that nothing orders.
bool isOrderRule(std::string_view rule);

/// Who the findings are.
std::multiset<std::string> fingerprintsOf(const std::vector<Finding> &findings);

/// The file as it came: what is asked of it once.
class FixCheck {
public:
  /// The module must outlive it.
  static llvm::Expected<FixCheck> of(const Module &before, const Machine &machine, const FixCheckOptions &options);

  /// The findings of the input.
  const std::vector<Finding> &findings() const { return known; }
  /// What a version still has: findings, and how many pairs and places of flags are wrong.
  struct Left {
    std::vector<Finding> findings;
    std::size_t wrong = 0;
  };
  /// Why `after` is refused; empty: accepted. `origins`, by site of it: the site of the input that it is; kNone: it
  /// came. `left` receives what it still has.
  std::optional<std::string> refusal(const Module &after, const std::vector<SiteId> &origins, Left &left);
  /// What the input has.
  Left asItCame();

private:
  FixCheck(const Module &before, const Machine &machine, const FixCheckOptions &options)
      : before(&before), machine(&machine), options(&options) {}
  std::optional<std::string> kernelRefusal(std::size_t number, std::size_t &wrong) const;
  std::optional<std::string> reuseRefusal(const KernelState &was, const KernelState &is) const;
  std::optional<std::string> runRefusal(std::size_t number, const KernelState &state) const;
  /// Returns true if some flag of the kernel is not binary on every path unless conditions are followed.
  bool flagsHangOnConditions(std::size_t number) const;

  const Module *before;
  const Machine *machine;
  const FixCheckOptions *options;
  std::vector<Finding> known;
  /// One kernel of the input.
  struct Known {
    std::optional<KernelState> state;
    std::string problem; // why there is none
  };
  void lookAtInput();
  std::vector<Known> old;       // by kernel, from the first version on that is looked at
  const Module *seen = nullptr; // the version that is looked at
  std::vector<SiteId> originOf; // by site of it
};

} // namespace ptosync::synthesis
