// What a file was found to lack in the real headers, kept for the next time it is read.
//
// A file is parsed, what its headers lack is declared on the fly, and it is parsed again (parse.h). Whoever reads a
// file several times, before and after an edit, would find the same each time: with this the later parses start where
// the first reading ended. It changes nothing that is read: a reading that starts there and does not end there with
// what it started from is begun anew without it. Safe to use from several threads. Tested by
// tests/frontend/read/header_memory_test.cpp.
#pragma once

#include "frontend/read/prelude.h"
#include "kernel/pipe.h"

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace ptosync {

class HeaderMemory {
public:
  struct Found {
    PreludeAdditions additions;
    int parses = 0; // that came before the last one
  };
  /// The file by its name, read as code of `section` of an architecture.
  std::optional<Found> find(const std::string &file, const std::string &architecture, Section section) const {
    std::lock_guard lock(mutex);
    auto known = files.find({file, architecture, section});
    return known == files.end() ? std::nullopt : std::optional(known->second);
  }
  void remember(const std::string &file, const std::string &architecture, Section section, Found found) {
    std::lock_guard lock(mutex);
    files.insert_or_assign({file, architecture, section}, std::move(found));
  }

private:
  mutable std::mutex mutex;
  std::map<std::tuple<std::string, std::string, Section>, Found> files;
};

} // namespace ptosync
