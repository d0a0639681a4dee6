#include "check/access.h"

#include "check/text.h"

#include <algorithm>

namespace ptosync::check {
namespace {

using nlohmann::json;

std::int64_t up(std::int64_t value, std::int64_t unit) { return (value + unit - 1) / unit * unit; }

bool isFloating(const std::string &type) {
  return type == "half" || type == "bfloat16_t" || type == "double" || type.rfind("float", 0) == 0 ||
         type.rfind("hifloat", 0) == 0;
}

std::vector<json> listOf(const json &value) {
  return value.is_array() ? value.get<std::vector<json>>() : std::vector<json>{value};
}

/// The operand of that name; null if the call has none.
const Operand *named(const json &form, const std::vector<Operand> &operands, const std::string &name) {
  for (std::size_t i = 0; i < operands.size() && i < form["operands"].size(); ++i)
    if (form["operands"][i]["name"] == name)
      return &operands[i];
  return nullptr;
}

bool regionKnown(const TileShape &tile) { return tile.validRows >= 0 && tile.validColumns >= 0; }

/// What a condition asks for; empty if it is not known.
std::string propertyOf(const Operand &operand, const std::string &property) {
  const bool tile = operand.kind == Operand::Kind::Tile;
  if (property == "kind")
    return tile                                    ? "tile"
           : operand.kind == Operand::Kind::Tensor ? "tensor"
           : operand.kind == Operand::Kind::Fifo   ? "pipe"
           : operand.kind == Operand::Kind::Other  ? ""
                                                   : "scalar";
  if (property == "location" && tile)
    return operand.tile.location;
  if (property == "type")
    return tile ? operand.tile.element : operand.kind == Operand::Kind::Tensor ? operand.tensor.element : "";
  if (property == "layout" && tile)
    return operand.tile.rowMajor ? "RowMajor" : "ColMajor";
  if (property == "region" && tile && regionKnown(operand.tile))
    return operand.tile.validRows * operand.tile.validColumns == 1 ? "single" : "several";
  if (property == "direction" && operand.kind == Operand::Kind::Fifo) {
    std::size_t at = operand.text.find("Direction::");
    std::size_t end = operand.text.find_first_of(",>", at);
    return at == std::string::npos ? "" : operand.text.substr(at + 11, end - at - 11);
  }
  return "";
}

bool relates(const Operand &own, const std::string &property, const Operand *other) {
  if (!other || other->kind != Operand::Kind::Tile)
    return false;
  const TileShape &b = other->tile;
  if (property == "fits") {
    if (own.kind != Operand::Kind::Tensor)
      return false;
    Wide rows = 1;
    for (int d = 0; d < 4; ++d) {
      if (own.tensor.shape[d] <= 0)
        return false;
      rows = std::min<Wide>(rows * own.tensor.shape[d], Wide{1} << 60);
    }
    return own.tensor.shape[4] > 0 && rows <= b.validRows && own.tensor.shape[4] <= b.validColumns;
  }
  if (own.kind != Operand::Kind::Tile)
    return false;
  const TileShape &a = own.tile;
  if (property == "like")
    return regionKnown(a) && regionKnown(b) && a.validRows == b.validRows && a.validColumns == b.validColumns;
  auto differ = [](std::int64_t x, std::int64_t y) { return x >= 0 && y >= 0 && x != y; };
  return differ(a.validRows, b.validRows) || differ(a.validColumns, b.validColumns);
}

bool conditionHolds(const json &form, const std::string &key, const json &wanted, const std::vector<Operand> &operands,
                    const std::vector<std::string> &templates, const std::string &core) {
  std::size_t dot = key.find('.');
  const Operand *operand = dot == std::string::npos ? nullptr : named(form, operands, key.substr(0, dot));
  const std::string property = dot == std::string::npos ? "" : key.substr(dot + 1);
  for (const json &entry : listOf(wanted)) {
    const std::string value = entry.is_string() ? entry.get<std::string>() : entry.dump();
    if (key == "template") {
      if (std::any_of(templates.begin(), templates.end(), [&](const std::string &t) { return t.rfind(value, 0) == 0; }))
        return true;
    } else if (key == "section") {
      if (value == core)
        return true;
    } else if (property == "unlike" || property == "like" || property == "fits") {
      if (operand && relates(*operand, property, named(form, operands, value)))
        return true;
    } else if (operand) {
      std::string actual = propertyOf(*operand, property);
      bool integer = actual.rfind("int", 0) == 0 || actual.rfind("uint", 0) == 0 || actual == "bool";
      if (!actual.empty() &&
          (actual == value || (value == "floating" && isFloating(actual)) || (value == "integer" && integer)))
        return true;
    }
  }
  return false;
}

bool kindFits(const Operand &operand, const std::string &role) {
  const Operand::Kind kind = operand.kind;
  if (role == "fifo")
    return kind == Operand::Kind::Fifo;
  if (role == "scalar")
    return kind == Operand::Kind::Scalar || kind == Operand::Kind::Floating || kind == Operand::Kind::Pointer;
  if (role == "config")
    return kind != Operand::Kind::Tile && kind != Operand::Kind::Tensor && kind != Operand::Kind::Fifo;
  return role == "ignored" || kind == Operand::Kind::Tile || kind == Operand::Kind::Tensor ||
         kind == Operand::Kind::Pointer;
}

bool accountsFor(const json &instruction, const std::string &constant) {
  for (const json &kind : instruction.value("templates", json::array())) {
    const std::string name = kind;
    bool number = !constant.empty() && std::isdigit(static_cast<unsigned char>(constant[0]));
    if (constant == name || constant.rfind(name + "::", 0) == 0 || (name == "number" && number))
      return true;
  }
  return false;
}

/// Rows and columns that a walk goes over, at most, and whether they are those of `own` for certain.
void walk(const json &over, const json &form, const std::vector<Operand> &operands, const TileShape &own,
          std::int64_t &rows, std::int64_t &columns) {
  auto side = [&](std::string name, bool byRows, std::int64_t now) {
    std::size_t dot = name.find('.');
    if (dot != std::string::npos) {
      byRows = name.substr(dot + 1) == "rows";
      name = name.substr(0, dot);
    }
    const Operand *operand = named(form, operands, name);
    if (!operand)
      return now;
    if (operand->kind != Operand::Kind::Tile)
      return std::int64_t{-1};
    const TileShape &tile = operand->tile;
    std::int64_t valid = byRows ? tile.validRows : tile.validColumns;
    return valid > 0 ? valid : byRows ? tile.rows : tile.columns;
  };
  rows = own.validRows > 0 ? own.validRows : own.rows;
  columns = own.validColumns > 0 ? own.validColumns : own.columns;
  if (over.is_string()) {
    rows = side(over, true, rows);
    columns = side(over, false, columns);
    return;
  }
  if (over.contains("rows"))
    rows = side(over["rows"], true, rows);
  if (over.contains("columns"))
    columns = side(over["columns"], false, columns);
  if (over.contains("lines")) {
    const Operand *tensor = named(form, operands, over["lines"]);
    std::int64_t lines = tensor && tensor->kind == Operand::Kind::Tensor ? 1 : -1;
    for (int d = 0; d < 5 && lines > 0; ++d)
      if (d != (own.rowMajor ? 4 : 3))
        lines = tensor->tensor.shape[d] > 0 ? lines * tensor->tensor.shape[d] : -1;
    (own.rowMajor ? rows : columns) = lines > 0 ? lines : own.rowMajor ? own.rows : own.columns;
  }
}

/// Bytes from the start of the tile to the end of its first `rows` x `columns` elements; at least the whole tile where
/// they are more than it has.
std::int64_t endOf(const TileShape &tile, std::int64_t rows, std::int64_t columns) {
  const std::int64_t size = tile.elementBytes();
  if (rows <= tile.rows && columns <= tile.columns)
    return tile.wholeBytes();
  if (!tile.plain || tile.compact || tile.padded)
    return tile.wholeBytes() * (up(rows, tile.rows) / tile.rows) * (up(columns, tile.columns) / tile.columns);
  std::int64_t lines = tile.rowMajor ? rows : columns, used = (tile.rowMajor ? columns : rows) * size;
  return std::max(tile.wholeBytes(), (lines - 1) * (tile.rowMajor ? tile.columns : tile.rows) * size + up(used, 256));
}

/// The bytes of a tensor: lines that are as far apart as the first dimension that does not continue the run.
std::optional<Bytes> linesOf(const TensorShape &tensor) {
  std::vector<std::pair<std::int64_t, std::int64_t>> dimensions; // stride, count
  for (int d = 0; d < 5; ++d) {
    if (tensor.shape[d] < 0 || (tensor.shape[d] > 1 && tensor.stride[d] < 0))
      return std::nullopt;
    if (tensor.shape[d] > 1)
      dimensions.push_back({tensor.stride[d], tensor.shape[d]});
  }
  std::sort(dimensions.begin(), dimensions.end());
  const std::int64_t size = std::max<std::int64_t>(1, tensor.bits / 8);
  Bytes made{1, size, size};
  for (auto [stride, count] : dimensions) {
    Wide far = Wide{made.extent()} + Wide{count - 1} * stride * size;
    if (far > (Wide{1} << 40))
      return std::nullopt;
    if (made.rows == 1 && stride * size > made.rowBytes)
      made = {count, made.rowBytes, stride * size};
    else
      made = {1, static_cast<std::int64_t>(far), static_cast<std::int64_t>(far)};
  }
  return made;
}

/// The farthest byte that `reach` lets an access go to; -1: not known.
std::int64_t reachOf(const json &reach, const json &form, const std::vector<Operand> &operands, const TileShape &own) {
  std::int64_t size = own.elementBytes(), rows = 1, last = reach.value("bytes", std::int64_t{0}), end = 0;
  auto tileOf = [&](const char *key) -> const TileShape * {
    const Operand *operand = named(form, operands, reach[key]);
    return operand && operand->kind == Operand::Kind::Tile ? &operand->tile : nullptr;
  };
  if (reach.contains("rowsOf")) {
    const TileShape *tile = tileOf("rowsOf");
    if (!tile)
      return -1;
    size = std::max(size, tile->elementBytes());
    std::int64_t per = reach.value("rowsPer", std::int64_t{1});
    rows = up(tile->validRows > 0 ? tile->validRows : tile->rows, per) / per;
  }
  if (reach.contains("rowBytesOf")) {
    const TileShape *tile = tileOf("rowBytesOf");
    if (!tile)
      return -1;
    std::int64_t of = 1, in = 1;
    if (reach.contains("rowShare"))
      of = reach["rowShare"][0], in = reach["rowShare"][1];
    last += up(tile->columns * tile->elementBytes() * of / in, reach.value("rowUnit", std::int64_t{1}));
  }
  std::int64_t step = reach.value("step", std::int64_t{0});
  end = (std::max<std::int64_t>(rows, 1) - 1) * (step > 0 ? step : own.columns * size) + last;
  if (reach.contains("elementsOf")) {
    const TileShape *tile = tileOf("elementsOf");
    if (!tile)
      return -1;
    end = std::max(end, tile->rows * tile->columns * std::max(size, tile->elementBytes()));
  }
  if (reach.contains("shapeBytes"))
    end = std::max(end, reach["shapeBytes"].get<std::int64_t>()); // whatever the shape is
  return reach.contains("behind") ? std::max(end, own.wholeBytes() + reach["behind"].get<std::int64_t>()) : end;
}

} // namespace

std::int64_t TileShape::wholeBytes() const {
  std::int64_t all = rows * columns * elementBytes();
  if (!compact)
    return all;
  std::int64_t blocks = up(columns * elementBytes(), 32) / 32;
  return std::max(all, blocks * (up(rows, 16) + 1) * 32);
}

bool Machine::isFar(const Number &place) const {
  const std::int64_t most =
      facts.contains("largestTensor") ? facts["largestTensor"]["bytes"].get<std::int64_t>() : std::int64_t{1} << 32;
  auto beyond = [&](std::int64_t value) { return value > most || value < -most; };
  return beyond(place.constant) ||
         std::any_of(place.terms.begin(), place.terms.end(), [&](const auto &term) { return beyond(term.second); });
}

bool Machine::isShared(const std::string &memory) const {
  if (!facts.contains("sharedBetweenCores"))
    return true;
  const json &spaces = facts["sharedBetweenCores"]["spaces"];
  return std::find(spaces.begin(), spaces.end(), memory) != spaces.end();
}

Machine::Machine(const json &given) : facts(given) {
  for (const json &name : facts.at("pipes"))
    pipes.push_back(name);
}

int Machine::pipe(const std::string &name) const {
  auto found = std::find(pipes.begin(), pipes.end(), name);
  return found == pipes.end() ? -1 : static_cast<int>(found - pipes.begin());
}

std::string Machine::memoryOfTile(const std::string &location) const {
  for (const json &space : facts["spaces"])
    for (const json &tile : space["tiles"])
      if (tile == location)
        return space["name"];
  return "";
}

std::string Machine::memoryOfQualifier(const std::string &type) const {
  for (const json &space : facts["spaces"])
    if (type.find(space["qualifier"].get<std::string>()) != std::string::npos)
      return space["name"];
  return "GM";
}

void Machine::macros(const std::string &core, std::set<std::string> &defined, std::set<std::string> &known) const {
  known = {"__DAV_VEC__", "__DAV_CUBE__"};
  defined = {core == "vec" ? "__DAV_VEC__" : "__DAV_CUBE__"};
  for (const json &macro : facts["macros"]) {
    std::size_t some = 0;
    for (const json &value : macro["values"])
      some += !value.is_null();
    if (some != 0 && some != macro["values"].size())
      continue; // defined on some chips: nobody knows
    const std::string name = macro["name"];
    known.insert(name);
    if (some != 0 && macro.value("section", core) == core)
      defined.insert(name);
  }
}

Range Machine::rangeOf(const std::string &name) const {
  Range range{-(Wide{1} << 31), (Wide{1} << 31) - 1};
  for (const json &fact : facts["numbers"]) {
    const std::string text = fact["assume"];
    for (const char *by : {"() >= ", "() <= "}) {
      std::size_t at = text.find(name + by), digits = at + name.size() + 6;
      if (at == std::string::npos || !std::isdigit(static_cast<unsigned char>(text[digits])))
        continue;
      (by[3] == '>' ? range.low : range.high) = std::stoll(text.substr(digits));
    }
  }
  return range;
}

const json *Machine::rule(const std::string &id) const {
  for (const json &rule : facts["rules"])
    if (rule["id"] == id)
      return rule["use"] != "silence" && (rule["grade"] == "A" || rule["grade"] == "B") ? &rule["parameters"] : nullptr;
  return nullptr;
}

const json *Machine::fit(const std::string &name, const std::vector<std::string> &templates,
                         const std::vector<Operand> &operands, const std::string &core) const {
  const json &instruction = facts["instructions"][name];
  for (const std::string &constant : templates)
    if (!accountsFor(instruction, constant))
      return nullptr;
  for (const json &form : instruction["forms"]) {
    const json &wanted = form["operands"];
    std::size_t least = 0;
    for (const json &fact : wanted)
      least += !fact.value("optional", false);
    if (operands.size() < least || operands.size() > wanted.size())
      continue;
    bool fits = true;
    for (std::size_t i = 0; i < operands.size(); ++i)
      fits = fits && (kindFits(operands[i], wanted[i]["role"]) ||
                      (operands.size() == 1 && wanted[i]["role"] == "scalar" && operands[i].text == kAddress));
    const json when = form.value("when", json::object());
    for (const auto &[key, value] : when.items())
      fits = fits && conditionHolds(form, key, value, operands, templates, core);
    if (fits)
      return &form;
  }
  return nullptr;
}

Access Machine::tileAccess(const json &fact, const json &form, const Operand &operand,
                           const std::vector<Operand> &operands, const Numbers &numbers) const {
  const TileShape &tile = operand.tile;
  Access made;
  made.memory = memoryOfTile(tile.location);
  made.address = operand.number;
  made.tile = tile;
  if (made.memory.empty())
    throw Refused{"a tile of no known memory"};
  const bool scratch = fact["role"] == "scratch";
  const std::string region = fact.value("region", "");
  const bool fullLines = tile.rowMajor ? tile.validColumns == tile.columns : tile.validRows == tile.rows;
  const bool oneLine = (tile.rowMajor ? tile.validRows : tile.validColumns) == 1;
  const std::int64_t used = (tile.rowMajor ? tile.validColumns : tile.validRows) * tile.elementBytes();
  const bool asRegion = region.empty() || region == "run" || (region == "rows" && fullLines) ||
                        (region == "repeats" && fullLines && used % 256 == 0) ||
                        (region == "whole" && tile.validRows == tile.rows && tile.validColumns == tile.columns);
  made.exact = !scratch && asRegion && regionKnown(tile) && tile.plain && !tile.compact && !tile.padded &&
               !fact.contains("reach") && !fact.contains("window") && !fact.contains("element") &&
               (fullLines || oneLine);
  std::int64_t end = tile.wholeBytes();
  for (const json &over : fact.contains("walk") ? listOf(fact["walk"]) : std::vector<json>{}) {
    std::int64_t rows = 0, columns = 0;
    walk(over, form, operands, tile, rows, columns);
    if (rows < 0 || columns < 0)
      return made; // by an operand that is no tile: anywhere
    made.exact = made.exact && rows == tile.validRows && columns == tile.validColumns;
    end = std::max(end, endOf(tile, rows, columns));
  }
  if (region == "repeats") { // the others end within the tile
    const std::int64_t lines = tile.rowMajor ? tile.rows : tile.columns;
    const std::int64_t pitch = (tile.rowMajor ? tile.columns : tile.rows) * tile.elementBytes();
    end = std::max(up(end, 256), (lines - 1) * pitch + up(pitch, 256));
  }
  for (const json &reach : fact.contains("reach") ? listOf(fact["reach"]) : std::vector<json>{}) {
    std::int64_t far = reachOf(reach, form, operands, tile);
    if (far < 0)
      return made;
    end = std::max(end, far);
  }
  auto highest = [&](const json &name, std::int64_t &into) {
    const Operand *index = named(form, operands, name);
    if (!index || index->kind != Operand::Kind::Scalar)
      return false;
    Range range = numbers.bounds(index->number);
    into = static_cast<std::int64_t>(std::min<Wide>(range.high, Wide{1} << 40));
    return range.low >= 0;
  };
  std::int64_t row = 0, column = 0;
  if (fact.contains("element") && (!highest(fact["element"], row) || row >= tile.rows * tile.columns))
    return made;
  if (fact.contains("window")) {
    const Operand *part = named(form, operands, fact["window"]["of"]);
    if (!part || part->kind != Operand::Kind::Tile || !highest(fact["window"]["row"], row) ||
        !highest(fact["window"]["column"], column))
      return made;
    std::int64_t rows = part->tile.validRows > 0 ? part->tile.validRows : part->tile.rows;
    std::int64_t columns = part->tile.validColumns > 0 ? part->tile.validColumns : part->tile.columns;
    if (row + rows > tile.rows || column + columns > tile.columns)
      return made;
  }
  made.bytes = Bytes{1, end, end};
  made.order = fact.value("order", "");
  if (made.order == "elementwise") {
    made.order = "sequential";
    const TileShape *first = nullptr;
    for (const Operand &other : operands)
      if (other.kind == Operand::Kind::Tile) {
        first = first ? first : &other.tile;
        if (other.tile.rows != first->rows || other.tile.columns != first->columns ||
            other.tile.rowMajor != first->rowMajor)
          made.order = "columns";
      }
  }
  return made;
}

Access Machine::access(const json &fact, const json &form, const Operand &operand, const std::vector<Operand> &operands,
                       const Numbers &numbers) const {
  Access made;
  if (operand.kind == Operand::Kind::Tile) {
    made = tileAccess(fact, form, operand, operands, numbers);
  } else {
    made.memory = operand.kind == Operand::Kind::Tensor ? "GM" : memoryOfQualifier(operand.text);
    made.base = operand.base;
    made.address = operand.number;
    TensorShape tensor = operand.tensor;
    bool known = tensor.bits > 0; // a pointer is one to a single element where its shape says so
    for (const json &over : fact.contains("walk") ? listOf(fact["walk"]) : std::vector<json>{})
      if (const Operand *tile = over.contains("line") ? named(form, operands, over["line"]) : nullptr) {
        std::int64_t line = tile->tile.rowMajor ? tile->tile.validColumns : tile->tile.validRows;
        if (line < 0) // a run knows it: at most the tile's
          line = tile->tile.rowMajor ? tile->tile.columns : tile->tile.rows;
        std::int64_t &shape = tensor.shape[tile->tile.rowMajor ? 4 : 3];
        shape = shape < 0 ? shape : std::max(shape, line);
      }
    if (known)
      made.bytes = linesOf(tensor);
    if (made.memory == "GM" && operand.placed && isFar(operand.number)) {
      made.base.clear();
      made.bytes.reset();
    }
    made.inEntry = made.bytes && made.bytes->extent() <= operand.entry;
  }
  if (!operand.placed)
    made.bytes.reset();
  return made;
}

Effects Machine::effects(const std::string &name, const std::vector<std::string> &templates,
                         const std::vector<Operand> &operands, const std::string &core, const Numbers &numbers,
                         int line) const {
  const json *form = fit(name, templates, operands, core);
  if (!form)
    refuse(line, "no form of " + name + " fits this call");
  Effects made;
  for (const json &pipeName : (*form)["pipes"])
    made.pipes.insert(pipe(pipeName));
  made.fence = form->value("fence", "");
  made.assigns = form->value("assigns", "");
  for (const json &flag : form->value("flags", json::array()))
    made.flags.push_back({pipe(flag[0]), pipe(flag[1]), flag[2].get<std::int64_t>()});
  for (const std::array<std::int64_t, 3> &flag : made.flags)
    made.mayOrder.push_back({static_cast<int>(flag[0]), static_cast<int>(flag[1])});
  for (const json &phase : form->value("library", json::array()))
    if (phase.contains("barrier"))
      made.mayOrder.push_back({pipe(phase["barrier"]), pipe(phase["barrier"])});
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const json &fact = (*form)["operands"][i];
    const std::string role = fact["role"];
    if (role != "write" && role != "read" && role != "readwrite" && role != "scratch")
      continue;
    Access touched = access(fact, *form, operands[i], operands, numbers);
    touched.reads = role != "write";
    touched.writes = role != "read";
    touched.scratch = role == "scratch";
    made.accesses.push_back(touched);
  }
  for (const json &hidden : form->value("hidden", json::array())) {
    Access touched;
    touched.memory = hidden["space"];
    touched.address = numbers.constant(hidden["offset"]);
    touched.bytes = Bytes{1, hidden["bytes"], hidden["bytes"]};
    touched.reads = touched.writes = touched.scratch = touched.hidden = true;
    made.accesses.push_back(touched);
  }
  for (const Operand &operand : operands)
    if (operand.kind == Operand::Kind::Fifo && !made.onFifo) {
      made.onFifo = true;
      made.fifo = operand.base;
      made.fifoFlags =
          operand.text.substr(operand.text.find('<') + 1, operand.text.find(',') - operand.text.find('<') - 1);
      made.betweenCores = made.pipes.size() == 1 && !made.fence.empty() && made.fence != "all";
    }
  for (const Operand &operand : operands)
    made.withoutData = made.withoutData || (made.onFifo && operand.kind == Operand::Kind::Tensor);
  for (const json &memory : form->value("publishes", json::array()))
    for (const Access &touched : made.accesses)
      if (touched.writes && memory == touched.memory && made.fence.empty()) {
        made.fence = "release";
        made.betweenCores = true;
      }
  if (form->contains("product")) {
    const Operand *left = named(*form, operands, (*form)["product"]["rows"]);
    const Operand *right = named(*form, operands, (*form)["product"]["columns"]);
    if (left && right && left->tile.validRows > 0 && right->tile.validColumns > 0 &&
        left->tile.bits == right->tile.bits) {
      made.fractals = (up(left->tile.validRows, 16) / 16) * (up(right->tile.validColumns, 16) / 16);
      made.inputBits = left->tile.bits;
    }
  }
  return made;
}

namespace {

/// A region without gaps as lines of whole repeats: when each part of it is written or read, counted in repeats.
struct Lines {
  std::int64_t lines, bytes, unit;
  std::int64_t parts() const { return (bytes + unit - 1) / unit; }
  std::int64_t total() const { return (lines * bytes + unit - 1) / unit; }
  std::int64_t left(const std::string &order, std::int64_t line, std::int64_t part) const {
    std::int64_t end = line * bytes + std::min((part + 1) * unit, bytes), plain = total() - (end - 1) / unit;
    return order == "columns" ? std::min(plain, lines * parts() - (part * lines + line)) : plain;
  }
  std::int64_t before(const std::string &order, std::int64_t line, std::int64_t part) const {
    std::int64_t plain = (line * bytes + part * unit) / unit;
    if (order == "columns")
      return std::min(plain, part * lines + line);
    if (order != "reduce")
      return plain;
    bool rest = part == parts() - 1 && bytes % unit != 0;
    std::int64_t reduced =
        rest ? (parts() == 1 ? line : lines + line) : (std::max<std::int64_t>(part, 1) - 1) * lines + line;
    return std::min(plain, reduced);
  }
};

bool orderKnown(const std::string &order, const TileShape &tile, const Lines &shape) {
  if (order == "sequential" || (shape.lines == 1 && !order.empty()))
    return true;
  if (!tile.rowMajor || order.empty())
    return false;
  if (order == "rows")
    return shape.bytes % shape.unit == 0 || shape.bytes < shape.unit;
  return order != "reduce" || shape.bytes <= shape.unit || shape.bytes >= 2 * shape.unit;
}

} // namespace

constexpr std::int64_t kMostParts = 1 << 20; // of a tile, and bytes of a line of it

std::int64_t chainDistance(const Access &written, const Access &read, std::int64_t repeatBytes) {
  const TileShape &tile = written.tile;
  if (!written.exact || !read.exact || tile.bits < 8 || written.order == "reduce")
    return 0;
  const std::int64_t size = tile.elementBytes();
  const bool oneColumn = !tile.rowMajor && tile.columns == 1;
  Lines shape = tile.rowMajor ? Lines{tile.validRows, tile.validColumns * size, repeatBytes}
                : oneColumn   ? Lines{1, tile.validRows * size, repeatBytes}
                              : Lines{tile.validColumns, tile.validRows * size, repeatBytes};
  if (shape.lines > kMostParts || shape.bytes > kMostParts || shape.lines * shape.parts() > kMostParts)
    return 0; // which no memory of a core has
  if (shape.lines <= 0 || shape.bytes <= 0 || !orderKnown(written.order, tile, shape) ||
      !orderKnown(read.order, tile, shape))
    return 0;
  std::int64_t smallest = shape.total();
  if (shape.lines == 1 && read.order != "reduce")
    return smallest;
  for (std::int64_t line = 0; line < shape.lines; ++line)
    for (std::int64_t part = 0; part < shape.parts(); ++part)
      smallest = std::min(smallest, shape.left(written.order, line, part) + shape.before(read.order, line, part));
  return smallest;
}

} // namespace ptosync::check
