// The part of the recording library that needs no template: the log, the memories of a run, one process a run.
//
// Each run of a kernel is a child process, so that static variables start afresh and a crash ends that run alone; what
// it had logged until then counts. Loads and stores of the scalar unit are seen by the compiler's own tracing
// (-fsanitize-coverage=trace-loads,trace-stores): those that hit an argument's memory, or the low addresses that tiles
// have, are logged with what they read.
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

constexpr std::uintptr_t kFirstMemory = 0x100000000000, kMemoryStride = 0x10000000000, kMemoryBytes = 0x10000000;
constexpr int kMemories = 16;
constexpr std::size_t kFilledBytes = 1 << 16;
constexpr std::uintptr_t kLowEnd = 0x100000;

struct Run {
  long scalars[16];
  long queries[6];
};

constexpr int kMostRuns = 16;
Run runs[kMostRuns];
const Run *current = nullptr;

char buffer[1 << 20];
std::size_t used = 0;
long eventsLeft = 0;
unsigned long results = 0;

void flush() {
  for (std::size_t done = 0; done < used;) {
    ssize_t written = write(1, buffer + done, used - done);
    if (written <= 0 && errno != EINTR)
      _exit(3);
    if (written > 0)
      done += static_cast<std::size_t>(written);
  }
  used = 0;
}

void put(const char *text) {
  std::size_t length = std::strlen(text);
  if (used + length > sizeof buffer)
    flush();
  std::memcpy(buffer + used, text, length);
  used += length;
}

void put(long value) {
  char digits[24];
  char *end = digits + sizeof digits, *at = end;
  unsigned long rest = value < 0 ? 0ul - static_cast<unsigned long>(value) : static_cast<unsigned long>(value);
  *--at = 0;
  do
    *--at = static_cast<char>('0' + rest % 10);
  while (rest /= 10);
  if (value < 0)
    *--at = '-';
  put(" ");
  put(at);
}

[[noreturn]] void finish(const char *how) {
  put("end ");
  put(how);
  put("\n");
  flush();
  _exit(0);
}

void countEvent() {
  if (--eventsLeft < 0)
    finish("full");
}

void onSignal(int signal) { finish(signal == SIGALRM ? "time" : "crash"); }

} // namespace

extern "C" {

struct RecordedOperand {
  char kind;
  const void *object;
  long value;
};

static void putCall(const char *how, const char *name, int line, const RecordedOperand *operands, int count) {
  countEvent();
  put(how);
  put(name);
  put(static_cast<long>(line));
  for (int i = 0; i < count; ++i) {
    char kind[] = {' ', operands[i].kind, 0};
    put(kind);
    const long *values = static_cast<const long *>(operands[i].object);
    int length = operands[i].kind == 'T' ? 7 : operands[i].kind == 'G' ? 12 : operands[i].kind == 'F' ? 3 : 0;
    for (int k = 0; k < length; ++k)
      put(values[k]);
    if (operands[i].kind == 'S' || operands[i].kind == 'P')
      put(operands[i].value);
  }
  put("\n");
}

void recorder_call(const char *name, int line, const RecordedOperand *operands, int count) {
  putCall("i ", name, line, operands, count);
  // These give a tile or a tensor storage of the ring.
  if (!std::strcmp(name, "TPOP") || !std::strcmp(name, "TALLOC"))
    for (int i = 0; i < count; ++i)
      if (operands[i].kind == 'T' || operands[i].kind == 'G')
        static_cast<long *>(const_cast<void *>(operands[i].object))[1] = 2;
}

void recorder_passive(const char *name, int line, const RecordedOperand *operands, int count) {
  putCall("w ", name, line, operands, count);
}

void recorder_sync(char kind, long source, long destination, long id, int line) {
  countEvent();
  char text[] = {kind, 0};
  put(text);
  for (long value : {source, destination, id, static_cast<long>(line)})
    put(value);
  put("\n");
}

long recorder_result() {
  results = results * 6364136223846793005ul + 1442695040888963407ul;
  return static_cast<long>((results >> 33) % 4);
}

long recorder_query(const char *name) {
  const char *names[] = {"get_block_idx",   "get_block_num",   "get_subblockid",
                         "get_subblocknum", "get_subblockdim", "get_coreid"};
  for (int i = 0; i < 6; ++i)
    if (!std::strcmp(name, names[i]))
      return current->queries[i];
  return 0;
}

long recorder_scalar_argument(int number) { return current->scalars[number % 16]; }
void *recorder_pointer_argument(int number) {
  return reinterpret_cast<void *>(kFirstMemory + static_cast<std::uintptr_t>(number % kMemories) * kMemoryStride +
                                  kMemoryBytes / 2);
}
static void bind(const char *kind, int number, long value) {
  put(kind);
  put(static_cast<long>(number));
  put(value);
  put("\n");
}
void recorder_bind_scalar(int number, long value) { bind("a", number, value); }
void recorder_bind_pointer(int number, const void *value) { bind("a", number, reinterpret_cast<long>(value)); }

static bool isMemory(const void *address) {
  auto at = reinterpret_cast<std::uintptr_t>(address);
  return at < kLowEnd || (at >= kFirstMemory && at < kFirstMemory + kMemories * kMemoryStride);
}

#define TRACE(bytes, type)                                                                                             \
  void __sanitizer_cov_load##bytes(const type *address) {                                                              \
    if (!isMemory(address))                                                                                            \
      return;                                                                                                          \
    countEvent();                                                                                                      \
    long value;                                                                                                        \
    {                                                                                                                  \
      type read;                                                                                                       \
      std::memcpy(&read, address, bytes);                                                                              \
      value = static_cast<long>(read);                                                                                 \
    }                                                                                                                  \
    put("l");                                                                                                          \
    put(reinterpret_cast<long>(address));                                                                              \
    put(bytes##l);                                                                                                     \
    put(value);                                                                                                        \
    put("\n");                                                                                                         \
  }                                                                                                                    \
  void __sanitizer_cov_store##bytes(const type *address) {                                                             \
    if (!isMemory(address))                                                                                            \
      return;                                                                                                          \
    countEvent();                                                                                                      \
    put("m");                                                                                                          \
    put(reinterpret_cast<long>(address));                                                                              \
    put(bytes##l);                                                                                                     \
    put("\n");                                                                                                         \
  }
TRACE(1, signed char)
TRACE(2, short)
TRACE(4, int)
TRACE(8, long)
void __sanitizer_cov_load16(const void *address) { __sanitizer_cov_load8(static_cast<const long *>(address)); }
void __sanitizer_cov_store16(const void *address) { __sanitizer_cov_store8(static_cast<const long *>(address)); }

struct RecordedCase {
  const char *name;
  void (*run)();
};

static void mapMemories() {
  for (int i = 0; i < kMemories; ++i) {
    void *begin = reinterpret_cast<void *>(kFirstMemory + static_cast<std::uintptr_t>(i) * kMemoryStride);
    void *got = mmap(begin, kMemoryBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != begin) {
      std::fprintf(stderr, "no memory at %p\n", begin);
      std::exit(2);
    }
    // Small numbers: they end up in loop bounds and indices.
    auto *words = reinterpret_cast<std::uint32_t *>(static_cast<char *>(begin) + kMemoryBytes / 2 - kFilledBytes / 2);
    std::uint32_t state = 12345 + static_cast<std::uint32_t>(i);
    for (std::size_t k = 0; k < kFilledBytes / 4; ++k) {
      state = state * 1664525 + 1013904223;
      words[k] = state >> 24 & 7 ? (state >> 20) % 5 : state >> 12;
      if (state >> 28 == 15)
        words[k] = 0xfffffff0u + (state >> 20) % 16;
    }
  }
  // Where tiles are, as far as the system lets us.
  for (std::uintptr_t from : {std::uintptr_t{0}, std::uintptr_t{0x10000}}) {
    std::uintptr_t to = from ? kLowEnd : 0x10000;
    mmap(reinterpret_cast<void *>(from), to - from, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  }
}

static void runChild(const RecordedCase &chosen, const Run &run) {
  current = &run;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGALRM})
    std::signal(signal, onSignal);
  static char stack[1 << 16];
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  sigaltstack(&alternative, nullptr);
  struct sigaction overflow = {};
  overflow.sa_handler = onSignal;
  overflow.sa_flags = SA_ONSTACK;
  sigaction(SIGSEGV, &overflow, nullptr);
  alarm(4);
  chosen.run();
  finish("done");
}

// Arguments: events per run, then one text a run: 16 scalars and 6 queries, separated by commas.
int recorder_main(int count, char **arguments, const RecordedCase *cases, int caseCount) {
  if (count < 3)
    return 2;
  long most = std::strtol(arguments[1], nullptr, 10);
  int runCount = count - 2 < kMostRuns ? count - 2 : kMostRuns;
  for (int i = 0; i < runCount; ++i) {
    char *at = arguments[2 + i];
    for (int k = 0; k < 22; ++k) {
      long value = std::strtol(at, &at, 10);
      (k < 16 ? runs[i].scalars[k] : runs[i].queries[k - 16]) = value;
      if (*at == ',')
        ++at;
    }
  }
  mapMemories();
  for (int i = 0; i < caseCount; ++i)
    for (int k = 0; k < runCount; ++k) {
      put("run ");
      put(cases[i].name);
      put(static_cast<long>(k));
      put("\n");
      flush();
      eventsLeft = most;
      pid_t child = fork();
      if (child == 0)
        runChild(cases[i], runs[k]);
      int status = 0;
      if (child < 0 || waitpid(child, &status, 0) != child)
        return 3;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        put("end crash\n");
    }
  flush();
  return 0;
}

} // extern "C"
