#include "patterns/rewrite_reader.h"

#include "patterns/pattern_values.h"

namespace ptosync {
namespace {

constexpr std::int64_t kMostLocalSlots = 64;

llvm::Error readSlotCount(const JsonNode &object, llvm::StringRef key, std::int64_t &target) {
  if (!object.has(key))
    return llvm::Error::success();
  if (llvm::Error error = take(object.at(key).integer(), target))
    return error;
  if (target < 1 || target > kMostLocalSlots)
    return object.at(key).error("expected an integer from 1 to " + llvm::Twine(kMostLocalSlots));
  return llvm::Error::success();
}

} // namespace

llvm::Error readFifoMatch(const JsonNode &match, FifoMatch &target) {
  if (llvm::Error error = match.allowKeys({"fifo"}))
    return error;
  llvm::Expected<JsonNode> fifo = match.member("fifo");
  if (!fifo)
    return fifo.takeError();
  if (llvm::Error error = fifo->allowKeys({"directions", "localSlots"}))
    return error;
  if (fifo->has("directions"))
    if (llvm::Error error = readNames(
            fifo->at("directions"), target.directions, "direction; expected 'DIR_C2V', 'DIR_V2C' or 'DIR_BOTH'",
            [](llvm::StringRef name) { return name == "DIR_C2V" || name == "DIR_V2C" || name == "DIR_BOTH"; }))
      return error;
  if (!fifo->has("localSlots"))
    return llvm::Error::success();
  JsonNode count = fifo->at("localSlots");
  if (llvm::Error error = count.allowKeys({"atLeast"}))
    return error;
  return readSlotCount(count, "atLeast", target.leastLocalSlots);
}

llvm::Error readRewriteBounds(const JsonNode &root, Pattern &pattern) {
  if (pattern.kind == PatternKind::Sync)
    return root.has("bounds") ? root.at("bounds").error("only a pattern of kind 'rewrite' has bounds")
                              : llvm::Error::success();
  llvm::Expected<JsonNode> bounds = root.member("bounds");
  if (!bounds)
    return bounds.takeError();
  if (llvm::Error error = bounds->allowKeys({"localSlots"}))
    return error;
  llvm::Expected<JsonNode> count = bounds->member("localSlots");
  if (!count)
    return count.takeError();
  if (llvm::Error error = count->allowKeys({"atLeast", "atMost"}))
    return error;
  pattern.mostLocalSlots = kMostLocalSlots;
  if (llvm::Error error = readSlotCount(*count, "atLeast", pattern.leastLocalSlots))
    return error;
  if (llvm::Error error = readSlotCount(*count, "atMost", pattern.mostLocalSlots))
    return error;
  if (pattern.leastLocalSlots > pattern.mostLocalSlots)
    return count->error("no count is at least " + llvm::Twine(pattern.leastLocalSlots) + " and at most " +
                        llvm::Twine(pattern.mostLocalSlots));
  return llvm::Error::success();
}

} // namespace ptosync
