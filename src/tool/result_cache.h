// Results of earlier runs, used again in the place of the work: for the runs of many kernels, of which few have
// changed.
//
//   kernel --resultKey--> key --questions--> the files that the result depends on --askDisk--> answers
//          key + answers --digest--> the result's own key --result--> record (outcome_record.h)
//
// Under its key a kernel has no result yet, only lists of questions to the disk that a run of it has asked: which
// headers, where looked for. The answers make the key of the result. So a result is used where the same program, asked
// the same of the same kernel, would read the same files, and nowhere else. A list has the paths as seen from the
// working folder. A result that names that folder has the folder among its questions.
//
// A result that may be luck is not kept: the caller says so, and so do unclear answers. Nothing is kept of a run with
// --timings, which prints times, or with a limit of time of --resync.
//
// Everything here is advice. A folder or a server that fails costs the results that it would have had. A note says so
// once, and the outputs are those of a run without a cache.
//
// Several threads may use one object. Tested by tests/tool/result_cache_test.cpp, tests/scripts/result_cache_test.sh
// and tests/scripts/remote_cache_test.sh.
#pragma once

#include "base/file_answers.h"
#include "run/run.h"
#include "tool/cache_folder.h"
#include "tool/options.h"
#include "tool/remote_cache.h"
#include "tool/result_key.h"

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptosync {

/// How kernels fared with the cache.
struct CacheCounts {
  std::size_t hits = 0, misses = 0; // of the kernels that were asked for
  std::size_t kept = 0;             // of the misses: the others may not be kept, or could not
};

class ResultCache {
public:
  /// `inputs`: what results depend on beside the options and the kernel. Does nothing where the options name no cache.
  ResultCache(const ToolOptions &options, const std::vector<std::string> &inputs);

  /// Returns true if results are looked for.
  bool isOn() const { return folder || remote; }

  /// Returns the record that was kept under this key, if it is still true, and notes the files that it was made of in
  /// the `reads` of the input. Otherwise the reading of the input notes what `keep` has to know.
  std::optional<std::string> find(const std::string &key, const RunInput &input);
  void keep(const std::string &key, const RunInput &input, const std::string &record);

  /// Returns the key of a kernel; empty if its result is not to be kept.
  std::string keyOf(const RunInput &input) const;

  CacheCounts counts() const { return {hits, misses, kept}; }

  /// Makes room in the folder, and says on standard error what went wrong; with --verbose also the counts.
  void finish();

private:
  /// What a run of a kernel has asked, by paths as placeFrom makes them.
  struct Questions {
    std::map<std::string, FileQuestion> files;
    bool here = false; // which is the working folder?
    bool operator==(const Questions &) const = default;
  };
  using Answers = std::map<std::string, FileAnswer>; // by the same paths

  std::optional<FileAnswer> answerTo(const std::string &path, FileQuestion question);
  /// Returns nothing if the disk does not answer.
  std::optional<Answers> answersTo(const Questions &questions);
  std::string keyWith(const std::string &key, const Answers &answers, bool here) const;
  bool namesHere(const std::string &record) const;
  std::vector<Questions> questionsOf(const std::string &key);
  static std::string textOf(const std::vector<Questions> &lists);
  std::optional<std::string> read(const std::string &key, const char *kind);
  void write(const std::string &key, const char *kind, const std::string &text);

  const ToolOptions &options;
  RunKey run;
  std::string scanRoot; // of the names in scans; empty: there are none
  std::unique_ptr<CacheFolder> folder;
  std::unique_ptr<RemoteCache> remote;
  std::string problem; // why there is no cache, although there is to be one
  std::atomic<std::size_t> hits = 0, misses = 0, kept = 0;
  std::mutex mutex; // of what follows
  std::map<std::pair<std::string, FileQuestion>, std::optional<FileAnswer>> answered;
};

} // namespace ptosync
