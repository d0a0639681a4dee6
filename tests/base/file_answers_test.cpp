#include "base/file_answers.h"

#include "tool/process.h"

using namespace ptosync;
using namespace ptosync::test;
using Kind = FileAnswer::Kind;

namespace {

const llvm::sys::fs::UniqueID kOne(1, 7), kOther(1, 8);

std::error_code notThere() { return std::make_error_code(std::errc::no_such_file_or_directory); }

} // namespace

TEST_CASE("file answers: what is asked twice and answered the same is one answer", "[base]") {
  FileAnswers noted;
  noted.noteError("gone", notThere());
  noted.noteError("gone", std::make_error_code(std::errc::not_a_directory));
  noted.noteThere("folder", true, kOne);
  noted.noteThere("file", false, kOther);
  noted.noteText("file", kOther, "text");
  noted.noteThere("file", false, kOther);
  const auto answers = noted.answers();
  REQUIRE(answers);
  CHECK(answers->size() == 3);
  CHECK(answers->at("gone").kind == Kind::Missing);
  CHECK(answers->at("folder").kind == Kind::Folder);
  CHECK(answers->at("file").kind == Kind::Read);
  CHECK(answers->at("file").digest.size() == 64);
}

TEST_CASE("file answers: what is answered in two ways, fails or holds the time is unclear", "[base]") {
  auto clear = [](auto note) {
    FileAnswers noted;
    note(noted);
    return noted.answers().has_value();
  };
  CHECK_FALSE(clear([](FileAnswers &noted) {
    noted.noteError("a", notThere());
    noted.noteThere("a", false, kOne);
  }));
  CHECK_FALSE(clear([](FileAnswers &noted) {
    noted.noteText("a", kOne, "text");
    noted.noteText("a", kOne, "other");
  }));
  CHECK_FALSE(clear([](FileAnswers &noted) {
    noted.noteThere("a", false, kOne);
    noted.noteThere("a", false, kOther);
  }));
  CHECK_FALSE(clear([](FileAnswers &noted) {
    noted.noteThere("a", false, kOne);
    noted.noteThere("a", true, kOne);
  }));
  CHECK_FALSE(
      clear([](FileAnswers &noted) { noted.noteError("a", std::make_error_code(std::errc::permission_denied)); }));
  CHECK_FALSE(clear([](FileAnswers &noted) { noted.noteText("a", kOne, "const char *when = __TIME__;"); }));
  CHECK_FALSE(clear([](FileAnswers &noted) { noted.noteUnclear(); }));
  CHECK(clear([](FileAnswers &noted) { noted.noteText("a", kOne, "time"); }));
}

TEST_CASE("file answers: the disk gives the answers that were noted", "[base]") {
  Workshop workshop;
  workshop.write("a.h", "int a;\n");
  std::filesystem::create_directory(workshop.path("folder"));
  auto ask = [&](const char *name, FileQuestion question) { return askDisk(workshop.path(name).string(), question); };
  CHECK(ask("none.h", FileQuestion::Text)->kind == Kind::Missing);
  CHECK(ask("a.h/none.h", FileQuestion::Text)->kind == Kind::Missing);
  CHECK(ask("folder", FileQuestion::Text)->kind == Kind::Folder);
  CHECK(ask("a.h", FileQuestion::IsThere)->kind == Kind::File);
  const auto read = ask("a.h", FileQuestion::Text);
  REQUIRE(read->kind == Kind::Read);
  FileAnswers noted;
  noted.noteText("a.h", read->file, "int a;\n");
  CHECK(answersText({{"a.h", *read}}) == answersText(*noted.answers()));
  CHECK_FALSE(askDisk("/dev/null", FileQuestion::Text));
}

TEST_CASE("file answers: their text tells names, kinds, texts and links apart", "[base]") {
  const FileAnswer missing = {}, read{Kind::Read, "12", kOne}, again{Kind::Read, "12", kOther};
  const std::string text = answersText({{"a", read}, {"b", again}, {"c", missing}});
  CHECK(text == "1 a read 0 12\n1 b read 1 12\n1 c missing \n");
  CHECK(answersText({{"a", read}, {"b", read}, {"c", missing}}) == "1 a read 0 12\n1 b read 0 12\n1 c missing \n");
}
