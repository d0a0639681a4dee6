// What the assembler, its runtime and the library call their own: the names that the reader knows besides those of the
// machine model and the declarations.
//
//   ptoas_auto_sync_tail(..)        the assembler's end fence        seen in every kernel that it emits with syncs
//   PtoSetWaitFlag<P, Q>(..)        a set and a wait in one          the library's pto/common headers
//   kernel_entry(int64_t *args)     the runtime's entry, which       seen in decoder kernels of the public models
//                                   unpacks tensors and calls one kernel
//   aclrtlaunch_k(..)               a launch of kernel k from host code, as the vendor's build makes it
//   #include "acl/acl.h"            a header of the host: its declarations take no part in a kernel
//
// A name here decides how text is read, never what may be edited: a kernel that spells one of them otherwise is read as
// plain C++, with the fence or the call expanded. Constants alone. Tested through
// tests/frontend/lower/lowering_call_test.cpp, tests/frontend/guard/kernel_functions_test.cpp and
// launch_arguments_test.cpp.
#pragma once

#include <llvm/ADT/StringRef.h>

namespace ptosync {

/// The helper that emitted kernels end with: the end fence.
inline constexpr llvm::StringLiteral kTailHelper = "ptoas_auto_sync_tail";
/// The two ends of a bracket of a buffer id.
inline constexpr llvm::StringLiteral kGetBuffer = "get_buf", kReleaseBuffer = "rls_buf";
/// The library's set and wait in one statement.
inline constexpr llvm::StringLiteral kSetAndWait = "PtoSetWaitFlag";
/// What the assembler writes into every file begins so; it is no kernel.
inline constexpr llvm::StringLiteral kEmittedPrefixes[] = {"ptoas_", "PTOAS_"};

/// The runtime's entry, `kernel_entry(__gm__ int64_t *)`, and the members of a tensor that it is handed: the address of
/// tensor t is `t->buffer.addr`, and it begins `t->start_offset` elements behind that.
inline constexpr llvm::StringLiteral kRuntimeEntry = "kernel_entry";
inline constexpr llvm::StringLiteral kTensorBuffer = "buffer", kBufferAddress = "addr", kTensorOffset = "start_offset";

/// Launches in host code besides `k<<<..>>>`: `ACLRT_LAUNCH_KERNEL(k)(..)` and `aclrtlaunch_k(..)`.
inline constexpr llvm::StringLiteral kLaunchMacro = "ACLRT_LAUNCH_KERNEL", kLaunchPrefix = "aclrtlaunch_";

/// How the names of headers begin that only host code uses. The sources of public operators include them beside their
/// kernels. Where one isn't found, a few declarations stand in for it and the file is edited all the same; a header of
/// the kernel's own that isn't found may declare anything, so nothing of its file is edited.
inline constexpr llvm::StringLiteral kHostHeaders[] = {
    "acl/",       "runtime/", "hccl/",     "gtest/",          "gmock/",         "experiment/",
    "toolchain/", "tiling/",  "register/", "graph/",          "exe_graph/",     "external/",
    "aclnn",      "torch",    "pybind11/", "kernel_operator", "kernel_tiling/", "lib/matmul",
    "securec.h",  "mpi.h",    "adv_api/",  "platform/",       "ascendc/",       "driver/",
    "dsmi_",      "ge/",      "op_",       "data_utils",      "test_common.h"};

} // namespace ptosync
