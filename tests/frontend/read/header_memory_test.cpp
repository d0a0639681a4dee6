// A file that is read again starts where its first reading ended, and is read as without that.
#include "frontend/read/header_memory.h"

#include "frontend/lifted.h"
#include "frontend/read/parse.h"
#include "frontend/vendor_header.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

namespace {

std::string printed(llvm::Expected<Module> module) {
  if (!module)
    return llvm::toString(module.takeError());
  std::string text;
  for (const Kernel &kernel : module->kernels)
    text += printKernel(kernel);
  for (const SyncSite &site : module->sites)
    text +=
        std::to_string(site.line) + " " + site.text + " " + std::to_string(static_cast<int>(site.protection)) + "\n";
  for (const UnknownCall &call : module->unknownCalls)
    text += call.name + "\n";
  return text;
}

} // namespace

TEST_CASE("a file that is read again with what it was found to lack is read as without") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions alone = frontendOptions(machineOf("a3"));
  alone.includeDirectory = headers.path;
  FrontendOptions remembering = alone;
  remembering.memory = std::make_shared<HeaderMemory>();
  SourceText first("k.cpp", kernelText("TFROB(in, n);\npipe_barrier(PIPE_V);\nTWOW(out);\npipe_barrier(PIPE_V);"));
  SourceText edited("k.cpp", kernelText("TFROB(in, n);\nTWOW(out);\npipe_barrier(PIPE_V);"));
  // Another text of the same name, which defines what the first one lacked, and lacks something else.
  SourceText other("k.cpp", kernelText("TFROB(n);\nTZAP(in);", "AICORE void TFROB(int n) { pipe_barrier(PIPE_V); }\n"));
  // And one that cannot be read at all.
  SourceText wrong("k.cpp", kernelText("TFROB(in, n) 3;"));
  for (const SourceText *text : {&first, &edited, &other, &wrong, &first}) {
    CAPTURE(text->text());
    CHECK(printed(liftModule(*text, remembering)) == printed(liftModule(*text, alone)));
  }
}

TEST_CASE("what was found is kept by file, architecture and section") {
  HeaderMemory memory;
  HeaderMemory::Found found;
  found.parses = 2;
  memory.remember("k.cpp", "a3", Section::Vec, found);
  CHECK(memory.find("k.cpp", "a3", Section::Vec)->parses == 2);
  CHECK_FALSE(memory.find("k.cpp", "a3", Section::Cube));
  CHECK_FALSE(memory.find("k.cpp", "a5", Section::Vec));
  CHECK_FALSE(memory.find("other.cpp", "a3", Section::Vec));
}

TEST_CASE("the second reading of a file parses once") {
  HeaderDirectory headers;
  headers.write("pto/pto-inst.hpp", vendorHeader());
  FrontendOptions options = frontendOptions(machineOf("a3"));
  options.includeDirectory = headers.path;
  options.memory = std::make_shared<HeaderMemory>();
  SourceText text("k.cpp", kernelText("TFROB(in);"));
  llvm::Expected<ParsedSection> parsed = parseSection(text, Section::Vec, options);
  if (!parsed)
    FAIL(llvm::toString(parsed.takeError()));
  std::optional<HeaderMemory::Found> found = options.memory->find("k.cpp", "a3", Section::Vec);
  REQUIRE(found);
  CHECK(found->parses == 1);
  CHECK(found->additions.functions() == std::set<std::string>{"TFROB"});
}
