#include "tool/remote_cache.h"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/SHA256.h>

#include <curl/curl.h>
#include <dlfcn.h>

#include <cstring>
#include <mutex>
#include <type_traits>
#include <vector>

namespace ptosync {

// The one message, in the wire format of protocol buffers: build.bazel.remote.execution.v2.ActionResult.

namespace {

constexpr unsigned kActionStdoutRaw = 5, kActionStdoutDigest = 6; // fields of ActionResult
constexpr unsigned kDigestHash = 1, kDigestSize = 2;              // of Digest
constexpr unsigned kWireNumber = 0, kWireBytes = 2, kWireFixed64 = 1, kWireFixed32 = 5;
constexpr std::size_t kLongestInside = 1024; // of an entry that stands in the message itself

void putNumber(std::string &text, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7)
    text += static_cast<char>(value | 0x80);
  text += static_cast<char>(value);
}

void putBytes(std::string &text, unsigned field, llvm::StringRef bytes) {
  putNumber(text, field << 3 | kWireBytes);
  putNumber(text, bytes.size());
  text.append(bytes.data(), bytes.size());
}

bool takeNumber(llvm::StringRef &text, std::uint64_t &value) {
  value = 0;
  for (unsigned shift = 0; shift < 64 && !text.empty(); shift += 7) {
    const auto byte = static_cast<std::uint8_t>(text.front());
    text = text.drop_front();
    value |= std::uint64_t(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return true;
  }
  return false;
}

struct WireField {
  unsigned field = 0;
  llvm::StringRef bytes;    // of kWireBytes
  std::uint64_t number = 0; // of kWireNumber
};

/// Takes the next field off the front; false if there is none that is whole.
bool takeField(llvm::StringRef &text, WireField &next) {
  std::uint64_t tag = 0, size = 0;
  if (!takeNumber(text, tag))
    return false;
  next = {static_cast<unsigned>(tag >> 3), {}, 0};
  switch (tag & 7) {
  case kWireNumber: return takeNumber(text, next.number);
  case kWireFixed64: size = 8; break;
  case kWireFixed32: size = 4; break;
  case kWireBytes:
    if (!takeNumber(text, size))
      return false;
    break;
  default: return false;
  }
  if (size > text.size())
    return false;
  next.bytes = text.take_front(size);
  text = text.drop_front(size);
  return true;
}

std::string sha256Of(llvm::StringRef text) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

} // namespace

std::string actionText(const StoredAction &action) {
  std::string text;
  if (!action.text.empty()) {
    putBytes(text, kActionStdoutRaw, action.text);
    return text;
  }
  std::string digest;
  putBytes(digest, kDigestHash, action.digest);
  putNumber(digest, kDigestSize << 3 | kWireNumber);
  putNumber(digest, action.size);
  putBytes(text, kActionStdoutDigest, digest);
  return text;
}

std::optional<StoredAction> readAction(llvm::StringRef bytes) {
  StoredAction action;
  for (WireField field; !bytes.empty();) {
    if (!takeField(bytes, field))
      return std::nullopt;
    if (field.field == kActionStdoutRaw)
      action.text = field.bytes.str();
    if (field.field != kActionStdoutDigest)
      continue;
    llvm::StringRef digest = field.bytes;
    for (WireField part; !digest.empty();) {
      if (!takeField(digest, part))
        return std::nullopt;
      if (part.field == kDigestHash)
        action.digest = part.bytes.str();
      else if (part.field == kDigestSize)
        action.size = part.number;
    }
  }
  constexpr std::size_t kDigits = 64;
  const bool named = action.digest.size() == kDigits && llvm::all_of(action.digest, llvm::isHexDigit);
  return !action.text.empty() || named ? std::optional(action) : std::nullopt;
}

// The requests.

namespace {

constexpr unsigned kMostFailures = 3; // in a row, of a server that is asked any more
constexpr long kMillisecondsToConnect = 2000, kSecondsOfStall = 5, kSecondsOfRequest = 60;
constexpr std::size_t kLargestAnswer = std::size_t(256) << 20;

/// The functions of libcurl, from the library that the machine has.
struct CurlFunctions {
  decltype(&curl_global_init) globalInit = nullptr;
  decltype(&curl_easy_init) init = nullptr;
  decltype(&curl_easy_setopt) setopt = nullptr;
  decltype(&curl_easy_perform) perform = nullptr;
  decltype(&curl_easy_getinfo) getinfo = nullptr;
  decltype(&curl_easy_reset) reset = nullptr;
  decltype(&curl_easy_cleanup) cleanup = nullptr;
  decltype(&curl_easy_strerror) strerror = nullptr;

  bool load() {
    void *library = nullptr;
    for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (!library)
        library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    auto find = [&](auto &function, const char *name) {
      void *symbol = library ? ::dlsym(library, name) : nullptr;
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
      return symbol != nullptr;
    };
    return find(globalInit, "curl_global_init") && find(init, "curl_easy_init") && find(setopt, "curl_easy_setopt") &&
           find(perform, "curl_easy_perform") && find(getinfo, "curl_easy_getinfo") && find(reset, "curl_easy_reset") &&
           find(cleanup, "curl_easy_cleanup") && find(strerror, "curl_easy_strerror") &&
           globalInit(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }
};

std::size_t takeAnswer(char *data, std::size_t size, std::size_t count, void *answer) {
  auto &text = *static_cast<std::string *>(answer);
  if (text.size() + size * count > kLargestAnswer)
    return 0; // ends the request
  text.append(data, size * count);
  return size * count;
}

std::size_t giveBody(char *buffer, std::size_t size, std::size_t count, void *body) {
  auto &rest = *static_cast<llvm::StringRef *>(body);
  const llvm::StringRef part = rest.take_front(size * count);
  std::memcpy(buffer, part.data(), part.size());
  rest = rest.drop_front(part.size());
  return part.size();
}

/// Without name and password.
std::string shownUrl(llvm::StringRef url) {
  auto [scheme, rest] = url.split("://");
  const llvm::StringRef host = rest.take_until([](char c) { return c == '/'; });
  const std::size_t at = host.rfind('@');
  return at == llvm::StringRef::npos ? url.str() : (scheme + "://" + rest.drop_front(at + 1)).str();
}

} // namespace

class RemoteCache::Client {
public:
  explicit Client(std::string url) : url(std::move(url)) {
    if (!curl.load()) {
      failures = kMostFailures;
      firstProblem = "the remote cache needs libcurl (Debian: apt install libcurl4)";
    }
  }
  ~Client() {
    for (CURL *handle : idle)
      curl.cleanup(handle);
  }
  Client(const Client &) = delete;
  Client &operator=(const Client &) = delete;

  /// Returns nothing if the server has nothing there, or fails.
  std::optional<std::string> get(const std::string &place) {
    std::string answer;
    return request(place, nullptr, answer) ? std::optional(std::move(answer)) : std::nullopt;
  }
  bool put(const std::string &place, llvm::StringRef body) {
    std::string answer;
    return request(place, &body, answer);
  }

  std::string problem() const {
    std::lock_guard lock(mutex);
    return firstProblem;
  }

private:
  /// A connection that nobody uses now; null if the server is asked no more.
  CURL *take() {
    std::lock_guard lock(mutex);
    if (failures >= kMostFailures)
      return nullptr;
    if (idle.empty())
      return curl.init();
    CURL *handle = idle.back();
    idle.pop_back();
    return handle;
  }

  bool request(const std::string &place, llvm::StringRef *body, std::string &answer) {
    CURL *handle = take();
    if (!handle)
      return false;
    const std::string whole = url + place;
    curl.reset(handle);
    curl.setopt(handle, CURLOPT_URL, whole.c_str());
    curl.setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl.setopt(handle, CURLOPT_CONNECTTIMEOUT_MS, kMillisecondsToConnect);
    curl.setopt(handle, CURLOPT_TIMEOUT, kSecondsOfRequest);
    curl.setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl.setopt(handle, CURLOPT_LOW_SPEED_TIME, kSecondsOfStall);
    curl.setopt(handle, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_OPTIONAL));
    curl.setopt(handle, CURLOPT_FOLLOWLOCATION, 0L);
    curl.setopt(handle, CURLOPT_WRITEFUNCTION, &takeAnswer);
    curl.setopt(handle, CURLOPT_WRITEDATA, &answer);
    if (body) {
      curl.setopt(handle, CURLOPT_UPLOAD, 1L);
      curl.setopt(handle, CURLOPT_READFUNCTION, &giveBody);
      curl.setopt(handle, CURLOPT_READDATA, body);
      curl.setopt(handle, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(body->size()));
      curl.setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 0L);
    }
    const CURLcode result = curl.perform(handle);
    long code = 0;
    curl.getinfo(handle, CURLINFO_RESPONSE_CODE, &code);
    return judge(handle, body ? "PUT" : "GET", result, code);
  }

  /// Gives the connection back. What is not there is no failure.
  bool judge(CURL *handle, const char *method, CURLcode result, long code) {
    constexpr long kGood = 200, kNotGood = 300, kNotThere = 404;
    const bool good = result == CURLE_OK && code >= kGood && code < kNotGood;
    std::lock_guard lock(mutex);
    idle.push_back(handle);
    if (good || (result == CURLE_OK && code == kNotThere && llvm::StringRef(method) == "GET")) {
      failures = 0;
      return good;
    }
    ++failures;
    if (firstProblem.empty())
      firstProblem =
          shownUrl(url) + ": " + method + ": " +
          (result != CURLE_OK ? std::string(curl.strerror(result)) : "the server answers " + std::to_string(code));
    return false;
  }

  CurlFunctions curl;
  const std::string url;
  mutable std::mutex mutex; // of what follows
  std::vector<CURL *> idle;
  unsigned failures = 0; // in a row
  std::string firstProblem;
};

RemoteCache::RemoteCache(const std::string &url, bool readOnly)
    : client(std::make_unique<Client>(llvm::StringRef(url).rtrim('/').str())), readOnly(readOnly) {}

RemoteCache::~RemoteCache() = default;

std::string RemoteCache::problem() const { return client->problem(); }

std::optional<std::string> RemoteCache::read(const std::string &key) {
  const std::optional<std::string> bytes = client->get("/ac/" + key);
  std::optional<StoredAction> action = bytes ? readAction(*bytes) : std::nullopt;
  if (!action || !action->text.empty())
    return action ? std::optional(std::move(action->text)) : std::nullopt;
  std::optional<std::string> entry = client->get("/cas/" + action->digest);
  return entry && sha256Of(*entry) == action->digest ? entry : std::nullopt;
}

void RemoteCache::write(const std::string &key, const std::string &entry) {
  if (readOnly)
    return;
  if (entry.size() <= kLongestInside) {
    client->put("/ac/" + key, actionText({entry, "", 0}));
    return;
  }
  const std::string digest = sha256Of(entry);
  if (client->put("/cas/" + digest, entry))
    client->put("/ac/" + key, actionText({"", digest, entry.size()}));
}

} // namespace ptosync
