// Finds for each call of one core the call of the other for which it waits, by the FIFOs of a kernel.
//
//   a run of the cube core, a run of the vec core --followFifos--> FifoTraffic { junctions by core }
//
// A ring has two rows of signals. The n-th pop waits for the n-th push. Slots are given back `at once` in groups
// (FifoCost::slotsAtOnce): the producer asks for room at every first slot of a group once the ring has been filled, and
// the m-th time it asks waits for the m-th group to be given back; so with slots that are a multiple of the group,
// entry k waits for entry k - slots and its group. This is how the library counts, not a rule of the hardware. What
// cannot be matched for certain is not matched at all: `apart` says why. Tested by tests/timing/fifo_traffic_test.cpp.
#pragma once

#include "timing/estimate.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptosync::timing {

/// The numbers of a kernel's cores.
inline constexpr std::size_t kCubeCore = 0, kVecCore = 1;
inline Section coreSection(std::size_t core) { return core == kCubeCore ? Section::Cube : Section::Vec; }

/// A call at which a core waits for the other one, or signals to it, or first waits and then signals.
struct Junction {
  std::uint32_t operation = kNone; // in the core's plan
  FifoId fifo = kNone;
  Pipe pipe = Pipe::S;           // behind whose work the signal goes out, and which a wait holds that does not hold all
  std::uint32_t waits = kNone;   // row of signals; kNone: it does not wait
  std::uint32_t number = 0;      // of the signal in that row, from 0
  std::uint32_t signals = kNone; // row of signals
};

struct FifoTraffic {
  std::array<std::vector<Junction>, 2> cores; // by operation
  std::uint32_t rows = 0;
  std::string apart; // why the cores cannot be joined; empty: they can
};

/// Matches the calls of two runs. Both must be whole, with no iteration left out. `machine` and `costs` must be those
/// with which they were made.
FifoTraffic followFifos(const KernelTiming &cube, const KernelTiming &vec, const Machine &machine,
                        const FifoCost &costs);

/// Returns true if the kernel uses a FIFO, or signals to the other core or waits for it by other means.
bool meetsOtherCore(const Kernel &kernel, const Machine &machine);

} // namespace ptosync::timing
