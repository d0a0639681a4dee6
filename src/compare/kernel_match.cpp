#include "compare/kernel_match.h"

#include "compare/loop_match.h"

#include <algorithm>

namespace ptosync::compare {
namespace {

std::map<std::string, double> instructionsIn(const Kernel &kernel) {
  std::map<std::string, double> counts;
  for (const Block &block : kernel.blocks)
    for (const Statement &statement : block.statements)
      if (const auto *instruction = std::get_if<Instruction>(&statement.action))
        ++counts[instruction->name];
  return counts;
}

/// A kernel that does nothing is like no other: a name is all that it has.
bool muchAlike(const Kernel &a, const Kernel &b) {
  std::map<std::string, double> left = instructionsIn(a), right = instructionsIn(b);
  return !left.empty() && likeness(left, right) >= kLeastLikeness;
}

} // namespace

std::vector<KernelPair> matchKernels(const Module &a, const Module &b) {
  std::vector<KernelPair> pairs;
  std::vector<bool> taken(b.kernels.size(), false);
  auto pairWith = [&](KernelPair &pair, auto fits) {
    for (std::size_t i = 0; i < b.kernels.size() && !pair.b; ++i)
      if (!taken[i] && b.kernels[i].section == pair.a->section && fits(b.kernels[i])) {
        pair.b = &b.kernels[i];
        taken[i] = true;
      }
  };
  for (const Kernel &kernel : a.kernels)
    pairs.push_back({&kernel, nullptr});
  for (KernelPair &pair : pairs)
    pairWith(pair, [&](const Kernel &other) { return other.name == pair.a->name; });
  for (KernelPair &pair : pairs)
    if (!pair.b)
      pairWith(pair, [&](const Kernel &other) { return muchAlike(*pair.a, other); });
  std::map<std::string, std::string> renamed; // by a core that was found so: the other core has the same names
  for (const KernelPair &pair : pairs)
    if (pair.b)
      renamed.emplace(pair.a->name, pair.b->name);
  for (KernelPair &pair : pairs)
    if (auto name = renamed.find(pair.a->name); !pair.b && name != renamed.end())
      pairWith(pair, [&](const Kernel &other) { return other.name == name->second; });
  for (std::size_t i = 0; i < b.kernels.size(); ++i)
    if (!taken[i])
      pairs.push_back({nullptr, &b.kernels[i]});
  return pairs;
}

} // namespace ptosync::compare
