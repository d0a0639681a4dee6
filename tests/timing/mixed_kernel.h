// Helpers for tests of both cores together: kernels of two sections, and durations in round numbers.
#pragma once

#include "timing/cores.h"
#include "timing/timed.h"

#include <string>

namespace ptosync::test {

/// Cycles: a push of 4096 bytes out of L0C holds its pipe for 100 and is there 20 later, a load or pop of 4096 bytes
/// for 50 and 10 later, TADD for 30 and TADDS for 200; everything else takes no time, nor does handing it out.
inline const timing::CostTable &roundCosts(const std::string &arch = "a3") {
  static std::map<std::string, timing::CostTable> tables;
  auto made = tables.find(arch);
  if (made != tables.end())
    return made->second;
  const std::string end = R"(, "source": "test", "error": "none")", fast = R"("bytesPerCycle": 1e12, "latency": 0)";
  auto path = [&](const std::string &from, const std::string &to, const std::string &numbers) {
    return R"({"from": ")" + from + R"(", "to": ")" + to + R"(", )" + numbers + end + "}";
  };
  std::string json = R"({"schema": 1, "arch": ")" + arch + R"(", "issue": {"instruction": 0, "sync": 0)" + end +
                     R"(}, "matrix": {"fixed": 0, "perTile": 0, "perTileFloat": 0)" + end +
                     R"(}, "otherInstruction": {"cycles": 0)" + end + R"(}, "paths": [)" +
                     path("L0C", "GM", R"("bytesPerCycle": 20.48, "latency": 20)") + ", " +
                     path("GM", "UB", R"("bytesPerCycle": 81.92, "latency": 10)");
  for (const auto &[from, to] : {std::pair("GM", "L1"), std::pair("L1", "L0A"), std::pair("L1", "L0B"),
                                 std::pair("UB", "GM"), std::pair("GM", "GM")})
    json += ", " + path(from, to, fast);
  json += R"(], "vector": [)";
  for (const auto &[name, cycles] :
       {std::pair("TADD", "30"), std::pair("TADDS", "200"), std::pair("TEXPANDS", "0"), std::pair("TPOP", "0")})
    json += std::string(R"({"names": [")") + name + R"("], "fixed": )" + cycles +
            R"(, "perRow": 0, "perRepeat": 0, "latency": 0)" + end + "}" + (std::string(name) == "TPOP" ? "" : ", ");
  timing::CostTable table = costsOf(arch);
  llvm::cantFail(table.overlay(json + "]}", "round.json", machineOf(arch)));
  return tables.emplace(arch, std::move(table)).first->second;
}

/// Both sections share the arguments `ring`, `in`, `out` and `n`.
inline std::string mixedKernel(const std::string &cube, const std::string &vec) {
  return "#include \"pto/pto-inst.hpp\"\nusing namespace pto;\n"
         "extern \"C\" __global__ AICORE void k(__gm__ float *ring, __gm__ float *in, __gm__ float *out, int32_t n) {\n"
         "  #if defined(__DAV_CUBE__)\n" +
         cube + "  #endif\n  #if defined(__DAV_VEC__)\n" + vec + "  #endif\n}\n";
}

/// A FIFO `name` of tiles of 4096 bytes, declared where it stands.
inline std::string fifo(const std::string &name, const std::string &direction, int slots, int flags = 0) {
  return "  auto " + name + " = TPipe<" + std::to_string(flags) + ", Direction::" + direction + ", 4096, " +
         std::to_string(slots) + ", 1, true>(ring, 0, 0);\n";
}

inline std::string accumulator(const std::string &name) {
  return "  Tile<TileType::Acc, float, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor, 1024, PadValue::Null, "
         "CompactMode::Null> " +
         name + "; TASSIGN(" + name + ", (uint64_t) 0);\n";
}

/// A tile of 4096 bytes that a pop places.
inline std::string popped(const std::string &name) {
  return "  Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 16, 64, SLayout::NoneBox, 512, PadValue::Null, "
         "CompactMode::Null> " +
         name + ";\n";
}

/// A tensor of 4096 bytes that a FIFO places.
inline std::string slot(const std::string &name) {
  return "  GlobalTensor<float, pto::Shape<1, 1, 1, 16, 64>, pto::Stride<1024, 1024, 1024, 64, 1>, pto::Layout::ND> " +
         name + "(nullptr);\n";
}

inline std::string times(const std::string &count, const std::string &body) {
  return "  for (int32_t i = 0; i < " + count + "; i += 1) {\n" + body + "  }\n";
}

/// `TPUSH(f, c)` and the like, with the template arguments that it is emitted with.
inline std::string fifoCall(const std::string &name, const std::string &fifo, const std::string &entry = "") {
  return "    " + name + "<decltype(" + fifo + ")" + (entry.empty() ? "" : ", decltype(" + entry + ")") +
         ", TileSplitAxis::TILE_NO_SPLIT>(" + fifo + (entry.empty() ? "" : ", " + entry) + ");\n";
}

/// A kernel of both cores, joined.
struct Joined {
  explicit Joined(const std::string &text, replay::Options given = {}, const std::string &arch = "a3",
                  std::size_t number = 0)
      : module(lift(text, arch)), options(std::move(given)), pairs(timing::corePairs(module.kernels, machineOf(arch))) {
    if (number < pairs.size())
      cores = std::make_unique<timing::JoinedCores>(pairs[number], std::array<const timing::KernelTiming *, 2>{},
                                                    machineOf(arch), options, roundCosts(arch));
  }
  Joined(const Joined &) = delete;
  timing::CoresRun run(bool dataFlow = false) const {
    timing::EngineOptions engine;
    engine.dataFlow = dataFlow;
    engine.record = true;
    return cores->run(engine);
  }
  /// When each execution of an instruction held its pipe from.
  std::vector<double> starts(std::size_t core, const std::string &name, bool dataFlow = false) const {
    std::vector<double> found;
    timing::CoresRun both = run(dataFlow);
    const timing::KernelTiming &timing = cores->core(core);
    for (std::uint32_t i = 0; i < timing.plan().operations.size(); ++i) {
      const auto *instruction = std::get_if<Instruction>(&timing::statementOf(timing, i).action);
      if (instruction && instruction->name == name)
        found.push_back(std::round(both.cores[core].slices[i].start));
    }
    return found;
  }

  Module module;
  replay::Options options;
  std::vector<timing::CorePair> pairs;
  std::unique_ptr<timing::JoinedCores> cores; // of the first pair; null: there is none
};

/// The producer of the tests: `n` pushes, one behind the other.
inline std::string pushing(const std::string &count, int slots) {
  return fifo("f", "DIR_C2V", slots) + accumulator("c") + times(count, fifoCall("TPUSH", "f", "c"));
}

/// The consumer: pops into one tile, and `work` on it before the next pop comes in.
inline std::string popping(const std::string &count, int slots, const std::string &work) {
  return fifo("f", "DIR_C2V", slots) + popped("t") + tile("s", "float", 16, 64, 65536) +
         "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n" +
         times(count,
               "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n" + fifoCall("TPOP", "f", "t") +
                   "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n" +
                   work + fifoCall("TFREE", "f") + "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n") +
         "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n";
}

inline const std::string kShortWork = "    TADD(s, s, t);\n";    // 30 cycles
inline const std::string kLongWork = "    TADDS(s, t, 1.0f);\n"; // 200 cycles

} // namespace ptosync::test
