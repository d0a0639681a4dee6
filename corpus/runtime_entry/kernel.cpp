// Kernel Function: scale_rows

#include <cstdint>

#ifndef __gm__
#define __gm__
#endif

#ifndef __aicore__
#if defined(__CPU_SIM)
#define __aicore__
#else
#define __aicore__ [aicore]
#endif
#endif

#if !defined(__CPU_SIM)
[[block_local]] static int32_t lane_of_the_runtime;
#define get_subblockid() lane_of_the_runtime
#endif

#include <pto/pto-inst.hpp>
#include "tensor.h"
#include "intrinsic.h"

using namespace pto;

enum class PTOAutoSyncTailMode : int {
    kBarrierAll = 0,
    kSetWaitMte3ToSEvent0 = 1,
};

static __aicore__ inline void ptoas_auto_sync_tail(PTOAutoSyncTailMode mode = PTOAutoSyncTailMode::kBarrierAll) {
    switch (mode) {
    case PTOAutoSyncTailMode::kSetWaitMte3ToSEvent0:
        set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
        break;
    case PTOAutoSyncTailMode::kBarrierAll:
    default:
        pipe_barrier(PIPE_ALL);
        break;
    }
}

static __aicore__ void scale_rows(__gm__ float *v1, __gm__ float *v2, float v3, int64_t v4, int32_t v5) {
    const int64_t v6 = 0;
    const int64_t v7 = 4096;
    using T = float;

#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v8;
    uint64_t v9 = (uint64_t)v6;
    TASSIGN(v8, v9);
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null> v10;
    uint64_t v11 = (uint64_t)v7;
    TASSIGN(v10, v11);
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v12 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v2, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
    TLOAD(v8, v12);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // expect: kept RAW
    TMULS(v8, v8, v3);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v13 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
    TSTORE(v13, v8);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // expect: removed [redundant-flag]
    TLOAD(v10, v12);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // expect: kept RAW
    GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND> v14 = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>(v1 + 512, pto::Shape<1, 1, 1, 8, 64>(), pto::Stride<512, 512, 512, 64, 1>());
    TSTORE(v14, v10);
#endif // __DAV_VEC__

    ptoas_auto_sync_tail(PTOAutoSyncTailMode::kBarrierAll);
    return;
}

extern "C" __aicore__ __attribute__((always_inline)) void kernel_entry(__gm__ int64_t *args) {
#if !defined(__CPU_SIM)
    lane_of_the_runtime = get_sub_block_id(args);
#endif
    int32_t block = get_block_idx(args);
    int32_t blocks = get_block_num(args);

    __gm__ ChipTensor *out_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[0]);
    __gm__ float *out =
        reinterpret_cast<__gm__ float *>(out_tensor->buffer.addr) + out_tensor->start_offset;

    __gm__ ChipTensor *in_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[1]);
    int64_t count = static_cast<int64_t>(blocks);
    if (count <= 0) count = 1;
    int64_t share = static_cast<int64_t>(block) * (static_cast<int64_t>(in_tensor->shapes[0]) / count);
    __gm__ float *in =
        reinterpret_cast<__gm__ float *>(in_tensor->buffer.addr) + in_tensor->start_offset + share;

    __gm__ ChipTensor *scale_tensor = reinterpret_cast<__gm__ ChipTensor *>(args[2]);
    __gm__ float *scale =
        reinterpret_cast<__gm__ float *>(scale_tensor->buffer.addr) + scale_tensor->start_offset;
    float factor = scale[0];

    union {
        uint64_t u64;
        int64_t val;
    } rows_conv;
    rows_conv.u64 = args[3];
    int64_t rows = rows_conv.val;

    scale_rows(out, in, factor, rows, block);
}
