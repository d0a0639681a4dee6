// Every command ended at every single question that it asks: its result is what it is without a limit, or an error that
// says so. What a search has proved when its part of the time is over may be published, and then holds.
#include "run/answers.h"
#include "run/audit.h"
#include "run/fix.h"
#include "run/opt.h"
#include "run/patch.h"
#include "run/timeline.h"
#include "support/corpus.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// Loops, flags, barriers that go and such that stay, flags that move.
std::string smallKernel() {
  return vectorKernel(tile("v1", "float", 1, 64, 0) + tile("v2", "float", 1, 64, 256) +
                      tile("v3", "float", 1, 64, 512) +
                      "  set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                      "  for (int32_t i = 0; i < 4; ++i) {\n"
                      "    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                      "    TADDS(v3, v3, 2.0f);\n"
                      "    pipe_barrier(PIPE_V);\n"
                      "    TADDS(v1, v1, 1.0f);\n"
                      "    pipe_barrier(PIPE_V);\n"
                      "    TADDS(v2, v1, 1.0f);\n"
                      "    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                      "  }\n"
                      "  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);\n"
                      "  pipe_barrier(PIPE_ALL);\n");
}

RunInput inputOf(std::vector<SourceText> sources, std::optional<std::uint64_t> asked) {
  RunInput input{std::move(sources), {}, {}};
  input.settings.commandLine.arch = "a3";
  Allowance::Bounds bounds;
  bounds.asked = asked;
  input.choices.allowance = Allowance(bounds);
  return input;
}

/// What a page came to: its result as one text, or nothing where it has met the limit.
using Came = std::optional<std::string>;

template <typename T> Came cameTo(llvm::Expected<T> result, const std::function<std::string(const T &)> &text) {
  if (result)
    return text(*result);
  const bool limit = result.template errorIsA<LimitError>();
  std::string message = llvm::toString(result.takeError());
  if (!limit)
    return "error: " + message;
  CHECK(message.find("k.cpp: is left as it is, since it had asked as often as it may") == 0);
  return std::nullopt;
}

using Page = std::function<Came(const RunInput &)>;

/// Ends the page at its first question, at its second one and so on, each `step` times as many (at least one more),
/// until it comes to its end. Returns how often it was ended.
std::size_t endEverywhere(const std::vector<SourceText> &sources, const Page &page, double step = 1) {
  const Came whole = page(inputOf(sources, std::nullopt));
  REQUIRE(whole);
  for (std::uint64_t asked = 1, ended = 0;; ++ended) {
    const RunInput input = inputOf(sources, asked);
    const Came came = page(input);
    INFO("ended at question " << asked);
    CHECK(came.has_value() != input.choices.allowance.exceeded());
    if (came) {
      CHECK(*came == *whole);
      return ended;
    }
    asked = std::max(asked + 1, static_cast<std::uint64_t>(static_cast<double>(asked) * step));
  }
}

Came optimized(const RunInput &input, const OptRequest &request) {
  Progress progress;
  return cameTo<OptimizedFile>(optimizeFile(input, request, progress),
                               [](const OptimizedFile &file) { return file.patched; });
}

std::string auditTextOf(const AuditedFile &file) {
  std::string text = std::to_string(file.result.kernels) + " " + std::to_string(file.result.skipped.size()) + "\n";
  for (const Finding &finding : file.result.findings)
    text += finding.fingerprint + " " + finding.message + "\n";
  for (const auto &[fingerprint, fix] : file.fixes)
    text += fingerprint + " " + std::to_string(fix.replacements.size()) + "\n";
  return text;
}

Page auditPage(const AuditRequest &request) {
  return [request](const RunInput &input) -> Came {
    const AuditedFile file = auditFile(input, *llvm::cantFail(modelsOf(input)), request);
    if (file.problem.empty())
      return auditTextOf(file);
    // Nothing is claimed of it, neither that something is wrong nor that nothing is.
    CHECK(file.result.findings.empty());
    CHECK(file.fixes.empty());
    CHECK(file.name == "k.cpp");
    return std::nullopt;
  };
}

std::string brokenKernel(const std::string &name) {
  return readText(std::string(PTOSYNC_SOURCE_DIR) + "/tests/broken/" + name + "/kernel.cpp");
}

} // namespace

TEST_CASE("limits: opt ended at any question leaves the kernel as it is", "[run]") {
  const std::vector<SourceText> kernel = {SourceText("k.cpp", smallKernel())};
  CHECK(endEverywhere(kernel, [](const RunInput &input) { return optimized(input, {}); }) > 60);
  CHECK(endEverywhere(
            kernel, [](const RunInput &input) { return optimized(input, {{}, false, Times::Drawn}); }, 1.1) > 20);
  Approval approval;
  approval.applyRest = false;
  CHECK(endEverywhere(
            kernel, [&](const RunInput &input) { return optimized(input, {{}, false, Times::LeftOut, &approval}); },
            1.1) > 20);
}

TEST_CASE("limits: opt of a real kernel ended at many questions", "[run]") {
  const std::vector<SourceText> kernel = {SourceText("k.cpp", readText(corpusPath("softmax/kernel.cpp")))};
  CHECK(endEverywhere(kernel, [](const RunInput &input) { return optimized(input, {}); }, 1.3) > 10);
}

TEST_CASE("limits: an audit that was ended never says that it found nothing", "[run]") {
  const std::vector<SourceText> kernel = {SourceText("k.cpp", brokenKernel("missing_barrier"))};
  const Catalogue patterns = llvm::cantFail(removingPatterns({}));
  CHECK(endEverywhere(kernel, auditPage({})) > 20);
  CHECK(endEverywhere(kernel, auditPage({&patterns, true}), 1.1) > 20);
  CHECK(endEverywhere({SourceText("k.cpp", brokenKernel("missing_flag"))}, auditPage({nullptr, true}), 1.1) > 20);
}

TEST_CASE("limits: fix ended at any question leaves the kernel as it is", "[run]") {
  for (const char *name : {"missing_barrier", "missing_flag"})
    CHECK(endEverywhere(
              {SourceText("k.cpp", brokenKernel(name))},
              [](const RunInput &input) {
                return cameTo<FixedFile>(fixFile(input), [](const FixedFile &file) { return file.result.text; });
              },
              name == std::string("missing_barrier") ? 1.0 : 1.1) > 20);
}

TEST_CASE("limits: the commands that answer say nothing when they were ended", "[run]") {
  const std::string text = smallKernel();
  std::string other = text;
  other.erase(other.find("    pipe_barrier(PIPE_V);\n"), std::string("    pipe_barrier(PIPE_V);\n").size());
  const std::vector<SourceText> one = {SourceText("k.cpp", text)}, two = {one.front(), SourceText("l.cpp", other)};
  const auto line =
      static_cast<std::uint32_t>(1 + std::count(text.begin(), text.begin() + text.find("pipe_barrier"), '\n'));
  auto answer = [](llvm::Expected<Answer> given) {
    return cameTo<Answer>(std::move(given), [](const Answer &one) { return one.text; });
  };
  CHECK(endEverywhere(two, [](const RunInput &input) {
          Progress progress;
          return cameTo<VerifiedFiles>(verifyFiles(input, {}, progress),
                                       [](const VerifiedFiles &files) { return files.report; });
        }) > 5);
  CHECK(endEverywhere(two, [](const RunInput &input) {
          Progress progress;
          CompareRequest request;
          request.page = request.summary = true;
          return cameTo<ComparedFiles>(compareFiles(input, request, progress), [](const ComparedFiles &files) {
            return files.answer.text + files.page + files.changes;
          });
        }) > 5);
  CHECK(endEverywhere(
            one, [&](const RunInput &input) { return answer(explainFile(input, {line, "", AnswerForm::Text})); }) > 20);
  CHECK(endEverywhere(one, [&](const RunInput &input) { return answer(explainMemory(input, AnswerForm::Text)); }) > 5);
  CHECK(endEverywhere(one, [&](const RunInput &input) { return answer(explainCalls(input, AnswerForm::Text)); }) > 0);
  CHECK(endEverywhere(one, [](const RunInput &input) {
          return cameTo<Timelines>(timeFile(input, {}), [](const Timelines &times) { return times.summary; });
        }) > 2);
  CHECK(endEverywhere(one, [&](const RunInput &input) {
          return cameTo<PatchedFile>(patchFile(input, {{"gu"}, {line}}),
                                     [](const PatchedFile &file) { return file.text; });
        }) > 20);
  for (const char *what : {"kernel", "chains", "flags"})
    CHECK(endEverywhere(one, [&](const RunInput &input) {
            return cameTo<std::string>(printFile(input, {}, what), [](const std::string &printed) { return printed; });
          }) > 0);
}

TEST_CASE("limits: syncs placed anew hold wherever the search ended, and the report says that it was ended", "[run]") {
  const std::string text = smallKernel();
  OptRequest request;
  request.resync = true;
  const RunInput unbounded = inputOf({SourceText("k.cpp", text)}, std::nullopt);
  Progress progress;
  const std::string whole = llvm::cantFail(optimizeFile(unbounded, request, progress)).patched;
  std::size_t refused = 0, early = 0;
  for (std::uint64_t asked = 1;; asked += 1 + asked / 12) {
    const RunInput input = inputOf({SourceText("k.cpp", text)}, asked);
    llvm::Expected<OptimizedFile> file = optimizeFile(input, request, progress);
    CHECK(bool(file) != input.choices.allowance.exceeded());
    if (!file) {
      CHECK(file.errorIsA<LimitError>());
      llvm::consumeError(file.takeError());
      ++refused;
      continue;
    }
    const bool ended = std::any_of(file->resync.begin(), file->resync.end(), [](const synthesis::KernelResync &kernel) {
      return kernel.reason.find("it had asked as often as it may") == 0;
    });
    if (!ended) {
      CHECK(file->patched == whole);
      break;
    }
    ++early;
    RunInput both = inputOf({SourceText("k.cpp", text), SourceText("k.cpp", file->patched)}, std::nullopt);
    CHECK(llvm::cantFail(verifyFiles(both, {}, progress)).answer == VerifyAnswer::Proved);
  }
  CHECK(refused > 10);
  CHECK(early > 2);
}
