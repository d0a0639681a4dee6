// The expressions of a walk: what a variable, an operand, a call is worth (walk.h).
#include "check/walk.h"

#include <algorithm>

namespace ptosync::check {
namespace {

using Kind = Operand::Kind;

constexpr std::int64_t kMostSide = 1 << 20; // rows or columns of a tile

std::string lastPart(const std::string &name) {
  std::size_t at = name.rfind("::");
  return at == std::string::npos ? name : name.substr(at + 2);
}

/// The template arguments of "Tile<A,B<C>,D>".
std::vector<std::string> templateArguments(const std::string &type) {
  std::vector<std::string> parts;
  std::size_t open = type.find('<');
  if (open == std::string::npos)
    return parts;
  int depth = 0;
  std::string part;
  for (std::size_t i = open + 1; i < type.size(); ++i) {
    char c = type[i];
    if (c == '>' && depth == 0)
      break;
    if (c == ',' && depth == 0) {
      parts.push_back(part);
      part.clear();
      continue;
    }
    depth += c == '<' ? 1 : c == '>' ? -1 : 0;
    part += c;
  }
  parts.push_back(part);
  return parts;
}

std::int64_t bitsOf(const std::string &element) {
  static const std::map<std::string, std::int64_t> bits = {
      {"float", 32},    {"half", 16},     {"bfloat16_t", 16}, {"int8_t", 8},     {"uint8_t", 8},
      {"int16_t", 16},  {"uint16_t", 16}, {"int32_t", 32},    {"uint32_t", 32},  {"int64_t", 64},
      {"uint64_t", 64}, {"double", 64},   {"bool", 8},        {"float32_t", 32}, {"float16_t", 16}};
  auto found = bits.find(element);
  return found == bits.end() ? 0 : found->second;
}

bool isFloating(const std::string &type) {
  return type == "float" || type == "half" || type == "bfloat16_t" || type == "double";
}

std::array<std::int64_t, 5> numbersOf(const std::string &type) {
  std::array<std::int64_t, 5> made{-1, -1, -1, -1, -1};
  std::vector<std::string> parts = templateArguments(type);
  if (parts.size() != 5)
    throw Refused{"a shape of this form: " + type};
  for (std::size_t i = 0; i < 5; ++i)
    made[i] = writtenNumber(parts[i]);
  return made;
}

/// A literal as C++ reads it: its value and its type.
Number literal(const Numbers &numbers, const Expression &expression) {
  std::string digits = expression.text;
  std::erase(digits, '\'');
  std::size_t end = digits.find_last_not_of("uUlL");
  const std::string suffix = end == std::string::npos ? "" : digits.substr(end + 1);
  digits = digits.substr(0, end == std::string::npos ? 0 : end + 1);
  const bool hex = digits.rfind("0x", 0) == 0 || digits.rfind("0X", 0) == 0;
  const bool octal = !hex && digits.size() > 1 && digits[0] == '0';
  const std::string allowed = hex ? "0123456789abcdefABCDEF" : octal ? "01234567" : "0123456789";
  const std::string number = hex ? digits.substr(2) : digits;
  if (number.empty() || number.size() > 16 || number.find_first_not_of(allowed) != std::string::npos)
    refuse(expression.line, "the number " + expression.text);
  const std::uint64_t value = std::stoull(number, nullptr, hex ? 16 : octal ? 8 : 10);
  if (value > INT64_MAX)
    refuse(expression.line, "the number " + expression.text);
  const bool noSign = suffix.find_first_of("uU") != std::string::npos,
             wide = suffix.find_first_of("lL") != std::string::npos;
  IntegerType type{64, !noSign};
  if (!wide && value <= INT32_MAX)
    type = {32, !noSign};
  else if (!wide && value <= UINT32_MAX && (noSign || hex || octal))
    type = {32, false};
  return numbers.constant(static_cast<std::int64_t>(value), type);
}

/// "RowMajor" of "pto::BLayout::RowMajor". Throws Refused if it is not spelled so.
std::string enumerator(const std::string &text, const std::string &of, int line) {
  const std::size_t at = text.rfind("pto::", 0) == 0 ? 5 : 0;
  if (text.compare(at, of.size() + 2, of + "::") != 0)
    refuse(line, text + " where one of " + of + " was expected");
  return text.substr(at + of.size() + 2);
}

/// A side of a valid region that is given at run time, of a tile that has so many rows or columns; -1: not known.
std::int64_t sideOf(const Operand &operand, std::int64_t most, int line) {
  const std::int64_t side = operand.kind == Kind::Scalar && operand.number.isConstant() ? operand.number.constant : -1;
  if (side > most)
    refuse(line, "a valid region that is larger than its tile");
  return side;
}

std::string bare(std::string type) { // of its qualifiers, "*" and "&"
  std::size_t space = type.rfind(' ');
  if (space != std::string::npos)
    type = type.substr(space + 1);
  while (!type.empty() && (type.back() == '*' || type.back() == '&'))
    type.pop_back();
  return type;
}

} // namespace

IntegerType Walk::typeOf(const std::string &type, int line) const {
  static const std::map<std::string, IntegerType> types = {
      {"bool", {1, false}},      {"int8_t", {8, true}},     {"uint8_t", {8, false}},      {"int16_t", {16, true}},
      {"uint16_t", {16, false}}, {"short", {16, true}},     {"int", {32, true}},          {"int32_t", {32, true}},
      {"uint32_t", {32, false}}, {"unsigned", {32, false}}, {"unsignedint", {32, false}}, {"int64_t", {64, true}},
      {"uint64_t", {64, false}}, {"long", {64, true}},      {"size_t", {64, false}},      {"uintptr_t", {64, false}},
      {"event_t", {32, true}},   {"longlong", {64, true}},  {"mem_dsb_t", {32, true}}};
  auto found = types.find(type);
  if (found == types.end())
    refuse(line, "the type " + type);
  return found->second;
}

/// A number that nothing is known of, for what stands at this place.
Operand Walk::fresh(const std::string &what, IntegerType type) {
  Operand made;
  made.kind = Kind::Scalar;
  const bool argument = place.rfind("argument:", 0) == 0;
  made.number = numbers.of(numbers.named(what + ":" + place, type.range(),
                                         argument ? std::set<int>{} : std::set<int>(loops.begin(), loops.end())),
                           type);
  return made;
}

Operand Walk::floating() const {
  Operand made;
  made.kind = Kind::Floating;
  return made;
}

Operand *Walk::variable(const std::string &name, State &state) {
  auto found = state.variables.find(name);
  return found == state.variables.end() ? nullptr : &found->second;
}

Number Walk::number(const Expression &expression, State &state) {
  Operand operand = value(expression, state);
  if (operand.kind == Kind::Floating)
    return fresh("test" + std::to_string(++loads), {1, false}).number;
  if (operand.kind != Kind::Scalar)
    refuse(expression.line, "a number was expected");
  return operand.number;
}

Operand Walk::construct(const std::string &given, const std::vector<Operand> &arguments, int line) {
  Operand made;
  std::string type = given;
  while (!type.empty() && type.back() == '&')
    type.pop_back();
  const std::string name = lastPart(type.substr(0, type.find('<')));
  std::vector<std::string> parts = templateArguments(type);
  if (!type.empty() && type.back() == '*') {
    made.kind = Kind::Pointer;
    made.placed = false;
    made.text = type;
    made.tensor.element = bare(type);
    made.tensor.bits = type[type.size() - 2] == '*' ? 0 : bitsOf(made.tensor.element);
  } else if (name == "Tile" && parts.size() >= 8) {
    made.kind = Kind::Tile;
    made.placed = false;
    TileShape &tile = made.tile;
    tile.location = enumerator(parts[0], "TileType", line);
    tile.element = parts[1];
    tile.bits = bitsOf(parts[1]);
    tile.rows = writtenNumber(parts[2]);
    tile.columns = writtenNumber(parts[3]);
    tile.rowMajor = enumerator(parts[4], "BLayout", line) == "RowMajor";
    tile.validRows = writtenNumber(parts[5]);
    tile.validColumns = writtenNumber(parts[6]);
    tile.plain = enumerator(parts[7], "SLayout", line) == "NoneBox";
    tile.padded = parts.size() > 9 && enumerator(parts[9], "PadValue", line) != "Null";
    tile.compact = parts.size() > 10 && enumerator(parts[10], "CompactMode", line) != "Null";
    if (tile.bits == 0 || tile.rows <= 0 || tile.columns <= 0 || tile.rows > kMostSide || tile.columns > kMostSide ||
        tile.validRows > tile.rows || tile.validColumns > tile.columns || machine.memoryOfTile(tile.location).empty())
      refuse(line, "a tile of this type");
    std::size_t next = 0;
    if (tile.validRows < 0 && next < arguments.size())
      tile.validRows = sideOf(arguments[next++], tile.rows, line);
    if (tile.validColumns < 0 && next < arguments.size())
      tile.validColumns = sideOf(arguments[next++], tile.columns, line);
  } else if (name == "GlobalTensor" && parts.size() >= 3) {
    made.kind = Kind::Tensor;
    made.placed = false;
    made.tensor = {parts[0], bitsOf(parts[0]), numbersOf(parts[1]), numbersOf(parts[2])};
    if (!arguments.empty() && arguments[0].kind == Kind::Pointer) {
      made.base = arguments[0].base;
      made.number = arguments[0].number;
      made.placed = arguments[0].placed;
      made.entry = arguments[0].entry;
    }
    for (std::size_t i = 1; i < arguments.size() && i < 3; ++i)
      if (arguments[i].kind == Kind::Other)
        for (int d = 0; d < 5; ++d) {
          std::int64_t &entry = (i == 1 ? made.tensor.shape : made.tensor.stride)[d];
          entry = entry < 0 ? arguments[i].tensor.shape[d] : entry;
        }
  } else if (name == "Shape" || name == "Stride") {
    made.tensor.shape = numbersOf(type);
    const std::size_t open =
        static_cast<std::size_t>(std::count(made.tensor.shape.begin(), made.tensor.shape.end(), -1));
    if (!arguments.empty() && arguments.size() != 5 && arguments.size() != open)
      refuse(line, "a shape with so many arguments");
    std::size_t next = 0;
    for (std::size_t d = 0; d < 5 && !arguments.empty(); ++d)
      if (std::int64_t &entry = made.tensor.shape[d]; entry < 0) {
        const Operand &argument = arguments[arguments.size() == 5 ? d : next++];
        entry = argument.kind == Kind::Scalar && argument.number.isConstant() ? argument.number.constant : -1;
      }
  } else if (name == "TPipe") {
    made.kind = Kind::Fifo;
    made.text = type;
    writtenNumber(parts.empty() ? "" : parts[0]); // flags of one number are spelled alike
    if (!arguments.empty() && arguments[0].kind == Kind::Pointer)
      made.base = arguments[0].base;
    for (std::size_t i : {1, 2}) {
      Number &ring = i == 1 ? made.number : made.otherRing;
      bool given = i < arguments.size() && arguments[i].kind == Kind::Scalar;
      ring = given ? arguments[i].number : fresh("ring" + std::to_string(i), {64, true}).number;
    }
  } else if (isFloating(type)) {
    made = floating();
  } else if (parts.empty() && type.find("::") == std::string::npos && type != "auto" && bitsOf(type) == 0 &&
             place.rfind("argument:", 0) == 0) {
    made.text = type; // a configuration that is passed on
    static const std::set<std::string> plain = {"int", "unsigned", "size_t", "char", "short", "long", "event_t"};
    if (plain.count(type))
      made = fresh("value", typeOf(type, line));
  } else if (!arguments.empty()) {
    refuse(line, "an object of type " + type);
  } else if (parts.empty() && (bitsOf(type) != 0 || type == "int" || type == "unsigned" || type == "size_t" ||
                               type == "event_t" || type == "char" || type == "long" || type == "short")) {
    made = fresh("value", typeOf(type, line));
  } else {
    made.text = type;
  }
  return made;
}

Operand Walk::cast(const Operand &operand, const std::string &type, int line) {
  if (type == "auto") {
    if (operand.kind == Kind::Scalar && operand.number.type.bits == 1)
      refuse(line, "'auto' of a truth value"); // of two that are joined by '&' it is an int
    return operand;
  }
  if (!type.empty() && type.back() == '*') {
    Operand made = construct(type, {}, line);
    if (operand.kind == Kind::Pointer || operand.kind == Kind::Tensor) {
      made.base = operand.base;
      made.number = operand.number;
      made.entry = operand.entry;
      made.placed = operand.placed && machine.memoryOfQualifier(type) == machine.memoryOfQualifier(operand.text);
    }
    return made;
  }
  if (isFloating(type))
    return floating();
  if (operand.kind == Kind::Other || operand.kind == Kind::Tile)
    return operand; // an enumerator, or an object that is copied
  if (operand.kind == Kind::Floating)
    return fresh("cast" + std::to_string(++loads), typeOf(type, line));
  Operand made;
  if (operand.kind != Kind::Scalar) {
    made.text = kAddress; // no number to count with: it might lead from one argument into another
    return made;
  }
  made.kind = Kind::Scalar;
  made.number = type == "bool" && operand.number.type.bits != 1
                    ? numbers.binary("!=", operand.number, numbers.constant(0, operand.number.type))
                    : numbers.convert(operand.number, typeOf(type, line));
  return made;
}

/// Assignments, counting, and calls that may do anything: where C++ leaves open when they happen, or whether.
bool Walk::hasEffects(const Expression &expression) const {
  using Expressions = Expression::Kind;
  if (expression.kind == Expressions::Method || assigns(expression))
    return true;
  if (expression.kind == Expressions::Call) {
    auto known = scene.file.functions.find(expression.text);
    const std::string name = lastPart(expression.text);
    if (known == scene.file.functions.end()) {
      if (!machine.isInstruction(name) || machine.category(name) != "scalar")
        return true;
    } else {
      const std::vector<Statement> &body = known->second.body;
      bool plain = body.size() == 1 && body[0].body.size() == 1 && body[0].body[0].kind == Statement::Kind::Return &&
                   body[0].body[0].value.kind == Expressions::Method && body[0].body[0].value.text == "data" &&
                   body[0].body[0].value.children[0].kind == Expressions::Name;
      if (!plain)
        return true;
    }
  }
  return std::any_of(expression.children.begin(), expression.children.end(),
                     [&](const Expression &child) { return hasEffects(child); });
}

void Walk::refuseEffects(const Expression &expression) const {
  if (hasEffects(expression))
    refuse(expression.line, "an effect within an expression");
}

/// A pointer so many elements further on, or `back`.
Operand Walk::counted(const Operand &pointer, const Number &by, bool back) const {
  const std::int64_t size = std::max<std::int64_t>(1, pointer.tensor.bits / 8), factor = back ? -size : size;
  Operand made = pointer;
  made.number = numbers.add(pointer.number, by, factor);
  made.number.type = {64, true};
  const Range moved = numbers.bounds(numbers.scale(by, factor));
  const bool goesRound = !by.type.isSigned && (moved.low < INT64_MIN || moved.high > INT64_MAX);
  made.placed = pointer.placed && pointer.tensor.bits > 0 && !goesRound; // in the 64 bits of an address
  const bool stays = moved.low >= 0 && moved.high < pointer.entry && pointer.tensor.bits > 0;
  made.entry = stays ? pointer.entry - static_cast<std::int64_t>(moved.high) : 0;
  return made;
}

Operand Walk::binary(const Expression &expression, State &state) {
  const std::string &by = expression.text;
  if (by == "=") {
    refuseEffects(expression.children[0]);
    Operand right = value(expression.children[1], state);
    assign(expression.children[0], right, state);
    return expression.children[0].kind == Expression::Kind::Name ? value(expression.children[0], state) : floating();
  }
  for (const Expression &child : expression.children)
    refuseEffects(child);
  const bool updates = assigns(expression);
  Operand a, b;
  if (updates) // what is stored is evaluated first
    b = value(expression.children[1], state);
  a = value(expression.children[0], state);
  if (!updates)
    b = value(expression.children[1], state);
  Operand made;
  made.kind = Kind::Scalar;
  const std::string plain = updates ? by.substr(0, by.size() - 1) : by;
  if (a.kind == Kind::Floating || b.kind == Kind::Floating) {
    static const std::set<std::string> tests = {"<", ">", "<=", ">=", "==", "!=", "&&", "||"};
    if (a.kind != b.kind && a.kind != Kind::Scalar && b.kind != Kind::Scalar)
      refuse(expression.line, "the operator " + by + " on these operands");
    made = tests.count(by) ? fresh("test" + std::to_string(++loads), {1, false}) : floating();
  } else if (a.kind == Kind::Pointer && b.kind == Kind::Scalar && (plain == "+" || plain == "-")) {
    made = counted(a, b.number, plain == "-");
  } else if (a.kind != Kind::Scalar || b.kind != Kind::Scalar) {
    bool compares = by == "==" || by == "!=";
    auto isAddress = [](const Operand &one) {
      return one.kind == Kind::Pointer || (one.kind == Kind::Other && (one.text == kAddress || one.text.empty()));
    };
    auto isNull = [](const Operand &one) { return one.kind == Kind::Scalar && one.number.sameValue({}); };
    if ((isAddress(a) || isAddress(b)) && !isNull(a) && !isNull(b) && (a.base != b.base || a.base.empty()))
      refuse(expression.line, "a comparison that relates addresses"); // then two arguments may overlap
    if (!compares)
      refuse(expression.line, "the operator " + by + " on these operands");
    made = fresh("test" + std::to_string(++loads), {1, false});
  } else if (by == "&&" || by == "||") {
    made.number = numbers.binary(by, decided(state, a.number), decided(state, b.number));
  } else {
    made.number = numbers.binary(plain, a.number, b.number);
  }
  if (updates) {
    if (made.kind == Kind::Scalar && a.kind == Kind::Scalar)
      made.number = numbers.convert(made.number, a.number.type);
    assign(expression.children[0], made, state);
  }
  return made;
}

Operand Walk::unary(const Expression &expression, State &state) {
  const std::string &by = expression.text;
  if (by == "*") {
    Expression index = expression, zero;
    index.kind = Expression::Kind::Index;
    zero.text = "0";
    index.children.push_back(zero);
    return value(index, state);
  }
  if (by == "&")
    refuse(expression.line, "an address is taken");
  if (by == "++" || by == "--")
    refuseEffects(expression.children[0]); // it is read, and then written
  Operand operand = value(expression.children[0], state);
  if (operand.kind == Kind::Floating && (by == "-" || by == "+"))
    return operand;
  if (operand.kind != Kind::Scalar)
    refuse(expression.line, "the operator " + by + " on this operand");
  Operand made = operand;
  const Number zero = numbers.constant(0, operand.number.type), one = numbers.constant(1, operand.number.type);
  if (by == "+") {
    made.number = numbers.binary("+", zero, operand.number); // in the type that it is promoted to
  } else if (by == "!") {
    made.number = decided(state, operand.number);
    made.number = numbers.negate(made.number);
  } else if (by == "-") {
    made.number = numbers.binary("-", zero, operand.number);
  } else if (by == "~") {
    made.number = numbers.binary("-", numbers.binary("-", zero, operand.number), one);
  } else if (by == "++" || by == "--") {
    made.number = numbers.convert(numbers.binary(by == "++" ? "+" : "-", operand.number, one), operand.number.type);
    assign(expression.children[0], made, state);
    if (expression.type == "after")
      return operand;
  }
  return made;
}

Operand Walk::value(const Expression &expression, State &state) {
  switch (expression.kind) {
  case Expression::Kind::Number: {
    Operand made;
    made.kind = Kind::Scalar;
    made.number = literal(numbers, expression);
    return made;
  }
  case Expression::Kind::OtherLiteral: return floating();
  case Expression::Kind::Name: {
    if (Operand *known = variable(expression.text, state))
      return *known;
    if (variable(expression.text + "[0]", state))
      refuse(expression.line, "an array as a value");
    Operand made;
    auto enumerator = scene.file.enumerators.find(expression.text);
    bool event = expression.text.rfind("EVENT_ID", 0) == 0 && expression.text.size() == 9 &&
                 std::isdigit(static_cast<unsigned char>(expression.text.back()));
    if (enumerator != scene.file.enumerators.end() || event || expression.text == "true" ||
        expression.text == "false" || expression.text == "nullptr") {
      made.kind = Kind::Scalar;
      made.number = event ? numbers.constant(expression.text.back() - '0', {32, true})
                    : enumerator != scene.file.enumerators.end()
                        ? numbers.constant(enumerator->second, {32, true})
                        : numbers.constant(expression.text == "true", {1, false});
      return made;
    }
    if (expression.text.find("::") == std::string::npos && machine.pipe(expression.text) < 0 &&
        std::none_of(expression.text.begin(), expression.text.end(), [](unsigned char c) { return std::isupper(c); }))
      refuse(expression.line, "the name " + expression.text + " is not known");
    made.text = expression.text;
    return made;
  }
  case Expression::Kind::Unary: return unary(expression, state);
  case Expression::Kind::Binary: return binary(expression, state);
  case Expression::Kind::Choice: {
    for (const Expression &child : expression.children)
      refuseEffects(child);
    Number truth = decided(state, number(expression.children[0], state));
    Operand a = value(expression.children[1], state), b = value(expression.children[2], state);
    if (a.kind != b.kind || (a.kind != Kind::Scalar && a.kind != Kind::Floating && a.kind != Kind::Pointer) ||
        a.text != b.text || a.base != b.base)
      refuse(expression.line, "a choice between these operands");
    if (a.kind == Kind::Scalar && !(a.number.type == b.number.type)) {
      const IntegerType common =
          numbers.binary("+", numbers.constant(0, a.number.type), numbers.constant(0, b.number.type)).type;
      a.number = numbers.convert(a.number, common);
      b.number = numbers.convert(b.number, common);
    }
    if (a.kind != Kind::Floating)
      a.number = numbers.choose(truth, a.number, b.number);
    a.placed = a.placed && b.placed;
    a.entry = std::min(a.entry, b.entry);
    return a;
  }
  case Expression::Kind::Cast: return cast(value(expression.children[0], state), expression.type, expression.line);
  case Expression::Kind::Construct: {
    std::vector<Operand> arguments;
    for (const Expression &child : expression.children) {
      refuseEffects(child);
      arguments.push_back(value(child, state));
    }
    return construct(expression.type, arguments, expression.line);
  }
  case Expression::Kind::Call: return call(expression, state);
  case Expression::Kind::Method: return method(expression, state);
  case Expression::Kind::Index: {
    const Expression &array = expression.children[0];
    refuseEffects(array);
    Operand index = value(expression.children[1], state);
    if (index.kind != Kind::Scalar)
      refuse(expression.line, "an index that is no number");
    if (array.kind == Expression::Kind::Name && variable(array.text + "[0]", state)) {
      Operand *element = index.number.isConstant()
                             ? variable(array.text + "[" + std::to_string(index.number.constant) + "]", state)
                             : nullptr;
      if (!element)
        refuse(expression.line, "which element it is, is not known");
      return *element;
    }
    Operand pointer = value(array, state);
    if (pointer.kind != Kind::Pointer)
      refuse(expression.line, "an index into this operand");
    pointer = counted(pointer, index.number, false);
    pointer.tensor.shape = {1, 1, 1, 1, 1};
    ++loads;
    instruction("scalar.load", {}, {pointer}, state, expression.line);
    if (isFloating(pointer.tensor.element))
      return floating();
    return fresh("load" + std::to_string(loads), typeOf(pointer.tensor.element, expression.line));
  }
  case Expression::Kind::List: break;
  }
  refuse(expression.line, "an expression of this form");
}

void Walk::assign(const Expression &target, const Operand &operand, State &state) {
  if (target.kind == Expression::Kind::Index || (target.kind == Expression::Kind::Unary && target.text == "*")) {
    if (operand.kind != Kind::Scalar && operand.kind != Kind::Floating)
      refuse(target.line, "this as a value in memory");
    const Expression &array = target.children[0];
    Operand index;
    index.kind = Kind::Scalar;
    index.number = numbers.constant(0);
    if (target.kind == Expression::Kind::Index)
      index = value(target.children[1], state);
    if (index.kind != Kind::Scalar)
      refuse(target.line, "an index of a store that is no number");
    if (array.kind == Expression::Kind::Name && variable(array.text + "[0]", state)) {
      Operand *element = index.number.isConstant()
                             ? variable(array.text + "[" + std::to_string(index.number.constant) + "]", state)
                             : nullptr;
      if (!element)
        refuse(target.line, "which element it is, is not known");
      element->number = operand.kind == Kind::Scalar
                            ? numbers.convert(operand.number, element->number.type)
                            : fresh("cast" + std::to_string(++loads), element->number.type).number;
      return;
    }
    Operand pointer = value(array, state);
    if (pointer.kind != Kind::Pointer)
      refuse(target.line, "a store through this operand");
    pointer = counted(pointer, index.number, false);
    pointer.tensor.shape = {1, 1, 1, 1, 1};
    ++loads;
    return instruction("scalar.store", {}, {pointer}, state, target.line);
  }
  Operand *known = target.kind == Expression::Kind::Name ? variable(target.text, state) : nullptr;
  if (!known || std::any_of(scene.file.constants.begin(), scene.file.constants.end(),
                            [&](const Statement &constant) { return constant.name == target.text; }))
    refuse(target.line, "an assignment to this");
  if (known->kind == Kind::Scalar && operand.kind == Kind::Scalar) {
    known->number = known->number.type.bits == 1 && operand.number.type.bits != 1
                        ? numbers.binary("!=", operand.number, numbers.constant(0, operand.number.type))
                        : numbers.convert(operand.number, known->number.type);
  } else if (known->kind == Kind::Scalar && operand.kind == Kind::Floating) {
    known->number = fresh("cast" + std::to_string(++loads), known->number.type).number;
  } else if (known->kind == Kind::Floating && operand.kind == Kind::Scalar) {
    return; // of what it holds nothing is known
  } else if (known->kind == operand.kind && known->kind != Kind::Fifo && known->text == operand.text) {
    *known = operand;
  } else {
    refuse(target.line, "an assignment of another type");
  }
}

Operand Walk::method(const Expression &expression, State &state) {
  Operand object = value(expression.children[0], state);
  std::vector<Operand> operands{object};
  for (std::size_t i = 1; i < expression.children.size(); ++i) {
    refuseEffects(expression.children[i]);
    operands.push_back(value(expression.children[i], state));
  }
  if (expression.text == "data" && object.kind == Kind::Tensor) {
    object.kind = Kind::Pointer;
    object.text = "__gm__ " + object.tensor.element + "*";
    object.tensor.shape = object.tensor.stride = {-1, -1, -1, -1, -1};
    return object;
  }
  if (expression.text == "SetValidShape" && object.kind == Kind::Tile && operands.size() == 3 &&
      expression.children[0].kind == Expression::Kind::Name) {
    TileShape &tile = variable(expression.children[0].text, state)->tile;
    tile.validRows = sideOf(operands[1], tile.rows, expression.line);
    tile.validColumns = sideOf(operands[2], tile.columns, expression.line);
    return {};
  }
  if ((expression.text != "GetValue" && expression.text != "SetValue") || object.kind != Kind::Tile)
    refuse(expression.line, "the member " + expression.text);
  ++loads;
  instruction(expression.text, {}, operands, state, expression.line);
  if (expression.text == "SetValue" || isFloating(object.tile.element))
    return floating();
  return fresh("load" + std::to_string(loads), typeOf(object.tile.element, expression.line));
}

/// The instructions that give their first operand a place; false if it is none of them.
bool Walk::addresses(const Expression &expression, const std::vector<Operand> &operands, State &state) {
  const std::string name = lastPart(expression.text);
  if (!machine.isInstruction(name) || machine.category(name) != "alias" || operands.empty())
    return false;
  Operand *target =
      expression.children[0].kind == Expression::Kind::Name ? variable(expression.children[0].text, state) : nullptr;
  if (!target)
    refuse(expression.line, name + " of no variable");
  target->placed = false;
  target->entry = 0;
  if (target->kind == Kind::Tensor)
    target->base.clear();
  if (name == "TASSIGN" && operands.size() == 2) {
    const Operand &at = operands[1];
    if (target->kind == Kind::Tile && at.kind == Kind::Scalar) {
      target->number = at.number;
      target->placed = true;
    } else if (target->kind == Kind::Tensor && at.kind == Kind::Pointer) {
      target->number = at.number;
      target->base = at.base;
      target->placed = at.placed;
      target->entry = at.entry;
    }
  } else if (operands.size() >= 2 && operands[1].kind == Kind::Tile && target->kind == Kind::Tile) {
    const Operand &from = operands[1];
    std::int64_t size = from.tile.elementBytes();
    if (name == "TRESHAPE") {
      target->number = from.number;
      target->placed = from.placed;
    } else if (name == "TSUBVIEW" && operands.size() == 4 && from.tile.plain && from.tile.rowMajor &&
               !from.tile.compact && operands[2].kind == Kind::Scalar && operands[3].kind == Kind::Scalar) {
      auto asIs = [&](const Operand &index) { // the library takes 16 bits of it
        const Range range = numbers.bounds(index.number);
        return range.low >= 0 && range.high <= UINT16_MAX;
      };
      target->number =
          numbers.add(numbers.add(from.number, operands[2].number, from.tile.columns * size), operands[3].number, size);
      target->placed =
          from.placed && target->tile.columns == from.tile.columns && asIs(operands[2]) && asIs(operands[3]);
    }
  }
  return true;
}

Operand Walk::call(const Expression &expression, State &state) {
  if (variable(expression.text, state))
    refuse(expression.line, "a call of the variable " + expression.text);
  for (const Expression &child : expression.children)
    refuseEffects(child);
  auto known = scene.file.functions.find(expression.text);
  if (known != scene.file.functions.end())
    return own(known->second, expression, state);
  const std::string name = lastPart(expression.text);
  if (scene.file.taken.count(name))
    refuse(expression.line, "the call of the file's own " + name + ", which is not read");
  std::vector<Operand> operands;
  for (const Expression &child : expression.children)
    operands.push_back(value(child, state));
  if (addresses(expression, operands, state))
    return {};
  if (!machine.isInstruction(name))
    refuse(expression.line, "the call of " + expression.text);
  std::vector<std::string> constants;
  for (const std::string &argument : expression.templates) {
    const std::string plain = argument.rfind("pto::", 0) == 0 ? argument.substr(5) : argument;
    const bool type =
        plain.rfind("Tile<", 0) == 0 || plain.rfind("GlobalTensor<", 0) == 0 || plain.rfind("TPipe<", 0) == 0;
    if (!type && bitsOf(plain) == 0)
      constants.push_back(plain); // whatever it is: a form must account for it
  }
  if (machine.category(name) == "scalar") {
    Operand made;
    made.kind = Kind::Scalar;
    std::string full = "core:" + name;
    if (!operands.empty())
      refuse(expression.line, "the call of " + expression.text + " with arguments");
    made.number = numbers.of(numbers.named(full, machine.rangeOf(name), {}), {64, true});
    return made;
  }
  const std::string assigns = machine.effects(name, constants, operands, scene.core, numbers, expression.line).assigns;
  if (!assigns.empty())
    popped(expression, operands, assigns, state);
  ++loads;
  instruction(name, constants, operands, state, expression.line);
  return {};
}

/// A pop gives its tile the next slot of the consumer's ring, and its tensor an entry of the ring in global memory. The
/// call touches its operands where they are then.
void Walk::popped(const Expression &expression, std::vector<Operand> &operands, const std::string &assigns,
                  State &state) {
  auto fifo = std::find_if(operands.begin(), operands.end(), [](const Operand &one) { return one.kind == Kind::Fifo; });
  if (fifo == operands.end())
    refuse(expression.line, "a pop of no fifo");
  const Expression &named = expression.children[static_cast<std::size_t>(fifo - operands.begin())];
  std::vector<std::string> parts = templateArguments(fifo->text);
  auto count = [&](std::size_t part) -> std::int64_t { return part < parts.size() ? writtenNumber(parts[part]) : -1; };
  const std::int64_t slotBytes = count(2), slots = count(assigns == "ringSlot" ? 3 : 4); // all, or the local ones
  Operand *pops = named.kind == Expression::Kind::Name ? variable(named.text + ".pops", state) : nullptr;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    Operand *target =
        expression.children[i].kind == Expression::Kind::Name ? variable(expression.children[i].text, state) : nullptr;
    if (operands[i].kind != Kind::Tile && operands[i].kind != Kind::Tensor)
      continue;
    if (!target)
      refuse(expression.line, "a pop into no variable");
    target->placed = false;
    if (target->kind == Kind::Tensor) {
      target->base = fifo->base;
      target->entry = slotBytes;
    } else if (pops && slotBytes > 0 && slots > 0 &&
               (target->tile.location == "Vec" || target->tile.location == "Mat")) {
      const std::int64_t size = target->tile.wholeBytes(); // of a slot, in some versions of the library
      const bool known = pops->number.isConstant() && (size == slotBytes || slots == 1);
      const Number slot = known
                              ? numbers.constant(pops->number.constant * slotBytes)
                              : numbers.of(numbers.named("slot:" + place, {0, (slots - 1) * std::max(size, slotBytes)},
                                                         std::set<int>(loops.begin(), loops.end())),
                                           {64, true});
      target->placed = true;
      target->number = numbers.add(target->tile.location == "Vec" ? fifo->number : fifo->otherRing, slot, 1);
    }
    operands[i] = *target;
  }
  if (pops && slots > 0 && assigns != "tensor")
    pops->number = numbers.binary("%", numbers.add(pops->number, numbers.constant(1), 1), numbers.constant(slots));
}

/// A call of a function of the file: its body, in place.
Operand Walk::own(const Function &function, const Expression &expression, State &state) {
  if (!function.problem.empty())
    throw Refused{function.problem};
  if (!callers.insert(function.name).second)
    refuse(expression.line, function.name + " calls itself");
  State inner;
  inner.orders = state.orders;
  inner.truths = state.truths;
  inner.known = state.known;
  for (const Statement &constant : scene.file.constants)
    if (Operand *value = variable(constant.name, state))
      inner.variables[constant.name] = *value;
  if (expression.children.size() > function.parameters.size() || !expression.templates.empty())
    refuse(expression.line, "a call with too many arguments, or with those of a template");
  std::set<std::string> bound; // by reference
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter &parameter = function.parameters[i];
    if (i >= expression.children.size() && !parameter.hasDefault)
      refuse(expression.line, "a call with too few arguments");
    refuseEffects(parameter.byDefault); // what it does would be lost
    Operand given = value(i < expression.children.size() ? expression.children[i] : parameter.byDefault,
                          i < expression.children.size() ? state : inner);
    const Operand got = inner.variables[parameter.name] = passed(given, parameter.type, expression.line);
    if (parameter.name.empty() && parameter.isReference())
      refuse(expression.line, "a reference without a name"); // two of them are not one variable
    if (given.kind == Kind::Fifo)
      refuse(expression.line, "a fifo that is passed on");
    if (parameter.isReference() &&
        (i >= expression.children.size() || got.kind != given.kind || !(got.number.type == given.number.type) ||
         expression.children[i].kind != Expression::Kind::Name || !bound.insert(expression.children[i].text).second))
      refuse(expression.line, "a reference to what is no variable, or to one twice");
  }
  inner.orders = state.orders; // the arguments may have loaded
  Exits mine, *outer = exits;
  const std::string outerPath = path, outerPlace = place;
  const int outerLoads = loads;
  exits = &mine;
  path = place + "/" + std::to_string(++loads) + ">";
  const std::string outerType = std::exchange(returnType, function.result);
  States ends = list(function.body, {inner});
  returnType = outerType;
  std::move(mine.returns.begin(), mine.returns.end(), std::back_inserter(ends));
  if (ends.empty())
    refuse(expression.line, function.name + " does not return");
  for (std::size_t i = 1; i < ends.size(); ++i)
    merge(ends[0], ends[i], path + "return");
  path = outerPath;
  place = outerPlace;
  loads = outerLoads + 1;
  exits = outer;
  callers.erase(function.name);
  State &end = ends[0];
  state.orders = end.orders;
  state.truths = end.truths;
  state.known = end.known;
  for (std::size_t i = 0; i < expression.children.size(); ++i)
    if (function.parameters[i].isReference() && expression.children[i].kind == Expression::Kind::Name)
      if (Operand *target = variable(expression.children[i].text, state))
        *target = end.variables.at(function.parameters[i].name);
  return end.result;
}

/// A value as what is declared with that type has it.
Operand Walk::passed(const Operand &given, const std::string &declared, int line) {
  const std::string type = bare(declared);
  if (given.kind != Kind::Scalar || type == "void")
    return given;
  if (isFloating(type) || declared.back() == '*')
    return cast(given, declared, line);
  const bool enumeration = std::any_of(scene.file.enumerators.begin(), scene.file.enumerators.end(),
                                       [&](const auto &entry) { return entry.first.rfind(type + "::", 0) == 0; });
  return enumeration ? given : cast(given, type, line); // refuses a type that is not known
}

} // namespace ptosync::check
