// Estimates how long the two cores of a kernel take together: which call waits for which across their FIFOs, then both
// engines side by side.
#pragma once

#include "timing/estimate.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ptosync::timing {

// Finds for each call of one core the call of the other for which it waits, by the FIFOs of a kernel.
//
//   a run of the cube core, a run of the vec core --followFifos--> FifoTraffic { junctions by core }
//
// A ring has two rows of signals. The n-th pop waits for the n-th push. Slots are given back `at once` in groups
// (FifoCost::slotsAtOnce): the producer asks for room at every first slot of a group once the ring has been filled, and
// the m-th time it asks waits for the m-th group to be given back; so with slots that are a multiple of the group,
// entry k waits for entry k - slots and its group. This is how the library counts, not a rule of the hardware. What
// cannot be matched for certain is not matched at all: `apart` says why. Tested by tests/timing/cores_test.cpp.

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

// Times the two cores of a kernel in one run, in which each waits for the other where their FIFOs say so.
//
//   a run of each core, whole --FifoTraffic--> JoinedCores --both engines in turn--> CoresEstimate, CoresRun
//
// Each core's engine goes through its own plan and stops where a signal is needed that the other has not sent yet; then
// the other goes on. What an operation waits for does not depend on whose turn it was, so the times are those of both
// at once. A kernel's time is that of the core that ends last. The data-flow limit is the same without syncs: what the
// FIFOs hold stays held, since no placement of syncs changes it.
// Every iteration is run: one that stands for others left out would need the other core to repeat with the same period
// and from the same phase on, and a ring fills in the iterations before that. A run that is too long for it, a FIFO
// that is not known, calls that do not match and cores that would wait for each other for ever are timed apart, with
// the reason. One vec core stands for the two beside a cube core: both run the same program, and signals to and from
// them go together. Tested by tests/timing/cores_test.cpp.

/// The programs of one kernel's two cores. Neither pointer is null.
struct CorePair {
  const Kernel *cube = nullptr, *vec = nullptr;
  /// Returns the kernel's name: "k", or "k_aic and k_aiv".
  std::string name() const;
};

/// Returns the pairs among the kernels of a file that are the two cores of one kernel and meet in it. They have the
/// same name; or both use FIFOs and their names differ only in the endings "aic" and "aiv", which the assembler gives
/// to the two parts of one kernel.
std::vector<CorePair> corePairs(const std::vector<Kernel> &kernels, const Machine &machine);

/// A time in which one core stood still because it waited for the other.
struct CoreWait {
  std::size_t core = kCubeCore;
  std::uint32_t operation = kNone; // of that core's plan: the call that waits
  FifoId fifo = kNone;
  Pipe pipe = Pipe::S;     // what stood still; S: nothing was handed out
  double from = 0, to = 0; // cycles; to > from
  double idle = 0;         // cycles of it in which nothing ran any more of what stood still had been given
};

struct CoresRun {
  std::array<Timing, 2> cores;
  std::vector<CoreWait> waits; // by core, then in order; none of no length
  double cycles() const { return std::max(cores[kCubeCore].cycles, cores[kVecCore].cycles); }
};

struct CoreEstimate {
  double alone = 0;    // if the other never made it wait
  double together = 0; // its end
  double idle = 0;     // cycles in which it had nothing left to do, and waited for the other
};

/// All waits of one call in which nothing ran on its core.
struct CallWaits {
  std::size_t core = kCubeCore;
  std::string fifo, call; // names
  std::uint32_t line = 0;
  double cycles = 0, times = 0;
};

struct CoresEstimate {
  std::string run;
  double cycles = 0, limit = 0;
  std::array<CoreEstimate, 2> cores;
  std::vector<CallWaits> waits; // longest first
};

class JoinedCores {
public:
  /// Joins the cores in the run of `known`. Those are the pair's own runs if there are any, and they are used where no
  /// iteration was left out.
  JoinedCores(const CorePair &pair, std::array<const KernelTiming *, 2> known, const Machine &machine,
              const replay::Options &options, const CostTable &costs);
  /// Joins the cores in the run with the given inputs.
  JoinedCores(const CorePair &pair, const replay::Inputs &inputs, const Machine &machine,
              const replay::Options &options, const CostTable &costs);

  const std::string &name() const { return pairName; }
  /// Returns why the cores are timed apart; empty if they are joined. The functions below may be called only if they
  /// are joined.
  const std::string &apart() const { return traffic.apart; }
  const KernelTiming &core(std::size_t number) const { return *cores[number]; }
  const replay::Inputs &inputs() const { return cores[kCubeCore]->inputs(); }

  CoresRun run(const EngineOptions &options) const;
  CoresEstimate estimate(const Sites &leftOut = {}) const;

private:
  void join(const Machine &machine);
  bool drive(const EngineOptions &options, CoresRun &run, std::array<std::size_t, 2> &met) const;
  bool goOn(std::size_t core, Engine &engine, std::size_t &met, std::vector<std::vector<double>> &sent,
            CoresRun &run) const;

  std::string pairName;
  FifoCost costs;
  std::vector<KernelTiming> own; // runs made here
  std::array<const KernelTiming *, 2> cores{};
  FifoTraffic traffic;
};

} // namespace ptosync::timing
