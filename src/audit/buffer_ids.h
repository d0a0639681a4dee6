// Finds kernels that order their work by buffer ids: get_buf and rls_buf around instructions, in place of flags.
//
// What such brackets order is not modelled. A pair that they may order is not called wrong, and nothing is put into the
// kernel: which calls they are is data (trait `buffer-id`). Tested by tests/audit/buffer_ids_test.cpp.
#pragma once

#include "kernel/kernel.h"
#include "machine/machine.h"

#include <optional>
#include <string>

namespace ptosync {

struct BufferIdUse {
  std::uint32_t line = 0; // of the first such call
  std::string reason;     // one clause with the call's name
};

/// Returns the first call of the kernel that takes or gives back a buffer id; empty if there is none.
std::optional<BufferIdUse> bufferIdUse(const Kernel &kernel, const Machine &machine);

} // namespace ptosync
