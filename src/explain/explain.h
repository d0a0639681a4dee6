// Explains a line of a kernel file: each sync, instruction and tile declaration on it.
//
// The sections are the answer as plain data, accesses and orders in words, instructions, tiles, and the command's
// entry.
#pragma once

#include "explain/analysed_file.h"
#include "optimize/decision.h"
#include "optimize/optimizer.h"
#include "ordering/hazard.h"

#include <set>
#include <string>
#include <vector>

namespace ptosync {

// Holds what there is to know about one line of a kernel file: its syncs, instructions and tiles.
//
// Plain data that src/explain fills and the reports print; nothing in between recomputes a reason. Each subject leads
// with its answer, one sentence; the rest is evidence for it. Tested through tests/explain and tests/report.

/// Says what orders the two instructions of a conflict.
struct PairOrder {
  enum class By : std::uint8_t {
    Barrier,   // a pipe_barrier at `lines`
    Flags,     // one flag or several in a row; `lines`: its sets and waits
    Library,   // a barrier inside a library call at `lines`
    Rule,      // machine rule `rule`
    Elsewhere, // syncs that differ from path to path
    Contested, // `rule`, of contested grade: silences a finding, justifies nothing
    Nothing,   // on some path nothing
  };
  By by = By::Nothing;
  std::string rule;
  std::vector<std::uint32_t> lines; // ascending
  std::string text;                 // one clause
  bool disputed = false;            // Nothing: on another of the pipes that sources name it is ordered
};

/// Says where two instructions meet, and how.
struct MeetingText {
  std::vector<std::string> kinds; // "RAW", "WAR", ...
  std::string storage;
};

struct OrderedConflict {
  Conflict conflict;              // the one that tells most
  std::vector<MeetingText> meets; // all of them, that one first
  PairOrder order;
};

/// Says what a sync orders in one kernel that runs through it.
struct SyncEffect {
  std::string kernel;
  Section section = Section::Both;
  struct Needed {
    Conflict conflict;
    std::string contested; // a rule of contested grade that would order it; may be empty
  };
  std::vector<Needed> needed;      // what nothing else orders
  std::vector<Evidence> otherwise; // what something else orders too
  std::vector<Conflict> suspected; // not seen ordered even with it; it may have a part in them
  bool incomplete = false;         // too many open pairs: `needed` says nothing by being empty
};

/// One thing that would let a sync go.
struct RemovalCondition {
  enum class Kind : std::uint8_t {
    Option,  // a command line option; tried
    Replace, // a cheaper sync in its place; tried
    Join,    // one barrier for it and a neighbour; tried
    Storage, // storage of their own for some tiles; tried
    Sync,    // any other sync that orders the pair
    None,    // nothing
  };
  Kind kind = Kind::None;
  std::string text; // one clause
};

/// Returns the stable id for reports: "option", "replace", ...
const char *removalConditionName(RemovalCondition::Kind kind);
/// Returns the stable id for reports: "barrier", "flags", ...
const char *pairOrderName(PairOrder::By by);

struct SyncExplanation {
  struct Statement {
    SiteId site = kNone;
    std::uint32_t line = 0;
    std::string text;
    Verdict verdict = Verdict::Kept; // by `opt`, with the options given
  };
  std::string answer;
  SyncKind kind = SyncKind::Barrier;
  std::vector<Statement> statements; // the sync; of a flag its whole web, by position
  std::string web;                   // flags: "PIPE_V -> PIPE_MTE3, id 0"
  std::string trouble;               // flags: why the web is not balanced; empty if it is
  SiteDecision decision;             // of the sync on the line
  std::vector<SyncEffect> effects;   // by kernel
  std::vector<RemovalCondition> conditions;
  std::string needed; // what runs of the file say of it, one line; empty: nobody asked them
};

/// An access of an instruction, or a tile's storage, for a reader.
struct AccessText {
  std::string name;    // operand as spelled, or "hidden scratch"
  std::string does;    // "reads", "writes", "reads and writes", "scratch"
  std::string storage; // "UB [0, 1024)"
  std::string detail;  // shape in memory, or what is not known and why; may be empty
};

struct PhaseText {
  Pipe pipe = Pipe::S;
  bool barrier = false;
  std::vector<std::string> reads, writes;
};

struct InstructionExplanation {
  std::string answer;
  std::string kernel;
  Section section = Section::Both;
  InstructionPlace place;
  std::vector<std::string> alsoAt; // other calls and kernels for which all of this holds
  std::vector<Pipe> pipes;         // several: sources disagree, or phases
  std::vector<AccessText> accesses;
  std::vector<PhaseText> library;   // inside the library; empty if not described or not valid for this call
  bool libraryCounts = false;       // at the given trust
  std::vector<std::string> remarks; // machine flags: fences, hidden flags, what is not known
  std::vector<OrderedConflict> producers, consumers;
};

struct TileExplanation {
  std::string answer;
  std::string name, kernel;
  Section section = Section::Both;
  std::uint32_t line = 0;
  std::vector<std::uint32_t> calledFrom; // one of the calls that declare it; empty: the kernel itself
  std::string declared;                  // "Vec float 32 x 128, valid 32 x 100"
  std::vector<std::string> storage;      // where it may lie
  std::vector<std::string> others;       // tiles and other things that share bytes with it: "v12 UB [0, 512)"
  struct Use {
    InstructionPlace place;
    AccessText access;
    bool other = false; // under another name
  };
  std::vector<Use> uses; // in program order
};

/// A line nearby that can be explained.
struct NearbyLine {
  std::uint32_t line = 0;
  std::string text;
};

struct Explanation {
  std::vector<SyncExplanation> syncs;
  std::vector<InstructionExplanation> instructions;
  std::vector<TileExplanation> tiles;
  std::vector<SkippedKernel> skipped; // kernels that the line belongs to and that could not be analysed
  std::vector<NearbyLine> nearby;     // if there is nothing else: the nearest above and below
  std::string calls;                  // likewise: the helper that the line calls, and where its statements are
  bool empty() const { return syncs.empty() && instructions.empty() && tiles.empty() && skipped.empty(); }
};

// Puts an access into words: what it does to which bytes, and what is not known of them and why. It is for readers
// only: nothing is decided by it. Tested by tests/explain/explain_test.cpp.

AccessText accessText(const Program &program, const HazardModel &model, const Node &node, const Access &access);

/// Adds an access to a list. The same operand at the same place is one entry, whether it is on several pipes or both
/// read and written.
void addAccess(AccessText access, std::vector<AccessText> &list);

/// Returns storage in short, as "UB [0, 1024) or one of 7 other places", since rotating storage has many places.
std::string placesText(const std::string &storage);

/// Returns the type of a tile: "Vec float 32 x 128, valid 32 x 100".
std::string declaredText(const Tile &tile);

// Puts into words what orders a pair of instructions, from the links of def/use chains. Tested by
// tests/explain/explain_test.cpp.

PairOrder pairOrder(const AnalysedFile &file, std::size_t kernel, const ChainLink &link);

/// Returns the name of a web's flag: "flag PIPE_V -> PIPE_MTE3, id 0".
std::string webText(const Web &web);

// Explains an instruction: its pipes, what it touches, what it waits for and who waits for it. Tested by
// tests/explain/explain_test.cpp.

/// Explains `statement` of `kernel`, which must hold an instruction that some path reaches.
InstructionExplanation explainInstruction(const AnalysedFile &file, std::size_t kernel, const Statement &statement);

/// Joins the explanations that say the same of several calls or kernels.
void mergeEqual(std::vector<InstructionExplanation> &explanations);

// Explains a tile: where it lies, and everything that touches its storage, under whatever name. Tested by
// tests/explain/explain_test.cpp.

TileExplanation explainTile(const AnalysedFile &file, std::size_t kernel, TileId tile);

// Explains a line of a kernel file: each sync, instruction and tile declaration on it.
//
//   Module --analysed_file--> Programs, Pendings, webs, decisions
//   line   --what stands there--> explain_sync | explain_instruction | explain_tile --> Explanation
//
// Uses what `opt` decides by (src/optimize) and what it prints (src/ordering, src/tokens); there is no analysis of its
// own. It explains the kernel as it stands; what `opt` would do is said of each sync. A helper's line is explained for
// each kernel and call that runs through it; calls for which the same holds are joined.
// Tested by tests/explain/explain_test.cpp.

/// What is to be explained: a line, counted from 1, or, with line 0, every tile of that name.
struct ExplainSubject {
  std::uint32_t line = 0;
  std::string tile;
};

Explanation explain(const Module &module, const Machine &machine, const Catalogue &patterns,
                    const Catalogue &allPatterns, const OptimizeOptions &options, const ExplainSubject &subject);

} // namespace ptosync
