#include "record.h"

#include <sstream>
#include <stdexcept>

namespace probes {

std::map<std::string, RecordedCall> readRecord(std::istream &stream) {
  std::map<std::string, RecordedCall> calls;
  RecordedCall *call = nullptr;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "call") {
      words >> word;
      call = &calls[word];
      continue;
    }
    if (!call)
      throw std::runtime_error("a record begins with a call: " + line);
    RecordedEvent event;
    if (word == "access") {
      words >> event.pipe >> event.intrinsic;
      Piece piece;
      for (std::string direction; words >> direction >> piece.space >> piece.begin >> piece.end;) {
        piece.write = direction == "W";
        event.pieces.push_back(piece);
      }
    } else if (word == "barrier") {
      event.kind = RecordedEvent::Kind::Barrier;
      words >> event.pipe;
    } else if (word == "signal" || word == "await") {
      event.kind = word == "signal" ? RecordedEvent::Kind::Signal : RecordedEvent::Kind::Await;
      words >> event.pipe;
    } else if (word == "set" || word == "wait") {
      event.kind = word == "set" ? RecordedEvent::Kind::Set : RecordedEvent::Kind::Wait;
      words >> event.pipe >> event.destination >> event.id;
    } else if (word == "unknown") {
      words >> word;
      call->unknown.push_back(word);
      continue;
    } else if (word == "refuse") {
      call->refused.push_back(line.substr(7));
      continue;
    } else if (word == "end") {
      call->ended = true;
      continue;
    } else {
      throw std::runtime_error("no line of a record: " + line);
    }
    call->events.push_back(std::move(event));
  }
  return calls;
}

} // namespace probes
