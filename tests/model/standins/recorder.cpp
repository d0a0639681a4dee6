#include "recorder.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace recorder {
namespace {

// On-chip memory that kernel code can reach with loads and stores lies at its real addresses, above the lowest page
// that a process may map; tensors lie behind it.
constexpr std::uint64_t kFirst = 0x10000, kUnifiedEnd = 0x80000, kGlobal = 0x10000000, kGlobalEnd = 0x20000000;
bool recording = false;
unsigned scopes = 0;

const char *name(Space space) {
  static const char *const kNames[] = {"UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "GM"};
  return kNames[static_cast<unsigned>(space)];
}

void scalar(std::uint64_t address, std::uint64_t bytes, bool write) {
  if (!recording || address >= kGlobalEnd || (address >= kUnifiedEnd && address < kGlobal))
    return;
  Space space = address < kUnifiedEnd ? Space::UB : Space::GM;
  access(scopes ? "PIPE_V" : "PIPE_S", write ? "store" : "load", {{write, space, address, address + bytes}});
}

} // namespace

void begin(const char *probe, int fill) {
  static bool mapped = false;
  if (!mapped) {
    for (auto [from, to] : {std::pair{kFirst, kUnifiedEnd}, std::pair{kGlobal, kGlobalEnd}})
      if (mmap(reinterpret_cast<void *>(from), to - from, PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_NORESERVE, -1, 0) == MAP_FAILED) {
        std::perror("no memory at the chip's addresses");
        std::exit(2);
      }
    mapped = true;
  }
  std::memset(reinterpret_cast<void *>(kFirst), fill, kUnifiedEnd - kFirst);
  std::printf("call %s\n", probe);
  recording = true;
}

void end() {
  recording = false;
  std::printf("end\n");
}

void access(const char *pipe, const char *intrinsic, const Pieces &pieces) {
  std::printf("access %s %s", pipe, intrinsic);
  for (const Piece &piece : pieces)
    std::printf(" %c %s %llu %llu", piece.write ? 'W' : 'R', name(piece.space),
                static_cast<unsigned long long>(piece.begin), static_cast<unsigned long long>(piece.end));
  std::printf("\n");
}

VectorScope::VectorScope() { ++scopes; }
VectorScope::~VectorScope() { --scopes; }

void barrier(const char *pipe) { std::printf("barrier %s\n", pipe); }

void flag(bool set, const char *source, const char *destination, std::uint64_t id) {
  std::printf("%s %s %s %llu\n", set ? "set" : "wait", source, destination, static_cast<unsigned long long>(id));
}

void signal(const char *pipe) {
  if (recording)
    std::printf("signal %s\n", pipe);
}

void await(const char *pipe) {
  if (recording)
    std::printf("await %s\n", pipe);
}

void unknown(const char *intrinsic) { std::printf("unknown %s\n", intrinsic); }

void refuse(const char *condition) { std::printf("refuse %s\n", condition); }

} // namespace recorder

// Called in front of every load and store of the probes and the library (-fsanitize-coverage=trace-loads,trace-stores).
#define HOOKS(N)                                                                                                       \
  extern "C" void __sanitizer_cov_load##N(std::uint64_t address) { recorder::scalar(address, N, false); }              \
  extern "C" void __sanitizer_cov_store##N(std::uint64_t address) { recorder::scalar(address, N, true); }
HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)
