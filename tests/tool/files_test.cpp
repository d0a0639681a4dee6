// Inputs that are no kernels and outputs that cannot be written: one message, nothing left behind.
#include "tool/process.h"

#include <functional>
#include <random>
#include <regex>

using namespace ptosync;
using namespace ptosync::test;

namespace fs = std::filesystem;

namespace {

/// The run failed with this code and message, and left `before` and nothing else.
void left(const Workshop &workshop, const Run &run, const std::string &before, int exitCode,
          std::initializer_list<const char *> messages) {
  CAPTURE(run.err);
  CHECK(run.exitCode == exitCode);
  CHECK(run.out == "");
  CHECK(run.err.rfind("ptosync: ", 0) == 0);
  for (const char *message : messages)
    CHECK(contains(run.err, message));
  CHECK(workshop.listing() == before);
}

/// The same for an input with these bytes, for every way to ask for output.
void badInput(const std::string &bytes, int exitCode, std::initializer_list<const char *> messages) {
  for (const char *output : {"-o out.cpp --report=r.json", "--diff", "--dry-run", "-o -"}) {
    Workshop workshop;
    workshop.write("k.cpp", bytes);
    CAPTURE(output);
    left(workshop, workshop.ptosync("opt k.cpp " + std::string(output)), "k.cpp", exitCode, messages);
    CHECK(workshop.read("k.cpp") == bytes);
  }
}

/// Every way in which the sample kernel cannot be written.
void badOutput(
    const std::string &arguments, std::initializer_list<const char *> messages,
    const std::function<void(const Workshop &)> &prepare = [](const Workshop &) {}) {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  prepare(workshop);
  std::string before = workshop.listing();
  CAPTURE(arguments);
  left(workshop, workshop.ptosync("opt k.cpp " + arguments), before, 2, messages);
  CHECK(workshop.read("k.cpp") == sampleKernel());
}

} // namespace

TEST_CASE("an input that is missing or a directory") {
  Workshop workshop;
  fs::create_directory(workshop.path("folder"));
  left(workshop, workshop.ptosync("opt none.cpp -o out.cpp"), "folder", 2, {"none.cpp", "No such file"});
  left(workshop, workshop.ptosync("opt folder -o out.cpp"), "folder", 2, {"folder", "is a directory"});
  left(workshop, workshop.ptosync("opt folder/none.cpp --dry-run"), "folder", 2, {"folder/none.cpp", "No such file"});
}

TEST_CASE("an input that must not be read") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  fs::permissions(workshop.path("k.cpp"), fs::perms::none);
  bool readable = std::ifstream(workshop.path("k.cpp")).good(); // the superuser reads everything
  if (!readable)
    left(workshop, workshop.ptosync("opt k.cpp -o out.cpp"), "k.cpp", 2, {"k.cpp", "Permission denied"});
}

TEST_CASE("a dangling link is a missing input") {
  Workshop workshop;
  fs::create_symlink("nowhere.cpp", workshop.path("link.cpp"));
  left(workshop, workshop.ptosync("opt link.cpp -o out.cpp"), "link.cpp", 2, {"link.cpp", "No such file"});
}

TEST_CASE("an empty file, or one without kernels, is done at once and says so") {
  for (const std::string &text :
       {std::string(), std::string("\n"), std::string("int x = 3;\n"),
        std::string("#include \"pto/pto-inst.hpp\"\nusing namespace pto;\nvoid host() {}\n")}) {
    Workshop workshop;
    workshop.write("k.cpp", text);
    Run run = workshop.ptosync("opt k.cpp -o out.cpp");
    CAPTURE(text, run.err);
    CHECK(run.exitCode == 0);
    CHECK(contains(run.out, "no kernels found in k.cpp"));
    CHECK(workshop.read("out.cpp") == text); // the output is there for whoever compiles it next
    CHECK(workshop.read("k.cpp") == text);
    CHECK(workshop.listing() == "k.cpp out.cpp");
  }
}

TEST_CASE("random bytes are no kernel") {
  std::mt19937 random(5);
  std::string bytes;
  for (int i = 0; i < 4096; ++i)
    bytes += static_cast<char>(random() & 0xff);
  REQUIRE(bytes.find('\0') != std::string::npos);
  badInput(bytes, 3, {"k.cpp:", "error: "});
  badInput(std::string("\x7f"
                       "ELF\0\0\0\1",
                       8),
           3, {"k.cpp:1:", "error: "});
}

TEST_CASE("a kernel that ends in the middle") {
  std::string text = sampleKernel();
  badInput(text.substr(0, text.size() - 3), 3, {"k.cpp:", "error: expected '}'"});
  badInput(text.substr(0, text.find("pipe_barrier") + 6), 3, {"k.cpp:8:", "error: "});
}

TEST_CASE("unbalanced conditions of the preprocessor") {
  badInput("#if defined(__DAV_VEC__)\n" + sampleKernel(), 3, {"k.cpp:1:2: error: unterminated conditional directive"});
  badInput(sampleKernel() + "#endif\n", 3, {"error: #endif without #if"});
  badInput("#else\n", 3, {"k.cpp:1:2: error: #else without #if"});
}

TEST_CASE("C++ that means nothing names file, line and column") {
  badInput(vectorKernel("  int x = missing;\n"), 3, {"k.cpp:4:11: error: use of undeclared identifier 'missing'"});
  badInput("#include \"mine.hpp\"\n", 3, {"k.cpp:1:10: error: 'mine.hpp' file not found"});
}

TEST_CASE("an error is said once, though both sections have it") {
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel("  int x = missing;\n#if defined(__DAV_VEC__)\n  x += 1;\n#endif\n"));
  Run run = workshop.ptosync("opt k.cpp --dry-run");
  CHECK(run.exitCode == 3);
  std::size_t first = run.err.find("undeclared identifier");
  REQUIRE(first != std::string::npos);
  CHECK(run.err.find("undeclared identifier", first + 1) == std::string::npos);
}

TEST_CASE("a function of fifty thousand lines") {
  std::string body = tile("v1", "float", 16, 64, 0) + tile("v2", "float", 8, 64, 8192);
  for (int i = 0; i < 25000; ++i)
    body += i % 2 ? "  TADDS(v1, v1, 1.0f);\n  pipe_barrier(PIPE_V);\n"
                  : "  TADDS(v2, v2, 1.0f);\n  int a" + std::to_string(i) + " = n;\n";
  Workshop workshop;
  workshop.write("k.cpp", vectorKernel(body));
  Run run = workshop.ptosync("opt k.cpp -o out.cpp --quiet"); // a slow machine would be told how far it is
  CHECK(run.err == "");
  CHECK(run.exitCode == 0);
  CHECK(linesOf(workshop.read("out.cpp")).size() == linesOf(workshop.read("k.cpp")).size());
}

TEST_CASE("bytes that are no UTF-8 are kept") {
  std::string text = sampleKernel();
  text.insert(text.find("  TADDS"), "  // caf\xe9 \xff\xfe\n  printf(\"\x80\xbf\");\n");
  Workshop workshop;
  workshop.write("k.cpp", text);
  Run run = workshop.ptosync("opt k.cpp -o out.cpp --report=r.json");
  CAPTURE(run.err);
  REQUIRE(run.exitCode == 0);
  std::string patched = workshop.read("out.cpp");
  CHECK(contains(patched, "// caf\xe9 \xff\xfe\n  printf(\"\x80\xbf\");\n"));
  CHECK(contains(patched, "removed pipe_barrier(PIPE_V)"));
}

TEST_CASE("bytes that are no UTF-8 in what the report quotes") {
  // The reason of a keep comment and the spelling of an instruction go into the report.
  std::string text = sampleKernel();
  text.insert(text.find("pipe_barrier(PIPE_V);") + 21, " // ptosync: keep(\xe9)");
  text.insert(text.find("  TADDS(v2, v2, 2"), "  TADDS(v2, v2 /* \xff */, 3.0f);\n");
  Workshop workshop;
  workshop.write("k.cpp", text);
  Run run = workshop.ptosync("opt k.cpp --dry-run --verbose --report=r.json");
  CAPTURE(run.err);
  CHECK(run.exitCode == 0);
  CHECK(workshop.listing() == "k.cpp r.json");
}

TEST_CASE("CRLF line ends are kept") {
  std::string text;
  for (const std::string &line : linesOf(sampleKernel()))
    text += line + "\r\n";
  Workshop workshop;
  workshop.write("k.cpp", text);
  REQUIRE(workshop.ptosync("opt k.cpp -o out.cpp").exitCode == 0);
  std::string patched = workshop.read("out.cpp");
  CHECK(std::regex_search(patched,
                          std::regex("removed pipe_barrier\\(PIPE_V\\) \\[redundant-pipe-v: [^\r\n]*\\] \\*/\r\n")));
  CHECK(std::count(patched.begin(), patched.end(), '\r') == std::count(text.begin(), text.end(), '\r'));
  CHECK(std::count(patched.begin(), patched.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
}

TEST_CASE("a file without a final line end stays one") {
  std::string text = sampleKernel();
  text.pop_back();
  Workshop workshop;
  workshop.write("k.cpp", text);
  REQUIRE(workshop.ptosync("opt k.cpp -o out.cpp").exitCode == 0);
  CHECK(workshop.read("out.cpp").back() == '}');
}

TEST_CASE("an output that cannot be written") {
  badOutput("-o none/out.cpp", {"none/out.cpp", "cannot be written", "the folder none does not exist"});
  badOutput("-o folder", {"folder", "is a directory"},
            [](const Workshop &w) { fs::create_directory(w.path("folder")); });
  badOutput("-o k.cpp/out.cpp", {"k.cpp/out.cpp", "cannot be written"});
  badOutput("--dry-run --report=none/r.json", {"none/r.json", "cannot be written"});
  badOutput("--dry-run --report=folder", {"folder", "is a directory"},
            [](const Workshop &w) { fs::create_directory(w.path("folder")); });
}

TEST_CASE("an output directory without permission to write") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  fs::create_directory(workshop.path("sealed"));
  fs::permissions(workshop.path("sealed"), fs::perms::owner_read | fs::perms::owner_exec);
  bool writable = std::ofstream(workshop.path("sealed/probe")).good(); // the superuser writes everywhere
  if (!writable)
    left(workshop, workshop.ptosync("opt k.cpp -o sealed/out.cpp"), "k.cpp sealed", 2,
         {"sealed/out.cpp", "Permission denied"});
  fs::permissions(workshop.path("sealed"), fs::perms::owner_all);
}

TEST_CASE("if the report cannot be written, the kernel is not written either") {
  badOutput("-o out.cpp --report=none/r.json", {"none/r.json", "cannot be written"});
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("out.cpp", "older\n");
  CHECK(workshop.ptosync("opt k.cpp -o out.cpp --report=none/r.json").exitCode == 2);
  CHECK(workshop.read("out.cpp") == "older\n");
}

TEST_CASE("the input is never the output, under whatever name") {
  badOutput("-o k.cpp", {"k.cpp", "is an input of this run"});
  badOutput("-o ./k.cpp", {"./k.cpp", "is an input of this run"});
  badOutput("-o link.cpp", {"link.cpp", "is an input of this run"},
            [](const Workshop &w) { fs::create_symlink("k.cpp", w.path("link.cpp")); });
  badOutput("-o hard.cpp", {"hard.cpp", "is an input of this run"},
            [](const Workshop &w) { fs::create_hard_link(w.path("k.cpp"), w.path("hard.cpp")); });
  badOutput("-o out.cpp --report=k.cpp", {"k.cpp", "is an input of this run"});
  badOutput("--dry-run --report=link.cpp", {"link.cpp", "is an input of this run"},
            [](const Workshop &w) { fs::create_symlink("k.cpp", w.path("link.cpp")); });
}

TEST_CASE("an input that is a link is not written through either") {
  Workshop workshop;
  workshop.write("real.cpp", sampleKernel());
  fs::create_symlink("real.cpp", workshop.path("k.cpp"));
  left(workshop, workshop.ptosync("opt k.cpp -o real.cpp"), "k.cpp real.cpp", 2,
       {"real.cpp", "is an input of this run"});
  CHECK(workshop.read("real.cpp") == sampleKernel());
}

TEST_CASE("kernel and report need two names") {
  badOutput("-o out.cpp --report=out.cpp", {"out.cpp"});
  badOutput("-o out.cpp --report=./out.cpp", {"out.cpp"});
}

TEST_CASE("an output keeps the permissions of the file it replaces, a new one has those of the umask") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  workshop.write("old.cpp", "older\n");
  fs::perms mode = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(workshop.path("old.cpp"), mode);
  REQUIRE(workshop.ptosync("opt k.cpp -o old.cpp").exitCode == 0);
  CHECK(fs::status(workshop.path("old.cpp")).permissions() == mode);
  REQUIRE(workshop.shell("umask 027; '" PTOSYNC_BINARY "' opt k.cpp -o new.cpp").exitCode == 0);
  CHECK(fs::status(workshop.path("new.cpp")).permissions() == static_cast<fs::perms>(0640));
  CHECK(workshop.listing() == "k.cpp new.cpp old.cpp");
}

TEST_CASE("names that begin with a dash are names, and messages have them as they were given") {
  Workshop workshop;
  fs::create_directory(workshop.path("-d"));
  workshop.write("-k.cpp", sampleKernel());
  workshop.write("-d/k.cpp", sampleKernel());
  workshop.write("-b.cpp", "broken\n");
  Run run = workshop.ptosync("opt --dry-run -- -k.cpp");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "\nfile -k.cpp, "));
  CHECK(workshop.ptosync("audit -- -d").exitCode == 0);
  Run broken = workshop.ptosync("opt --dry-run -- -b.cpp");
  CHECK(broken.exitCode == 3);
  CHECK(broken.err.rfind("ptosync: -b.cpp:1:1: error: ", 0) == 0);
}

TEST_CASE("a folder where a file of JSON is wanted, and a folder that is not there") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  fs::create_directory(workshop.path("d"));
  auto refused = [&](const std::string &arguments, const std::string &message) {
    CAPTURE(arguments);
    left(workshop, workshop.ptosync(arguments), "d k.cpp", 2, {message.c_str()});
  };
  for (const char *option : {"--machine=d", "--pattern-file=d", "--cost --timing=d"})
    refused("opt k.cpp --dry-run " + std::string(option), "d: is a directory; expected a JSON file");
  refused("audit k.cpp --baseline=d", "d: is a directory; expected a JSON file");
  refused("opt k.cpp -o nodir/x.cpp", "nodir/x.cpp: cannot be written: the folder nodir does not exist");
}

TEST_CASE("signals that are no crashes end the run as ever, without a temporary file") {
  Workshop workshop;
  workshop.write("k.cpp", sampleKernel());
  // The FIFO is opened after the temporary file of the report is there, and nobody reads it.
  Run quit = workshop.shell("mkfifo f; env --default-signal=QUIT '" PTOSYNC_BINARY
                            "' opt k.cpp -o f --report=r.json & p=$!; sleep 1; ls; "
                            "kill -QUIT $p; wait $p; echo code $?");
  CHECK(contains(quit.out, "r.json.tmp"));
  CHECK(contains(quit.out, "code 131"));
  CHECK_FALSE(contains(quit.err, "internal error"));
  CHECK(workshop.listing() == "f k.cpp");
  workshop.write("large.cpp", sampleKernel() + "//" + std::string(4096, 'x') + "\n");
  Run large = workshop.shell("ulimit -c 0; ulimit -f 2; '" PTOSYNC_BINARY "' opt large.cpp -o out.cpp 2>&1 | cat");
  CHECK(contains(large.out, "out.cpp: cannot be written: File too large"));
  CHECK(workshop.listing() == "f k.cpp large.cpp");
}
