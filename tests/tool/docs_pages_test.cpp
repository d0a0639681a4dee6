// README.md and docs/*.md are run as they stand: every command, and what is shown as its output is looked for in it.
//
// A comment above a fenced block says what the block is, and every block of no other language needs one:
//
//   <!-- run -->                   its lines are commands; each ends with 0 or 1
//   <!-- output of: COMMAND -->    its lines are among those that the command prints; "..." stands for any
//   <!-- not run: REASON -->       counted, and the count is fixed below
//
// $SOURCE is the repository. Links are followed, too.
//
// $SHARED in a command is the folder of real kernels beside the repository; without it the block is skipped, and said
// so. docs/extending.md has a test of its own, which also writes its files.
#include "profile/recorded_run.h"
#include "tool/process.h"

#include <iostream>
#include <map>
#include <memory>

using namespace ptosync;
using namespace ptosync::test;

namespace fs = std::filesystem;

namespace {

struct FencedBlock {
  std::string page, language, marker, text;
  std::size_t line = 0; // of the fence
  std::string place() const { return page + ":" + std::to_string(line); }
};

std::vector<FencedBlock> blocksOf(const std::string &page, const std::string &text) {
  std::vector<FencedBlock> blocks;
  std::vector<std::string> lines = linesOf(text);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::size_t indent = lines[i].find_first_not_of(' ');
    if (indent == std::string::npos || lines[i].compare(indent, 3, "```") != 0)
      continue;
    FencedBlock block{page, lines[i].substr(indent + 3), i > 0 ? lines[i - 1] : "", "", i + 1};
    for (++i; i < lines.size() && lines[i].find("```") != indent; ++i)
      block.text += lines[i] + "\n";
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::string inSource(const std::string &path) { return std::string(PTOSYNC_SOURCE_DIR) + "/" + path; }

std::vector<std::string> allPages() {
  std::vector<std::string> pages = {"README.md", "CONTRIBUTING.md"};
  for (const auto &entry : fs::recursive_directory_iterator(PTOSYNC_SOURCE_DIR "/docs"))
    if (entry.path().extension() == ".md")
      pages.push_back(fs::relative(entry.path(), PTOSYNC_SOURCE_DIR).string());
  std::sort(pages.begin(), pages.end());
  return pages;
}

/// Returns the blocks of all pages but those that have a test of their own.
std::vector<FencedBlock> allBlocks() {
  std::vector<FencedBlock> blocks;
  for (const std::string &page : allPages())
    if (page != "CONTRIBUTING.md" && page != "docs/extending.md")
      for (FencedBlock &block : blocksOf(page, readText(inSource(page))))
        blocks.push_back(std::move(block));
  return blocks;
}

/// Returns the anchor that viewers give to a heading: "## What the text shows" has "what-the-text-shows".
std::string anchorOf(const std::string &heading) {
  std::string anchor;
  for (char c : heading.substr(std::min(heading.size(), heading.find_first_not_of("# "))))
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_')
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (c == ' ')
      anchor += '-';
  return anchor;
}

bool hasAnchor(const std::string &page, const std::string &anchor) {
  std::vector<std::string> lines = linesOf(page);
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string &line) { return line.rfind('#', 0) == 0 && anchorOf(line) == anchor; });
}

/// "COMMAND" of "<!-- output of: COMMAND -->"; empty if the marker is another.
std::string inMarker(const std::string &marker, const std::string &opening) {
  std::string begin = "<!-- " + opening, end = " -->";
  if (marker.rfind(begin, 0) != 0 || marker.size() < begin.size() + end.size())
    return {};
  return marker.substr(begin.size(), marker.size() - begin.size() - end.size());
}

std::string sharedFolder() {
  std::string folder = PTOSYNC_SOURCE_DIR "/../shared/kernels";
  return fs::is_directory(folder) ? folder : "";
}

/// A recorded run of the kernel, both cores.
void recordProfile(const Workshop &workshop, const std::string &kernel) {
  Module module = lift(kernel);
  replay::Options options;
  std::vector<const Kernel *> cores;
  for (const Kernel &core : module.kernels)
    cores.push_back(&core);
  fs::create_directories(workshop.path("OPPROF_FOLDER/dump"));
  for (const timing::KernelTiming &timed : timing::timeCores(cores, machineOf("a3"), options, costsOf())) {
    timing::KernelTiming whole(std::make_unique<replay::Subject>(timed.subject().kernel, machineOf("a3"), options),
                               timed.inputs(), machineOf("a3"), options, costsOf(), replay::Skipping::Forbidden);
    std::vector<RecordedInstruction> lines = recordRun(whole);
    bool cube = timed.subject().kernel.section == Section::Cube;
    std::string name = std::string("OPPROF_FOLDER/dump/core0.") + (cube ? "cubecore0" : "veccore0");
    workshop.write(name + ".instr_popped_log.dump", logText(lines, false));
    workshop.write(name + ".instr_log.dump", logText(lines, true));
  }
}

/// What two versions of an assembler have made: of one kernel the second lacks a needed barrier, of one it has a wider
/// one, and of one both are the same.
void furnishFolders(const Workshop &workshop, const std::string &kernel) {
  const std::string softmax = readText(PTOSYNC_SOURCE_DIR "/corpus/softmax/kernel.cpp");
  for (const char *folder : {"OLD_KERNELS", "NEW_KERNELS"}) {
    fs::create_directory(workshop.path(folder));
    workshop.write(std::string(folder) + "/gemm.cpp",
                   readText(PTOSYNC_SOURCE_DIR "/corpus/double_buffered_gemm/kernel.cpp"));
  }
  workshop.write("OLD_KERNELS/attention.cpp", kernel);
  workshop.write("NEW_KERNELS/attention.cpp", withLine(kernel, 418, ""));
  workshop.write("OLD_KERNELS/softmax.cpp", softmax);
  workshop.write("NEW_KERNELS/softmax.cpp", withLine(softmax, 62, "    pipe_barrier(PIPE_ALL);"));
}

/// What the pages take for granted: a kernel under the names that they use, what `opt` made of it, a recorded run.
void furnish(const Workshop &workshop) {
  std::string kernel = readText(PTOSYNC_SOURCE_DIR "/corpus/flash_attention/kernel.cpp");
  for (const char *name : {"K.cpp", "kernel.cpp", "KERNEL.cpp", "BEFORE.cpp"})
    workshop.write(name, kernel);
  for (const char *name : {"patched.cpp", "AFTER.cpp"})
    workshop.write(name, patchedCorpusKernel("flash_attention", "tile"));
  workshop.write("approval.json", "{\"version\": 1, \"approved\": [], \"rest\": \"hold\"}");
  recordProfile(workshop, kernel);
  fs::create_directory(workshop.path("kernels"));
  workshop.write("kernels/kernel.cpp", kernel);
  furnishFolders(workshop, kernel);
  fs::create_symlink(PTOSYNC_SOURCE_DIR "/corpus", workshop.path("corpus"));
  fs::create_symlink(PTOSYNC_SOURCE_DIR "/scripts", workshop.path("scripts"));
  fs::create_directory(workshop.path("bin"));
  fs::create_symlink(PTOSYNC_BINARY, workshop.path("bin/ptosync"));
  workshop.ptosync("audit kernels --shard=1/2 --format=json >A.json");
  workshop.ptosync("audit kernels --shard=2/2 --format=json >B.json");
}

Run runIn(const Workshop &workshop, const std::string &command) {
  return workshop.shell("unset PTOSYNC_ARCH PTOSYNC_TRUST PTOSYNC_FLAGS; export PTOSYNC='" PTOSYNC_BINARY
                        "' SOURCE='" PTOSYNC_SOURCE_DIR "' SHARED='" +
                        sharedFolder() + "' PATH=\"$PWD/bin:$PATH\"; " + command);
}

std::size_t runCommands(const Workshop &workshop, const FencedBlock &block) {
  std::size_t count = 0;
  for (const std::string &command : linesOf(block.text)) {
    if (command.empty())
      continue;
    Run run = runIn(workshop, command);
    INFO(block.place() << ": $ " << command << "\n" << run.err);
    CHECK((run.exitCode == 0 || run.exitCode == 1));
    ++count;
  }
  return count;
}

std::string trimmed(const std::string &line) {
  std::size_t begin = line.find_first_not_of(' '), end = line.find_last_not_of(' ');
  return begin == std::string::npos ? "" : line.substr(begin, end - begin + 1);
}

void compareOutput(const Workshop &workshop, const FencedBlock &block, const std::string &command) {
  Run run = runIn(workshop, command);
  std::string output = run.out + run.err;
  for (const std::string &line : linesOf(block.text)) {
    INFO(block.place() << ": $ " << command << "\nlacks: " << line << "\n--- it prints\n" << output.substr(0, 8000));
    if (trimmed(line) != "...")
      CHECK(contains(output, trimmed(line)));
  }
}

} // namespace

TEST_CASE("docs: every command that is shown runs, and prints what is shown") {
  Workshop workshop;
  furnish(workshop);
  std::size_t commands = 0, outputs = 0, notRun = 0, skipped = 0;
  for (const FencedBlock &block : allBlocks()) {
    std::string command = inMarker(block.marker, "output of: ");
    bool plain = block.language.empty() || block.language == "sh" || block.language == "console";
    if (block.marker == "<!-- run -->")
      commands += runCommands(workshop, block);
    else if (!command.empty() && contains(command, "$SHARED") && sharedFolder().empty())
      ++skipped;
    else if (!command.empty())
      compareOutput(workshop, block, command), ++outputs;
    else if (!inMarker(block.marker, "not run: ").empty())
      ++notRun;
    else if (plain) {
      INFO(block.place() << ": the block has no comment above it that says what it is");
      CHECK(false);
    }
  }
  if (skipped)
    std::cout << "skipped: " << skipped << " blocks of the documentation show real kernels, which are not here\n";
  CHECK(commands >= 25);
  CHECK(outputs + skipped >= 8);
  // Of these the documentation says why: another is a decision.
  CHECK(notRun == 18);
}

TEST_CASE("docs: every link of a page leads to a file, and to a heading of it") {
  std::size_t links = 0;
  for (const std::string &page : allPages()) {
    const std::string text = readText(inSource(page));
    for (std::size_t at = text.find("]("); at != std::string::npos; at = text.find("](", at + 2)) {
      const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      if (contains(target, "://") || contains(target, " ") || target.empty())
        continue; // elsewhere, or code: a lambda
      const std::size_t hash = target.find('#');
      const fs::path file = hash == 0 ? fs::path(page) : fs::path(page).parent_path() / target.substr(0, hash);
      INFO(page << ": (" << target << ")");
      REQUIRE(fs::exists(inSource(file.string())));
      if (hash != std::string::npos)
        CHECK(hasAnchor(readText(inSource(file.string())), target.substr(hash + 1)));
      ++links;
    }
  }
  CHECK(links >= 100);
}

TEST_CASE("docs: the README is short") { CHECK(linesOf(readText(inSource("README.md"))).size() <= 200); }
