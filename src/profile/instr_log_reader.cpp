#include "profile/instr_log_reader.h"

#include "profile/line_reader.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <algorithm>
#include <deque>
#include <tuple>

namespace ptosync::timing {
namespace {

using llvm::StringRef;

constexpr const char *kLogLine = "[info] [TICK] (PC: 0xADDRESS) PIPE : (...) INSTRUCTION ...";

/// More are never on their way through the queues of a core.
constexpr std::size_t kMostRunning = 1'000'000;

/// The simulator logs the parts of one instruction as ends of their own, so many ticks apart.
constexpr std::uint64_t kLongestMicroGap = 8;

struct LogLine {
  std::uint64_t tick = 0, address = 0, id = 0;
  StringRef queue, name, detail;
};

/// False: not in that form.
bool parseLogLine(StringRef text, LogLine &line) {
  std::size_t level = text.find(']');
  if (level == StringRef::npos)
    return false;
  text = text.drop_front(level + 1).ltrim();
  if (!text.consume_front("[") || text.consumeInteger(10, line.tick) || !text.consume_front("]"))
    return false;
  text = text.ltrim();
  if (!text.consume_front("(PC:"))
    return false;
  text = text.ltrim();
  text.consume_front("0x");
  if (text.consumeInteger(16, line.address) || !text.consume_front(")"))
    return false;
  auto [queue, rest] = text.split(':');
  line.queue = queue.trim();
  rest = rest.ltrim();
  line.id = 0;
  while (rest.consume_front("(")) {
    auto [group, behind] = rest.split(')');
    if (behind.data() == nullptr || behind.empty())
      return false;
    if (group.consume_front("ID:"))
      group.trim().getAsInteger(10, line.id);
    rest = behind.ltrim();
  }
  std::tie(line.name, line.detail) = rest.split(' ');
  line.name = line.name.trim();
  line.detail = line.detail.trim();
  return !line.queue.empty() && !line.name.empty();
}

/// The instructions of one of the two files.
class LogFile {
public:
  LogFile(std::istream &stream, const std::string &file) : lines(stream, file) {}

  /// False at the end; problem() says whether it is one.
  bool advance() {
    std::string_view text;
    while (here = lines.next(text), here) {
      bool instruction = text.find("(PC:") != std::string_view::npos;
      if (instruction && parseLogLine(text, line)) {
        ++instructions;
        return true;
      }
      if (instruction || !lines.complete()) {
        wrong = "expected " + std::string(kLogLine) + ", found \"" + std::string(text.substr(0, 60)) + "\"" +
                (lines.complete() ? "" : ": the file is cut short here; record it again");
        return here = false;
      }
    }
    if (lines.tooLong())
      wrong = LineReader::tooLongText();
    else if (!instructions)
      wrong = "expected lines of the form " + std::string(kLogLine) + ", found none";
    return false;
  }

  llvm::Error problem() const { return wrong.empty() ? llvm::Error::success() : error(wrong); }
  llvm::Error error(const std::string &message) const { return lines.error(message); }

  LogLine line;
  bool here = false; // `line` is one

private:
  LineReader lines;
  std::string wrong;
  std::uint64_t instructions = 0;
};

std::string atAddress(std::uint64_t address) {
  return "the instruction at PC 0x" + llvm::utohexstr(address, /*LowerCase=*/true);
}

class LogPair {
public:
  LogPair(LogFile starts, LogFile ends, const std::string &startsFile, const std::string &core,
          const ProfileNames &names)
      : starts(std::move(starts)), ends(std::move(ends)), names(names),
        builder(core, ProfileFormat::RawLogs, startsFile) {}

  llvm::Expected<CoreProfile> read() {
    for (LogFile *file : {&starts, &ends})
      if (!file->advance())
        if (llvm::Error wrong = file->problem())
          return std::move(wrong);
    while (starts.here || ends.here) {
      bool start = starts.here && (!ends.here || starts.line.tick <= ends.line.tick);
      if (llvm::Error wrong = start ? addStart() : addEnd())
        return std::move(wrong);
      LogFile &file = start ? starts : ends;
      if (!file.advance())
        if (llvm::Error wrong = file.problem())
          return std::move(wrong);
    }
    if (llvm::Error wrong = checkEnded())
      return std::move(wrong);
    return builder.finish();
  }

private:
  using Place = std::pair<std::uint64_t, std::uint64_t>; // program counter, ID
  struct Started {
    std::uint64_t tick = 0;
    std::uint32_t row = 0, order = 0;
  };

  llvm::Error addStart() {
    llvm::Expected<std::uint32_t> row = rowOf(starts.line);
    if (!row)
      return starts.error(llvm::toString(row.takeError()));
    open[{starts.line.address, starts.line.id}].push_back({starts.line.tick, *row, started++});
    if (++running > kMostRunning)
      return starts.error("more than " + std::to_string(kMostRunning) +
                          " instructions have started and not ended: expected their ends in the other log, which is "
                          "cut short or of another run; record it again");
    if (builder.overfull())
      return starts.error(kOverfull);
    return llvm::Error::success();
  }

  llvm::Error addEnd() {
    auto begun = open.find({ends.line.address, ends.line.id});
    if (begun == open.end()) {
      auto before = lastEnds.find({ends.line.address, ends.line.id});
      bool part = before != lastEnds.end() && ends.line.tick - before->second <= kLongestMicroGap;
      if (part || !matters(ends.line.queue))
        return llvm::Error::success();
      return ends.error(atAddress(ends.line.address) +
                        " ends and has not started: expected its start in the other log, "
                        "which is cut short or of another run; record it again");
    }
    Started start = begun->second.front();
    if (start.tick > ends.line.tick)
      return ends.error(atAddress(ends.line.address) + " ends before it started at tick " + std::to_string(start.tick) +
                        ": expected lines in the order of their ticks");
    --running;
    builder.execution(start.row, static_cast<double>(start.tick), static_cast<double>(ends.line.tick), start.order);
    std::uint64_t &latest = latestEnded[queueOfRow[start.row]];
    latest = std::max(latest, start.tick);
    if (ends.line.id == 0) // an ID does not come again
      lastEnds[begun->first] = ends.line.tick;
    begun->second.pop_front();
    if (begun->second.empty())
      open.erase(begun);
    return llvm::Error::success();
  }

  /// A pipe ends in the order in which it starts: what has no end though a later one has, was logged twice.
  bool stillRuns(const Started &start) const { return latestEnded[queueOfRow[start.row]] <= start.tick; }

  llvm::Error checkEnded() const {
    std::size_t count = 0;
    const std::pair<const Place, std::deque<Started>> *first = nullptr;
    for (const auto &entry : open)
      if (rowMatters[entry.second.front().row] && stillRuns(entry.second.front())) {
        count += entry.second.size();
        if (!first || entry.second.front().tick < first->second.front().tick)
          first = &entry;
      }
    if (!first)
      return llvm::Error::success();
    return ends.error("the log is cut short behind this line: expected the end of " + atAddress(first->first.first) +
                      ", which started at tick " + std::to_string(first->second.front().tick) +
                      (count > 1 ? ", and of " + std::to_string(count - 1) + " more" : "") + "; record it again");
  }

  /// Of the scalar unit and of queues that the estimate does not have not every start and end is logged.
  bool matters(StringRef queue) const {
    std::optional<Pipe> pipe = names.pipe(queue);
    return pipe && *pipe != Pipe::S && *pipe != Pipe::All;
  }

  llvm::Expected<std::uint32_t> rowOf(const LogLine &line) {
    key = line.queue;
    key += ' ';
    key += line.name;
    auto plain = rowByName.find(key);
    if (plain != rowByName.end())
      return plain->second;
    llvm::Expected<ProfileRow> row = names.row(line.queue, line.name, line.detail);
    if (!row)
      return row.takeError();
    std::uint32_t number = builder.rowOf(*row);
    if (number >= rowMatters.size()) {
      rowMatters.resize(number + 1);
      queueOfRow.resize(number + 1);
    }
    rowMatters[number] = matters(line.queue);
    queueOfRow[number] = queues.try_emplace(row->queue, static_cast<std::uint32_t>(queues.size())).first->second;
    latestEnded.resize(queues.size());
    if (row->kind == ProfileKind::Work || row->kind == ProfileKind::Registers) // a sync's detail decides
      rowByName.emplace(key, number);
    return number;
  }

  LogFile starts, ends;
  const ProfileNames &names;
  ProfileBuilder builder;
  std::map<Place, std::deque<Started>> open;
  std::map<std::string, std::uint32_t, std::less<>> rowByName;
  std::map<std::string, std::uint32_t> queues; // numbers by name
  std::map<Place, std::uint64_t> lastEnds;     // ticks, of what has no ID
  std::vector<std::uint64_t> latestEnded;      // by queue: the latest start of those that have ended
  std::vector<bool> rowMatters;                // by row
  std::vector<std::uint32_t> queueOfRow;       // by row
  std::string key;
  std::uint32_t started = 0;
  std::size_t running = 0;
};

} // namespace

llvm::Expected<CoreProfile> readInstrLogs(std::istream &starts, const std::string &startsFile, std::istream &ends,
                                          const std::string &endsFile, const std::string &core,
                                          const ProfileNames &names) {
  return LogPair(LogFile(starts, startsFile), LogFile(ends, endsFile), startsFile, core, names).read();
}

} // namespace ptosync::timing
