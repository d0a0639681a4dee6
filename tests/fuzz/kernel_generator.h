// Seeded random kernels: emitted-style control flow, storage and synchronisation.
//
// Aims at what an ordering analysis gets wrong: storage that overlaps under other names, rotates
// with a counter or is carried round a loop, loops that may not run, arms of branches, flags primed
// before a loop and drained behind it, lanes by ternary, sum and table, helpers called twice, with addresses and with
// tiles, hidden scratch, FIFOs. Most kernels
// are synchronised far more than needed (only then is there something to remove), some less.
// The kernels are not sensible programs and need not be: shapes of operands do not match, flags
// may be unbalanced. Equal seeds give equal kernels.
#pragma once

#include "fuzz/fuzz_kernel.h"
#include "fuzz/random_source.h"

#include <map>
#include <optional>
#include <utility>

namespace ptosync::fuzz {

/// Small: few statements, loops and tiles, of everything that there is.
enum class KernelSize : std::uint8_t { Any, Small };

/// Rare: syncs under conditions that hold for few arguments, calls that talk to other cores and ranks, library calls
/// that use flags inside, early returns (generated_rare.cpp, generated_fences.cpp). A replay that draws arguments
/// hardly ever draws one of those that decide.
/// Buffers: brackets of buffer ids, which a5 alone has (generated_buffers.cpp).
enum class KernelStyle : std::uint8_t { Plain, Rare, Buffers };

class KernelGenerator {
public:
  explicit KernelGenerator(std::uint64_t seed, KernelSize size = KernelSize::Any,
                           KernelStyle style = KernelStyle::Plain)
      : random(RandomSource::mix(seed * 2 + 1)), small(size == KernelSize::Small), rare(style == KernelStyle::Rare),
        bracketed(style == KernelStyle::Buffers) {
    kernel.seed = seed;
  }
  FuzzKernel generate();

private:
  using List = std::vector<Statement>;

  /// How densely a kernel is synchronised, in percent.
  struct Density {
    int barrier = 100, flags = 100, all = 0, keep = 2, spread = 40, ring = 30, unbalanced = 0, stray = 0;
    int early = 0, late = 0, forms = 0, helperFlags = 0,
        phases = 0; // waits before, sets after their place; addFlagForm
  };
  /// How a kernel of the style Buffers is bracketed: how many ids there are, and in percent what each tile,
  /// instruction, step, pair of brackets or end of one is.
  struct BufferDensity {
    std::int64_t ids = 1;
    int pairs = 0, around = 100, more = 0, empty = 0, merged = 0, grown = 0;
    int signals = 0; // instructions between empty brackets, of which those behind do not block
    bool faults = false;
  };
  /// What a statement may name where it stands.
  struct Scope {
    std::vector<std::uint32_t> counters;
    std::vector<std::uint32_t> wide, column, matrix, left, right, accumulators; // tiles
    std::vector<std::uint32_t> values;                                          // scalars loaded from data
    int depth = 0;
    bool inLoop = false, inHelper = false;
    bool mayContinue = false;                        // the innermost loop goes on with its counter
    Scalar upper;                                    // of the innermost loop
    std::uint32_t rareParameter = FuzzKernel::kNone; // of a helper
  };

  void chooseStyle();
  void declareVectorStorage(List &list, Scope &scope);
  void declareCubeStorage(List &list, Scope &scope);
  void declareCubeTiles(List &list, Space space, std::vector<std::uint32_t> &tiles);
  void makeHelpers(const Scope &outer);
  void dropOneFlag();

  void fill(List &list, Scope &scope, int count);
  void addStep(List &list, Scope &scope);
  void addLoop(List &list, Scope &scope);
  void addLoopStorage(List &body, Scope &inner, std::uint32_t counter);
  void addCarriedTile(List &outer, List &body, List &ending, Scope &inner);
  void addBranch(List &list, Scope &scope);
  void addCall(List &list, Scope &scope);
  void addUnknown(List &list, Scope &scope);
  void addMove(List &list, Scope &scope);

  // FIFOs (generated_fifos.cpp).
  struct FifoName {
    std::string pipe, object, type, tensor, tensorType; // spellings
    bool consumes = false;
  };
  void declareFifos(List &list);
  void addFifoStep(List &list, Scope &scope);
  void addFifoCall(List &list, const Scope &scope, const FifoName &fifo, const std::string &name, bool withTensor);
  void addPoppedTile(List &list, Scope &scope, const FifoName &fifo);

  void addInstruction(List &list, Scope &scope);
  void addVectorInstruction(List &list, Scope &scope);
  void addCubeInstruction(List &list, Scope &scope);
  void addTransfer(List &list, Scope &scope, bool load);
  void addScalarAccess(List &list, Scope &scope);
  void emit(List &list, const Scope &scope, Pipe pipe, const std::string &opcode, std::vector<Operand> operands);
  void synchronise(List &list, const Scope &scope, Pipe pipe);

  // Flags (generated_flags.cpp).
  struct FlagName {
    Pipe from, to;
    std::int64_t id;
  };
  void addFlagPair(List &list, const Scope &scope, Pipe from, Pipe to);
  void addFlagForm(List &list, Scope &scope);
  void addNest(List &list, Scope &scope, FlagName outer, FlagName inner);
  void addArms(List &list, Scope &scope, FlagName flag);
  void addArmGeneration(List &list, Scope &scope, FlagName flag);
  void addTriangle(List &list, Scope &scope);
  void addCarriedFlag(List &list, Statement &loop, Scope &inner, List &drains);
  void addRing(List &list, Statement &loop, List &drains, FlagName flag);
  void addLanes(List &list, Statement &loop, List &drains, FlagName flag);
  void addPingPong(List &list, Statement &loop, Scope &inner, List &drains, FlagName flag);
  void carryThrough(List &arm, Scope own, int most, List &list, List &drains, FlagName flag);
  void addGuardedRing(List &list, Statement &loop, Scope &inner, List &drains, FlagName flag);
  Scalar guard(std::uint32_t counter, const Scope &inner);
  void fillSome(List &list, Scope &scope, int most);

  // Rare conditions (generated_rare.cpp).
  void chooseRareStyle();
  Scalar rareCondition(const Scope &scope);
  Scalar rareDigit(std::int64_t number) const;
  void addRareStep(List &list, Scope &scope);
  void addRareSyncs(List &list, const Scope &scope);
  void addRareArm(List &list, Scope &scope);
  void addRareSwitch(List &list, Scope &scope);
  void addRareExit(List &list, Scope &scope);
  void addLateContinue(List &list, Scope &scope);
  void addRuntimeId(List &list, Scope &scope);
  void addSyncs(List &list, const Scope &scope, std::int64_t count);
  Pipe anyPipe();

  // Calls that are fences, and calls that use flags inside (generated_fences.cpp).
  void declareFences(List &list);
  void addFence(List &list, Scope &scope);
  void addFenceRound(List &list, Scope &scope);
  void addFifoEntry(List &list, Scope &scope);

  // Brackets of buffer ids (generated_buffers.cpp).
  void chooseBufferStyle();
  Statement buffer(Statement::Kind kind, Pipe pipe, Scalar id, std::int64_t mode);
  std::vector<Scalar> bufferIdsOf(std::uint32_t tile, const Scope &scope);
  void addBracketed(List &list, const Scope &scope, Statement instruction);
  void addEmptyBracket(List &list, const Scope &scope);
  bool usesBuffer(const Statement &statement, const Scalar &id) const;
  void mergeBrackets(List &list);
  void growBrackets(List &list);
  void breakBracket();
  void finishBrackets();

  // Branches by phase (generated_phases.cpp).
  Scalar phaseCondition(std::uint32_t counter, bool inHelper);
  void addPhases(List &list, Statement &loop, Scope &inner, List &drains);
  void addSlots(List &list, Statement &loop, Scope &inner, List &drains, FlagName full, FlagName free);
  void addPrefetch(List &list, Statement &loop, Scope &inner, List &drains, FlagName full, FlagName free);
  void addTwice(List &list, Scope &scope);
  std::optional<std::pair<Pipe, Pipe>> twoPipes();
  Statement set(const FlagName &flag) {
    return sync(Statement::Kind::SetFlag, flag.from, flag.to, Scalar::of(flag.id));
  }
  Statement wait(const FlagName &flag) {
    return sync(Statement::Kind::WaitFlag, flag.from, flag.to, Scalar::of(flag.id));
  }
  static bool mentions(const Statement &statement, const FlagName &flag);
  static bool leaves(const Statement &statement);
  static bool runsOn(const Statement &statement, Pipe pipe);

  std::uint32_t newVariable(const std::string &type);
  std::uint32_t newTile(FuzzTile tile);
  FuzzTile vectorTile(bool column);
  FuzzTile slotTile();
  Scalar loopAddress(std::uint32_t counter);
  Scalar vectorAddress(bool column);
  Scalar offset(const Scope &scope, std::int64_t unit);
  Scalar condition(const Scope &scope);
  FuzzTensor tensor(const Scope &scope, bool load);
  Operand tileOperand(std::uint32_t tile);
  std::uint32_t source(const std::vector<std::uint32_t> &tiles);
  std::uint32_t target(const std::vector<std::uint32_t> &tiles);
  Statement sync(Statement::Kind kind, Pipe from, Pipe to, Scalar id);

  RandomSource random;
  bool small, rare, bracketed;
  FuzzKernel kernel;
  Density density;
  BufferDensity buffers;
  std::map<std::uint32_t, std::int64_t> bufferOfTile;
  std::vector<Pipe> pipes;
  std::vector<FifoName> fifos;
  std::uint32_t lastWritten = 0xffffffffu;
  int loopBudget = 3, slots = 6;
  /// Not 0: a kernel about loops over slots of this many bytes, nearly all of its tiles one slot large.
  std::int64_t slotBytes = 0;
  bool sharedArguments = false, runTimeRegions = false, highTiles = false, earlyExits = false, unknownCalls = false;
  bool withFifos = false;
};

} // namespace ptosync::fuzz
