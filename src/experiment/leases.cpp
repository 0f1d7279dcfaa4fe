#include "experiment/leases.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "alacarte/core/error.hpp"
#include "core/text_file.hpp"

namespace alacarte {
namespace {

namespace fs = std::filesystem;

/// Throws IoError with `what` and the message of this errno.
[[noreturn]] void fail_on(const std::string& path, const char* what, int error) {
  throw IoError(path, fmt::format("{}: {}", what, std::strerror(error)));
}

/// Returns the text of a file; nullopt if it is missing or vanished meanwhile. Throws IoError if it cannot be read.
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

/// Removes a file. Throws IoError if it still exists.
void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail_on(path, "cannot be removed", errno);
}

/// Writes at the beginning of an open file. Returns 0 or errno.
int write_at_once(int descriptor, const std::string& text) {
  ssize_t written = 0;
  do written = ::pwrite(descriptor, text.data(), text.size(), 0);
  while (written < 0 && errno == EINTR);
  if (written < 0) return errno;
  return written == static_cast<ssize_t>(text.size()) ? 0 : ENOSPC;
}

/// Creates `path` with its text; returns 0 or errno, EEXIST if it exists. It appears complete, as a second name of the
/// file `from` that holds the text; without hard links, it is this process's as soon as it exists.
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

/// Returns the names in a folder; none if it does not exist.
std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  return names;
}

/// Removes a folder with its files; retries after signals and files that others had open.
void remove_folder(const std::string& path) {
  std::error_code error;
  for (int attempt = 0; attempt < 3; ++attempt) {
    fs::remove_all(path, error);
    if (!error) return;
  }
}

constexpr double kBeatsInExpiry = 12, kLooksInExpiry = 30;
const std::string kBuried = "over.";  // no runner's name has a dot

/// Contents of a heartbeat; empty if it has none.
struct Beat {
  std::string machine, start;
  pid_t process = 0;
  double expiry = 0;
};

Beat parse_beat(const std::string& text) {
  Beat beat;
  std::istringstream lines(text);
  for (std::string key; lines >> key;) {
    if (key == "machine") lines >> beat.machine;
    if (key == "process") lines >> beat.process >> beat.start;
    if (key == "expiry") lines >> beat.expiry;
  }
  return beat;
}

std::string runner_of(const std::string& lease) { return lease.substr(0, lease.find('/')); }

bool names_a_runner(const std::string& lease) {
  const std::size_t at = lease.find('/');
  return at != std::string::npos && at > 0 && lease.size() > at + 2 && lease.back() == '\n';
}

}  // namespace

Leases::Leases(const std::string& folder, double expiry_seconds, std::string machine)
    : folder_(folder), machine_(std::move(machine)), expiry_(expiry_seconds) {
  for (const char* name : {"leases", "runners"}) make_folders((fs::path(folder_) / name).string());
  join();
}

Leases::~Leases() {
  for (int attempts = 3; !held_.empty();) {
    try {
      release(std::string(held_.begin()->first));
    } catch (const std::exception&) {
      if (--attempts == 0) return;  // others detect the dead process by its files and remove both
    }
  }
  remove_folder(below("runners", name_));
}

std::string Leases::below(const char* folder, const std::string& name) const {
  return (fs::path(folder_) / folder / name).string();
}

std::string Leases::scratch(const std::string& name) const { return below("runners", name_) + "/" + name; }

void Leases::place(const std::string& draft, const std::string& path) const {
  while (::rename(draft.c_str(), path.c_str()) != 0)
    if (errno != EINTR) fail_on(path, "cannot be written", errno);
}

void Leases::write(const std::string& path, const std::string& text) const {
  const std::string draft = scratch("draft");
  write_text_file(draft, text);
  place(draft, path);
}

double Leases::look_seconds() const { return std::clamp(expiry_ / kLooksInExpiry, 0.02, 2.0); }

void Leases::join() {
  std::random_device random;
  name_ = fmt::format("{}-{}-{:08x}{:08x}", host_name(), ::getpid(), random(), random());
  claims_ = beats_ = 0;
  make_folders(below("runners", name_));
  try {
    write_text_file(scratch("beat"), beat_text());
  } catch (...) {
    remove_folder(below("runners", name_));
    throw;
  }
  last_beat_ = Clock::now();
}

bool Leases::taken_for_dead() const { return ::access(scratch("beat").c_str(), F_OK) != 0 && errno == ENOENT; }

void Leases::rejoin() {
  held_.clear();
  join();
}

/// Returns text of constant length, so that it can be overwritten in place.
std::string Leases::beat_text() const {
  return fmt::format("format 1\nmachine {}\nprocess {} {}\nexpiry {:g}\nbeat {:020}\n",
                     machine_.empty() ? "unknown" : machine_, ::getpid(), process_start(::getpid()), expiry_, beats_);
}

bool Leases::beat() {
  const double silent = std::chrono::duration<double>(Clock::now() - last_beat_).count();
  if (silent < expiry_ / kBeatsInExpiry) return true;
  ++beats_;
  const std::string text = beat_text();
  const int descriptor = ::open(scratch("beat").c_str(), O_WRONLY | O_CLOEXEC);
  int error = descriptor < 0 ? errno : 0;
  if (error == ENOENT) {
    rejoin();
    return false;
  }
  if (error == 0) error = write_at_once(descriptor, text);
  if (descriptor >= 0 && ::close(descriptor) != 0 && errno != EINTR && error == 0) error = errno;
  if (error == 0)
    last_beat_ = Clock::now();
  else if (silent > expiry_ / 2)
    fail_on(scratch("beat"), "the heartbeat cannot be written", error);
  return true;
}

Leases::Claim Leases::claim(const std::string& path) {
  Claim made;
  made.text = fmt::format("{}/{}\n", name_, ++claims_);
  const std::string own = scratch(fmt::format("claim-{}", claims_));
  {
    errno = 0;
    std::ofstream file(own, std::ios::binary);
    if (!(file << made.text).flush()) made.error = errno != 0 ? errno : EIO;
  }
  if (made.error == 0) made.error = make_exclusively(made.text, own, path);
  ::unlink(own.c_str());
  return made;
}

bool Leases::try_take(const std::string& unit) {
  const std::string path = below("leases", unit);
  if (!remove_if_dead(path)) return false;
  const auto slot = held_.try_emplace(unit).first;  // inserted first, so that no lease is lost for lack of memory
  Claim made;
  try {
    made = claim(path);
  } catch (...) {
    held_.erase(slot);
    throw;
  }
  if (made.error == 0) {
    slot->second.swap(made.text);
    return true;
  }
  held_.erase(slot);
  if (made.error != EEXIST) fail_on(path, "cannot be made", made.error);
  return false;
}

bool Leases::holds(const std::string& unit) const {
  const auto found = held_.find(unit);
  return found != held_.end() && text_at(below("leases", unit)) == found->second;
}

void Leases::release(const std::string& unit) {
  const auto found = held_.find(unit);
  if (found == held_.end()) return;
  remove(below("leases", unit), found->second);
  held_.erase(found);  // erased last, so that a failed removal is retried at the end
}

/// Removes a lease if it still has this text. Only the holder of the right does so: nobody removes a lease that another
/// has made in its place meanwhile. Returns false if another has the right.
bool Leases::remove(const std::string& path, const std::string& text) {
  std::string token =
      names_a_runner(text) ? text.substr(0, text.size() - 1) : "unreadable." + fs::path(path).filename().string();
  std::replace(token.begin(), token.end(), '/', '.');
  const std::string right = below("leases", "over." + token);
  const Claim made = claim(right);
  if (made.error == EEXIST) {
    remove_if_dead(right);
    return false;
  }
  // Removes an own lease even on a full disk, at the risk that a unit runs twice.
  if (made.error != 0 && runner_of(text) != name_) fail_on(right, "cannot be made", made.error);
  try {
    if (text_at(path) == text) remove_file(path);
  } catch (...) {
    if (made.error == 0) ::unlink(right.c_str());  // frees the right for the next attempt
    throw;
  }
  if (made.error == 0) remove_file(right);
  return true;
}

/// Removes the lease if its runner is dead; returns true if nobody holds it any more.
bool Leases::remove_if_dead(const std::string& path) {
  const std::optional<std::string> text = text_at(path);
  if (!text) return true;
  if (runner_of(*text) == name_) return false;
  if (!names_a_runner(*text)) return look_at(path).dead && remove(path, *text);
  if (!look_at(runner_of(*text)).dead) return false;
  bury(runner_of(*text));
  return remove(path, *text);
}

/// Takes the scratch folder from a dead runner in one step: if it wakes, nothing is left to publish.
void Leases::bury(const std::string& runner) {
  const std::string buried = below("runners", kBuried + runner);
  const std::string folder = below("runners", runner);
  while (::rename(folder.c_str(), buried.c_str()) != 0 && errno != ENOENT)  // ENOENT: another runner has done so
    if (errno != EINTR) fail_on(folder, "cannot be renamed", errno);
  remove_folder(buried);
}

const Leases::Watch& Leases::look_at(const std::string& runner) {
  const auto now = Clock::now();
  const auto [found, first] = watches_.try_emplace(runner);
  Watch& watch = found->second;
  const double gap = std::chrono::duration<double>(now - watch.looked).count();
  if (!first && (watch.dead || gap < look_seconds())) return watch;
  const std::string text = text_at(below("runners", runner) + "/beat").value_or("");
  const Beat beat = parse_beat(text);
  if (!machine_.empty() && beat.machine == machine_) {
    watch.dead = !process_lives(beat.process, beat.start);
    watch.alive = now;
  } else if (first || text != watch.beat) {
    watch.unchanged = 0;
    if (!first) watch.alive = now;
  } else {
    watch.unchanged += std::min(gap, 2 * look_seconds());
    watch.dead = watch.unchanged > (beat.expiry > 0 ? beat.expiry : expiry_);
  }
  watch.beat = text;
  watch.looked = now;
  return watch;
}

bool Leases::sweep(std::chrono::steady_clock::time_point since) {
  bool settled = true;
  for (const std::string& lease : names_in(below("leases", ""))) {
    const std::string path = below("leases", lease);
    const std::optional<std::string> text = text_at(path);
    if (!text || runner_of(*text) == name_ || remove_if_dead(path)) continue;
    settled = settled && names_a_runner(*text) && look_at(runner_of(*text)).alive >= since;
  }
  for (const std::string& runner : names_in(below("runners", ""))) {
    if (runner == name_) continue;
    if (runner.starts_with(kBuried)) {  // the runner that buried it died, or is still at it
      remove_folder(below("runners", runner));
      continue;
    }
    const Watch& watch = look_at(runner);
    if (watch.dead)
      bury(runner);
    else
      settled = settled && watch.alive >= since;
  }
  return settled;
}

std::string Leases::holder(const std::string& folder, const std::string& unit) {
  const std::string text = text_at((fs::path(folder) / "leases" / unit).string()).value_or("");
  const std::string runner = names_a_runner(text) ? runner_of(text) : "";
  return runner.substr(0, runner.rfind('-'));
}

void write_shared_file(const std::string& folder, const std::string& name, const std::string& text) {
  const std::string path = (fs::path(folder) / name).string();
  if (text_at(path) == text) return;
  Leases(folder).write(path, text);
}

}  // namespace alacarte
