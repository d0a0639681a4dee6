// A simulator run as its recorder writes it, made from the engine: raw logs, instr_exe csv, trace.json of a core.
//
// Instructions get names that no call has, since a real recording names the hardware's; times are whole ticks.
#pragma once

#include "profile/profile_match.h"
#include "profile/readers.h"
#include "timing/timed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace ptosync::test {

/// Loads, work and stores of two sizes in a loop of `n` iterations, some right behind one another.
inline std::string recordedKernel() {
  std::string body = tile("v1", "float", 1, 1024, 0) + tile("v2", "float", 1, 1024, 4096) +
                     tile("v3", "float", 4, 1024, 8192) + tensor("a", "in", "0") + tensor("b", "in", "1") +
                     tensor("c", "out", "0");
  std::string type = "GlobalTensor<float, pto::Shape<1, 1, 1, 4, 1024>, pto::Stride<4096, 4096, 4096, 1024, 1>>";
  body += "  " + type + " d = " + type + "(in + 2 * 1024);\n  " + type + " e = " + type + "(out + 1024);\n";
  body += "  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);\n"
          "  for (int32_t i = 0; i < n; i++) {\n"
          "    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);\n"
          "    TLOAD(v1, a);\n"
          "    TLOAD(v2, b);\n"
          "    TLOAD(v3, d);\n"
          "    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
          "    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
          "    TEXP(v1, v1);\n"
          "    TEXP(v2, v2);\n"
          "    TEXP(v3, v3);\n"
          "    pipe_barrier(PIPE_V);\n"
          "    TADD(v1, v1, v2);\n"
          "    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
          "    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n"
          "    TSTORE(c, v1);\n"
          "    TSTORE(e, v3);\n"
          "    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);\n"
          "  }\n"
          "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);\n";
  return vectorKernel(body);
}

/// The built-in durations under `overlay`.
inline timing::CostTable alteredCosts(const std::string &overlay) {
  timing::CostTable costs = costsOf();
  llvm::cantFail(costs.overlay(overlay, "altered.json", machineOf("a3")));
  return costs;
}

/// A kernel's first core with `n` of vectorKernel, every iteration run.
struct FullRun {
  FullRun(const std::string &text, std::int64_t n, const timing::CostTable &costs, bool skip = false)
      : module(lift(text)) {
    replay::Inputs inputs;
    inputs.arguments[2] = n;
    timing = std::make_unique<timing::KernelTiming>(
        std::make_unique<replay::Subject>(module.kernels.at(0), machineOf("a3"), options), inputs, machineOf("a3"),
        options, costs, skip ? replay::Skipping::Allowed : replay::Skipping::Forbidden);
  }
  FullRun(const FullRun &) = delete;

  Module module;
  replay::Options options;
  std::unique_ptr<timing::KernelTiming> timing;
};

/// One line of each log.
struct RecordedInstruction {
  std::string queue, name, detail;
  std::uint64_t address = 0, start = 0, end = 0;
};

inline std::string recordedPipe(Pipe pipe, bool inDetail = false) {
  switch (pipe) {
  case Pipe::S: return "SCALAR";
  case Pipe::V: return inDetail ? "VEC" : "VECTOR";
  case Pipe::M: return "CUBE";
  case Pipe::MTE1: return "MTE1";
  case Pipe::MTE2: return "MTE2";
  case Pipe::MTE3: return "MTE3";
  case Pipe::FIX: return "FIXP";
  case Pipe::All: return "ALL";
  }
  return "";
}

inline RecordedInstruction recordedSync(const timing::KernelTiming &timing, const timing::Operation &operation) {
  const replay::Event &event = timing.trace().events[operation.event];
  RecordedInstruction line;
  if (operation.kind == timing::Operation::Kind::Barrier) {
    line.queue = recordedPipe(event.source);
    line.name = "BAR";
    line.detail = "PIPE:" + recordedPipe(event.source, true);
    return line;
  }
  bool set = operation.kind == timing::Operation::Kind::Set;
  line.queue = recordedPipe(set ? event.source : event.destination);
  line.name = set ? "SET_FLAG" : "WAIT_FLAG";
  line.detail = "PIPE:" + recordedPipe(event.source, true) + ", TRIGGER PIPE:" + recordedPipe(event.destination, true) +
                ", FLAG ID:" + std::to_string(event.id) + ",";
  return line;
}

/// Of a run without skipped iterations.
inline std::vector<RecordedInstruction> recordRun(const timing::KernelTiming &timing) {
  timing::EngineOptions options;
  options.record = true;
  timing::Timing run = timing::runEngine(timing.plan(), options);
  std::vector<timing::SyncSpan> spans = timing::syncSpans(timing.plan(), run);
  std::map<const Statement *, std::uint64_t> addresses;
  std::vector<RecordedInstruction> lines;
  for (std::size_t i = 0; i < timing.plan().operations.size(); ++i) {
    const timing::Operation &operation = timing.plan().operations[i];
    const timing::Slice &slice = run.slices[i];
    const Statement *statement = timing.trace().events[operation.event].statement;
    if (operation.kind == timing::Operation::Kind::Fence)
      continue; // the scalar unit's
    if (operation.kind == timing::Operation::Kind::Get || operation.kind == timing::Operation::Kind::Release)
      continue; // no profile is known that names them
    bool work = operation.kind == timing::Operation::Kind::Work;
    RecordedInstruction line;
    if (work) {
      line.queue = recordedPipe(operation.pipe);
      line.name = "HW_" + std::get<Instruction>(statement->action).name;
      line.detail = "dst, src";
    } else {
      line = recordedSync(timing, operation);
    }
    line.address = addresses.try_emplace(statement, 0x10f86000 + 4 * addresses.size()).first->second;
    line.end = static_cast<std::uint64_t>(std::llround(1000 + (work ? slice.finish : spans[i].end)));
    line.start = static_cast<std::uint64_t>(std::llround(1000 + (work ? slice.start : spans[i].start)));
    lines.push_back(line);
  }
  return lines;
}

inline std::string logText(std::vector<RecordedInstruction> lines, bool ends) {
  auto tick = [&](const RecordedInstruction &line) { return ends ? line.end : line.start; };
  std::stable_sort(lines.begin(), lines.end(), [&](const auto &a, const auto &b) { return tick(a) < tick(b); });
  std::string text;
  char head[96];
  for (const RecordedInstruction &line : lines) {
    std::snprintf(head, sizeof head, "[info] [%08llu] (PC: 0x%llx) ", static_cast<unsigned long long>(tick(line)),
                  static_cast<unsigned long long>(line.address));
    text += head + line.queue + " : (Binary: 0x0) " + line.name + " " + line.detail + "\n";
  }
  return text;
}

inline std::string withoutBlanks(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

inline std::string csvText(const std::vector<RecordedInstruction> &lines, double clockMHz = 1850) {
  std::map<std::uint64_t, std::pair<RecordedInstruction, std::pair<int, std::uint64_t>>> byAddress;
  for (const RecordedInstruction &line : lines) {
    auto &entry = byAddress[line.address];
    entry.first = line;
    ++entry.second.first;
    entry.second.second += line.end - line.start;
  }
  std::string text = "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";
  for (const auto &[address, entry] : byAddress)
    text += entry.first.name + "," + std::to_string(address) + "," + entry.first.queue + "," +
            std::to_string(entry.second.first) + "," + std::to_string(entry.second.second) + "," +
            std::to_string(static_cast<double>(entry.second.second) / clockMHz) + ",\"" +
            withoutBlanks(entry.first.detail) + "\"\n";
  return text;
}

/// A text with a few bytes changed, doubled or left out, or cut; the same for the same seed.
inline std::string mutatedText(std::string text, std::uint64_t seed) {
  auto next = [&](std::size_t below) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return below ? static_cast<std::size_t>((seed >> 33) % below) : 0;
  };
  for (std::size_t changes = 1 + next(4); changes > 0 && !text.empty(); --changes) {
    std::size_t at = next(text.size());
    switch (next(5)) {
    case 0: text[at] = static_cast<char>(next(256)); break;
    case 1: text.erase(at, 1 + next(40)); break;
    case 2: text.insert(at, text.substr(next(text.size()), next(60))); break;
    case 3: text[at] = "0123456789[]{}(),:\"\n"[next(20)]; break;
    default: text.resize(at);
    }
  }
  return text;
}

/// The raw logs of a run, read again.
inline timing::CoreProfile profileOfRun(const timing::KernelTiming &timing) {
  std::vector<RecordedInstruction> lines = recordRun(timing);
  std::istringstream starts(logText(lines, false)), ends(logText(lines, true));
  return llvm::cantFail(timing::readInstrLogs(starts, "starts.dump", ends, "ends.dump", "core0.veccore0",
                                              llvm::cantFail(timing::ProfileNames::builtIn())));
}

/// Barriers and sets with their last cycle alone, as the recorder has them. `core` empty: of one core, pipes as
/// numbers.
inline std::string traceText(const std::vector<RecordedInstruction> &lines, const std::string &core,
                             double clockMHz = 1850) {
  static const std::map<std::string, int> kNumbers = {{"SCALAR", 10}, {"VECTOR", 30}, {"CUBE", 40}, {"MTE1", 50},
                                                      {"MTE2", 60},   {"MTE3", 70},   {"FIXP", 80}, {"ALL", 100}};
  std::string text = "{\"profilingType\":\"op\",\"schemaVersion\":" + std::string(core.empty() ? "1" : "2") +
                     ",\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  int id = 0;
  for (const RecordedInstruction &line : lines) {
    bool flag = line.name == "SET_FLAG" || line.name == "WAIT_FLAG";
    std::uint64_t start = line.name == "SET_FLAG" || line.name == "BAR" ? line.end - 1 : line.start;
    auto microseconds = [&](std::uint64_t ticks) {
      char number[40];
      std::snprintf(number, sizeof number, "%.9g", static_cast<double>(ticks) / clockMHz);
      return std::string(number);
    };
    std::string common = "{\"name\":\"" + line.name +
                         "\",\"pid\":" + (core.empty() ? std::to_string(kNumbers.at(line.queue)) : "\"" + core + "\"") +
                         ",\"tid\":\"" + line.queue + "\",\"args\":{\"detail\":\"" + withoutBlanks(line.detail) + "\"}";
    text += id++ ? "," : "";
    if (flag && !core.empty())
      text += common + ",\"ph\":\"B\",\"id\":\"" + std::to_string(id) + "\",\"ts\":" + microseconds(start) + "}," +
              common + ",\"ph\":\"E\",\"id\":\"" + std::to_string(id) + "\",\"ts\":" + microseconds(line.end) + "}";
    else
      text +=
          common + ",\"ph\":\"X\",\"ts\":" + microseconds(start) + ",\"dur\":" + microseconds(line.end - start) + "}";
  }
  return text + "]}";
}

} // namespace ptosync::test
