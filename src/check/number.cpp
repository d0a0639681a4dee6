#include "check/number.h"

#include "check/text.h"

#include <algorithm>
#include <numeric>

namespace ptosync::check {
namespace {

constexpr Wide kFar = Wide{1} << 100;

Wide clamp(Wide value) { return std::clamp(value, -kFar, kFar); }

Range times(Range a, Wide factor) {
  Wide low = clamp(a.low * factor), high = clamp(a.high * factor);
  return {std::min(low, high), std::max(low, high)};
}

std::int64_t modulo(Wide value, std::int64_t modulus) {
  Wide rest = value % modulus;
  return static_cast<std::int64_t>(rest < 0 ? rest + modulus : rest);
}

bool narrow(Wide value, std::int64_t &into) {
  into = static_cast<std::int64_t>(value);
  return value == into;
}

} // namespace

Range IntegerType::range() const {
  return isSigned ? Range{-(Wide{1} << (bits - 1)), (Wide{1} << (bits - 1)) - 1} : Range{0, (Wide{1} << bits) - 1};
}

int Numbers::named(const std::string &name, Range range, const std::set<int> &loops, std::int64_t modulus,
                   std::int64_t remainder) {
  auto text = [](Wide value) {
    return std::to_string(static_cast<double>(value)) + ":" + std::to_string(static_cast<std::int64_t>(value));
  };
  std::string key = name + "|" + text(range.low) + "|" + text(range.high) + "|" + std::to_string(modulus) + "|" +
                    std::to_string(remainder);
  for (int loop : loops)
    key += "," + std::to_string(loop);
  auto [entry, fresh] = byKey.try_emplace(key, static_cast<int>(list.size()));
  if (fresh) {
    list.push_back({hashOf(key), range, modulus, remainder, loops, {}, {}});
    if (!names.insert(list.back().name).second)
      throw Refused{"two unknown numbers have one name"};
  }
  return entry->second;
}

Number Numbers::constant(std::int64_t value, IntegerType type) const {
  Number made;
  made.constant = value;
  made.type = type;
  return made;
}

Number Numbers::of(int unknown, IntegerType type) const {
  Number made;
  made.terms[unknown] = 1;
  made.type = type;
  return made;
}

Number Numbers::add(const Number &a, const Number &b, std::int64_t factor) const {
  Number sum = a;
  std::int64_t value = 0;
  auto put = [&](std::int64_t &into, std::int64_t more) {
    if (!narrow(Wide{into} + Wide{more} * factor, value))
      throw Refused{"a number beyond 64 bits"};
    into = value;
  };
  put(sum.constant, b.constant);
  for (auto [unknown, times] : b.terms) {
    put(sum.terms[unknown], times);
    if (sum.terms[unknown] == 0)
      sum.terms.erase(unknown);
  }
  return sum;
}

Number Numbers::scale(const Number &a, std::int64_t factor) const {
  Number zero;
  zero.type = a.type;
  return add(zero, a, factor);
}

Range Numbers::bounds(const Number &value) const {
  Range sum{value.constant, value.constant};
  for (auto [unknown, factor] : value.terms) {
    Range part = times(list[unknown].range, factor);
    sum = {clamp(sum.low + part.low), clamp(sum.high + part.high)};
  }
  return sum;
}

std::pair<std::int64_t, std::int64_t> Numbers::congruence(const Number &value) const {
  std::int64_t modulus = 0;
  Wide rest = value.constant;
  for (auto [unknown, factor] : value.terms) {
    Wide step = Wide{list[unknown].modulus} * factor;
    std::int64_t whole = 0;
    modulus = narrow(step < 0 ? -step : step, whole) ? std::gcd(modulus, whole) : 1;
    rest += Wide{list[unknown].remainder} * factor;
  }
  return {modulus, modulus == 0 ? value.constant : modulo(rest, modulus)};
}

std::pair<std::int64_t, std::int64_t> Numbers::congruence(const Number &one, const Number &other) const {
  auto [ma, ra] = congruence(one);
  auto [mb, rb] = congruence(other);
  std::int64_t distance = 0;
  if (!narrow(Wide{ra} - rb, distance) || distance == INT64_MIN)
    return {1, 0};
  std::int64_t kept = std::gcd(std::gcd(ma, mb), distance);
  kept = kept == 0 ? 1 : kept;
  return {kept, modulo(ra, kept)};
}

std::set<int> Numbers::loopsOf(const Number &value) const {
  std::set<int> loops;
  for (auto [unknown, factor] : value.terms)
    loops.insert(list[unknown].loops.begin(), list[unknown].loops.end());
  return loops;
}

std::string hashOf(const std::string &text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  static const char digits[] = "0123456789abcdef";
  std::string made;
  for (int shift = 60; shift >= 0; shift -= 4)
    made += digits[hash >> shift & 15];
  return made;
}

std::string Numbers::show(const Number &value) const {
  std::set<std::string> terms; // in an order that does not depend on their numbers
  for (auto [unknown, factor] : value.terms)
    terms.insert("+" + std::to_string(factor) + "*" + list[unknown].name);
  std::string text = std::to_string(value.constant);
  for (const std::string &term : terms)
    text += term;
  return text;
}

Number Numbers::opaque(const std::string &name, const std::vector<Number> &parts, Range range, IntegerType type,
                       std::int64_t modulus, std::int64_t remainder) {
  std::string full = name;
  std::set<int> loops;
  for (const Number &part : parts) {
    full += "(" + show(part) + ")";
    loops.merge(loopsOf(part));
  }
  Range all = type.range();
  range = {std::max(range.low, all.low), std::min(range.high, all.high)};
  if (std::int64_t only = 0; range.low == range.high && narrow(range.low, only))
    return constant(only, type);
  return of(named(full, range, loops, modulus, remainder), type);
}

Number Numbers::convert(const Number &value, IntegerType type) {
  if (type.bits == 1 && value.type.bits != 1)
    return compare("!=", value, constant(0, value.type));
  Range have = bounds(value), room = type.range();
  Number made = value;
  made.type = type;
  if (have.low >= room.low && have.high <= room.high)
    return made;
  if (value.isConstant()) {
    Wide whole = Wide{1} << type.bits, rest = Wide{value.constant} % whole;
    rest = rest < 0 ? rest + whole : rest;
    if (type.isSigned && rest > room.high)
      rest -= whole;
    if (narrow(rest, made.constant))
      return made;
    return opaque("big", {value}, {rest, rest}, type);
  }
  auto [modulus, remainder] = congruence(value);
  std::int64_t kept = type.bits < 63 ? std::gcd(modulus, std::int64_t{1} << type.bits) : (modulus & -modulus);
  Number wrapped = opaque("wrap" + std::to_string(type.bits) + (type.isSigned ? "s" : "u"), {value}, room, type, kept,
                          modulo(remainder, kept));
  Unknown &entry = list[wrapped.terms.begin()->first];
  entry.test = "wrap";
  entry.parts = {made}; // of the type that it wraps in
  return wrapped;
}

Number Numbers::negate(const Number &truth) const { return add(constant(1, truth.type), truth, -1); }

/// A truth value: decided by bounds, or an unknown that remembers what it tells.
Number Numbers::truth(const std::string &test, const std::vector<Number> &parts) {
  const IntegerType boolean{1, false};
  if (test == ">=" || test == "==") {
    Range range = bounds(parts[0]);
    auto [modulus, remainder] = congruence(parts[0]);
    if (test == ">=" ? range.low >= 0 : range.low == 0 && range.high == 0)
      return constant(1, boolean);
    if (test == ">=" ? range.high < 0 : range.low > 0 || range.high < 0 || (modulus > 0 && remainder != 0))
      return constant(0, boolean);
  }
  Number made = opaque(test, parts, {0, 1}, boolean);
  Unknown &entry = list[made.terms.begin()->first];
  entry.test = test;
  entry.parts = parts;
  return made;
}

Number Numbers::compare(const std::string &by, const Number &a, const Number &b) {
  if (by == "==")
    return truth("==", {add(a, b, -1)});
  if (by == "!=")
    return negate(compare("==", a, b));
  if (by == "<" || by == ">=") {
    Number holds = truth(">=", {add(a, b, -1)});
    return by == "<" ? negate(holds) : holds;
  }
  return compare(by == ">" ? "<" : ">=", b, a);
}

Number Numbers::divide(const Number &a, const Number &b, bool rest) {
  IntegerType type = a.type;
  Range range = bounds(a);
  const std::int64_t by = b.isConstant() ? b.constant : 0;
  std::string name = rest ? "%" : "/";
  if (by == 0 || (a.isConstant() && by == -1))
    return opaque(name, {a, b}, type.range(), type);
  if (a.isConstant())
    return constant(rest ? a.constant % by : a.constant / by, type);
  auto [modulus, remainder] = congruence(a);
  if (by < 0 || range.low < 0)
    return rest && by > 0 && remainder % by == 0 && modulus % by == 0 ? constant(0, type)
                                                                      : opaque(name, {a, b}, type.range(), type);
  if (range.high < by)
    return rest ? a : constant(0, type);
  if (rest) {
    if (modulus % by == 0)
      return constant(remainder % by, type);
    std::int64_t kept = std::gcd(modulus, by);
    return opaque(name, {a, b}, {0, by - 1}, type, kept, remainder % kept);
  }
  bool whole = a.constant % by == 0;
  for (auto [unknown, factor] : a.terms)
    whole = whole && factor % by == 0;
  if (whole) {
    Number made = a;
    made.constant /= by;
    for (auto &[unknown, factor] : made.terms)
      factor /= by;
    return made;
  }
  bool known = modulus % by == 0;
  std::int64_t kept = known ? modulus / by : 1;
  return opaque(name, {a, b}, {range.low / by, range.high / by}, type, kept, known ? remainder / by % kept : 0);
}

Number Numbers::bits(const std::string &by, const Number &a, const Number &b) {
  Range one = bounds(a), other = bounds(b);
  if (a.isConstant() && b.isConstant() && a.constant >= 0 && b.constant >= 0) {
    std::int64_t x = a.constant, y = b.constant;
    return constant(by == "&" ? x & y : by == "|" ? x | y : x ^ y, a.type);
  }
  if (by == "&" && one.low >= 0 && b.isConstant() && b.constant > 0 && b.constant < INT64_MAX &&
      ((b.constant + 1) & b.constant) == 0)
    return divide(a, constant(b.constant + 1, a.type), true);
  if (a.type.bits == 1 && by != "^")
    return truth(by == "&" ? "&&" : "||", {a, b});
  Range range = a.type.range();
  if (one.low >= 0 && other.low >= 0) {
    Wide most = 1;
    while (most <= one.high || most <= other.high)
      most *= 2;
    range = {0, by == "&" ? std::min(one.high, other.high) : most - 1};
  }
  return opaque(by, {a, b}, range, a.type);
}

Number Numbers::binary(const std::string &by, Number a, Number b) {
  const IntegerType boolean{1, false};
  if (by == "&&" || by == "||") {
    for (const auto &[one, other] : {std::pair{a, b}, std::pair{b, a}})
      if (one.isConstant())
        return (one.constant != 0) == (by == "&&") ? other : constant(by == "||", boolean);
    return truth(by, {a, b});
  }
  bool shift = by == "<<" || by == ">>";
  bool logical = a.type == boolean && b.type == boolean && (by == "&" || by == "|" || by == "^");
  auto promoted = [](IntegerType type) { return type.bits < 32 ? IntegerType{32, true} : type; };
  IntegerType left = promoted(a.type), right = promoted(b.type), type = left;
  if (!shift && (right.bits > left.bits || (right.bits == left.bits && !right.isSigned)))
    type = right;
  if (!logical) {
    a = convert(a, type);
    b = convert(b, shift ? right : type);
  }
  if (by == "<" || by == ">" || by == "<=" || by == ">=" || by == "==" || by == "!=")
    return compare(by, a, b);
  if (by == "/" || by == "%")
    return divide(a, b, by == "%");
  if (by == "&" || by == "|" || by == "^")
    return bits(by, a, b);
  if (shift) {
    if (!b.isConstant() || b.constant < 0 || b.constant > 40 || bounds(a).low < 0)
      return opaque(by, {a, b}, type.range(), type);
    Number factor = constant(std::int64_t{1} << b.constant, type);
    return by == "<<" ? binary("*", a, factor) : divide(a, factor, false);
  }
  Number exact;
  if (by == "+" || by == "-") {
    exact = add(a, b, by == "+" ? 1 : -1);
  } else if (by == "*" && (a.isConstant() || b.isConstant())) {
    exact = a.isConstant() ? scale(b, a.constant) : scale(a, b.constant);
  } else if (by == "*") {
    if (show(b) < show(a))
      std::swap(a, b);
    Range x = bounds(a), y = bounds(b);
    Wide edges[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
    bool far = std::max({-x.low, x.high, -y.low, y.high}) > (Wide{1} << 62);
    Range range =
        far ? Range{-kFar, kFar} : Range{*std::min_element(edges, edges + 4), *std::max_element(edges, edges + 4)};
    auto [ma, ra] = congruence(a);
    auto [mb, rb] = congruence(b);
    Wide step = ra == 0 && rb == 0 ? Wide{ma} * mb : std::gcd(ma, mb);
    std::int64_t kept = 1;
    if (step > (Wide{1} << 40) || !narrow(step, kept) || kept == 0)
      kept = std::max<std::int64_t>(std::gcd(ma, mb), 1);
    Range room = type.range();
    bool wraps = !(type.bits == 64 && type.isSigned) && (range.low < room.low || range.high > room.high);
    if (wraps) // by multiples of 2^bits
      kept = type.bits < 63 ? std::gcd(kept, std::int64_t{1} << type.bits) : (kept & -kept);
    return opaque(wraps ? "wrapped*" + std::to_string(type.bits) : "*", {a, b}, wraps ? room : range, type, kept,
                  modulo(Wide{ra} * rb, kept));
  } else {
    throw Refused{"the operator " + by};
  }
  exact.type = type;
  if (type.bits == 64 && type.isSigned)
    return exact; // it does not overflow
  return convert(exact, type);
}

Number Numbers::choose(const Number &condition, const Number &yes, const Number &no) {
  if (condition.isConstant())
    return condition.constant ? yes : no;
  if (yes.sameValue(no) && yes.type == no.type)
    return yes;
  Range a = bounds(yes), b = bounds(no);
  auto [modulus, remainder] = congruence(yes, no);
  Range all{std::min(a.low, b.low), std::max(a.high, b.high)};
  return opaque("?", {condition, yes, no}, all, yes.type, modulus, remainder);
}

} // namespace ptosync::check
