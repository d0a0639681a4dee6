#include "profile/instr_exe_reader.h"

#include "profile/recorded_run.h"

#include <catch2/catch.hpp>

#include <sstream>

using namespace ptosync;

namespace {

llvm::Expected<timing::CoreProfile> readCsv(const std::string &text) {
  std::istringstream stream(text);
  static const timing::ProfileNames names = llvm::cantFail(timing::ProfileNames::builtIn());
  return timing::readInstrExe(stream, "f.csv", "core0.veccore0", names);
}

std::string csvProblem(const std::string &text) {
  llvm::Expected<timing::CoreProfile> profile = readCsv(text);
  return profile ? "" : llvm::toString(profile.takeError());
}

const std::string kHead = "instr,addr,pipe,call_count,cycles,running_time(us),detail\n";

} // namespace

TEST_CASE("instr_exe: rows of one kind are added up, ids left out") {
  timing::CoreProfile profile =
      llvm::cantFail(readCsv("\xef\xbb\xbf" + kHead +
                             "HW_ADD,16,VECTOR,4,400,0.2,\"a, \"\"b\"\"\"\r\n"
                             "HW_ADD,20,VECTOR,1,50,0.1,\n"
                             "SET_FLAG,24,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:1,\"\n"
                             "SET_FLAG,28,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:0,\"\n"));
  REQUIRE(profile.rows.size() == 2);
  CHECK(profile.rows[0].name == "HW_ADD");
  CHECK(profile.rows[0].count == 5);
  CHECK(profile.rows[0].cycles == 450);
  CHECK(profile.rows[1].kind == timing::ProfileKind::Set);
  CHECK(profile.rows[1].count == 8);
  CHECK_FALSE(profile.rows[1].id.has_value());
  CHECK_FALSE(profile.timed());
  CHECK(profile.knowsCost(timing::ProfileKind::Barrier));
}

TEST_CASE("instr_exe: what is wrong is said with its line") {
  CHECK(csvProblem("") == "f.csv:1: expected the columns instr,addr,pipe,call_count,cycles,running_time(us),detail, "
                          "found nothing");
  CHECK(csvProblem("code,call_count,cycles\n").find("f.csv:1: expected a column 'instr'") == 0);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,4\n") == "f.csv:2: expected 7 columns as in the first line, found 4");
  CHECK(csvProblem(kHead + "HW_ADD,16,VEC") ==
        "f.csv:2: expected 7 columns as in the first line, found 3: the file is cut short here; record it again");
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,4,9,0.1,\"a").find("a quote that is not closed") != std::string::npos);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,four,9,0.1,\n").find("f.csv:2: expected numbers in 'call_count'") == 0);
  CHECK(csvProblem(kHead + "HW_ADD,16,VECTOR,-4,9,0.1,\n").find("f.csv:2: expected numbers in 'call_count'") == 0);
  CHECK(csvProblem(kHead + "WAIT_FLAG,16,VECTOR,4,9,0.1,\n").find("f.csv:2: expected PIPE:P, TRIGGER PIPE:Q") == 0);
}

TEST_CASE("instr_exe: whatever bytes, an answer or a message") {
  std::string text = kHead + "HW_ADD,16,VECTOR,4,400,0.2,\"a, b\"\n"
                             "SET_FLAG,24,MTE2,4,8,0.1,\"PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:1,\"\n";
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed)
    refused += !csvProblem(test::mutatedText(text, seed)).empty();
  CHECK(refused > 500);
  CHECK(refused < 2000);
}
