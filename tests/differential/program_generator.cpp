#include "differential/program_generator.h"

#include <algorithm>
#include <utility>

namespace ptosync::differential {
namespace {

std::vector<Feature> allFeatures() {
  std::vector<Feature> all;
  for (auto *group : {&languageFeatures, &functionFeatures, &objectFeatures, &libraryFeatures, &pointerFeatures})
    for (Feature &feature : group())
      all.push_back(feature);
  return all;
}

} // namespace

std::vector<std::string> featureNames() {
  std::vector<std::string> names;
  for (const Feature &feature : allFeatures())
    names.push_back(feature.name);
  return names;
}

Program generateProgram(std::uint64_t seed, std::uint64_t number, const std::set<std::string> &only) {
  return ProgramGenerator(seed, number).generate(only);
}

ProgramGenerator::ProgramGenerator(std::uint64_t seed, std::uint64_t number)
    : random(fuzz::RandomSource::mix(seed * 0x9e3779b97f4a7c15ull + number)) {
  program.number = number;
}

std::string ProgramGenerator::fresh(const std::string &prefix) {
  return prefix + std::to_string(program.number) + "_" + std::to_string(nextName++);
}

void ProgramGenerator::emit(std::string text) { out->push_back({std::move(text), {}, {}}); }
void ProgramGenerator::around(std::string text) { program.around.push_back({std::move(text), {}, {}}); }

void ProgramGenerator::inScope(const std::function<void()> &inner) {
  auto outerScalars = scalars;
  auto outerTiles = tiles;
  ++depth;
  inner();
  --depth;
  scalars = std::move(outerScalars);
  tiles = std::move(outerTiles);
}

void ProgramGenerator::block(std::string open, const std::function<void()> &inner, std::string close) {
  Piece piece{std::move(open), {}, std::move(close)};
  std::vector<Piece> *outer = std::exchange(out, &piece.inside);
  inScope(inner);
  out = outer;
  out->push_back(std::move(piece));
}

void ProgramGenerator::function(std::string open, const std::function<void()> &inner, std::string close) {
  Piece piece{std::move(open), {}, std::move(close)};
  auto *outer = std::exchange(out, &piece.inside);
  auto outerScalars = std::exchange(scalars, {});
  auto outerTiles = std::exchange(tiles, {});
  auto outerBanned = std::exchange(banned, {});
  bool memory = std::exchange(hasMemory, false), withTiles = std::exchange(hasTiles, false);
  int outerLoops = std::exchange(loops, 0), outerBreakable = std::exchange(breakable, 0),
      outerDepth = std::exchange(depth, 2);
  auto outerFeatures = std::exchange(features, {});
  inner();
  features = std::move(outerFeatures);
  loops = outerLoops;
  breakable = outerBreakable;
  depth = outerDepth;
  hasMemory = memory;
  hasTiles = withTiles;
  banned = std::move(outerBanned);
  tiles = std::move(outerTiles);
  scalars = std::move(outerScalars);
  out = outer;
  program.around.push_back(std::move(piece));
}

void ProgramGenerator::declare(std::string text, Type type, bool writable, int group, bool addressable) {
  scalars.push_back({std::move(text), type, writable, group < 0 ? newGroup() : group, addressable});
}

void ProgramGenerator::unite(int first, int second) {
  for (Scalar &scalar : scalars)
    if (scalar.group == second)
      scalar.group = first;
}

std::string ProgramGenerator::pickTile() { return random.pick(tiles); }

void ProgramGenerator::statements(int count) {
  for (int i = 0; i < count; ++i)
    statement();
}

void ProgramGenerator::statement() {
  if (!features.empty() && depth < 4 && chance(45))
    return features[static_cast<std::size_t>(below(static_cast<std::int64_t>(features.size())))](*this);
  baseStatement();
}

Program ProgramGenerator::generate(const std::set<std::string> &only) {
  std::vector<Feature> all = allFeatures();
  if (!only.empty())
    std::erase_if(all, [&](const Feature &feature) { return !only.count(feature.name); });
  for (std::int64_t count = random.between(1, 3); count > 0 && !all.empty(); --count) {
    const Feature &feature = random.pick(all);
    if (program.features.insert(feature.name).second)
      features.push_back(feature.step);
  }
  out = &program.body;
  declare("n", I32);
  declare("m", U32);
  declare("k", I64);
  declare("c", I8);
  declare("h", U16);
  for (int i = 0; i < 3; ++i) {
    std::string name = "t" + std::to_string(i);
    emit("T " + name + "; TASSIGN(" + name + ", (uint64_t)" + std::to_string(i * 0x4000) + ");");
    tiles.push_back(name);
  }
  for (auto &feature : std::vector(features)) {
    feature(*this);
    statements(static_cast<int>(random.between(1, 3)));
  }
  statements(static_cast<int>(random.between(1, 4)));
  // What the variables hold in the end.
  for (const Scalar &scalar : std::vector(scalars))
    if (chance(40))
      observe(scalar.text);
  return std::move(program);
}

} // namespace ptosync::differential
