// The a5's vector instructions: the same calls as on the a3, but for those that its library does not take.
#include "book.h"

#include <algorithm>

namespace probes {
namespace {

/// True if the a5's library has no such form, or refuses it when it is compiled.
bool refused(const Probe &probe) {
  if (probe.instruction == "TADDDEQRELU")
    return true;
  return probe.instruction == "TCVT" && probe.tiles[0].element == "half" && probe.tiles[1].element == "int32_t";
}

} // namespace

void vectorA5(Book &book) {
  elementwiseA3(book);
  rowsA3(book);
  movesA3(book);
  book.probes.erase(std::remove_if(book.probes.begin(), book.probes.end(), refused), book.probes.end());
}

} // namespace probes
