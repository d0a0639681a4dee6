// compare_probes table|read-order MACHINE.json NOT_RUN OPEN RECORDS DUMPS: compares what the library did with what the
// tool says.
//
// Prints a table of instructions, then every contradiction, one a line, the same for any order of the probes. NOT_RUN
// lists instructions that no probe runs, one a line with its reason; `-`: do not ask. OPEN lists
// contradictions that are known, as INSTRUCTION/TRUST/KIND. Exit 1: a contradiction that is not listed, or listed and
// not found; an instruction that neither ran nor is listed, or is listed and ran.
#include "contradiction.h"
#include "read_order.h"

#include <fstream>
#include <iostream>

namespace {

struct Row {
  std::size_t calls = 0, refused = 0, wider = 0, contradicted = 0;
  std::set<std::string> unknown;
  std::map<std::string, std::pair<std::size_t, std::string>> contradictions; // by kind and trust: how often, the first
};

std::map<std::string, std::string> readReasons(const std::string &file) {
  std::ifstream stream(file);
  std::map<std::string, std::string> reasons;
  for (std::string line; std::getline(stream, line);)
    if (!line.empty() && line[0] != '#')
      reasons[line.substr(0, line.find(' '))] =
          line.find(' ') == std::string::npos ? "" : line.substr(line.find(' ') + 1);
  return reasons;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 7) {
    std::cerr << "usage: compare_probes table|read-order MACHINE.json NOT_RUN OPEN RECORDS DUMPS\n"
                 "RECORDS and DUMPS: files that name one file a line, pairs in the same order\n";
    return 2;
  }
  bool order = std::string(argv[1]) == "read-order";
  nlohmann::json machine = nlohmann::json::parse(std::ifstream(argv[2]));
  std::map<std::string, std::string> reasons = readReasons(argv[3]);
  std::map<std::string, std::string> open = readReasons(argv[4]);
  std::ifstream records(argv[5]), dumps(argv[6]);
  std::map<std::string, Row> rows;
  probes::ReadOrders orders;
  std::map<std::string, std::set<std::size_t>> forms;
  bool broken = false;
  for (std::string record, dump; std::getline(records, record) && std::getline(dumps, dump);) {
    std::ifstream recordStream(record);
    std::map<std::string, probes::RecordedCall> recorded = probes::readRecord(recordStream);
    std::map<std::string, probes::BelievedCall> believed =
        probes::believedCalls(nlohmann::json::parse(std::ifstream(dump)));
    for (const auto &[name, call] : recorded) {
      std::string instruction = name.substr(name.find('_') + 1);
      Row &row = rows[instruction];
      auto known = believed.find(name);
      if (known == believed.end() || !call.ended) {
        std::cout << name << (call.ended ? ": the tool's dump has no such call\n" : ": the run did not end\n");
        broken = true;
        continue;
      }
      row.unknown.insert(call.unknown.begin(), call.unknown.end());
      if (!call.refused.empty() || !call.unknown.empty()) {
        row.refused += !call.refused.empty();
        continue; // what is not described or not allowed says nothing about the model
      }
      ++row.calls;
      if (known->second.form)
        forms[instruction].insert(*known->second.form);
      row.wider += probes::wider(call, known->second);
      orders.add(instruction, call, known->second);
      std::vector<probes::Contradiction> found = probes::contradictionsOf(call, known->second);
      row.contradicted += !found.empty();
      for (const probes::Contradiction &one : found) {
        auto [place, fresh] =
            row.contradictions.emplace(one.trust + "/" + one.kind, std::pair{0, name + ": " + one.text});
        ++place->second.first;
      }
    }
  }
  if (order) {
    std::cout << orders.table();
    return 0;
  }
  std::size_t calls = 0, compared = 0, contradicted = 0, kinds = 0;
  std::cout << "instruction calls wider refused contradicted\n";
  for (const auto &[name, row] : rows) {
    std::cout << name << " " << row.calls << " " << row.wider << " " << row.refused << " " << row.contradicted;
    for (const std::string &intrinsic : row.unknown)
      std::cout << " not-described:" << intrinsic;
    std::cout << "\n";
    compared += row.calls > 0, calls += row.calls, contradicted += row.contradicted;
  }
  std::cout << "\n";
  for (const auto &[name, row] : rows)
    for (const auto &[kind, one] : row.contradictions) {
      bool known = open.erase(name + "/" + kind) > 0;
      kinds += !known;
      std::cout << (known ? "open " : "contradiction ") << name << " " << kind << " x" << one.first << " " << one.second
                << "\n";
    }
  if (std::string(argv[3]) != "-")
    for (const auto &[key, reason] : open) {
      std::cout << "listed as open, and not found: " << key << "\n";
      broken = true;
    }
  std::size_t notRun = 0;
  bool listed = std::string(argv[3]) != "-";
  for (const auto &[name, facts] : machine["instructions"].items()) {
    if (!listed)
      break;
    bool ran = rows.count(name) && rows[name].calls > 0;
    notRun += !ran;
    if (!ran && !reasons.count(name)) {
      std::cout << "not run, and not listed: " << name << "\n";
      broken = true;
    }
    if (ran && reasons.count(name)) {
      std::cout << "listed as not run, and ran: " << name << "\n";
      broken = true;
    }
    for (std::size_t form = 0; ran && form < facts["forms"].size(); ++form)
      if (!forms[name].count(form))
        std::cout << "form not reached: " << name << " " << form << "\n";
  }
  std::cout << calls << " calls of " << compared << " instructions, " << contradicted << " contradicted (" << kinds
            << " kinds that are not listed), " << notRun << " instructions not run\n";
  return kinds || broken ? 1 : 0;
}
