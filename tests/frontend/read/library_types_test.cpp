#include "frontend/read/library_types.h"

#include "frontend/lifted.h"

#include <catch2/catch.hpp>

using namespace ptosync;
using namespace ptosync::test;

TEST_CASE("types of the library are found by scope and name") {
  REQUIRE(libraryType("", "QuantType"));
  CHECK(libraryType("", "QuantType")->name == "QuantType");
  CHECK_FALSE(libraryType("comm", "QuantType"));
  CHECK(libraryType("comm::sdma", "SdmaBaseConfig"));
  CHECK_FALSE(libraryType("", "Wow"));
}

TEST_CASE("a type comes with what it needs, in front of it") {
  std::string text = libraryTypesText({"FixpipeParams"});
  CHECK(text.find("struct FixpipeParams") != std::string::npos);
  CHECK(text.find("QuantType") == std::string::npos);
  CHECK(libraryTypesText({"PrefetchAsyncContext"}).find("AsyncSession : ptosync_data") != std::string::npos);
  CHECK(libraryTypesText({}) == "");
}

TEST_CASE("every type of the library can be named") {
  for (const char *use :
       {"pto::QuantType q = pto::QuantType::MXFP8; TADD(q);", "pto::FixpipeParams<> p; TADD(p);",
        "TileShape2D<float, 4, 16, Layout::ND> s; TADD(s);", "pto::comm::ParallelGroup<int> g; TADD(g);",
        "pto::comm::AsyncEvent e; e.Wait(e);", "TRandomKey k = {1, 2}; TADD(k);",
        "pto::PrefetchAsyncContext c((uint8_t *) in); TADD(c.session);", "pto::comm::urma::UrmaSession s; TADD(s);",
        "TADD(GlobalTensorDim::DIM_4, FFTS_MODE_VAL, DYNAMIC);"}) {
    CAPTURE(use);
    Module module = liftBody(use);
    CHECK(kernelNamed(module, "k").analysable);
  }
}

TEST_CASE("plain data is made without effect, a class that acts is an instruction") {
  CHECK(statements("pto::MrgSortExecutedNumList list;\npto::comm::AsyncSession s;") == "");
  CHECK(statements("pto::PrefetchAsyncContext c((uint8_t *) in);").find("PrefetchAsyncContext(") != std::string::npos);
}
