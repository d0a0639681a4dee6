#include "profile/readers.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringRef.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <tuple>

namespace ptosync::timing {

bool LineReader::next(std::string_view &line) {
  std::size_t searched = begin;
  while (!overlong) {
    const char *found = searched < end
                            ? static_cast<const char *>(std::memchr(buffer.data() + searched, '\n', end - searched))
                            : nullptr;
    std::size_t stop = found ? static_cast<std::size_t>(found - buffer.data()) : end;
    if (stop - begin > kLongestLine) {
      overlong = true;
      ++lines;
      break;
    }
    if (found || (!stream && begin < end)) {
      ended = found != nullptr;
      line = {buffer.data() + begin, stop - begin};
      if (!line.empty() && line.back() == '\r')
        line.remove_suffix(1);
      begin = stop + (found ? 1 : 0);
      ++lines;
      return true;
    }
    if (!stream)
      return false;
    std::memmove(buffer.data(), buffer.data() + begin, end - begin);
    end -= begin;
    begin = 0;
    searched = end;
    stream.read(buffer.data() + end, static_cast<std::streamsize>(buffer.size() - end));
    end += static_cast<std::size_t>(stream.gcount());
  }
  return false;
}

llvm::Error LineReader::error(const std::string &message) const {
  return llvm::createStringError(file + ":" + std::to_string(std::max<std::uint64_t>(lines, 1)) + ": " + message);
}

std::string LineReader::tooLongText() { return "expected lines of at most " + std::to_string(kLongestLine) + " bytes"; }

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

namespace {

using llvm::StringRef;

/// Microseconds; a later one is none.
constexpr double kLatestTime = 1e12;
/// A number of more digits is no whole one in a double.
constexpr double kWholeBelow = 9e15;
constexpr std::size_t kMostOpenEvents = 1'000'000, kMostTraceNames = 10'000;

/// What is of interest of one event.
struct TraceEvent {
  std::string name, phase, pid, tid, id, detail, processName;
  double start = 0, duration = 0;
  bool numberedPid = false;
};

/// Turns events into executions.
class TraceEvents {
public:
  TraceEvents(const TraceRequest &request, const ProfileNames &names) : request(request), names(names) {}

  /// Empty, or what is wrong with it.
  std::string add(const TraceEvent &event) {
    if (event.phase == "M" && event.name == "process_name")
      processes[event.pid] = event.processName;
    bool whole = event.phase == "X", begins = event.phase == "B" || event.phase == "b",
         ends = event.phase == "E" || event.phase == "e";
    if ((!whole && !begins && !ends) || !names.isInstruction(event.name))
      return {};
    std::string core = isCoreName(event.pid) ? event.pid : request.core;
    if (core.empty())
      return "expected a core such as core0.veccore0 as \"pid\", found \"" + event.pid + "\"";
    content.seen.insert(core);
    if (content.seen.size() > kMostTraceNames || processes.size() > kMostTraceNames)
      return "more than " + std::to_string(kMostTraceNames) + " cores: this is no profile of a kernel";
    if (request.wanted && !request.wanted(core))
      return {};
    std::string queue = queueOf(event);
    std::string key = core + "\n" + queue + "\n" + event.name + "\n" + event.id;
    if (begins) {
      open[key].push_back(event);
      return ++opened > kMostOpenEvents
                 ? "more than " + std::to_string(kMostOpenEvents) + " events begin and do not end; record it again"
                 : "";
    }
    if (whole)
      return place(core, queue, event, event.start, event.start + event.duration);
    auto begun = open.find(key);
    if (begun == open.end())
      return {}; // of an event that began before the recording
    --opened;
    TraceEvent begin = std::move(begun->second.front());
    begun->second.pop_front();
    if (begun->second.empty())
      open.erase(begun);
    return place(core, queue, begin, begin.start, event.start);
  }

  TraceContent finish() {
    for (auto &[core, builder] : builders)
      content.cores.push_back(builder.finish());
    return std::move(content);
  }

private:
  std::string queueOf(const TraceEvent &event) const {
    if (isCoreName(event.pid))
      return event.tid;
    if (auto named = processes.find(event.pid); named != processes.end() && !named->second.empty())
      return named->second;
    std::int64_t number = 0;
    if (event.numberedPid && !StringRef(event.pid).getAsInteger(10, number))
      if (std::string queue = names.queueOf(number); !queue.empty())
        return queue;
    return event.pid;
  }

  std::string place(const std::string &core, const std::string &queue, const TraceEvent &event, double start,
                    double end) {
    if (!(start >= -kLatestTime && end >= start && end <= kLatestTime))
      return "expected times in microseconds, the end not in front of the begin";
    llvm::Expected<ProfileRow> row = names.row(queue, event.name, event.detail);
    if (!row)
      return llvm::toString(row.takeError());
    ProfileBuilder &builder = builders.try_emplace(core, core, ProfileFormat::Trace, request.file).first->second;
    builder.execution(builder.rowOf(*row), start * request.clockMHz, end * request.clockMHz, placed++);
    return builder.overfull() ? kOverfull : "";
  }

  const TraceRequest &request;
  const ProfileNames &names;
  std::map<std::string, ProfileBuilder> builders;
  std::map<std::string, std::string> processes; // names by pid
  std::map<std::string, std::deque<TraceEvent>> open;
  TraceContent content;
  std::uint32_t placed = 0;
  std::size_t opened = 0;
};

/// Hands on each object of the list "traceEvents", or of a file that is a list.
class TraceParser : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit TraceParser(TraceEvents &events) : events(events) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t value) override { return integer(value); }
  bool number_unsigned(number_unsigned_t value) override { return integer(value); }
  bool number_float(number_float_t value, const string_t &text) override {
    bool whole = std::abs(value) < kWholeBelow;
    return number(value, [&] { return whole ? std::to_string(static_cast<std::int64_t>(value)) : text; });
  }
  bool binary(binary_t &) override { return true; }

  bool string(string_t &value) override {
    if (inArguments()) {
      if (keys.back() == "detail")
        event.detail = value;
      else if (keys.back() == "name")
        event.processName = value;
    } else if (inEvent()) {
      if (std::string *field = textField(keys.back()))
        *field = value;
    } else if (keys.size() == 2 && keys[0] == "otherData" && keys[1] == "tool" &&
               StringRef(value).starts_with("ptosync"))
      return stop("is an estimate that this tool wrote itself, no profile");
    return true;
  }

  bool start_object(std::size_t) override {
    keys.emplace_back();
    objects.push_back(true);
    if (inEvent())
      event = {};
    return true;
  }
  bool end_object() override {
    bool whole = inEvent();
    keys.pop_back();
    objects.pop_back();
    if (whole) {
      ++count;
      if (std::string wrong = events.add(event); !wrong.empty())
        return stop("event " + std::to_string(count) + ": " + wrong);
    }
    return true;
  }
  bool start_array(std::size_t) override {
    found |= objects.empty() || (objects.size() == 1 && keys[0] == "traceEvents");
    keys.emplace_back();
    objects.push_back(false);
    return true;
  }
  bool end_array() override {
    keys.pop_back();
    objects.pop_back();
    return true;
  }
  bool key(string_t &value) override {
    keys.back() = value;
    return true;
  }
  bool parse_error(std::size_t, const std::string &, const nlohmann::json::exception &error) override {
    StringRef text(error.what());
    text = text.substr(std::min(text.find("] ") + 2, text.size()));
    text.consume_front("parse error at ");
    return stop("cut short or no JSON: " + text.str());
  }

  std::string wrong; // empty: nothing
  bool found = false;

private:
  bool stop(const std::string &message) {
    wrong = message;
    return false;
  }

  /// In an object of the list itself.
  bool inEvent() const {
    bool listed = objects.size() == 3 ? objects[0] && keys[0] == "traceEvents" && !objects[1]
                                      : objects.size() == 2 && !objects[0];
    return listed && objects.back();
  }
  bool inArguments() const {
    if (objects.size() < 3)
      return false;
    std::size_t at = objects.size() - 1;
    return objects[at] && keys[at - 1] == "args" &&
           ((at == 3 && objects[0] && !objects[1]) || (at == 2 && !objects[0]));
  }

  std::string *textField(const std::string &name) {
    return name == "name"  ? &event.name
           : name == "ph"  ? &event.phase
           : name == "pid" ? &event.pid
           : name == "tid" ? &event.tid
           : name == "id"  ? &event.id
                           : nullptr;
  }

  template <typename Integer> bool integer(Integer value) {
    return number(static_cast<double>(value), [&] { return std::to_string(value); });
  }

  /// `spelled`: as a name.
  bool number(double value, llvm::function_ref<std::string()> spelled) {
    if (!inEvent())
      return true;
    const std::string &name = keys.back();
    if (name == "ts")
      event.start = value;
    else if (name == "dur")
      event.duration = value;
    else if (std::string *field = textField(name)) {
      *field = spelled();
      event.numberedPid |= name == "pid";
    }
    return true;
  }

  TraceEvents &events;
  TraceEvent event;
  std::vector<std::string> keys; // of each object and list that is open; "" in a list
  std::vector<bool> objects;     // of each: an object
  std::size_t count = 0;
};

} // namespace

llvm::Expected<TraceContent> readTrace(std::istream &stream, const TraceRequest &request, const ProfileNames &names) {
  TraceEvents events(request, names);
  TraceParser parser(events);
  bool parsed = nlohmann::json::sax_parse(stream, &parser);
  if (!parsed || !parser.wrong.empty())
    return llvm::createStringError(request.file + ": " + parser.wrong +
                                   (StringRef(parser.wrong).starts_with("cut short") ? "; record it again" : ""));
  if (!parser.found)
    return llvm::createStringError(request.file + ": expected a list \"traceEvents\"");
  return events.finish();
}

} // namespace ptosync::timing
