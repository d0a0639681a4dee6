#include "run/progress.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace std::chrono_literals;

namespace {

/// What is shown of two steps of three, when lines are due at this pace.
std::string shownProgress(ProgressForm form, ProgressPace pace) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  Progress progress("audit", 3, "file", form, pace, stream);
  progress.step();
  progress.step();
  progress.stage("k.cpp");
  std::this_thread::sleep_for(60ms);
  progress.finish();
  progress.finish();
  return stream.str();
}

} // namespace

TEST_CASE("progress: a short run shows nothing, nor does a quiet one", "[run]") {
  CHECK(shownProgress(ProgressForm::Terminal, {10s, 10s}).empty());
  CHECK(shownProgress(ProgressForm::Plain, {10s, 10s}).empty());
  CHECK(shownProgress(ProgressForm::None, {0ms, 1ms}).empty());
}

TEST_CASE("progress: a line that is redrawn and erased", "[run]") {
  std::string text = shownProgress(ProgressForm::Terminal, {20ms, 10s}),
              line = "audit [#############-------] 2 of 3 files, k.cpp, 0 s";
  CHECK(text == "\r" + line + "\r\r" + std::string(line.size(), ' ') + "\r");
}

TEST_CASE("progress: plain lines elsewhere", "[run]") {
  CHECK(shownProgress(ProgressForm::Plain, {20ms, 10s}) == "ptosync: audit: 2 of 3 files, k.cpp, 0 s\n");
}
