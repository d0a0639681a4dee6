#include "compare/compared.h"

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string changed(const std::string &a, const std::string &b) {
  ComparedTexts texts(vectorKernel(threeTiles() + a), vectorKernel(threeTiles() + b));
  return texts.changes();
}

const std::string kAdd = "  TADDS(v1, v1, 1.0f);\n", kExp = "  TEXP(v1, v1);\n", kSqrt = "  TSQRT(v1, v1);\n",
                  kOther = "  TMULS(v3, v3, 2.0f);\n", kBarrier = "  pipe_barrier(PIPE_V);\n";

std::string loop(const std::string &body, int trips) {
  return "  for (int32_t i = 0; i < " + std::to_string(trips) + "; ++i) {\n" + body + "  }\n";
}

} // namespace

TEST_CASE("sync match: a text is the same as itself") {
  std::string text = kAdd + kBarrier + kExp + kBarrier + kSqrt + loop(kAdd + kBarrier + kExp + kBarrier, 4);
  CHECK(changed(text, text).empty());
}

TEST_CASE("sync match: what is gone from A is new the other way round") {
  std::string both = kAdd + kBarrier + kExp + kBarrier + kSqrt, one = kAdd + kBarrier + kExp + kSqrt;
  CHECK(changed(both, one) == "gone pipe_barrier(PIPE_V) TEXP>TSQRT 10>-");
  CHECK(changed(one, both) == "new pipe_barrier(PIPE_V) TEXP>TSQRT ->10");
}

TEST_CASE("sync match: among equal ones the right one is gone") {
  std::string three = kAdd + kBarrier + kAdd + kBarrier + kAdd + kBarrier + kAdd;
  CHECK(changed(three, kAdd + kBarrier + kAdd + kAdd + kBarrier + kAdd) ==
        "gone pipe_barrier(PIPE_V) TADDS>TADDS 10>-");
}

TEST_CASE("sync match: what orders the same from another place has moved") {
  CHECK(changed(kAdd + kBarrier + kOther + kExp, kAdd + kOther + kBarrier + kExp) ==
        "moved pipe_barrier(PIPE_V) TADDS>TEXP 8>9");
}

TEST_CASE("sync match: into a branch is elsewhere, though no instruction lies between") {
  CHECK(changed(kAdd + kBarrier + "  if (n > 0) {\n" + kExp + "  }\n",
                kAdd + "  if (n > 0) {\n" + kBarrier + kExp + "  }\n") == "moved pipe_barrier(PIPE_V) TADDS>TEXP 8>9");
}

TEST_CASE("sync match: another instruction beside it moves nothing") {
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + kOther + kBarrier + kOther + kExp).empty());
}

TEST_CASE("sync match: another kind of sync is another sync") {
  CHECK(changed(kAdd + kBarrier + kExp, kAdd + "  pipe_barrier(PIPE_ALL);\n" + kExp) ==
        "gone pipe_barrier(PIPE_V) TADDS>TEXP 8>-; new pipe_barrier(PIPE_ALL) TADDS>TEXP ->8");
}

TEST_CASE("sync match: a loop unrolled twice has copies, nothing new") {
  std::string once = kAdd + kBarrier + kExp;
  std::string text = changed(loop(once, 8), loop(once + once, 4));
  CAPTURE(text);
  CHECK(text.find("new") == std::string::npos);
  CHECK(text.find("gone") == std::string::npos);
  CHECK(changed(loop(once + once, 4), loop(once, 8)).find("gone") == std::string::npos);
}

TEST_CASE("sync match: unrolled, and the machine orders the chain within an iteration") {
  auto longKernel = [](const std::string &body) { return vectorKernel(tile("v1", "float", 16, 64, 0) + body); };
  std::string once = kAdd + kBarrier + kExp;
  ComparedTexts texts(longKernel(loop(once, 8)), longKernel(loop(once + once, 4)));
  CHECK(texts.kernel().count(compare::SyncChange::New) == 0);
  CHECK(texts.kernel().count(compare::SyncChange::Gone) == 0);
}

TEST_CASE("sync match: a wait whose set has moved is changed, its set has moved") {
  std::string load = "  TADDS(v1, v1, 1.0f);\n", set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              store = tensor("g", "out", "0") + "  TSTORE(g, v1);\n";
  CHECK(changed(load + set + kOther + wait + store, load + kOther + set + wait + store) ==
        "moved set_flag(PIPE_V, PIPE_MTE3) TADDS>TSTORE 8>9");
}

TEST_CASE("sync match: a wait that sank behind other work is the one of its set") {
  std::string set = "  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              wait = "  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);\n",
              tensors = tensor("g", "out", "0") + tensor("h", "out", "1"), first = "  TSTORE(g, v1);\n",
              second = "  TSTORE(h, v3);\n";
  CHECK(changed(tensors + kAdd + kOther + set + wait + first + second,
                tensors + kAdd + kOther + set + first + wait + second) ==
        "moved wait_flag(PIPE_V, PIPE_MTE3) TMULS>TSTORE 12>13");
}

TEST_CASE("sync match: a loop unrolled to its end has copies, nothing new") {
  std::string once = kAdd + kBarrier + kExp, four = once + once + once + once;
  std::string text = changed(loop(once, 4), four);
  CAPTURE(text);
  CHECK(text.find("new") == std::string::npos);
  CHECK(text.find("gone") == std::string::npos);
  CHECK(text.find("copies") == 0);
}

TEST_CASE("sync match: out of a loop runs less often, so that it is no copy") {
  std::string inside = kAdd + loop(kOther + kBarrier, 4) + kExp, outside = kAdd + loop(kOther, 4) + kBarrier + kExp;
  std::string text = changed(inside, outside);
  CHECK(text.find("copies") == std::string::npos);
  CHECK_FALSE(text.empty());
}
