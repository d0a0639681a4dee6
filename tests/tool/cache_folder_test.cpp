// Entries of the cache and the folder that holds them: whole, damaged, abandoned, too many.
#include "tool/cache_folder.h"

#include "tool/process.h"

#include <chrono>
#include <thread>

using namespace ptosync;
using namespace ptosync::test;

namespace {

/// A key as they are: 64 digits. `first`: the part of the folder that it lies in.
std::string keyOf(char first, unsigned number) {
  std::string digits = std::to_string(number);
  return first + std::string(63 - digits.size(), '0') + digits;
}

std::string noise(std::size_t size) {
  std::string text;
  std::uint32_t state = 1;
  while (text.size() < size)
    text += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  return text;
}

struct Shop {
  Workshop workshop;
  std::string folder = (workshop.path("cache")).string();

  std::string fileOf(const std::string &key) const {
    return "cache/" + key.substr(0, 2) + "/" + key.substr(2) + ".result";
  }
  std::size_t files(const std::string &below) const {
    std::size_t count = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(workshop.path(below)))
      count += entry.is_regular_file();
    return count;
  }
  void write(const std::string &key, const std::string &text, std::uint64_t most = 1 << 30) const {
    CacheFolder cache(folder, most);
    cache.write(key, "result", sealedEntry(key, text));
    cache.finish();
    CHECK(cache.problem() == "");
  }
  std::optional<std::string> read(const std::string &key) const {
    const auto sealed = CacheFolder(folder, 1 << 30).read(key, "result");
    return sealed ? openedEntry(key, *sealed) : std::nullopt;
  }
};

} // namespace

TEST_CASE("cache folder: an entry opens as what it was, and with its own key alone") {
  for (const std::string &text : {std::string(), std::string("text"), std::string("\0\xff\n", 3), noise(100000)}) {
    const std::string sealed = sealedEntry(keyOf('a', 1), text);
    CHECK(openedEntry(keyOf('a', 1), sealed) == text);
    CHECK_FALSE(openedEntry(keyOf('a', 2), sealed));
    CHECK(sealed == sealedEntry(keyOf('a', 1), text));
  }
}

TEST_CASE("cache folder: an entry that is cut, longer or differs in a byte does not open") {
  const std::string key = keyOf('a', 1), text = "a result of some length, a result of some length";
  const std::string sealed = sealedEntry(key, text);
  for (std::size_t i = 0; i < sealed.size(); ++i) {
    CHECK_FALSE(openedEntry(key, sealed.substr(0, i)));
    for (const int flip : {1, 32, 128}) {
      std::string other = sealed;
      other[i] = static_cast<char>(other[i] ^ flip);
      INFO("byte " << i << " with " << flip);
      CHECK_FALSE(openedEntry(key, other));
    }
  }
  CHECK_FALSE(openedEntry(key, sealed + "x"));
  CHECK_FALSE(openedEntry(key, ""));
  CHECK_FALSE(openedEntry(key, std::string(100000, ' ')));
}

TEST_CASE("cache folder: what is written is read, by another object too, and nothing else lies there") {
  Shop shop;
  CHECK_FALSE(shop.read(keyOf('a', 1)));
  shop.write(keyOf('a', 1), "one");
  shop.write(keyOf('a', 2), "two");
  shop.write(keyOf('a', 1), "one again");
  CHECK(shop.read(keyOf('a', 1)) == "one again");
  CHECK(shop.read(keyOf('a', 2)) == "two");
  CHECK(shop.files("cache/tmp") == 0);
  CHECK(shop.files("cache") == 2 + 3); // CACHEDIR.TAG, lock, size
  CacheFolder(shop.folder, 1 << 30).remove(keyOf('a', 1), "result");
  CHECK_FALSE(shop.read(keyOf('a', 1)));
}

TEST_CASE("cache folder: what stands in an entry's place and is none is not read") {
  Shop shop;
  shop.write(keyOf('a', 1), "one");
  const std::string file = shop.fileOf(keyOf('a', 1));
  for (const char *command : {"mkdir ", "mkfifo ", "ln -s nowhere ", "ln -s /dev/zero ", ": >"}) {
    INFO(command);
    std::string replace = "rm -rf " + file;
    replace.append("; ").append(command).append(file);
    REQUIRE(shop.workshop.shell(replace).exitCode == 0);
    CHECK_FALSE(shop.read(keyOf('a', 1)));
  }
}

TEST_CASE("cache folder: a file that its writer has abandoned goes, one that is being written stays") {
  Shop shop;
  shop.write(keyOf('a', 1), "one");
  shop.workshop.write("cache/tmp/4711-dead-0", "half");
  shop.workshop.write("cache/tmp/4712-alive-0", "half");
  // Holds the lock as a writer does, while another object makes itself at home.
  Run run = shop.workshop.shell("flock -x cache/tmp/4712-alive-0 -c 'echo held; sleep 3' & sleep 0.5; ls cache/tmp");
  CHECK(contains(run.out, "4712-alive-0"));
  std::thread holder([&] { (void)shop.workshop.shell("flock -x cache/tmp/4712-alive-0 -c 'sleep 2'"); });
  std::this_thread::sleep_for(std::chrono::milliseconds(700));
  shop.write(keyOf('a', 2), "two");
  CHECK_FALSE(std::filesystem::exists(shop.workshop.path("cache/tmp/4711-dead-0")));
  CHECK(std::filesystem::exists(shop.workshop.path("cache/tmp/4712-alive-0")));
  holder.join();
  shop.write(keyOf('a', 3), "three");
  CHECK(shop.files("cache/tmp") == 0);
}

TEST_CASE("cache folder: where there is too much, what was not read for longest goes") {
  Shop shop;
  constexpr std::uint64_t kMost = 100000;
  for (unsigned i = 0; i < 9; ++i) {
    shop.write(keyOf('a', i), noise(10000), kMost);
    // As if written hours ago, one after the other.
    const std::string age = std::to_string(20 - i) + " hours ago";
    REQUIRE(shop.workshop.shell("touch -d '" + age + "' " + shop.fileOf(keyOf('a', i))).exitCode == 0);
  }
  CHECK(shop.files("cache/a0") == 9);
  CHECK(shop.read(keyOf('a', 0))); // now it is the one that was used last
  shop.write(keyOf('a', 10), noise(10000), kMost);
  shop.write(keyOf('a', 11), noise(10000), kMost);
  CHECK(shop.read(keyOf('a', 0)));
  CHECK(shop.read(keyOf('a', 11)));
  CHECK_FALSE(shop.read(keyOf('a', 1)));
  CHECK_FALSE(shop.read(keyOf('a', 2)));
  CHECK(shop.read(keyOf('a', 8)));
  CHECK(shop.files("cache/a0") == 8); // seven of ten were four fifths of the room, and then came one more
}

TEST_CASE("cache folder: a size that is wrong, or lost, is counted anew") {
  Shop shop;
  for (const char *size : {"", "nonsense\n", "99999999999999999999999 0\n", "-1 -1\n"}) {
    shop.workshop.shell("rm -rf cache");
    shop.write(keyOf('a', 1), "one");
    shop.workshop.write("cache/size", size);
    shop.write(keyOf('a', 2), "two");
    CHECK(shop.read(keyOf('a', 1)));
    const std::string counted = shop.workshop.read("cache/size");
    INFO(counted);
    CHECK(std::stoull(counted) < 1000);
  }
}

TEST_CASE("cache folder: a folder that cannot be is a problem that is said once, and nothing more") {
  Workshop workshop;
  workshop.write("file", "");
  CacheFolder cache((workshop.path("file") / "cache").string(), 1 << 20);
  CHECK_FALSE(cache.read(keyOf('a', 1), "result"));
  cache.write(keyOf('a', 1), "result", "x");
  CHECK(cache.problem() == "Not a directory");
  cache.finish();
}
