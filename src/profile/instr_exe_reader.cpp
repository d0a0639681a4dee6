#include "profile/instr_exe_reader.h"

#include "profile/line_reader.h"

#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <cmath>

namespace ptosync::timing {
namespace {

using llvm::StringRef;

constexpr const char *kCsvColumns = "instr,addr,pipe,call_count,cycles,running_time(us),detail";

class CsvReader {
public:
  CsvReader(std::istream &stream, const std::string &file, const std::string &core, const ProfileNames &names)
      : lines(stream, file), names(names), builder(core, ProfileFormat::InstrExe, file) {}

  llvm::Expected<CoreProfile> read() {
    std::string_view line;
    if (!lines.next(line))
      return lines.error("expected the columns " + std::string(kCsvColumns) + ", found nothing");
    if (line.substr(0, 3) == "\xef\xbb\xbf")
      line.remove_prefix(3);
    if (!split(line))
      return lines.error("expected the columns " + std::string(kCsvColumns));
    for (auto [column, place] : {std::pair{"instr", &instr},
                                 {"pipe", &pipe},
                                 {"call_count", &calls},
                                 {"cycles", &cycles},
                                 {"detail", &detail}}) {
      auto found = std::find(fields.begin(), fields.end(), column);
      if (found == fields.end())
        return lines.error("expected a column '" + std::string(column) + "' among " + kCsvColumns);
      *place = static_cast<std::size_t>(found - fields.begin());
    }
    addr = static_cast<std::size_t>(std::find(fields.begin(), fields.end(), "addr") - fields.begin());
    columns = fields.size();
    while (lines.next(line))
      if (!line.empty())
        if (llvm::Error wrong = addRow(line))
          return std::move(wrong);
    if (lines.tooLong())
      return lines.error(LineReader::tooLongText());
    return builder.finish();
  }

private:
  /// Into `fields`; false if a quote is not closed.
  bool split(std::string_view line) {
    fields.assign(1, "");
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      char c = line[i];
      if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"')
        fields.back() += line[++i];
      else if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        fields.emplace_back();
      else
        fields.back() += c;
    }
    return !quoted;
  }

  llvm::Error addRow(std::string_view line) {
    bool whole = split(line);
    if (!whole || fields.size() != columns)
      return lines.error("expected " + std::to_string(columns) + " columns as in the first line, found " +
                         std::to_string(fields.size()) + (whole ? "" : " and a quote that is not closed") +
                         (lines.complete() ? "" : ": the file is cut short here; record it again"));
    double count = 0, sum = 0;
    auto number = [&](std::size_t column, double &value) {
      return !StringRef(fields[column]).trim().getAsDouble(value) && std::isfinite(value) && value >= 0;
    };
    if (!number(calls, count) || !number(cycles, sum))
      return lines.error("expected numbers in 'call_count' and 'cycles', found \"" + fields[calls] + "\" and \"" +
                         fields[cycles] + "\"");
    llvm::Expected<ProfileRow> row = names.row(fields[pipe], fields[instr], fields[detail]);
    if (!row)
      return lines.error(llvm::toString(row.takeError()));
    row->id.reset();
    std::uint32_t known = builder.rowOf(*row);
    builder.count(known, count, sum);
    if (builder.overfull() || lines.number() > kMostProfileAddresses)
      return lines.error(kOverfull);
    std::uint64_t address = 0;
    if (addr < columns && !StringRef(fields[addr]).trim().getAsInteger(0, address))
      builder.address(address, known, count, sum);
    return llvm::Error::success();
  }

  LineReader lines;
  const ProfileNames &names;
  ProfileBuilder builder;
  std::vector<std::string> fields;
  std::size_t columns = 0, addr = 0, instr = 0, pipe = 0, calls = 0, cycles = 0, detail = 0;
};

} // namespace

llvm::Expected<CoreProfile> readInstrExe(std::istream &stream, const std::string &file, const std::string &core,
                                         const ProfileNames &names) {
  return CsvReader(stream, file, core, names).read();
}

} // namespace ptosync::timing
