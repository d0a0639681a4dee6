#include "replay/inputs.h"

namespace ptosync::replay {

std::int64_t defaultQuery(const std::string &name) {
  return name == "get_block_num" || name == "get_subblocknum" || name == "get_subblockdim" ? 1 : 0;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a + 0x9e3779b97f4a7c15ull + (b ^ (b >> 29)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

std::int64_t MemoryContents::at(std::uint64_t key) const {
  if (chosen)
    if (auto value = chosen->find(key); value != chosen->end())
      return value->second;
  if (seed < 2)
    return static_cast<std::int64_t>(seed);
  if (seed <= kLastMixed)
    return pool[mix(seed, key) % pool.size()];
  std::uint64_t step = seed - kLastMixed - 1; // 8, 12, 16, 24, 32, ...
  return std::int64_t{step % 2 ? 3 : 2} << (step / 2 + 2);
}

std::string describe(const Inputs &inputs, const Kernel &kernel) {
  std::map<std::uint32_t, std::string> names;
  for (ExpressionId id = 0; id < kernel.expressions.size(); ++id)
    if (const Expression &e = kernel.expressions[id]; e.kind == Expression::Kind::Parameter)
      names[static_cast<std::uint32_t>(e.constant)] = e.name;
  std::string text;
  auto add = [&](const std::string &name, std::int64_t value) {
    text += (text.empty() ? "" : ", ") + name + "=" + std::to_string(value);
  };
  for (auto [number, value] : inputs.arguments)
    if (auto name = names.find(number); name != names.end())
      add(name->second, value);
  for (const auto &[name, value] : inputs.queries)
    add(name + "()", value);
  if (inputs.seed)
    text += (text.empty() ? "" : ", ") + std::string("memory contents ") + std::to_string(inputs.seed);
  std::set<std::int64_t> loaded;
  for (const auto &[key, value] : inputs.loaded)
    loaded.insert(value);
  for (std::int64_t value : loaded)
    text += (text.empty() ? "" : ", ") + std::string("a loaded value ") + std::to_string(value);
  return text.empty() ? "no arguments" : text;
}

} // namespace ptosync::replay
