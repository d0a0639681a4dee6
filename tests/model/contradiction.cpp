#include "contradiction.h"

#include "read_order.h"

#include <algorithm>
#include <set>

namespace probes {
namespace {

using Kind = RecordedEvent::Kind;
using Phases = std::vector<const BelievedPhase *>;

/// First byte of the piece that no access of the phases covers; the piece's end if all are.
std::uint64_t firstUncovered(const Piece &piece, const Phases &phases, const std::string &pipe) {
  std::uint64_t at = piece.begin;
  for (bool moved = true; moved && at < piece.end;) {
    moved = false;
    for (const BelievedPhase *phase : phases) {
      if (phase->pipe != pipe)
        continue;
      for (const BelievedAccess &access : phase->accesses) {
        if (access.space != piece.space || (piece.write && !access.writes))
          continue;
        if (access.anywhere)
          return piece.end;
        if (at < access.begin || at >= access.end())
          continue;
        std::uint64_t row = access.rows > 1 ? (at - access.begin) / access.stride : 0;
        std::uint64_t end = access.begin + row * access.stride + access.rowBytes;
        if (at < end)
          at = end, moved = true;
      }
    }
  }
  return std::min(at, piece.end);
}

/// "in t1", "96 bytes behind t3", "in no operand".
std::string whereabouts(const Piece &piece, std::uint64_t at, const Phases &phases) {
  std::string nearest;
  std::uint64_t distance = ~0ull;
  for (const BelievedPhase *phase : phases)
    for (const BelievedAccess &access : phase->accesses) {
      if (access.space != piece.space || access.anywhere)
        continue;
      if (at >= access.begin && at < access.end())
        return "between the rows of " + access.operand + (piece.write && !access.writes ? ", which is only read" : "");
      if (at >= access.end() && at - access.end() < distance) {
        distance = at - access.end();
        nearest = "up to " + std::to_string(piece.end - access.end()) + " bytes behind " + access.operand +
                  (access.scratch ? " (scratch)" : "") + (piece.write && !access.writes ? ", which is only read" : "");
      }
    }
  return distance < 4096 ? nearest : "in no operand";
}

struct Checker {
  const RecordedCall &recorded;
  const BelievedCall &believed;
  std::vector<Contradiction> found;
  std::set<std::string> said; // one of each kind and operand

  void say(const std::string &kind, const std::string &trust, const std::string &key, const std::string &text) {
    if (said.insert(kind + " " + trust + " " + key).second)
      found.push_back({kind, trust, text});
  }

  void pieces(const RecordedEvent &event, const Phases &phases, const Phases &all, const std::string &trust,
              const std::string &when) {
    bool onPipe =
        std::any_of(all.begin(), all.end(), [&](const BelievedPhase *phase) { return phase->pipe == event.pipe; });
    if (!onPipe)
      return say("pipe", trust, event.pipe, event.intrinsic + " on " + event.pipe + ", which is not listed");
    for (const Piece &piece : event.pieces) {
      // A FIFO's ring, which may lie in the other core's own memory, or memory of other ranks: what the fence is for.
      if (believed.fence != "none" && (piece.space == "GM" || (piece.write && believed.name == "TPUSH")))
        continue;
      std::uint64_t at = firstUncovered(piece, phases, event.pipe);
      if (at == piece.end)
        continue;
      std::string where = whereabouts(piece, at, all);
      std::string kind = when.empty() ? piece.write ? "write" : "read" : when;
      say(kind, trust, std::string(piece.write ? "W" : "R") + where.substr(where.rfind(' ') + 1),
          event.intrinsic + (piece.write ? " writes " : " reads ") + piece.space + " [" + std::to_string(at) + ", " +
              std::to_string(piece.end) + ") on " + event.pipe + ", " + where);
    }
  }

  void atTile() {
    Phases all;
    for (const BelievedPhase &phase : believed.tile)
      all.push_back(&phase);
    for (const RecordedEvent &event : recorded.events)
      if (event.kind == Kind::Access)
        pieces(event, all, all, "tile", "");
      else if (event.kind == Kind::Signal || event.kind == Kind::Await)
        betweenCores(event, all);
      else if (event.kind != Kind::Barrier &&
               !believed.flags.count({event.pipe, event.destination, std::to_string(event.id)}))
        say("flag", "tile", event.pipe + event.destination + std::to_string(event.id),
            "flag " + event.pipe + " to " + event.destination + " with id " + std::to_string(event.id) +
                ", which is not listed");
  }

  /// A signal wants a fence that holds what precedes it, a wait one that holds what follows, on their pipe.
  void betweenCores(const RecordedEvent &event, const Phases &all) {
    const bool signals = event.kind == Kind::Signal;
    const bool onPipe =
        std::any_of(all.begin(), all.end(), [&](const BelievedPhase *phase) { return phase->pipe == event.pipe; });
    const bool holds =
        believed.fence == "all" || believed.fence == "pipes" || believed.fence == (signals ? "release" : "acquire");
    if (!holds || !onPipe)
      say(signals ? "signal" : "await", "tile", event.pipe,
          std::string(signals ? "signals another core on " : "waits for another core on ") + event.pipe +
              ", and the model has a fence of kind " + believed.fence + (onPipe ? "" : ", not on that pipe"));
  }

  /// The chain rule must not take more repeats for certain than there were.
  void orders() {
    for (const BelievedPhase &phase : believed.tile)
      for (const BelievedAccess &access : phase.accesses) {
        if (phase.pipe != "PIPE_V" || access.anywhere || access.rows != 1 || (!access.readAfter && !access.readBy))
          continue;
        MeasuredOrder measured = measureOrder(recorded, access);
        auto compare = [&](const char *kind, const std::optional<std::int64_t> &taken,
                           const std::optional<std::int64_t> &seen) {
          if (taken && seen && *taken > *seen)
            say(kind, "tile", access.operand,
                access.operand + ": the chain rule counts " + std::to_string(*taken) + " repeats, and there are " +
                    std::to_string(*seen));
        };
        compare("read-order", access.readAfter, measured.readAfter);
        compare("write-order", access.readBy, measured.readBy);
      }
  }

  /// What the chain rule takes for written from end to end must be, but for what a row leaves of its last block.
  void exactWrites() {
    constexpr std::uint64_t kBlock = 32;
    for (const BelievedPhase &phase : believed.tile)
      for (const BelievedAccess &access : phase.accesses) {
        if (phase.pipe != "PIPE_V" || access.anywhere || access.rows != 1 || !access.writes ||
            access.readBy.value_or(0) <= 0)
          continue;
        std::vector<bool> written(access.rowBytes);
        for (const RecordedEvent &event : recorded.events)
          for (const Piece &piece : event.pieces)
            for (std::uint64_t at = std::max(piece.begin, access.begin);
                 piece.write && piece.space == access.space && at < std::min(piece.end, access.end()); ++at)
              written[at - access.begin] = true;
        auto missing = static_cast<std::uint64_t>(std::find(written.begin(), written.end(), false) - written.begin());
        if (missing + kBlock <= access.rowBytes)
          say("exact", "tile", access.operand,
              access.operand + ": the chain rule takes all of it for written, and byte " + std::to_string(missing) +
                  " is not");
      }
  }

  void atLibrary() {
    if (!believed.inside)
      return;
    std::vector<const BelievedPhase *> all, before, after;
    std::string pipe; // of the barriers: one in all forms so far
    for (const BelievedPhase &phase : believed.library) {
      if (phase.barrier) {
        pipe = phase.pipe;
        after.clear();
        continue;
      }
      all.push_back(&phase);
      if (pipe.empty())
        before.push_back(&phase);
      after.push_back(&phase);
    }
    if (pipe.empty())
      after = before = all;
    auto ends = [&](const RecordedEvent &event) {
      return event.kind == Kind::Barrier && (event.pipe == pipe || event.pipe == "PIPE_ALL");
    };
    auto first = std::find_if(recorded.events.begin(), recorded.events.end(), ends);
    auto last = std::find_if(recorded.events.rbegin(), recorded.events.rend(), ends).base();
    if (first == recorded.events.end() && !pipe.empty())
      return say("barrier", "library", pipe, "a barrier of " + pipe + " is promised and there is none");
    for (auto event = recorded.events.begin(); event != recorded.events.end(); ++event) {
      if (event->kind != Kind::Access)
        continue;
      pieces(*event, all, all, "library", "");
      if (event < first)
        pieces(*event, before, all, "library", "before-barrier");
      if (event >= last)
        pieces(*event, after, all, "library", "after-barrier");
    }
  }
};

} // namespace

std::vector<Contradiction> contradictionsOf(const RecordedCall &recorded, const BelievedCall &believed) {
  Checker checker{recorded, believed, {}, {}};
  if (!believed.form)
    return {}; // an unknown call touches everything
  checker.atTile();
  checker.orders();
  checker.exactWrites();
  checker.atLibrary();
  return std::move(checker.found);
}

bool wider(const RecordedCall &recorded, const BelievedCall &believed) {
  std::map<std::string, std::set<std::uint64_t>> touched; // blocks of 32 bytes, by space
  for (const RecordedEvent &event : recorded.events)
    for (const Piece &piece : event.pieces)
      for (std::uint64_t block = piece.begin / 32; block * 32 < piece.end; ++block)
        touched[piece.space].insert(block);
  for (const BelievedPhase &phase : believed.tile)
    for (const BelievedAccess &access : phase.accesses) {
      if (access.anywhere)
        return true;
      for (std::uint64_t row = 0; row < access.rows; ++row)
        for (std::uint64_t at = access.begin + row * access.stride;
             at < access.begin + row * access.stride + access.rowBytes; at += 32)
          if (!touched[access.space].count(at / 32))
            return true;
    }
  return false;
}

} // namespace probes
