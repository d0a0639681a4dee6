#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("file list: a directory gives its kernels, sorted; a name that is not there is an error") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("d/e"));
  workshop.write("d/b.cpp", sampleKernel());
  workshop.write("d/a.cpp", sampleKernel());
  workshop.write("d/e/c.cpp", sampleKernel());
  workshop.write("d/notes.txt", "pto-inst.hpp");
  workshop.write("d/host.cpp", "#include <vector>\n");
  Run run = workshop.ptosync("audit d --print=config");
  CHECK(run.exitCode == 0);
  std::vector<std::string> files;
  for (const std::string &line : linesOf(run.out))
    if (line.rfind("d/", 0) == 0)
      files.push_back(line.substr(0, line.find(':')));
  CHECK(files == std::vector<std::string>{"d/a.cpp", "d/b.cpp", "d/e/c.cpp"});
  Run missing = workshop.ptosync("audit d nowhere");
  CHECK(missing.exitCode == 2);
  CHECK(contains(missing.err, "nowhere: cannot be read"));
}

TEST_CASE("file list: a file that is named is audited whatever it holds") {
  Workshop workshop;
  workshop.write("host.cpp", "int f() { return 1; }\n");
  Run run = workshop.ptosync("audit host.cpp");
  CHECK(run.exitCode == 0);
  CHECK(contains(run.out, "1 file: no errors"));
}

TEST_CASE("file list: a folder that cannot be read is named, and the others are audited") {
  Workshop workshop;
  std::filesystem::create_directories(workshop.path("d/closed"));
  std::filesystem::create_directories(workshop.path("d/open"));
  workshop.write("d/closed/a.cpp", sampleKernel());
  workshop.write("d/open/b.cpp", sampleKernel());
  std::filesystem::permissions(workshop.path("d/closed"), std::filesystem::perms::none);
  std::error_code error;
  const bool readable = std::filesystem::directory_iterator(workshop.path("d/closed"), error) != //
                        std::filesystem::directory_iterator();
  Run run = workshop.ptosync("audit d");
  std::filesystem::permissions(workshop.path("d/closed"), std::filesystem::perms::owner_all);
  if (readable) // the superuser reads everything
    return;
  CHECK(run.exitCode == 3);
  CHECK(contains(run.out, "d/closed: cannot be read: Permission denied"));
  CHECK(contains(run.out, "d/open"));
}
