#include "patterns/case_source.h"

#include <catch2/catch.hpp>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringRef.h>

using namespace ptosync;

TEST_CASE("a case becomes a kernel file with its body on known lines", "[patterns]") {
  PatternCase patternCase;
  patternCase.kernel = {"first();", "second();"};
  std::string text = wrapCase(patternCase);
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  CHECK(lines[0] == "#include \"pto/pto-inst.hpp\"");
  CHECK(lines[kCaseFirstLine - 2] ==
        "extern \"C\" __global__ AICORE void pattern_case(__gm__ float* v_in, __gm__ float* v_out, int32_t v_n) {");
  CHECK(lines[kCaseFirstLine - 1] == "  first();");
  CHECK(lines[kCaseFirstLine] == "  second();");
  CHECK(lines[kCaseFirstLine + 2] == "  return;");
  CHECK(lines[kCaseFirstLine + 3] == "}");
}
