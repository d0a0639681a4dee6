#include "profile/line_reader.h"

#include <algorithm>
#include <cstring>

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

} // namespace ptosync::timing
