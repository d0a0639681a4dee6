// What `ptosync --version` says: the tool, the machine models it holds, and the forms it reads and writes.
//
// A decision depends on all of them, so a bug report should carry all of them.
// Tested by tests/tool/options_test.cpp.
#pragma once

#include <string>

namespace ptosync {

std::string versionText();

} // namespace ptosync
