// The constants among the template parameters of the library's instructions, read from its headers.
//
// A declaration `template <typename A, Mode M = Mode::X, auto P = Way::Y, int n> PTO_INST ... NAME(` has the kinds
// Mode, Way and number. The text is scanned, not compiled: what other chips alone have counts too, and a parameter
// `auto` without a default is of the kind "auto".
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace probes {

struct LibraryTemplates {
  std::map<std::string, std::set<std::string>> kinds;          // by instruction
  std::map<std::string, std::vector<std::string>> enumerators; // by enumeration, as declared
};

/// `include`: the folder that holds pto/. `chip`: a2a3 or a5, whose own enumerations count.
LibraryTemplates libraryTemplates(const std::string &include, const std::string &chip);

} // namespace probes
