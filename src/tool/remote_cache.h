// Entries on an HTTP server, in the layout of the cache of Bazel, so that a server that is there already serves.
//
//   key, entry --PUT--> URL/cas/SHA-256 of the entry   the entry, by its content
//              --PUT--> URL/ac/KEY                     an ActionResult that names it; a short entry stands inside
//   key        --GET--> URL/ac/KEY, URL/cas/...        the entry, if its digest is right
//
// The ActionResult is the message of the remote execution API, so that a server that checks what it is given
// (bazel-remote) takes it, and throws it away when the entry that it names is gone. A server that knows nothing of that
// (nginx with WebDAV, whatever serves sccache's WebDAV) stores both as files.
//
// A server that fails is asked no more after kMostFailures requests in a row; one that stalls is left after some
// seconds. Who can write to the server can put in a wrong result under a key: it is trusted like the program. The
// digests tell what was damaged on its way. Name and password may stand in the URL or in ~/.netrc.
//
// libcurl is loaded when it is needed: a run without a server must not pay for it. Tested by
// tests/tool/remote_cache_test.cpp and, with a server, by tests/scripts/remote_cache_test.sh.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ptosync {

/// What an action cache holds under a key: a text itself, or the digest of one.
struct StoredAction {
  std::string text;   // empty: see `digest`
  std::string digest; // SHA-256 in hex
  std::uint64_t size = 0;
};

/// Returns the bytes of an ActionResult whose standard output that is.
std::string actionText(const StoredAction &action);
/// Returns nothing if the bytes are no ActionResult with one of the two. Fields that it does not know are passed over.
std::optional<StoredAction> readAction(llvm::StringRef bytes);

class RemoteCache {
public:
  /// `url`: what stands in front of "/ac/" and "/cas/".
  RemoteCache(const std::string &url, bool readOnly);
  ~RemoteCache();

  std::optional<std::string> read(const std::string &key);
  void write(const std::string &key, const std::string &entry);

  /// Returns what went wrong first; empty if nothing did.
  std::string problem() const;

private:
  class Client;
  const std::unique_ptr<Client> client;
  const bool readOnly;
};

} // namespace ptosync
