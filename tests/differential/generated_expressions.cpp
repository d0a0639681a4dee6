// Scalar expressions whose value is defined: every one carries the interval of what it can be.
#include "differential/program_generator.h"

#include <algorithm>
#include <cctype>

namespace ptosync::differential {

using Expr = ProgramGenerator::Expr;
using Type = ProgramGenerator::Type;
using Wide = ProgramGenerator::Wide;

std::string ProgramGenerator::spell(Type type) {
  const char *names[] = {"bool",    "int8_t",   "uint8_t", "int16_t", "uint16_t",
                         "int32_t", "uint32_t", "int64_t", "uint64_t"};
  return names[type];
}
int ProgramGenerator::bitsOf(Type type) {
  const int bits[] = {1, 8, 8, 16, 16, 32, 32, 64, 64};
  return bits[type];
}
bool ProgramGenerator::isSigned(Type type) { return type == I8 || type == I16 || type == I32 || type == I64; }
Wide ProgramGenerator::lowest(Type type) { return isSigned(type) ? -(Wide{1} << (bitsOf(type) - 1)) : 0; }
Wide ProgramGenerator::highest(Type type) {
  return isSigned(type) ? (Wide{1} << (bitsOf(type) - 1)) - 1 : (Wide{1} << bitsOf(type)) - 1;
}
Type ProgramGenerator::promoted(Type type) { return bitsOf(type) < 32 ? I32 : type; }
Type ProgramGenerator::common(Type left, Type right) {
  left = promoted(left), right = promoted(right);
  if (bitsOf(left) != bitsOf(right))
    return bitsOf(left) > bitsOf(right) ? left : right;
  return isSigned(left) ? right : left;
}

namespace {

Expr full(std::string text, Type type) {
  return {std::move(text), type, ProgramGenerator::lowest(type), ProgramGenerator::highest(type)};
}

bool fits(Type type, Wide low, Wide high) {
  return low >= ProgramGenerator::lowest(type) && high <= ProgramGenerator::highest(type);
}

/// The interval of `value` after a conversion to `type`.
Expr converted(const Expr &value, Type type, std::string text) {
  if (type == ProgramGenerator::Bool)
    return {std::move(text), type, 0, 1};
  if (fits(type, value.low, value.high))
    return {std::move(text), type, value.low, value.high};
  return full(std::move(text), type);
}

} // namespace

Expr ProgramGenerator::literalOf(Type type) {
  static const std::vector<std::int64_t> kInteresting = {
      0,   1,   2,   3,   5,   7,    8,     15,    16,    31,    63,         64,           100,
      127, 128, 200, 255, 256, 1000, 32767, 32768, 65535, 65536, 0x7fffffff, 0x80000000ll, 0xffffffffll};
  std::int64_t value = random.pick(kInteresting);
  if (value > highest(type))
    value = below(std::int64_t{1} << std::min(bitsOf(type) - 1, 20));
  if (type == Bool)
    return {value & 1 ? "true" : "false", Bool, value & 1, value & 1};
  std::string suffix = type == U32 ? "u" : type == I64 ? "l" : type == U64 ? "ul" : "";
  std::string digits = chance(20) ? "0x" + [&] {
    std::string hex;
    for (std::int64_t rest = value; rest || hex.empty(); rest >>= 4)
      hex.insert(hex.begin(), "0123456789abcdef"[rest & 15]);
    return hex;
  }()
                                  : std::to_string(value);
  bool negative = isSigned(type) && value > 0 && chance(30);
  std::string text = (negative ? "-" : "") + digits + suffix;
  Wide number = negative ? -static_cast<Wide>(value) : value;
  if (bitsOf(type) < 32)
    return {"(" + spell(type) + ")(" + text + ")", type, number, number};
  return {negative ? "(" + text + ")" : text, type, number, number};
}

Expr ProgramGenerator::literal() { return literalOf(chance(70) ? I32 : anyType()); }

std::optional<ProgramGenerator::Scalar> ProgramGenerator::place(bool writable, std::optional<Type> type,
                                                                bool addressable) {
  std::vector<Scalar> fitting;
  for (const Scalar &scalar : scalars)
    if ((!writable || scalar.writable) && (!type || scalar.type == *type) && (!addressable || scalar.addressable) &&
        std::find(banned.begin(), banned.end(), scalar.group) == banned.end())
      fitting.push_back(scalar);
  if (fitting.empty())
    return std::nullopt;
  // Newer ones are what the program is about.
  std::size_t from = chance(60) && fitting.size() > 4 ? fitting.size() - 4 : 0;
  return fitting[from + static_cast<std::size_t>(below(static_cast<std::int64_t>(fitting.size() - from)))];
}

ProgramGenerator::Scalar ProgramGenerator::variable(std::optional<Type> type) {
  if (chance(75))
    if (std::optional<Scalar> found = place(true, type, true); found && found->type != Bool)
      return *found;
  Type chosen = type ? *type : anyType();
  std::string name = fresh("v");
  emit(spell(chosen) + " " + name + " = " + of(chosen) + ";");
  declare(name, chosen);
  return scalars.back();
}

std::string ProgramGenerator::load() {
  switch (below(5)) {
  case 0: return "q[" + index(64) + "]";
  case 1: return "b[" + index(128) + "]";
  case 2: return "*(q + " + index(32) + ")";
  case 3: return "w[" + index(16) + "]";
  default: return "q[" + std::to_string(below(8)) + "]";
  }
}

Expr ProgramGenerator::leaf() {
  if (hasMemory && mayLoad && chance(6)) {
    std::string text = load();
    return full(text, text[0] == 'b' ? U8 : text[0] == 'w' ? I64 : I32);
  }
  if (chance(4))
    return {chance(50) ? "get_block_idx()" : "get_subblockid()", I64, lowest(I64), highest(I64)};
  if (chance(70))
    if (std::optional<Scalar> found = place(false))
      return full(found->text, found->type);
  return literal();
}

Expr ProgramGenerator::cast(Type type, const Expr &value) {
  std::string name = spell(type);
  // `(int64_t(uint64_t(v))) & 7` would be a cast of `&7` to the type of a function.
  const bool nested = std::isalpha(static_cast<unsigned char>(value.text.front())) && value.text.back() == ')';
  const bool plain = chance(70), named = !plain && chance(50);
  std::string text = plain             ? "(" + name + ")(" + value.text + ")"
                     : named || nested ? "static_cast<" + name + ">(" + value.text + ")"
                                       : name + "(" + value.text + ")";
  return converted(value, type, text);
}

Expr ProgramGenerator::masked(const Expr &value, std::int64_t mask) {
  return {"(" + value.text + " & " + std::to_string(mask) + ")", common(value.type, I32), 0, mask};
}

Expr ProgramGenerator::binary(const std::string &op, const Expr &first, const Expr &second) {
  Expr left = first, right = second;
  Type type = common(left.type, right.type);
  auto text = [&](const std::string &spelledOp) { return "(" + left.text + " " + spelledOp + " " + right.text + ")"; };
  if (op == "&" || op == "|" || op == "^")
    return full(text(op), type);
  if (op == "/" || op == "%") {
    // A divisor that is neither 0 nor -1.
    right = masked(right, chance(50) ? 7 : 63);
    right = {"(" + right.text + " + 1)", right.type, 1, right.high + 1};
    type = common(left.type, right.type);
    return full(text(op), type);
  }
  if (op == "<<" || op == ">>") {
    type = promoted(left.type);
    if (op == "<<" && isSigned(type)) {
      left = masked(left, 0xff);
      type = promoted(left.type);
      right = masked(right, 15);
      return full(text(op), type);
    }
    right = masked(right, bitsOf(type) - 1);
    return full(text(op), type);
  }
  auto range = [&](const Expr &a, const Expr &b) {
    Wide corners[4];
    if (op == "+")
      return std::pair<Wide, Wide>(a.low + b.low, a.high + b.high);
    if (op == "-")
      return std::pair<Wide, Wide>(a.low - b.high, a.high - b.low);
    Wide limit = Wide{1} << 62; // products of larger ones do not fit anyway
    if (a.low < -limit || a.high > limit || b.low < -limit || b.high > limit)
      return std::pair<Wide, Wide>(lowest(I64) * 2, highest(I64) * 2);
    corners[0] = a.low * b.low, corners[1] = a.low * b.high, corners[2] = a.high * b.low, corners[3] = a.high * b.high;
    return std::pair<Wide, Wide>(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
  };
  if (!isSigned(type))
    return full(text(op), type);
  auto [low, high] = range(left, right);
  if (fits(type, low, high))
    return {text(op), type, low, high};
  if (chance(50)) {
    left = masked(left, 0x3ff), right = masked(right, 0x3ff);
    type = common(left.type, right.type);
    auto [maskedLow, maskedHigh] = range(left, right);
    return {text(op), type, maskedLow, maskedHigh};
  }
  std::string wide = bitsOf(type) == 64 ? "uint64_t" : "uint32_t";
  return full("(" + spell(type) + ")((" + wide + ")" + left.text + " " + op + " (" + wide + ")" + right.text + ")",
              type);
}

std::string ProgramGenerator::condition(int depth) {
  if (depth <= 0 || chance(15))
    return expression(0).text + " != 0";
  static const std::vector<std::string> kComparisons = {"<", "<=", ">", ">=", "==", "!="};
  switch (below(6)) {
  case 0: return "!(" + condition(depth - 1) + ")";
  case 1: return "(" + condition(depth - 1) + (chance(50) ? " && " : " || ") + condition(depth - 1) + ")";
  default: {
    Expr left = expression(depth - 1), right = chance(50) ? literal() : expression(depth - 1);
    return "(" + left.text + " " + random.pick(kComparisons) + " " + right.text + ")";
  }
  }
}

Expr ProgramGenerator::expression(int depth) {
  if (depth <= 0)
    return leaf();
  static const std::vector<std::string> kOperators = {"+", "+", "-", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"};
  switch (below(12)) {
  case 0: return cast(anyType(), expression(depth - 1));
  case 1: {
    Expr value = expression(depth - 1);
    Type type = promoted(value.type);
    if (chance(50))
      return full("(~" + value.text + ")", type);
    if (isSigned(type) && value.low <= lowest(type))
      value = masked(value, 0xffff);
    type = promoted(value.type);
    return isSigned(type) ? Expr{"(-" + value.text + ")", type, -value.high, -value.low}
                          : full("(-" + value.text + ")", type);
  }
  case 2: {
    Expr first = expression(depth - 1), second = expression(depth - 1);
    Type type = first.type == second.type ? first.type : common(first.type, second.type);
    return full("(" + condition(depth - 1) + " ? " + first.text + " : " + second.text + ")", type);
  }
  case 3: return {"(" + condition(depth - 1) + ")", Bool, 0, 1};
  case 4: {
    Expr value = expression(depth - 1);
    return full("(+" + value.text + ")", promoted(value.type));
  }
  case 5: return leaf();
  default: return binary(random.pick(kOperators), expression(depth - 1), expression(depth - 1));
  }
}

std::string ProgramGenerator::of(Type type, int depth) {
  Expr value = expression(depth);
  return value.type == type || chance(40) ? value.text : cast(type, value).text; // or converted where it goes
}

std::string ProgramGenerator::index(int count) {
  mayLoad = false;
  Expr value = chance(40) ? literalOf(I32) : expression(1);
  mayLoad = true;
  return "(" + value.text + " & " + std::to_string(count - 1) + ")";
}

/// An assignment to `target` that combines it with something.
std::string ProgramGenerator::compound(const Scalar &target) {
  Ban ban(*this, target.group);
  Type type = target.type;
  if (type == Bool)
    return target.text + " ^= " + condition(1);
  bool narrow = bitsOf(type) < 32;
  switch (below(8)) {
  case 0:
    if (!isSigned(type) || narrow)
      return chance(50) ? (chance(50) ? "++" : "--") + target.text : target.text + (chance(50) ? "++" : "--");
    return target.text + " ^= " + any();
  case 1: return target.text + " >>= (" + any(1) + " & " + std::to_string(bitsOf(type) - 1) + ")";
  case 2:
    if (!isSigned(type))
      return target.text + " <<= (" + any(1) + " & " + (narrow ? "7" : std::to_string(bitsOf(type) - 1)) + ")";
    return target.text + " |= " + any();
  case 3: return target.text + " &= " + any();
  case 4: {
    Expr divisor = masked(expression(1), 7);
    return target.text + (chance(50) ? " /= " : " %= ") + "(" + divisor.text + " + 2)";
  }
  default: {
    const char *op = random.pick(std::vector<const char *>{" += ", " -= ", " *= "});
    if (!isSigned(type) && !narrow)
      return target.text + op + cast(type, expression(2)).text;
    if (narrow)
      return target.text + op + masked(expression(2), 0x3ff).text;
    return target.text + " ^= " + any();
  }
  }
}

} // namespace ptosync::differential
