// Which kernels of a file must be edited together: those that run through one sync statement.
//
//   Module --sites that kernels share--> groups of kernels, each a matter of its own
//
// An edit is proved in every kernel that runs through its statements; kernels that share none, as the two
// core sections of one function do unless a helper syncs in both, know nothing of each other. A sync that is
// never edited, like the end fence in the helper that every kernel calls, ties nobody.
// Tested by tests/optimize/kernel_groups_test.cpp.
#pragma once

#include "kernel/kernel.h"

#include <cstddef>
#include <set>
#include <vector>

namespace ptosync {

/// Numbers of kernels in Module::kernels. Each is in one group; groups are ordered by their first kernel.
using KernelGroup = std::set<std::size_t>;

std::vector<KernelGroup> kernelGroups(const Module &module);

} // namespace ptosync
