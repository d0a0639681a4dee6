#include "audit/first_touch.h"

#include "audit/audited.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Lines of the first readers of what the instruction at `// from` writes (its first operand), as marks' lines.
std::vector<unsigned> readers(const std::string &statements) {
  Analysed kernel(shortTiles(statements));
  NodeId from = kernel.node("// from");
  std::vector<unsigned> lines;
  for (std::uint32_t i = 0; i < kernel.program->nodes[from].accesses.size(); ++i)
    if (kernel.program->nodes[from].accesses[i].writes)
      for (const Touch &touch : firstReaders(*kernel.program, kernel.hazards(), from, i))
        lines.push_back(kernel.program->nodes[touch.node].statement->line - kernel.line("// from"));
  std::sort(lines.begin(), lines.end());
  return lines;
}

using Lines = std::vector<unsigned>;
const std::string kFrom = "  TADDS(b, a, 1.0f); // from\n";

} // namespace

TEST_CASE("first touch: the nearest reader on each path, and no further than a writer") {
  CHECK(readers(kFrom + "  TADDS(c, b, 1.0f);\n  TADDS(d, b, 1.0f);\n") == Lines{1});
  CHECK(readers(kFrom + "  TADDS(b, c, 1.0f);\n  TADDS(d, b, 1.0f);\n").empty());
  CHECK(readers(kFrom + "  TADDS(d, c, 1.0f);\n").empty());
  CHECK(readers(kFrom + "  if (n > 2) {\n  TADDS(c, b, 1.0f);\n  } else {\n  TADDS(d, b, 1.0f);\n  }\n") ==
        Lines{2, 4});
}

TEST_CASE("first touch: round a loop, and nothing behind an unknown call") {
  CHECK(readers("  for (int32_t i = 0; i < n; ++i) {\n  TADDS(c, b, 1.0f);\n" + kFrom + "  }\n").size() == 1);
  CHECK(readers(kFrom + "  unknown_call(b);\n  TADDS(c, b, 1.0f);\n").empty());
}
