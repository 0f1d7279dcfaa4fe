#pragma once
// SHA-256 of a stream of bytes.
#define OPENSSL_SUPPRESS_DEPRECATED  // see Sha256
#include <fmt/format.h>
#include <openssl/sha.h>

#include <cstddef>
#include <string>

namespace alacarte {

/// Uses OpenSSL's own functions of this digest, which never allocate. Its newer ones fetch an implementation first, and
/// without memory for it the process dies of a missing lock.
class Sha256 {
 public:
  Sha256() { ::SHA256_Init(&state_); }

  void add(const void* bytes, std::size_t count) { ::SHA256_Update(&state_, bytes, count); }

  /// Returns the digest of all bytes so far, as 64 hexadecimal digits. Call once.
  std::string hex() {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    ::SHA256_Final(digest, &state_);
    return fmt::format("{:02x}", fmt::join(digest, digest + SHA256_DIGEST_LENGTH, ""));
  }

 private:
  SHA256_CTX state_;
};

}  // namespace alacarte
