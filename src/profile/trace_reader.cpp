#include "profile/trace_reader.h"

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <deque>

namespace ptosync::timing {
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
      return ++opened > kMostOpenEvents ? "too many events begin and do not end" : "";
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
