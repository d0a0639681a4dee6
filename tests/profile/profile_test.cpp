#include "profile/profile.h"

#include <catch2/catch.hpp>

using namespace ptosync;

using timing::ProfileKind;

namespace {

const timing::ProfileNames &profileNames() {
  static const timing::ProfileNames names = llvm::cantFail(timing::ProfileNames::builtIn());
  return names;
}

} // namespace

TEST_CASE("profile names: a flag in both spellings of its detail") {
  for (const char *detail : {"PIPE:MTE2, TRIGGER PIPE:VEC, FLAG ID:3,", "PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:3,",
                             "pipe_type:MTE2,tigger_pipe:VEC,event_id:3", "PIPE:MTE2,TRIGGERPIPE:VEC,FLAGID:0x3,"}) {
    CAPTURE(detail);
    timing::ProfileRow row = llvm::cantFail(profileNames().row("VECTOR", "WAIT_FLAG", detail));
    CHECK(row.kind == ProfileKind::Wait);
    CHECK(row.pipe == Pipe::V);
    CHECK(row.source == Pipe::MTE2);
    CHECK(row.destination == Pipe::V);
    CHECK(row.id == 3);
  }
}

TEST_CASE("profile names: an id that a register decides is none") {
  timing::ProfileRow row =
      llvm::cantFail(profileNames().row("VECTOR", "SET_FLAG", "PIPE:VEC,TRIGGERPIPE:SCALAR,FLAGID:0xffffffff,"));
  CHECK_FALSE(row.id.has_value());
  CHECK(row.destination == Pipe::S);
}

TEST_CASE("profile names: barriers, work, and queues of no pipe") {
  CHECK(llvm::cantFail(profileNames().row("ALL", "BAR", "PIPE:ALL")).source == Pipe::All);
  CHECK(llvm::cantFail(profileNames().row("CUBE", "MMAD", "")).pipe == Pipe::M);
  CHECK_FALSE(llvm::cantFail(profileNames().row("PUSHQ", "VF", "")).pipe.has_value());
  CHECK(llvm::cantFail(profileNames().row("MTE2", "MOV_SPR_XN", "")).kind == ProfileKind::Registers);
  CHECK_FALSE(profileNames().isInstruction("cache_time"));
  CHECK(profileNames().queueOf(30) == "VECTOR");
  CHECK(profileNames().queueOf(90) == "FLOWCTRL");
  CHECK(profileNames().queueOf(91).empty());
}

TEST_CASE("profile names: a flag that does not say which is refused") {
  for (const char *detail : {"", "PIPE:MTE2,", "PIPE:MTE2,TRIGGERPIPE:NOPE,FLAGID:0", "PIPE:MTE2,TRIGGERPIPE:VEC"}) {
    llvm::Expected<timing::ProfileRow> row = profileNames().row("VECTOR", "WAIT_FLAG", detail);
    REQUIRE_FALSE(bool(row));
    CHECK(llvm::toString(row.takeError()).find("expected PIPE:P, TRIGGER PIPE:Q and FLAG ID:N of a flag") == 0);
  }
}

TEST_CASE("profile names: cores in paths") {
  CHECK(timing::coreOfPath("a/simulator/core2.veccore1/trace.json") == "core2.veccore1");
  CHECK(timing::coreOfPath("core0.cubecore0_instr_exe_20260101.csv") == "core0.cubecore0");
  CHECK(timing::coreOfPath("core1.veccore0/core12.cubecore3.instr_log.dump") == "core12.cubecore3");
  CHECK(timing::coreOfPath("core/trace.json").empty());
  CHECK(timing::coreOfPath("").empty());
  CHECK(timing::isCoreName("core0.veccore1"));
  CHECK_FALSE(timing::isCoreName("core0.veccore1x"));
  CHECK_FALSE(timing::isCoreName("core0"));
}
