#include "machine/instruction_table.h"

#include <catch2/catch.hpp>

#include <thread>

using namespace ptosync;

namespace {

/// One form with as many operands as the text has characters; a text "bad" cannot be read.
std::optional<InstructionFacts> readLength(std::string_view name, std::string_view text) {
  if (text == "bad")
    return std::nullopt;
  InstructionFacts facts;
  facts.forms.emplace_back();
  facts.forms[0].operands.resize(text.size());
  facts.traits.insert(std::string(name));
  return facts;
}

} // namespace

TEST_CASE("instruction table: a text is read when it is asked for, once, for all copies", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  InstructionTable copy = table;
  const InstructionFacts *facts = table.find("TADD");
  REQUIRE(facts);
  CHECK(facts->forms[0].operands.size() == 3);
  CHECK(facts->is("TADD"));
  CHECK(copy.find("TADD") == facts);
  CHECK_FALSE(table.find("TSUB"));
  CHECK_FALSE(table.contains("TSUB"));
}

TEST_CASE("instruction table: what is set takes the place of what was there, in this copy alone", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  InstructionTable copy = table;
  copy.set("TADD", InstructionFacts{});
  copy.set("TABS", InstructionFacts{});
  CHECK(copy.find("TADD")->forms.empty());
  CHECK(copy.names() == std::vector<std::string>{"TABS", "TADD"});
  CHECK(table.find("TADD")->forms.size() == 1);
  CHECK(table.size() == 1);
}

TEST_CASE("instruction table: what cannot be read is not known", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "bad", readLength);
  CHECK(table.contains("TADD"));
  CHECK_FALSE(table.find("TADD"));
}

TEST_CASE("instruction table: several threads ask for one", "[machine]") {
  InstructionTable table;
  table.setText("TADD", "abc", readLength);
  const InstructionFacts *found[4] = {};
  std::vector<std::thread> threads;
  for (const InstructionFacts *&one : found)
    threads.emplace_back([&] { one = table.find("TADD"); });
  for (std::thread &thread : threads)
    thread.join();
  for (const InstructionFacts *one : found)
    CHECK(one == found[0]);
  CHECK(found[0]);
}
