#include "explain/access_text.h"

#include "report/wording.h"

#include <algorithm>

namespace ptosync {
namespace {

std::string doesText(const Access &access) {
  if (access.scratch)
    return "scratch";
  if (access.reads && access.writes)
    return "reads and writes";
  return access.reads ? "reads" : access.writes ? "writes" : "names";
}

/// What a base that is no number depends on.
std::string dependsText(const Program &program, const ScalarValue &base) {
  bool loop = false, argument = false, other = base.modulus == 1;
  for (const Term &term : base.terms) {
    const Atom &atom = program.scalars->algebra()[term.atom];
    loop = loop || atom.kind == Atom::Kind::Counter || atom.kind == Atom::Kind::Table;
    argument = argument || atom.kind == Atom::Kind::Argument;
    other = other || atom.kind == Atom::Kind::Opaque || atom.kind == Atom::Kind::Choice;
  }
  std::string text;
  for (const auto &[holds, word] : {std::pair{loop, "a loop's iteration"}, std::pair{argument, "a kernel argument"},
                                    std::pair{other, "a value that is not followed"}})
    if (holds)
      text += (text.empty() ? "" : " and ") + std::string(word);
  return text.empty() ? "a value that is not followed" : text;
}

std::string shapeText(const Footprint &bytes) {
  if (bytes.rows == 1)
    return {};
  return std::to_string(bytes.rows) + " rows of " + std::to_string(bytes.rowBytes) + " bytes, " +
         std::to_string(bytes.stride) + " apart";
}

std::string detailText(const Program &program, const Node &node, const Access &access) {
  if (node.unknown)
    return "the machine model does not know the call";
  bool global = access.space == program.globalMemory;
  if (global) {
    if (!program.scalars->algebra().pointerRoot(access.base))
      return "it is not known which argument it points into, so all of global memory counts";
    return access.bytes ? shapeText(*access.bytes)
                        : "its shape or strides are known at run time only, so all that the argument points to counts";
  }
  if (!access.bytes)
    return "its extent is not known, so all of the memory counts";
  std::string text = shapeText(*access.bytes);
  auto add = [&](const std::string &more) { text += (text.empty() ? "" : "; ") + more; };
  if (program.scalars->algebra().possibleValues(access.base).empty())
    add("its address depends on " + dependsText(program, access.base) + ", so every place that it may be counts");
  if (access.tile && !access.scratch && (access.tile->staticValidRows < 0 || access.tile->staticValidCols < 0))
    add("its valid region is known at run time only, so the whole tile counts");
  return text;
}

} // namespace

AccessText accessText(const Program &program, const HazardModel &model, const Node &node, const Access &access) {
  return {access.name, doesText(access),
          model.comparison().describe(access, program.machine->spaces()[access.space].name),
          detailText(program, node, access)};
}

void addAccess(AccessText access, std::vector<AccessText> &list) {
  for (AccessText &known : list)
    if (known.name == access.name && known.storage == access.storage) {
      bool both = known.does != access.does && known.does != "scratch" && access.does != "scratch";
      if (both)
        known.does = "reads and writes";
      return;
    }
  list.push_back(std::move(access));
}

std::string placesText(const std::string &storage) {
  constexpr std::size_t kMostPlaces = 3;
  std::size_t others = 0, first = std::string::npos;
  for (std::size_t at = storage.find(" or ["); at != std::string::npos; at = storage.find(" or [", at + 1)) {
    first = std::min(first, at);
    ++others;
  }
  if (others < kMostPlaces)
    return printable(storage);
  return printable(storage.substr(0, first)) + " or one of " + std::to_string(others) + " other places";
}

std::string declaredText(const Tile &tile) {
  auto extent = [](std::int64_t rows, std::int64_t cols) {
    auto number = [](std::int64_t value) { return value < 0 ? std::string("run-time") : std::to_string(value); };
    return number(rows) + " x " + number(cols);
  };
  std::string text = tile.location + " " + tile.element + " " + extent(tile.rows, tile.cols);
  if (tile.staticValidRows != tile.rows || tile.staticValidCols != tile.cols)
    text += ", valid " + extent(tile.staticValidRows, tile.staticValidCols);
  return text;
}

} // namespace ptosync
