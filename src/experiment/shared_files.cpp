#include "experiment/shared_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "alacarte/core/error.hpp"

namespace alacarte {

namespace fs = std::filesystem;

void fail_on(const std::string& path, const char* what, int error) {
  throw IoError(path, fmt::format("{}: {}", what, std::strerror(error)));
}

std::optional<std::string> text_at(const std::string& path) {
  int descriptor = -1;
  do descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  while (descriptor < 0 && errno == EINTR);
  int error = descriptor < 0 ? errno : 0;
  std::string text;
  char part[4096];
  ssize_t length = 0;
  while (error == 0 && ((length = ::read(descriptor, part, sizeof part)) > 0 || (length < 0 && errno == EINTR)))
    if (length > 0) text.append(part, static_cast<std::size_t>(length));
  if (error == 0 && length < 0) error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (error == ENOENT || error == ENOTDIR || error == ESTALE) return std::nullopt;
  if (error != 0) fail_on(path, "cannot be read", error);
  return text;
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_on(path, "cannot be removed", errno);
}

int write_at_once(int descriptor, const std::string& text) {
  ssize_t written = 0;
  do written = ::pwrite(descriptor, text.data(), text.size(), 0);
  while (written < 0 && errno == EINTR);
  if (written < 0) return errno;
  return written == static_cast<ssize_t>(text.size()) ? 0 : ENOSPC;
}

int make_exclusively(const std::string& text, const std::string& from, const std::string& path) {
  if (::link(from.c_str(), path.c_str()) == 0) return 0;
  const int reason = errno;
  struct stat status {};
  // The server's answer may be lost although the second name exists.
  if (::stat(from.c_str(), &status) == 0 && status.st_nlink == 2) return 0;
  if (reason != EPERM && reason != EOPNOTSUPP && reason != ENOSYS && reason != EMLINK) return reason;
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) return errno;
  int error = write_at_once(descriptor, text);
  if (::close(descriptor) != 0 && errno != EINTR && error == 0) error = errno;
  if (error != 0) ::unlink(path.c_str());
  return error;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

void remove_folder(const std::string& path) {
  std::error_code error;
  for (int attempt = 0; attempt < 3; ++attempt) {
    fs::remove_all(path, error);
    if (!error) return;
  }
}

}  // namespace alacarte
