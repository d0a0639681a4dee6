#include "frontend/read/system_headers.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace ptosync;

namespace {

/// A machine of its own, gone at the end.
struct Root {
  Root() {
    std::string name = (std::filesystem::temp_directory_path() / "ptosync-root-XXXXXX").string();
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    path = name;
  }
  ~Root() { std::filesystem::remove_all(path); }
  void file(const std::string &name) const {
    std::filesystem::create_directories(std::filesystem::path(path + "/" + name).parent_path());
    std::ofstream(path + "/" + name) << "\n";
  }
  std::string found() const {
    llvm::Expected<std::vector<std::string>> list = systemHeaders(path);
    if (!list)
      return llvm::toString(list.takeError());
    std::string text;
    for (const std::string &directory : *list)
      text += directory.substr(path.size()) + "\n";
    return text;
  }
  std::string path;
};

} // namespace

TEST_CASE("a machine like Debian: C++, its machine's part, Clang's, C") {
  Root root;
  for (const char *name : {"usr/include/c++/12/type_traits", "usr/include/x86_64-linux-gnu/c++/12/bits/c++config.h",
                           "usr/lib/llvm-19/lib/clang/19/include/stddef.h",
                           "usr/include/x86_64-linux-gnu/bits/wordsize.h", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() ==
        "/usr/include/c++/12\n/usr/include/x86_64-linux-gnu/c++/12\n/usr/lib/llvm-19/lib/clang/19/include\n"
        "/usr/include/x86_64-linux-gnu\n/usr/include\n");
}

TEST_CASE("a machine like Fedora, without Clang's headers: GCC's serve") {
  Root root;
  for (const char *name : {"usr/include/c++/14/type_traits", "usr/include/c++/14/x86_64-redhat-linux/bits/c++config.h",
                           "usr/lib/gcc/x86_64-redhat-linux/14/include/stddef.h", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() == "/usr/include/c++/14\n/usr/include/c++/14/x86_64-redhat-linux\n"
                        "/usr/lib/gcc/x86_64-redhat-linux/14/include\n/usr/include\n");
}

TEST_CASE("the newest C++ that is whole is taken") {
  Root root;
  for (const char *name :
       {"usr/include/c++/9/type_traits", "usr/include/x/c++/9/bits/c++config.h", "usr/include/c++/12/type_traits",
        "usr/include/x/c++/12/bits/c++config.h", "usr/include/c++/13/type_traits", "usr/include/stdint.h"})
    root.file(name);
  CHECK(root.found() == "/usr/include/c++/12\n/usr/include/x/c++/12\n/usr/include\n");
}

TEST_CASE("a machine without headers is told what to install") {
  Root root;
  CHECK(root.found().find("the headers of C++ are not installed") == 0);
  root.file("usr/include/c++/12/type_traits");
  root.file("usr/include/x/c++/12/bits/c++config.h");
  CHECK(root.found().find("the headers of C are not installed") == 0);
}
