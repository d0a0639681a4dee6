// The members of a JSON object as pieces of its text, so that a reader takes only what it asks for.
//
//   {"schema": 1, "instructions": {...}} --membersOf--> ("schema", 1), ("instructions", {...})
//
// For texts that are part of the program: it goes by brackets and quotes alone and judges nothing. Of a text that is no
// object it returns what it understood.
// Tested by tests/json/json_members_test.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace ptosync {

struct JsonMember {
  std::string_view key;   // as written, without its quotes
  std::string_view value; // the whole of it
};

std::vector<JsonMember> membersOf(std::string_view object);

} // namespace ptosync
