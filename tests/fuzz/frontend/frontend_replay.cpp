// ptosync_frontend_replay: the fuzzer's target and mutator without the fuzzer, for ordinary tests.
//
//   ptosync_frontend_replay [--depth lift|optimise|audit] [--mutate N] [--seed S] FILE...
//
// Takes each file as it is, then N mutated texts made of them. Exit 0: all were taken; a fault ends the
// process, and the text that did it is in the file named by --last. 2: wrong arguments.
#include "fuzz/frontend/frontend_target.h"
#include "fuzz/frontend/kernel_mutator.h"

#include <fstream>
#include <iostream>
#include <sstream>
#include <vector>

using namespace ptosync::fuzz;

namespace {

constexpr std::size_t kLargest = 1 << 16;

struct Arguments {
  Depth depth = Depth::Lift;
  std::uint64_t mutate = 0, seed = 1;
  std::string last;
  std::vector<std::string> files;
  bool valid = true;
};

Arguments parse(int argc, char **argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    if (name.rfind("--", 0) != 0) {
      arguments.files.push_back(name);
      continue;
    }
    if (i + 1 == argc) {
      arguments.valid = false;
      break;
    }
    std::string value = argv[++i];
    if (std::optional<Depth> depth = parseDepth(value); name == "--depth" && depth)
      arguments.depth = *depth;
    else if (name == "--mutate")
      arguments.mutate = std::stoull(value);
    else if (name == "--seed")
      arguments.seed = std::stoull(value);
    else if (name == "--last")
      arguments.last = value;
    else
      arguments.valid = false;
  }
  arguments.valid &= !arguments.files.empty();
  return arguments;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments = parse(argc, argv);
  if (!arguments.valid) {
    std::cerr << "usage: ptosync_frontend_replay [--depth lift|optimise|audit] [--mutate N] [--seed S] [--last FILE] "
                 "FILE...\n";
    return 2;
  }
  std::vector<std::string> pool;
  std::size_t lifted = 0;
  auto take = [&](const std::string &text) {
    if (!arguments.last.empty())
      std::ofstream(arguments.last, std::ios::binary) << text;
    bool taken = takeText(text, arguments.depth);
    lifted += taken;
    return taken;
  };
  for (const std::string &name : arguments.files) {
    std::ifstream file(name, std::ios::binary);
    if (!file) {
      std::cerr << "cannot read " << name << "\n";
      return 2;
    }
    std::stringstream text;
    text << file.rdbuf();
    pool.push_back(text.str());
    take(pool.back());
  }
  const std::size_t given = pool.size();
  RandomSource random(RandomSource::mix(arguments.seed));
  for (std::uint64_t i = 0; i < arguments.mutate; ++i) {
    const std::string &base = random.pick(pool);
    std::string text = random.chance(10) ? spliceKernels(base, random.pick(pool), random, kLargest)
                                         : mutateKernel(base, random, kLargest);
    // What is still C++ is a base for more; a bounded pool, so that the seeds stay in play.
    if (take(text) && pool.size() < 4 * given)
      pool.push_back(std::move(text));
  }
  std::cout << given << " files and " << arguments.mutate << " mutated texts taken, " << lifted << " of them C++\n";
  return 0;
}
