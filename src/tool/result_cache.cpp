#include "tool/result_cache.h"

#include "tool/git.h"
#include "tool/session.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/raw_ostream.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace ptosync {
namespace {

constexpr const char *kQuestionsKind = "questions", *kResultKind = "result";
constexpr std::size_t kMostQuestionLists = 8; // of one kernel: headers that were found elsewhere, or left out

} // namespace

ResultCache::ResultCache(const ToolOptions &options, const std::vector<std::string> &inputs) : options(options) {
  const CacheOptions &asked = options.cache;
  if ((asked.folder.empty() && asked.remote.empty()) || options.timings)
    return;
  std::error_code error;
  run.inputs = inputs;
  run.program = programIdentity(); // before anything else is loaded
  run.here = std::filesystem::current_path(error).string();
  llvm::Expected<std::string> library = libraryDigest(options.includeDirectory);
  if (!library)
    problem = "no result is kept: " + llvm::toString(library.takeError());
  else if (run.program.empty() || error)
    problem = "no result is kept: the program's own file, or the working folder, cannot be read";
  if (!problem.empty())
    return;
  run.library = *library;
  if (options.opt.github || !options.opt.sarif.empty())
    scanRoot = ptosync::scanRoot();
  if (!asked.folder.empty())
    folder = std::make_unique<CacheFolder>(asked.folder, asked.mostBytes);
  if (!asked.remote.empty())
    remote = std::make_unique<RemoteCache>(asked.remote, asked.readOnly);
}

std::string ResultCache::keyOf(const RunInput &input) const {
  const std::string &name = input.sources.front().name();
  for (const SourceText &source : input.sources)
    if (holdsTime(source.text()))
      return "";
  std::vector<std::string> names;
  if (options.diff)
    names.push_back(nameInDiff(options, name));
  if (!scanRoot.empty())
    names.push_back(scanName(scanRoot, name));
  return resultKey(options, run, input, names);
}

// What an entry holds is looked for in the folder first, then on the server, and what the server has goes into the
// folder.

std::optional<std::string> ResultCache::read(const std::string &key, const char *kind) {
  if (folder)
    if (std::optional<std::string> sealed = folder->read(key, kind)) {
      if (std::optional<std::string> text = openedEntry(key, *sealed))
        return text;
      folder->remove(key, kind);
    }
  std::optional<std::string> sealed = remote ? remote->read(key) : std::nullopt;
  std::optional<std::string> text = sealed ? openedEntry(key, *sealed) : std::nullopt;
  if (text && folder)
    folder->write(key, kind, *sealed);
  return text;
}

void ResultCache::write(const std::string &key, const char *kind, const std::string &text) {
  const std::string sealed = sealedEntry(key, text);
  if (folder)
    folder->write(key, kind, sealed);
  if (remote)
    remote->write(key, sealed);
}

// The questions to the disk.

std::optional<FileAnswer> ResultCache::answerTo(const std::string &path, FileQuestion question) {
  {
    std::lock_guard lock(mutex);
    if (auto known = answered.find({path, question}); known != answered.end())
      return known->second;
  }
  std::optional<FileAnswer> answer = askDisk(path, question);
  std::lock_guard lock(mutex);
  return answered.emplace(std::pair(path, question), std::move(answer)).first->second;
}

std::optional<ResultCache::Answers> ResultCache::answersTo(const Questions &questions) {
  Answers answers;
  for (const auto &[place, question] : questions.files) {
    std::optional<FileAnswer> answer = answerTo(placeAt(run.here, place), question);
    if (!answer)
      return std::nullopt;
    answers.emplace(place, std::move(*answer));
  }
  return answers;
}

std::string ResultCache::keyWith(const std::string &key, const Answers &answers, bool here) const {
  return PartsDigest().add("kernel", key).add("answers", answersText(answers)).add("here", here ? run.here : "").hex();
}

/// Returns true if the record may hold the name of the working folder, which no other folder has.
bool ResultCache::namesHere(const std::string &record) const {
  const bool plain =
      llvm::all_of(run.here, [](char c) { return llvm::isAlnum(c) || llvm::StringRef("/._-+").contains(c); });
  return !plain || run.here.size() < 2 || llvm::StringRef(record).contains(run.here);
}

std::string ResultCache::textOf(const std::vector<Questions> &lists) {
  nlohmann::json text = nlohmann::json::array();
  for (const Questions &questions : lists) {
    nlohmann::json files = nlohmann::json::array();
    for (const auto &[place, question] : questions.files)
      files.push_back({place, question == FileQuestion::Text});
    text.push_back({questions.here, std::move(files)});
  }
  std::string bytes;
  nlohmann::json::to_cbor(text, bytes);
  return bytes;
}

std::vector<ResultCache::Questions> ResultCache::questionsOf(const std::string &key) {
  std::vector<Questions> lists;
  const std::optional<std::string> text = read(key, kQuestionsKind);
  if (!text)
    return lists;
  const nlohmann::json known = nlohmann::json::from_cbor(*text, /*strict=*/true, /*allow_exceptions=*/false);
  for (const nlohmann::json &list : known.is_array() ? known : nlohmann::json::array()) {
    if (!list.is_array() || list.size() != 2 || !list[0].is_boolean() || !list[1].is_array())
      return {};
    Questions &questions = lists.emplace_back();
    questions.here = list[0].get<bool>();
    for (const nlohmann::json &file : list[1]) {
      if (!file.is_array() || file.size() != 2 || !file[0].is_string() || !file[1].is_boolean())
        return {};
      questions.files.emplace(file[0].get<std::string>(), FileQuestion(file[1].get<bool>()));
    }
  }
  return lists;
}

// Results.

std::optional<std::string> ResultCache::find(const std::string &key, const RunInput &input) {
  for (const Questions &questions : questionsOf(key)) {
    std::optional<Answers> answers = answersTo(questions);
    if (!answers)
      continue;
    std::optional<std::string> record = read(keyWith(key, *answers, questions.here), kResultKind);
    if (!record)
      continue;
    for (const auto &[place, answer] : *answers)
      if (answer.kind == FileAnswer::Kind::Read)
        input.choices.reads->note(answer.file, placeAt(run.here, place));
    ++hits;
    input.choices.allowance.stage("the result of an earlier run");
    input.choices.allowance.end();
    return record;
  }
  ++misses;
  input.choices.reads->answers = std::make_shared<FileAnswers>();
  return std::nullopt;
}

void ResultCache::keep(const std::string &key, const RunInput &input, const std::string &record) {
  const auto asked = input.choices.reads->answers ? input.choices.reads->answers->answers() : std::nullopt;
  if (!asked || input.choices.allowance.hadPart()) // more time or memory may make another result
    return;
  Questions questions;
  Answers answers;
  for (const auto &[path, answer] : *asked) {
    const std::string place = placeFrom(run.here, path);
    questions.files.emplace(place, FileQuestion(answer.kind == FileAnswer::Kind::Read));
    answers.emplace(place, answer);
  }
  questions.here = namesHere(record);
  write(keyWith(key, answers, questions.here), kResultKind, record);
  std::vector<Questions> lists = questionsOf(key);
  if (!llvm::is_contained(lists, questions)) {
    lists.insert(lists.begin(), std::move(questions));
    lists.resize(std::min(lists.size(), kMostQuestionLists));
    write(key, kQuestionsKind, textOf(lists));
  }
  ++kept;
}

void ResultCache::finish() {
  auto tell = [&](const std::string &what) { tellProblem("cache: " + what); };
  if (!problem.empty())
    tell(problem);
  if (folder) {
    folder->finish();
    if (const std::string why = folder->problem(); !why.empty())
      tell(options.cache.folder + ": a result could not be kept there: " + why + "; the run goes on without it");
  }
  if (remote)
    if (const std::string why = remote->problem(); !why.empty())
      tell(why + "; the run goes on without it");
  if (isOn() && options.verbose && !options.quiet)
    llvm::errs() << "cache: " << hits << " hits, " << misses << " misses, " << kept << " of them kept\n";
}

} // namespace ptosync
