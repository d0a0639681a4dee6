#include "aliasing/alias_kernel.h"

#include <algorithm>

namespace ptosync::aliasing {
namespace {

using fuzz::RandomSource;

const std::array<std::string, 3> kArguments = {"p", "q", "r"};

std::string hex(std::uint64_t value) {
  static const char *const digits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), digits[value % 16]);
    value /= 16;
  } while (value != 0);
  return "0x" + text;
}

/// What the two accesses are; the scalar unit's is one number.
enum class Pair : std::uint8_t { StoreStore, StoreLoad, LoadStore, ScalarLoad };

class Maker {
public:
  Maker(std::uint64_t seed, std::string name) : random(seed), name(std::move(name)) {}

  AliasKernel make() {
    pair = static_cast<Pair>(random.below(4));
    const std::int64_t kind = random.below(10);
    if (kind < 3)
      makeIdentity();
    else if (kind < 5)
      makeRelated();
    else if (kind < 6)
      random.chance(60) ? makeFar() : makeGiven();
    else if (kind < 9)
      makeApart();
    else
      makeRandom();
    return std::move(kernel);
  }

private:
  // Numbers.

  static Number constant(std::int64_t value) {
    return {value < 0 ? "(uint64_t)(" + std::to_string(value) + ")" : std::to_string(value) + "ull",
            [value](const World &) { return static_cast<std::uint64_t>(value); }};
  }
  static Number address(std::size_t argument) {
    return {"(uint64_t)" + kArguments[argument], [argument](const World &world) { return world.begin[argument]; }};
  }
  static Number n() {
    return {"(uint64_t)n", [](const World &world) { return static_cast<std::uint64_t>(std::int64_t{world.n}); }};
  }
  static Number m() {
    return {"(uint64_t)m", [](const World &world) { return static_cast<std::uint64_t>(world.m); }};
  }
  static Number loaded(std::int64_t at) {
    return {"(uint64_t)w[" + std::to_string(at) + "]", [at](const World &world) {
              return static_cast<std::uint64_t>(world.memory[static_cast<std::size_t>(at)]);
            }};
  }

  static Number combined(const Number &a, const std::string &op, const Number &b,
                         std::uint64_t (*apply)(std::uint64_t, std::uint64_t)) {
    return {"(" + a.text + " " + op + " " + b.text + ")",
            [a, b, apply](const World &world) { return apply(a.value(world), b.value(world)); }};
  }
  static Number sum(const Number &a, const Number &b) {
    return combined(a, "+", b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
  }
  static Number difference(const Number &a, const Number &b) {
    return combined(a, "-", b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
  }
  static Number product(const Number &a, std::int64_t factor) {
    return combined(a, "*", constant(factor), [](std::uint64_t x, std::uint64_t y) { return x * y; });
  }
  static Number quotient(const Number &a, std::int64_t divisor) {
    return combined(a, "/", constant(divisor), [](std::uint64_t x, std::uint64_t y) { return x / y; });
  }
  static Number remainder(const Number &a, std::int64_t divisor) {
    return combined(a, "%", constant(divisor), [](std::uint64_t x, std::uint64_t y) { return x % y; });
  }
  static Number shiftedRight(const Number &a, std::int64_t by) {
    return combined(a, ">>", constant(by), [](std::uint64_t x, std::uint64_t y) { return x >> y; });
  }
  static Number shiftedLeft(const Number &a, std::int64_t by) {
    return combined(a, "<<", constant(by), [](std::uint64_t x, std::uint64_t y) { return x << y; });
  }
  static Number conjunction(const Number &a, std::uint64_t mask) {
    const Number bits{hex(mask) + "ull", [mask](const World &) { return mask; }};
    return combined(a, "&", bits, [](std::uint64_t x, std::uint64_t y) { return x & y; });
  }
  static Number either(const Number &a, const Number &b) {
    return combined(a, "|", b, [](std::uint64_t x, std::uint64_t y) { return x | y; });
  }
  static Number exclusive(const Number &a, const Number &b) {
    return combined(a, "^", b, [](std::uint64_t x, std::uint64_t y) { return x ^ y; });
  }
  static Number wrapped(
      const std::string &before, const Number &a, const std::string &behind,
      std::uint64_t (*apply)(std::uint64_t) = [](std::uint64_t x) { return x; }) {
    return {before + a.text + behind, [a, apply](const World &world) { return apply(a.value(world)); }};
  }

  std::string fresh(const std::string &stem) { return stem + std::to_string(++names); }
  void statement(const std::string &text) { prelude += "  " + text + "\n"; }

  /// A number that is not made from an address and that no form below depends on.
  Number plainNumber() {
    switch (random.below(4)) {
    case 0: return constant(4 * random.below(512));
    case 1: return product(n(), 4 * random.between(1, 64));
    case 2: return product(m(), 4 * random.between(1, 64));
    default: return product(loaded(random.below(4)), 4);
    }
  }

  /// The same number in another way that does not compute: through something that holds it.
  Number carried(const Number &value) {
    const std::string x = fresh("x");
    auto named = [&](const std::string &text) { return Number{text, value.value}; };
    switch (random.below(32)) {
    case 20: statement("kept = " + value.text + ";"); return named("kept");
    case 21: statement("uint64_t " + x + "; putNumber(&" + x + ", " + value.text + ");"); return named(x);
    case 22: statement("uint64_t " + x + "; setNumber(" + x + ", " + value.text + ");"); return named(x);
    case 23:
      statement("Parts " + x + " = {" + value.text + " & 0xffffff, " + value.text + " >> 24};");
      return named("((uint64_t)" + x + ".high << 24 | (uint64_t)" + x + ".low)");
    case 24: statement("Held " + x + " = held(" + value.text + ");"); return named(x + ".number");
    case 25:
      statement("__gm__ float *" + x + "[2] = {(__gm__ float *)(" + value.text + "), (__gm__ float *)(" + value.text +
                ")};");
      return named("(uint64_t)" + x + "[n & 1]");
    case 26:
      statement("uint64_t " + x + " = 0;");
      statement("switch (n) { case 0: " + x + " = " + value.text + "; break; default: " + x + " = " + value.text +
                "; }");
      return named(x);
    case 27: {
      const std::string cell = std::to_string(random.between(4, 7));
      statement("__atomic_store_n(&w[" + cell + "], (int64_t)(" + value.text + "), __ATOMIC_RELAXED);");
      return named("(uint64_t)w[" + cell + "]");
    }
    case 28:
      statement("uint64_t " + x + " = 0;");
      statement("for (uint64_t i = 0; i < (" + value.text + ") >> 40; ++i) " + x + " += 1ull << 40;");
      statement(x + " |= " + value.text + " & 0xffffffffffull;");
      return named(x);
    case 29: return named("(uint64_t)((__gm__ float *)0 + (" + value.text + ") / 4)");
    case 30:
      statement("uint8_t " + x + "[8];");
      statement("for (int32_t i = 0; i < 8; ++i) " + x + "[i] = (uint8_t)((" + value.text + ") >> (8 * i));");
      return named("numberOf(" + x + ")");
    case 31:
      statement("G " + x + "((__gm__ float *)(" + value.text + "));");
      return named("(uint64_t)" + x + ".data()");
    case 0: statement("uint64_t " + x + " = " + value.text + ";"); return named(x);
    case 1: return wrapped("(uint64_t)(int64_t)(", value, ")");
    case 2: return wrapped("(uint64_t)(__gm__ float *)(", value, ")");
    case 3: return wrapped("sameNumber(", value, ")");
    case 4:
      statement("union { uint64_t whole; uint32_t half[2]; } " + x + ";");
      statement(x + ".whole = " + value.text + ";");
      return named(random.chance(50) ? x + ".whole"
                                     : "(((uint64_t)" + x + ".half[1] << 32) | (uint64_t)" + x + ".half[0])");
    case 5:
      statement("uint64_t " + x + " = 0, from" + x + " = " + value.text + ";");
      statement("__builtin_memcpy(&" + x + ", &from" + x + ", 8);");
      return named(x);
    case 6: {
      const std::string cell = std::to_string(random.between(4, 7));
      statement("w[" + cell + "] = (int64_t)(" + value.text + ");");
      statement("uint64_t " + x + " = (uint64_t)w[" + cell + "];");
      return named(x);
    }
    case 7: {
      statement("uint64_t " + x + "[2];");
      statement(x + "[n & 1] = " + value.text + ";");
      return named(x + "[n & 1]");
    }
    case 8: return named("(n > 2 ? " + value.text + " : " + value.text + " + 0)");
    case 9:
      statement("uint64_t " + x + " = 0;");
      statement("if (n > 2) " + x + " = " + value.text + "; else " + x + " = " + value.text + ";");
      return named(x);
    case 10: return wrapped("(uint64_t)(double)(", value, ")");
    case 11:
      statement("struct { int32_t other; uint64_t number; } " + x + ";");
      statement(x + ".number = " + value.text + ";");
      return named(x + ".number");
    case 12: statement("auto " + x + " = [&]() { return " + value.text + "; };"); return named(x + "()");
    case 13:
      statement("uint64_t held" + x + " = " + value.text + "; uint64_t &" + x + " = held" + x + ";");
      return named(x);
    case 14:
      statement("__gm__ float *" + x + " = (__gm__ float *)(" + value.text + ");");
      return named(random.chance(50) ? "(uint64_t)" + x : "*(uint64_t *)&" + x);
    case 15:
      statement("uint64_t " + x + " = 0;");
      statement("for (int32_t b = 0; b < 48; ++b) if (((" + value.text + ") >> b) & 1) " + x + " |= 1ull << b;");
      return named(x);
    case 16:
      statement("uint64_t " + x + " = 0;");
      statement("for (int32_t b = 0; b < 12; ++b) " + x + " |= ((" + value.text + ") >> (4 * b) & 15) << (4 * b);");
      return named(x);
    case 17: return wrapped("(uint64_t)(unsigned __int128)(", value, ")");
    case 18: return named("({ uint64_t " + x + " = " + value.text + "; " + x + "; })");
    default: statement("volatile uint64_t " + x + " = " + value.text + ";"); return named(x);
    }
  }

  /// The same address by an identity; `other` is any number, a multiple of 4.
  Number rewritten(const Number &x, const Number &other) {
    switch (random.below(16)) {
    case 0: return sum(other, difference(x, other));
    case 1: return sum(other, product(quotient(difference(x, other), 4), 4));
    case 2: return sum(other, shiftedLeft(shiftedRight(difference(x, other), 2), 2));
    case 3: return exclusive(exclusive(x, other), other);
    case 4: return either(conjunction(x, 0xffff), conjunction(x, ~std::uint64_t{0xffff}));
    case 5: return wrapped("~(~(", x, "))");
    case 6: return shiftedRight(shiftedLeft(x, 8), 8);
    case 7:
      return either(wrapped("(uint64_t)(uint32_t)(", x, ")", [](std::uint64_t a) { return a & 0xffffffffu; }),
                    shiftedLeft(shiftedRight(x, 32), 32));
    case 8: return difference(product(x, 2), x);
    case 9: return difference(product(quotient(sum(x, other), 4), 4), other);
    case 10: return difference(other, difference(other, x));
    case 11:
      return {"(uint64_t)((__gm__ float *)(" + other.text + ") + ((__gm__ float *)(" + x.text +
                  ") - (__gm__ float *)(" + other.text + ")))",
              x.value};
    case 12: return sum(product(quotient(x, 64), 64), remainder(x, 64));
    case 13:
      return {"(uint64_t)((__gm__ char *)(" + x.text + ") + (" + other.text + ") - (int64_t)(" + other.text + "))",
              x.value};
    case 14: {
      const std::string d = fresh("d");
      statement("int64_t " + d + " = (__gm__ float *)(" + x.text + ") - (__gm__ float *)(" + other.text + ");");
      return {"(uint64_t)((__gm__ float *)(" + other.text + ") + " + d + ")", x.value};
    }
    default: return sum(difference(x, other), other);
    }
  }

  // Kernels.

  /// `p + a`, as kernels write it.
  Number plainPlace(std::size_t argument, std::int64_t elements) {
    const std::string &base = kArguments[argument];
    const std::string text = elements == 0 && random.chance(50) ? base
                             : random.chance(50)                ? base + " + " + std::to_string(elements)
                                                                : "&" + base + "[" + std::to_string(elements) + "]";
    return {text, [argument, elements](const World &world) {
              return world.begin[argument] + static_cast<std::uint64_t>(4 * elements);
            }};
  }

  static std::string pointer(const Number &number) { return "(__gm__ float *)(" + number.text + ")"; }

  void finish(const std::string &first, const std::string &second, const std::string &between = {}) {
    static const std::string kHead =
        "(__gm__ float *p, __gm__ float *q, __gm__ float *r, __gm__ int64_t *w, int32_t n, "
        "int64_t m) {\n"
        "  T t; TASSIGN(t, (uint64_t)0);\n  T u; TASSIGN(u, (uint64_t)8192);\n";
    const std::string a = "G a(" + first + ");", b = "G b(" + second + ");";
    std::string body;
    switch (pair) {
    case Pair::ScalarLoad:
      body = "  *(" + first + ") = 1.0f;\n" + between +
             "  set_flag(PIPE_S, PIPE_MTE2, EVENT_ID0); // sync\n"
             "  wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID0); // sync\n  TLOAD(u, b);\n";
      break;
    case Pair::StoreStore:
      body = "  TSTORE(a, t);\n" + between + "  pipe_barrier(PIPE_MTE3); // sync\n  TSTORE(b, u);\n";
      break;
    case Pair::StoreLoad:
      body = "  TSTORE(a, t);\n" + between +
             "  set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // sync\n"
             "  wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0); // sync\n  TLOAD(u, b);\n";
      break;
    case Pair::LoadStore:
      body = "  TLOAD(t, a);\n" + between +
             "  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // sync\n"
             "  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0); // sync\n  TSTORE(b, u);\n";
    }
    kernel.text = "extern \"C\" __global__ AICORE void " + name + kHead + prelude + "  " + a + "\n  " + b + "\n" +
                  body + "  ptoas_auto_sync_tail();\n}\n";
  }

  /// Worlds in which the arguments are tensors of their own; `together`: two of them may be one buffer.
  template <typename Visit> void forEachWorld(bool together, Visit visit) {
    RandomSource worlds(random.next());
    for (int i = 0; i < 200; ++i) {
      World world;
      std::uint64_t place = 0x12c0c0000000ull + 512 * static_cast<std::uint64_t>(worlds.below(1000));
      std::array<std::size_t, 3> order = {0, 1, 2};
      std::swap(order[0], order[static_cast<std::size_t>(worlds.below(3))]);
      std::swap(order[1], order[static_cast<std::size_t>(worlds.between(1, 2))]);
      for (std::size_t one : order) {
        world.begin[one] = place;
        place += 512 * static_cast<std::uint64_t>(worlds.between(2000, 3000)); // longer than any index is far
      }
      if (together)
        world.begin[static_cast<std::size_t>(worlds.below(3))] =
            world.begin[static_cast<std::size_t>(worlds.below(3))] + 64 * static_cast<std::uint64_t>(worlds.below(3));
      world.n = static_cast<std::int32_t>(worlds.below(6));
      world.m = worlds.below(6);
      for (std::int64_t &cell : world.memory)
        cell = worlds.below(6);
      visit(world);
    }
  }

  bool meet(std::uint64_t a, std::uint64_t b) const {
    const auto apart = static_cast<std::int64_t>(a - b);
    return apart < kBytes && apart > -(pair == Pair::ScalarLoad ? 4 : kBytes);
  }

  bool everMeet(const Number &a, const Number &b, bool together) {
    bool found = false;
    forEachWorld(together, [&](const World &world) { found = found || meet(a.value(world), b.value(world)); });
    return found;
  }

  void makeIdentity() {
    const auto argument = static_cast<std::size_t>(random.below(3));
    const std::int64_t begin = 64 * random.below(4);
    const Number first = plainPlace(argument, begin + (pair == Pair::ScalarLoad ? 128 : 64 * random.below(2)));
    Number place = sum(address(argument), constant(4 * begin));
    const std::int64_t steps = random.between(1, 3);
    for (std::int64_t i = 0; i < steps; ++i) {
      if (random.chance(40)) {
        place = carried(place);
        continue;
      }
      Number other = random.chance(60) ? address(static_cast<std::size_t>(random.below(3))) : plainNumber();
      if (random.chance(30))
        other = carried(other);
      place = rewritten(place, other);
    }
    kernel.expected = Expected::Meets;
    kernel.form = "identity";
    kernel.shown = everMeet(first, place, false);
    finish(first.text, pointer(place));
  }

  /// Two arguments, and something that says that they may be one buffer.
  void makeRelated() {
    auto a = static_cast<std::size_t>(random.below(2)), b = static_cast<std::size_t>(random.between(1, 2));
    if (a == b)
      b = 2;
    const Number first = plainPlace(a, 192), second = plainPlace(b, 64 * random.below(4));
    const std::string x = kArguments[a], y = kArguments[b], v = fresh("v");
    const std::string u = "(uint64_t)" + x, w = "(uint64_t)" + y;
    const std::vector<std::string> signs = {
        "if (" + x + " == " + y + ") n += 1;",
        "if (" + x + " + 512 > " + y + ") n += 1;",
        "int64_t " + v + " = " + x + " - " + y + "; if (" + v + " > 0) n += 1;",
        "bool " + v + " = " + u + " < " + w + "; n += " + v + ";",
        "if (overlap(" + x + ", " + y + ")) n += 1;",
        "__gm__ float *" + v + " = " + x + " < " + y + " ? " + x + " : " + y + ";",
        "__gm__ float *" + v + " = lowerOf(" + x + ", " + y + ");",
        "if ((" + u + " ^ " + w + ") == 0) n += 1;",
        "if (" + u + " >> 9 == " + w + " >> 9) n += 1;",
        "while (" + x + " + 64 * n < " + y + ") n += 1;",
        "switch (" + x + " == " + y + ") { case true: n += 1; break; default: break; }",
        "(" + x + " == " + y + ") ? (void)(n += 1) : (void)0;",
        "if (MEETS(" + x + ", " + y + ")) n += 1;",
        "if (!(" + x + " != " + y + ")) n += 1;",
        "if (" + x + " <= " + y + " && " + y + " < " + x + " + 64) n += 1;",
        "(void)(" + x + " == " + y + ");",
        "uint64_t " + v + "[2] = {" + u + ", " + w + "}; if (" + v + "[0] == " + v + "[1]) n += 1;",
        "struct { uint64_t one, two; } " + v + " = {" + u + ", " + w + "}; if (" + v + ".one == " + v + ".two) n += 1;",
        "auto " + v + " = [&](__gm__ float *o) { return o == " + x + "; }; if (" + v + "(" + y + ")) n += 1;",
        "if ((float)(int64_t)(" + u + " - " + w + ") < 1.0f) n += 1;",
        "if ((__gm__ char *)" + x + " == (__gm__ char *)" + y + ") n += 1;",
        "uint32_t " + v + " = (uint32_t)" + u + "; if (" + v + " == (uint32_t)" + w + ") n += 1;",
        "if (" + u + " < (uint64_t)m) n += 1;",
        "for (__gm__ float *c = " + x + "; c != " + y + "; c += 64) n += 1;",
        "const bool same = " + x + " == " + y + "; if (same) { n += 1; }",
        "__gm__ float *" + v + " = nullptr; if (n > 2) " + v + " = " + x + "; if (" + v + " == " + y + ") n += 1;",
        "int32_t " + v + "[4] = {0, 1, 2, 3}; n += " + v + "[(" + u + " >> 9) & 3];",
    };
    const std::string sy = b == 1 ? "a + 64" : "b", sz = b == 1 ? "b" : "a + 64";
    // Arguments p, q, r of which the two share `a`.
    auto given = [&](const std::string &base, const std::string &moved, const std::string &other) {
      std::array<std::string, 3> list = {other, other, other};
      list[a] = base;
      list[b] = moved;
      return list[0] + ", " + list[1] + ", " + list[2] + ", w, 1, 2";
    };
    const std::string go = "go_" + name, launch = name + "<<<1, nullptr, s>>>";
    const std::string types = "(float *a, float *b, int64_t *w, void *s)";
    const std::vector<std::string> launches = {
        "void " + go + types + " { " + launch + "(" + given("a", "a + 64", "b") + "); }\n",
        "void " + go + types + " { " + launch + "(" + given("a", "a", "b") + "); }\n",
        "void " + go + types + " { float *c = a + 64; " + launch + "(" + given("a", "c", "b") + "); }\n",
        "void " + go + types + " { float *c; c = a; c += 64; " + launch + "(" + given("c", "a", "b") + "); }\n",
        "void in_" + go + "(float *x, float *y, float *z, int64_t *w, void *s) { " + launch +
            "(x, y, z, w, 1, 2); }\n" + "void " + go + types + " { in_" + go + "(" +
            given("a", "a + 64", "b").substr(0, given("a", "a + 64", "b").size() - 6) + ", s); }\n",
        "#define LAUNCH_" + name + "(x, y) " + launch + "(" + given("x", "y", "b") + ")\nvoid " + go + types +
            " { LAUNCH_" + name + "(a, a + 64); }\n",
        "void " + go + types + " { auto run = [&](float *x, float *y) { " + launch + "(" + given("x", "y", "b") +
            "); }; run(a, a + 64); }\n",
        "void " + go + types + " { ACLRT_LAUNCH_KERNEL(" + name + ")(1, s, " +
            given("(float *)a", "(float *)(a + n)", "b") + "); }\n",
        "struct C_" + name + " { float *in; };\nvoid " + go + "(C_" + name + " *c, float *b, int64_t *w, void *s) { " +
            launch + "(" + given("c->in", "c->in + 64", "b") + "); }\n",
        "void " + go + types + " { " + launch + "(" + given("&a[0]", "&a[64]", "b") + "); }\n",
        "void " + go + types + " { " + launch + "(" +
            given("a", "reinterpret_cast<float *>(reinterpret_cast<char *>(a) + 256)", "b") + "); }\n",
    };
    kernel.expected = Expected::Meets;
    kernel.shown = everMeet(first, second, true);
    if (random.chance(30)) {
      kernel.behind = random.pick(launches);
      kernel.form = "launch: " + kernel.behind;
      if (kernel.behind.find("ACLRT") != std::string::npos)
        kernel.behind = "int n;\n#define ACLRT_LAUNCH_KERNEL(k) aclrt_##k\n" + kernel.behind;
      finish(first.text, second.text);
      return;
    }
    const std::string sign = random.pick(signs);
    kernel.form = "related: " + sign;
    const std::string line = "  " + sign + "\n";
    if (random.chance(50)) {
      prelude += line;
      finish(first.text, second.text);
    } else {
      finish(first.text, second.text, line);
    }
  }

  /// A pointer that comes from outside, or one of a few.
  void makeGiven() {
    const auto a = static_cast<std::size_t>(random.below(3)), b = (a + 1) % 3;
    const std::string &x = kArguments[a], &y = kArguments[b];
    const std::string v = fresh("v");
    const std::vector<std::string> forms = {
        "((__gm__ float *__gm__ *)w)[n]",
        "(__gm__ float *)w[n]",
        "*((__gm__ float *__gm__ *)w + 2)",
        "(__gm__ float *)m",
        "(n > 2 ? " + x + " : " + y + ")",
        v,
        v + "[n & 1]",
        "(__gm__ float *)(" + v + "[n & 1])",
        "(__gm__ float *)((uint64_t)" + y + " + (uint64_t)(w[n] - w[1]) + ((uint64_t)" + x + " - (uint64_t)" + y + "))",
        y + " + ((__gm__ float *)w[0] - (__gm__ float *)w[1])",
    };
    const auto which = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(forms.size())));
    if (which == 5) {
      statement("__gm__ float *" + v + " = " + y + ";");
      statement(random.chance(50) ? "if (n > 2) " + v + " = " + x + ";"
                                  : "for (int32_t i = 0; i < n; ++i) { __gm__ float *o = " + v + "; " + v +
                                        " = i % 2 ? o : " + x + "; }");
    } else if (which == 6) {
      statement("__gm__ float *" + v + "[2] = {" + y + ", " + x + "};");
    } else if (which == 7) {
      statement("uint64_t " + v + "[2] = {(uint64_t)" + y + ", (uint64_t)" + x + "};");
    }
    kernel.expected = Expected::Meets;
    kernel.form = "given: " + forms[which];
    kernel.shown = true; // by what memory or the caller may hold
    finish(plainPlace(a, 64 * random.below(4)).text, forms[which]);
  }

  /// The other mapping of a page.
  void makeFar() {
    const auto a = static_cast<std::size_t>(random.below(3)), b = static_cast<std::size_t>(random.below(3));
    const std::string &y = kArguments[b], f = fresh("f"), far = std::to_string(kFarAway);
    const std::vector<std::string> forms = {
        "(__gm__ float *)((uint64_t)" + y + " + " + far + ")",
        y + " + " + std::to_string(kFarAway / 4),
        "&" + y + "[" + std::to_string(kFarAway / 4) + "]",
        "(__gm__ float *)((uint64_t)" + y + " + (1ull << 43))",
        "(__gm__ float *)((uint64_t)" + y + " + kFar)",
        "(__gm__ float *)((uint64_t)" + y + " + FAR_AWAY + 4 * (uint64_t)n)",
        "(__gm__ float *)((uint64_t)" + y + " - " + far + ")",
        "(__gm__ float *)((uint64_t)" + y + " + (uint64_t)n * " + far + ")",
        "(__gm__ float *)((uint64_t)" + y + " + (n > 2 ? " + far + " : 0))",
        "(__gm__ float *)((uint64_t)" + y + " + ((uint64_t)(n > 2) << 43))",
        "(__gm__ float *)((int64_t)" + y + " + " + far + ")",
        "(__gm__ float *)((uint64_t)" + y + " | " + far + ")",
        "(__gm__ float *)((uint64_t)" + y + " ^ " + far + ")",
        "(__gm__ float *)farPlace(" + y + ")",
        y + " + 64 * n + " + std::to_string(kFarAway / 4),
        y + " + ((int64_t)1 << 41)",
        "(__gm__ float *)((uint64_t)" + y + " + (" + far + " | (uint64_t)n * 4))",
        "(__gm__ float *)((uint64_t)" + y + " + (uint64_t)m)", // what the driver says
        "(__gm__ float *)" + f,
        y + " + " + f + "[n & 1]",
    };
    const auto which = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(forms.size())));
    if (forms[which] == "(__gm__ float *)" + f) {
      statement("uint64_t " + f + " = (uint64_t)" + y + ";");
      statement("for (int32_t i = 0; i < 8; ++i) " + f + " += 0x10000000000;");
    } else if (forms[which] == y + " + " + f + "[n & 1]") {
      statement("const int64_t " + f + "[2] = {0, " + std::to_string(kFarAway / 4) + "};");
    }
    kernel.expected = Expected::Meets;
    kernel.form = "far: " + forms[which];
    kernel.shown = true; // by the fact, not by a world
    finish(plainPlace(a, 64 * random.below(4)).text, forms[which]);
  }

  void makeApart() {
    auto a = static_cast<std::size_t>(random.below(3)), b = static_cast<std::size_t>(random.below(3));
    if (a == b)
      b = (a + 1) % 3;
    const std::string &x = kArguments[a], &y = kArguments[b], &z = kArguments[3 - a - b];
    const std::string v = fresh("v");
    const Number base = address(b);
    auto at = [&](const std::string &text, const Number &offset) {
      return std::pair<std::string, Number>{text, sum(base, offset)};
    };
    const Number n4 = product(n(), 4), n256 = product(n(), 256), w4 = product(loaded(1), 4);
    const std::vector<std::pair<std::string, Number>> forms = {
        at(y, constant(0)),
        at(y + " + 64", constant(256)),
        at(y + " + 64 * n", n256),
        at("&" + y + "[64 * n]", n256),
        at(y + " + m", product(m(), 4)),
        at(y + " + (int64_t)n * (int64_t)64", n256),
        at("(__gm__ float *)((uint64_t)" + y + " + (uint64_t)n * 4)", n4),
        at("(__gm__ float *)((int64_t)" + y + " + (int64_t)n * 4)", n4),
        at("(__gm__ float *)((uint64_t)" + y + " + 256)", constant(256)),
        at(y + " + w[1]", w4),
        at(y + " + (int32_t)w[1]", w4),
        at("(__gm__ float *)((uint64_t)" + y + " + (uint64_t)w[1] * 4)", w4),
        at("(__gm__ float *)((__gm__ char *)" + y + " + 4 * w[1])", w4),
        at(y + " + n % 4 * 64", product(remainder(n(), 4), 256)),
        at("reinterpret_cast<__gm__ float *>(" + y + ")", constant(0)),
        at("offsetBy(" + y + ", 64)", constant(256)),
        at(y + " + ((" + x + " + 128) - " + x + ")", constant(512)),
        at(y + " + (n > 2 ? 64 : 128)", {"", [](const World &world) { return world.n > 2 ? 256u : 512u; }}),
        at(v, n256),
    };
    const auto which = static_cast<std::size_t>(random.below(static_cast<std::int64_t>(forms.size())));
    if (forms[which].first == v)
      statement("__gm__ float *" + v + " = " + y + "; " + v + " += 64 * n;");
    const std::vector<std::string> harmless = {
        "if (" + x + ") n += 0;",
        "if (" + y + " == nullptr) n += 0;",
        "if (nullptr != " + x + ") n += 0;",
        "if (!" + y + ") n += 0;",
        "for (__gm__ float *c = " + x + "; c < " + x + " + 64; c += 64) n += 0;",
        "if (n > 3) n += 0;",
        "if (" + x + " == " + z + ") n += 0;", // of another one
        "if (" + z + " - " + y + " > 64) n += 0;",
        "__gm__ float *" + v + "o = n > 2 ? " + x + " : " + y + "; if (" + v + "o) n += 0;",
        "",
    };
    const std::string extra = random.pick(harmless);
    const Number first = plainPlace(a, 64 * random.below(4));
    kernel.expected = Expected::Apart;
    kernel.form = "apart: " + forms[which].first + " " + extra;
    kernel.shown = !everMeet(first, forms[which].second, false);
    if (!extra.empty())
      statement(extra);
    if (random.chance(20)) {
      kernel.behind = "void go_" + name + "(float *a, float *b, float *c, int64_t *w, void *s) { " + name +
                      "<<<1, nullptr, s>>>((float *)a, (float *)b, c, w, 1, 2); }\n";
      kernel.form += ", launched";
    }
    finish(first.text, forms[which].first);
  }

  Number anything(int depth) {
    if (depth == 0 || random.chance(15))
      return random.chance(50) ? address(static_cast<std::size_t>(random.below(3))) : plainNumber();
    const Number a = anything(depth - 1);
    switch (random.below(12)) {
    case 0: return sum(a, anything(depth - 1));
    case 1: return difference(a, anything(depth - 1));
    case 2: return product(a, random.between(1, 4));
    case 3: return quotient(a, random.between(1, 4));
    case 4: return remainder(a, 64);
    case 5: return shiftedRight(a, random.between(1, 40));
    case 6: return shiftedLeft(a, random.between(1, 40));
    case 7: return conjunction(a, 0xfffffffff0);
    case 8: return exclusive(a, anything(depth - 1));
    case 9: return rewritten(a, anything(depth - 1));
    case 10: return wrapped("(uint64_t)(uint32_t)(", a, ")", [](std::uint64_t x) { return x & 0xffffffffu; });
    default: return carried(a);
    }
  }

  void makeRandom() {
    const Number first = sum(address(static_cast<std::size_t>(random.below(3))), anything(2)), second = anything(3);
    kernel.expected = Expected::Random;
    kernel.form = "random";
    kernel.shown = true;
    finish(pointer(first), pointer(second));
  }

  RandomSource random;
  const std::string name;
  AliasKernel kernel;
  std::string prelude;
  unsigned names = 0;
  Pair pair = Pair::StoreStore;
};

} // namespace

std::string commonText() {
  return R"(#include "pto/pto-inst.hpp"
using namespace pto;
using T = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64, SLayout::NoneBox, 512, PadValue::Null, CompactMode::Null>;
using G = GlobalTensor<float, pto::Shape<1, 1, 1, 8, 64>, pto::Stride<512, 512, 512, 64, 1>, pto::Layout::ND>;
#define MEETS(one, other) ((one) == (other))
#define FAR_AWAY 0x80000000000ull
static constexpr uint64_t kFar = 0x80000000000;
static AICORE inline void ptoas_auto_sync_tail() { pipe_barrier(PIPE_ALL); }
static AICORE inline uint64_t sameNumber(uint64_t x) { return x; }
static uint64_t kept;
struct Parts { uint64_t low : 24; uint64_t high : 40; };
struct Held { int32_t other; uint64_t number; };
static AICORE inline Held held(uint64_t x) { return {1, x}; }
static AICORE inline void putNumber(uint64_t *to, uint64_t x) { *to = x; }
static AICORE inline void setNumber(uint64_t &to, uint64_t x) { to = x; }
static AICORE inline uint64_t numberOf(const uint8_t *bytes) {
  uint64_t number = 0;
  for (int32_t i = 0; i < 8; ++i) number |= (uint64_t)bytes[i] << (8 * i);
  return number;
}
static AICORE inline uint64_t farPlace(__gm__ float *x) { uint64_t y = (uint64_t)x; y += kFar; return y; }
static AICORE inline __gm__ float *offsetBy(__gm__ float *x, int64_t by) { return x + by; }
static AICORE inline bool overlap(__gm__ float *x, __gm__ float *y) { return x < y + 64 && y < x + 64; }
static AICORE inline __gm__ float *lowerOf(__gm__ float *x, __gm__ float *y) { return x < y ? x : y; }
)";
}

AliasKernel makeKernel(std::uint64_t seed, const std::string &name) { return Maker(seed, name).make(); }

} // namespace ptosync::aliasing
