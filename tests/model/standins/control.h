// Stand-ins that both chips share: barriers, flags, core queries, special registers.
//
// Special registers are the scalar unit's business: setting one touches no memory. A flag's wait is recorded and
// waits for nothing.
#pragma once

#include "chip.h"
#include "recorder.h"

inline void pipe_barrier(int pipe) { recorder::barrier(pipeName(pipe)); }
template <typename Id> void set_flag(int source, int destination, Id id) {
  recorder::flag(true, pipeName(source), pipeName(destination), static_cast<std::uint64_t>(id));
}
template <typename Id> void wait_flag(int source, int destination, Id id) {
  recorder::flag(false, pipeName(source), pipeName(destination), static_cast<std::uint64_t>(id));
}
inline event_t __pto_set_flag(pipe_t source, pipe_t destination) { return set_flag(source, destination, 0), EVENT_ID0; }
inline void __pto_wait_flag(pipe_t source, pipe_t destination, event_t id) { wait_flag(source, destination, id); }

inline std::uint32_t get_block_idx() { return 0; }
inline std::uint32_t get_block_num() { return 1; }
inline int get_subblockid() { return 0; }
inline int get_subblockdim() { return 1; }
inline std::int64_t get_coreid() { return 0; }
inline std::uint64_t get_sys_cnt() { return 0; }
inline std::int64_t get_vms4_sr() { return 0; }
inline std::uint64_t get_rsvd_cnt() { return 0; }

/// The control register: bits are set, cleared and written back.
inline std::uint64_t &controlRegister() {
  static std::uint64_t value = 0;
  return value;
}
inline std::uint64_t get_ctrl() { return controlRegister(); }
inline void set_ctrl(std::uint64_t value) { controlRegister() = value; }
inline std::uint64_t sbitset1(std::uint64_t value, int bit) { return value | std::uint64_t{1} << bit; }
inline std::uint64_t sbitset0(std::uint64_t value, int bit) { return value & ~(std::uint64_t{1} << bit); }
inline std::uint64_t get_imm(std::uint64_t value) { return value; }

#define REGISTER(name)                                                                                                 \
  template <typename... Values> void name(Values...) {}
REGISTER(set_mov_pad_val)
REGISTER(set_pad_val_outtoub)
REGISTER(set_pad_val_outtol1)
REGISTER(set_padding)
REGISTER(set_padding_b)
REGISTER(set_l3d_rpt)
REGISTER(set_l3d_rpt_b)
REGISTER(set_quant_pre)
REGISTER(set_deqscale)
REGISTER(set_fpc)
REGISTER(set_nd_para)
REGISTER(set_atomic_add)
REGISTER(set_atomic_none)
REGISTER(set_atomic_f32)
REGISTER(set_atomic_f16)
REGISTER(set_atomic_bf16)
REGISTER(set_atomic_s32)
REGISTER(set_atomic_s16)
REGISTER(set_atomic_s8)
REGISTER(set_st_atomic_cfg)
REGISTER(set_channel_para)
REGISTER(set_loop3_para)
REGISTER(set_ffts_base_addr)
REGISTER(dsb) // orders what the scalar unit stored, touches nothing
#undef REGISTER

// What speaks to other cores: no access of this one, but a signal or a wait in the queue of a pipe. Waiting for a flag
// between cores without a pipe of its own stalls the scalar unit.
template <typename Message> void ffts_cross_core_sync(int pipe, Message) { recorder::signal(pipeName(pipe)); }
template <typename Id> void set_intra_block(int pipe, Id) { recorder::signal(pipeName(pipe)); }
template <typename Id> void wait_flag_dev(Id) { recorder::await("PIPE_S"); }
template <typename Id> void wait_flag_dev(pipe_t pipe, Id) { recorder::await(pipeName(pipe)); }
template <typename Id> void wait_intra_block(int pipe, Id) { recorder::await(pipeName(pipe)); }
template <typename... Values> void dcci(Values...) {} // writes back what the scalar unit stored, touches nothing more

#define SIGNAL(name)                                                                                                   \
  template <typename... Values> void name(Values...) { recorder::unknown(#name); }
SIGNAL(st_atomic)
SIGNAL(st_dev)
SIGNAL(trap)
#undef SIGNAL
template <typename T> T ld_dev(T *, int) { return T{}; }
