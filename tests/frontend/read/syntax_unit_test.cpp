#include "frontend/read/syntax_unit.h"

#include <catch2/catch.hpp>

using namespace ptosync;

TEST_CASE("the chip's extensions are read as plain C++ of the same length") {
  CHECK(plainText("[aicore] void f();") == "__aicor_ void f();");
  CHECK(plainText("f<3><<<1, nullptr, s>>>(a, g(b));") == "f<3>" + std::string(28, ' ') + ";");
  CHECK(plainText("f<<<1>>>(\\\n a);") == "f        \\\n   ;"); // in a macro
  CHECK(plainText("f<<<1,\n2>>>\n(a,\nb);") == "f     \n    \n   \n  ;");
  CHECK(plainText("k<<<1>>>(a, b /* :-( */);") == "k" + std::string(23, ' ') + ";");
  std::string text = "k<<<1>>>(a); k<<<2>>>(b);";
  CHECK(plainText(text).size() == text.size());
  CHECK(plainText(text).find('<') == std::string::npos);
}

TEST_CASE("what is no launch stays") {
  for (const char *text :
       {"a <<< b;", "// <<<", "x = a << b;", "\"<<<>>>\";", "k<<<1>>> x;", "k<<<1>>>(a", "k<<<1", "",
        // From one comment to another, over what stands between them; over the end of a statement or a line.
        "// <<< tuned\nf(a);\n// >>> (end)\n", "// k<<<1, a,\n//   b>>>(c)\nf();", "k<<<1>>>(a, b;\n} // :-)\n",
        "k<<<1>>>(a,\n#if A\nb)\n#endif\n", "k<<<{1}>>>(a)", "k<< <1>>>(a)", "k<<<1>> >(a)"})
    CHECK(plainText(text) == text);
}
