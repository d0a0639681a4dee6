#include "run/run.h"

#include "support/corpus.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

const std::string kOnlyA3 = vectorKernel("  pipe_barrier(PIPE_V);\n"); // a5 has no such barrier
const std::string kEither = vectorKernel("");

llvm::Expected<Subject> lifted(const std::vector<std::string> &texts, const Settings &settings = {}) {
  RunInput input{{}, settings, {}};
  for (const std::string &text : texts)
    input.sources.emplace_back("k" + std::to_string(input.sources.size()) + ".cpp", text);
  return liftSubject(input, Shapes::LeftOut);
}

Settings choose(const std::string &arch) {
  Settings settings;
  settings.commandLine.arch = arch;
  return settings;
}

} // namespace

TEST_CASE("run choices: the replay makes those of the optimiser, the timed run all but the trust", "[run]") {
  RunChoices choices;
  choices.optimize.ordering = {{Trust::Library, true, true, false, true, true}};
  choices.arguments = {{"n", 1}};
  choices.costArguments = {{"n", 2}};
  replay::Options replayed = replayOptions(choices), timed = timingOptions(choices);
  CHECK(optionsText(replayed) == optionsText(choices.optimize.ordering));
  CHECK(replayed.arguments == choices.arguments);
  CHECK(replayed.budget.runs == replay::Budget().runs);
  ModelChoices opaque = choices.optimize.ordering;
  opaque.trust = Trust::Tile;
  CHECK(optionsText(timed) == optionsText(opaque));
  CHECK(timed.arguments == choices.costArguments);
}

TEST_CASE("run choices: a text is read for the model's architecture and instructions", "[run]") {
  for (const char *arch : {"a3", "a5"}) {
    FrontendOptions frontend = frontendOptions(machineOf(arch));
    CHECK(frontend.architecture == arch);
    CHECK(frontend.instructions.size() == machineOf(arch).instructions().size());
    for (const std::string &name : machineOf(arch).instructions().names())
      CHECK(frontend.insideFlags(name) == machineOf(arch).insideFlags(name));
    CHECK(frontend.includeDirectory.empty());
    CHECK(frontend.argumentsApart);
    RunChoices mayAlias;
    mayAlias.optimize.ordering.argumentsMayAlias = true;
    CHECK_FALSE(frontendOptions(machineOf(arch), mayAlias).argumentsApart);
  }
}

TEST_CASE("run: the architecture is the one that was chosen, that of the text, or the default", "[run]") {
  CHECK(llvm::cantFail(lifted({kEither})).arch.description() == "a3 (default: nothing in the text decides)");
  CHECK(llvm::cantFail(lifted({kEither}, choose("a5"))).arch.description() == "a5 (command line: --arch)");
  Subject both = llvm::cantFail(lifted({kEither, kOnlyA3}));
  CHECK(both.arch.source == "text");
  CHECK(both.arch.arch == "a3");
  REQUIRE(both.modules.size() == 2);
  CHECK(both.modules[1].source.name() == "k1.cpp");
  CHECK(both.modules[1].shapes.empty());
}

TEST_CASE("run: a choice that the text contradicts is refused, and every text that is no C++ is named", "[run]") {
  std::string refused = llvm::toString(lifted({kOnlyA3}, choose("a5")).takeError());
  CHECK(refused.rfind("k0.cpp:" + std::to_string(kBodyLine) + ": pipe_barrier(PIPE_V) is not for a5", 0) == 0);
  std::string broken = llvm::toString(lifted({kEither + "}", kOnlyA3 + "}"}).takeError());
  CHECK(broken.find("k0.cpp:") != std::string::npos);
  CHECK(broken.find("k1.cpp:") != std::string::npos);
}

TEST_CASE("run: the command line goes before the environment, and that before the file", "[run]") {
  Settings settings;
  settings.file.arch = "a5";
  settings.file.trust = Trust::Library;
  settings.file.file = "p/.ptosync.json";
  CHECK(llvm::cantFail(lifted({kEither}, settings)).arch.description() == "a5 (configuration: p/.ptosync.json)");
  settings.environment.arch = "a3";
  CHECK(llvm::cantFail(lifted({kEither}, settings)).arch.description() == "a3 (environment: PTOSYNC_ARCH)");
  CHECK(llvm::cantFail(lifted({"// ptosync: arch a5\n" + kEither}, settings)).arch.description() ==
        "a5 (comment: line 1)");
  settings.commandLine.trust = Trust::Tile;
  Subject subject = llvm::cantFail(lifted({kEither}, settings));
  CHECK(subject.choices.optimize.ordering.trust == Trust::Tile);
}

TEST_CASE("run: a text that nobody has placed is lifted for the other architecture too", "[run]") {
  RunInput input{{SourceText("k.cpp", kEither)}, {}, {}};
  Models models = llvm::cantFail(loadModels(input.choices, std::nullopt));
  Subject subject = llvm::cantFail(liftSubject(input, models, Shapes::LeftOut));
  REQUIRE(subject.arch.isDefault());
  CHECK(llvm::cantFail(liftForOther(input, models, subject)).machine->arch() == "a5");
  input.sources = {SourceText("k.cpp", kOnlyA3)};
  llvm::Expected<Subject> refused = liftForOther(input, models, subject);
  REQUIRE(!refused);
  CHECK(llvm::toString(refused.takeError()).find("is not for a5") != std::string::npos);
}

TEST_CASE("run: what is wrong with a setting is told apart from what is wrong with a kernel", "[run]") {
  RunInput input{{SourceText("k.cpp", kEither)}, {}, {}};
  input.choices.machineText = SourceText("m.json", "{}");
  llvm::Expected<Subject> subject = liftSubject(input, Shapes::LeftOut);
  REQUIRE(!subject);
  CHECK(subject.errorIsA<SettingError>());
  CHECK(llvm::toString(subject.takeError()).find("m.json") != std::string::npos);
  RunChoices choices;
  choices.reservedIds = {8};
  llvm::Error reserved = checkReservedIds(machineOf("a3"), choices);
  CHECK(reserved.isA<SettingError>());
  CHECK(llvm::toString(std::move(reserved)).find("'8' is no event id of the a3") != std::string::npos);
  llvm::Expected<Subject> kernel = lifted({kEither + "}"});
  REQUIRE(!kernel);
  CHECK_FALSE(kernel.errorIsA<SettingError>());
  llvm::consumeError(kernel.takeError());
}

TEST_CASE("run: other texts are read under the name of the file", "[run]") {
  Module module = llvm::cantFail(lifterOf("other.cpp", frontendOptions(machineOf("a3")))(vectorKernel("")));
  CHECK(module.source.name() == "other.cpp");
  CHECK(module.kernels.size() == 1);
}
