// Objects that stand for flags: what they set and wait for is read from their class, here one of the test's own words,
// and from the library's where that lies beside the repository.
#include "frontend/library/event_types.h"

#include "frontend/lifted.h"
#include "frontend/vendor_header.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const char *kEventClass = R"(
enum class Op { LOAD, ADD, MUL, STORE, OTHER_CORE };
template <Op O> struct PipeOf { static constexpr pipe_t pipe = PIPE_V; };
template <> struct PipeOf<Op::LOAD> { static constexpr pipe_t pipe = PIPE_MTE2; };
template <> struct PipeOf<Op::STORE> { static constexpr pipe_t pipe = PIPE_MTE3; };
struct Issued {};
template <pipe_t A, pipe_t B> struct Turn {
  static event_t take() { static int last = 0; last = (last + 1) % 4; return (event_t) last; }
};
template <typename Self, Op From, Op To, bool Taken, event_t Given> struct EventBase {
  static constexpr pipe_t from = PipeOf<From>::pipe, to = PipeOf<To>::pipe;
  const event_t number = Taken ? Turn<from, to>::take() : Given;
  EventBase() = default;
  EventBase(Issued) { Init(); }
  Self &operator=(Issued) { return Init(); }
  template <int Core = -1> Self &Init() { return self().template InitImpl<Core>(); }
  template <int Core = -1> Self &Record() { return Init<Core>(); }
  template <int Core = -1> Self &Wait() { return self().template WaitImpl<Core>(); }
private:
  Self &self() { return *static_cast<Self *>(this); }
};
template <Op From, Op To, bool Taken = true, event_t Given = EVENT_ID0>
struct Event : EventBase<Event<From, To, Taken, Given>, From, To, Taken, Given> {
  using Base = EventBase<Event, From, To, Taken, Given>;
  using Base::operator=;
  Event() = default;
  Event(Issued issued) : Base(issued) {}
  template <int Core> Event &InitImpl() {
    static_assert(From != To || From == Op::ADD, "");
    if constexpr (From == Op::OTHER_CORE)
      signal_other_core(Core);
    else if constexpr (Base::from != Base::to)
      set_flag(Base::from, Base::to, Base::number);
    return *this;
  }
  template <int Core> Event &WaitImpl() {
    if constexpr (From == Op::OTHER_CORE)
      wait_for_other_core(Core);
    else if constexpr (Base::from == Base::to)
      pipe_barrier(Base::from);
    else
      wait_flag(Base::from, Base::to, Base::number);
    return *this;
  }
};
template <typename... E> PTO_INST void WaitForEach(E &...events) { (events.Wait(), ...); }
template <typename... E> PTO_INST void TSYNC(E &...events) { WaitForEach(events...); }
template <Op O> PTO_INST void TSYNC() { TSYNC_IMPL<O>(); }
template <typename D, typename S, typename... E> PTO_INST Issued TLOAD(D &dst, S &src, E &...events) { TSYNC(events...); return {}; }
template <typename D, typename S, typename... E> PTO_INST Issued TSTORE(D &dst, S &src, E &...events) { TSYNC(events...); return {}; }
template <typename D, typename S, typename R, typename... E> PTO_INST Issued TADD(D &dst, S &a, R &b, E &...events) { TSYNC(events...); return {}; }
template <typename D, typename S, typename R, typename... E> PTO_INST Issued TMUL(D &dst, S &a, R &b, E &...events) { return {}; }
template <typename T> PTO_INST void Elsewhere(T &thing) {}
)";

std::string eventHeader() {
  std::string types = kVendorTypes;
  // In front of what calls it, as C++ wants it.
  std::string barrier = "template <Op O> PTO_INST void TSYNC_IMPL() { constexpr pipe_t pipe = PipeOf<O>::pipe; "
                        "pipe_barrier(pipe); }\n";
  std::string events = kEventClass;
  events.insert(events.find("template <typename... E> PTO_INST void WaitForEach"), barrier);
  return types + events + "}\n";
}

const char *kObjects = R"(
  Tile<TileType::Vec, float, 8, 64> a, b, c;
  TASSIGN(a, 0); TASSIGN(b, 2048); TASSIGN(c, 4096);
  using TensorShape = Shape<1, 1, 1, 8, 64>; using TensorStride = Stride<1, 1, 1, 64, 1>;
  GlobalTensor<float, TensorShape, TensorStride> x(in, TensorShape(), TensorStride()), z(out, TensorShape(), TensorStride());
)";

llvm::Expected<Module> liftWithEvents(const std::string &body, const std::string &helpers = "") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", eventHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  return liftModule(SourceText("k.cpp", kernelText(kObjects + body, helpers)), options);
}

Module withEvents(const std::string &body, const std::string &helpers = "") {
  llvm::Expected<Module> module = liftWithEvents(body, helpers);
  if (!module)
    throw std::runtime_error(llvm::toString(module.takeError()));
  return std::move(*module);
}

/// Instructions and syncs of kernel k in the order of its blocks, with the ids that are known: "TLOAD set:MTE2>V:0".
std::string orderOf(const Module &module) {
  const Kernel &kernel = kernelNamed(module, "k");
  if (!kernel.analysable)
    return "not analysable: " + kernel.reason;
  std::map<VariableId, std::optional<std::int64_t>> values;
  std::string text;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements) {
      if (auto *assign = std::get_if<Assign>(&statement.action)) {
        const Expression &value = kernel.expressions[assign->value];
        values[assign->variable] =
            value.kind == Expression::Kind::Constant ? std::optional(value.constant) : std::nullopt;
      } else if (auto *instruction = std::get_if<Instruction>(&statement.action)) {
        text += (text.empty() ? "" : " ") + instruction->name;
      } else if (auto *sync = std::get_if<Sync>(&statement.action)) {
        text += text.empty() ? "" : " ";
        std::string from(pipeName(sync->source).substr(5)), to(pipeName(sync->destination).substr(5));
        if (sync->kind == SyncKind::Barrier) {
          text += "barrier:" + from;
          continue;
        }
        const Expression &id = kernel.expressions[sync->event];
        std::optional<std::int64_t> known = id.kind == Expression::Kind::Variable   ? values[id.variable]
                                            : id.kind == Expression::Kind::Constant ? std::optional(id.constant)
                                                                                    : std::nullopt;
        text += (sync->kind == SyncKind::SetFlag ? "set:" : "wait:") + from + ">" + to + ":" +
                (known ? std::to_string(*known) : "?");
      }
    }
  return text;
}

std::string orderWith(const std::string &body, const std::string &helpers = "") {
  return orderOf(withEvents(body, helpers));
}

/// Lines whose sync goes.
std::string removedLines(const Module &module) {
  Catalogue all = llvm::cantFail(Catalogue::builtIn());
  OptimizeResult result = optimize(module, machineOf("a3"), all, {});
  std::string text;
  for (const SiteDecision &decision : result.decisions)
    if (decision.verdict == Verdict::Removed)
      text += (text.empty() ? "" : " ") + std::to_string(module.sites[decision.site].line);
  return text;
}

} // namespace

TEST_CASE("an event is set behind what gives it and waited for in front of what takes it") {
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e;\nEvent<Op::ADD, Op::STORE> f;\ne = TLOAD(a, x);\n"
                  "f = TADD(c, a, b, e);\nTSTORE(z, c, f);") ==
        "TLOAD set:MTE2>V:0 wait:MTE2>V:0 TADD set:V>MTE3:0 wait:V>MTE3:0 TSTORE");
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e = TLOAD(a, x);\ne.Wait();\nTADD(c, a, b);") ==
        "TLOAD set:MTE2>V:0 wait:MTE2>V:0 TADD");
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e;\nTLOAD(a, x);\ne.Record();\nTSYNC(e);\nTADD(c, a, b);") ==
        "TLOAD set:MTE2>V:0 wait:MTE2>V:0 TADD");
}

TEST_CASE("an event of one pipe is a barrier where it is waited for, and nothing where it is recorded") {
  CHECK(orderWith("Event<Op::ADD, Op::MUL> e;\ne = TADD(c, a, b);\nTADD(a, c, c, e);") == "TADD barrier:V TADD");
  CHECK(orderWith("TSYNC<Op::STORE>();\nTSYNC<Op::ADD>();") == "barrier:MTE3 barrier:V");
}

TEST_CASE("an event is never edited, and says what it is") {
  Module module = withEvents("Event<Op::LOAD, Op::ADD> e;\ne = TLOAD(a, x);\nTADD(c, a, b, e);\nTSYNC<Op::ADD>();");
  REQUIRE(module.sites.size() == 3);
  for (const SyncSite &site : module.sites)
    CHECK(site.protection == Protection::NotOneStatement);
  CHECK(module.sites[0].text == "set_flag of event e (line 9)");
  CHECK(module.sites[1].text == "wait_flag of event e (line 9)");
  CHECK(module.sites[2].text == "pipe_barrier of TSYNC");
  CHECK(module.source.slice(module.sites[1].range) == "e");
  CHECK(module.sites[0].namedId);
  CHECK_FALSE(module.sites[2].namedId);
  CHECK(module.unknownCalls.empty());
}

TEST_CASE("the id that a type fixes is known") {
  CHECK(orderWith("Event<Op::LOAD, Op::ADD, false, EVENT_ID3> e;\ne = TLOAD(a, x);\n"
                  "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\nwait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                  "TADD(c, a, b, e);") == "TLOAD set:MTE2>V:3 set:MTE2>V:0 wait:MTE2>V:0 wait:MTE2>V:3 TADD");
}

TEST_CASE("an id that the run gives out is unknown beside any other flag between the same pipes") {
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e, f;\ne = TLOAD(a, x);\nf = TLOAD(b, x);\nTADD(c, a, b, e, f);") ==
        "TLOAD set:MTE2>V:? TLOAD set:MTE2>V:? wait:MTE2>V:? wait:MTE2>V:? TADD");
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e;\ne = TLOAD(a, x);\nset_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n"
                  "wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\nTADD(c, a, b, e);") ==
        "TLOAD set:MTE2>V:? set:MTE2>V:0 wait:MTE2>V:0 wait:MTE2>V:? TADD");
  // Made and never used, it has taken an id all the same.
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e, f;\ne = TLOAD(a, x);\nTADD(c, a, b, e);") ==
        "TLOAD set:MTE2>V:? wait:MTE2>V:? TADD");
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e[2];\ne[0] = TLOAD(a, x);\nTADD(c, a, b, e[0]);") ==
        "TLOAD set:MTE2>V:? wait:MTE2>V:? TADD");
  CHECK(orderWith("struct Pair { Event<Op::LOAD, Op::ADD> one, two; } p;\np.one = TLOAD(a, x);\n"
                  "TADD(c, a, b, p.one);")
            .find(":0") == std::string::npos);
}

TEST_CASE("events go by reference through helpers, references and pointers, as the objects they are") {
  std::string helper =
      "template <typename T, typename E> AICORE void add(T &c, T &a, T &b, E &e) { TADD(c, a, b, e); }\n";
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e;\ne = TLOAD(a, x);\nadd(c, a, b, e);", helper) ==
        "TLOAD set:MTE2>V:0 wait:MTE2>V:0 TADD");
  CHECK(orderWith("Event<Op::LOAD, Op::ADD> e;\nauto &r = e;\nr = TLOAD(a, x);\nauto *p = &e;\np->Wait();") ==
        "TLOAD set:MTE2>V:0 wait:MTE2>V:0");
}

TEST_CASE("what is done with an event and not understood gives the kernel up") {
  auto reason = [](const std::string &body, const std::string &helpers = "") {
    std::string order = orderWith("Event<Op::LOAD, Op::ADD> e, f;\n" + body, helpers);
    return order.substr(0, order.find(':'));
  };
  CHECK(reason("Event<Op::LOAD, Op::ADD> g = e;") == "not analysable");
  CHECK(reason("(n ? e : f) = TLOAD(a, x);") == "not analysable");
  CHECK(reason("Event<Op::LOAD, Op::ADD> g[2];\ng[n] = TLOAD(a, x);") == "not analysable");
  CHECK(reason("Elsewhere(e);") == "not analysable");
  CHECK(reason("TMUL(c, a, b, e);") == "not analysable"); // its text does not say that it waits
  CHECK(reason("use(e);", "template <typename E> AICORE void use(E e) { e.Wait(); }\n") == "not analysable");
}

TEST_CASE("an event between cores is what it was: a call that nothing is known about") {
  Module module = withEvents("Event<Op::OTHER_CORE, Op::ADD, false, EVENT_ID1> e;\ne.Wait<3>();\nTADD(c, a, b);");
  CHECK(kernelNamed(module, "k").analysable);
  CHECK(module.sites.empty());
  CHECK_FALSE(module.unknownCalls.empty());
}

// The event's wait orders the load before TADD, so the flag beside it, which does the same, may go; but only where the
// event's flag cannot be that flag.
TEST_CASE("a flag between other pipes than the event's may go for the event's sake, one between the same may not") {
  std::string flag = "set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\nwait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n";
  std::string event = "Event<Op::LOAD, Op::ADD> e;\ne = TLOAD(a, x);\n";
  std::string rest = "TADD(c, a, a, e);\nset_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\nwait_flag(PIPE_V, PIPE_MTE3, "
                     "EVENT_ID0);\nTSTORE(z, c);\n";
  CHECK(removedLines(withEvents(event + flag + rest)).empty());
  // With nothing else in the way of the event: the barrier behind it goes, the order it has is the event's.
  CHECK(removedLines(withEvents(event + "TADD(c, a, a, e);\npipe_barrier(PIPE_MTE2);\n")) == "12");
  CHECK(removedLines(withEvents(event + "TADD(c, a, a);\npipe_barrier(PIPE_V);\nTADD(a, c, c);\n")).empty());
}

// A wait that another event's setting may end is no wait for the load.
TEST_CASE("no order rests on an event whose flag may be another's") {
  std::string body = "Event<Op::LOAD, Op::ADD> e, f;\ne = TLOAD(a, x);\nf = TLOAD(b, x);\nTADD(c, b, b, f);\n"
                     "pipe_barrier(PIPE_ALL);\nTADD(c, a, a);\ne.Wait();\n";
  CHECK(removedLines(withEvents(body)).empty());
}

TEST_CASE("an event that one branch alone sets is no order behind the branches") {
  std::string body = "Event<Op::LOAD, Op::ADD> e;\nTLOAD(a, x);\nif (n) {\ne.Record();\n}\npipe_barrier(PIPE_ALL);\n"
                     "if (n) {\ne.Wait();\n}\nTADD(c, a, a);\n";
  CHECK(removedLines(withEvents(body)).empty());
}
