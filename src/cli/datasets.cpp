// alacarte datasets: lists the catalogue, checks the files of data sets, and fetches missing ones.
#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "alacarte/core/error.hpp"
#include "alacarte/core/version.hpp"
#include "command.hpp"
#include "experiment/dataset_files.hpp"
#include "process.hpp"

namespace alacarte::cli {
namespace {

/// Callback with the bytes present and in all (0 = unknown).
using DownloadProgress = std::function<void(double here, double whole)>;

constexpr long kSlowBytes = 100, kMaxRedirects = 10, kRangeNotSatisfiable = 416;

off_t size_of(std::FILE* file) { return ::lseek(::fileno(file), 0, SEEK_END); }

std::string complaint(CURLcode code, const std::string& detail, long status, int seconds, off_t before, off_t after) {
  const std::string kept = after > 0 ? "; what came is kept, the same command goes on from there" : "";
  if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY || code == CURLE_COULDNT_CONNECT)
    return "no connection: " + detail +
           ". Is this machine online? A proxy is taken from https_proxy, http_proxy and no_proxy";
  if (code == CURLE_HTTP_RETURNED_ERROR)
    return fmt::format("the server answers with status {}{}", status, status == 404 ? ": there is no such file" : "");
  if (code == CURLE_OPERATION_TIMEDOUT && after == before) return fmt::format("no answer within {} s", seconds);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return fmt::format("the server is too slow, less than {} bytes a second for {} s{}", kSlowBytes, seconds, kept);
  if (code == CURLE_PARTIAL_FILE || code == CURLE_RECV_ERROR || code == CURLE_GOT_NOTHING)
    return fmt::format("the connection ended early, {} bytes are here{}", after, kept);
  if (code == CURLE_UNSUPPORTED_PROTOCOL) return "leads to an address that is not to be followed: " + detail;
  return detail + kept;
}

/// Requests the missing part. Returns false if the reply cannot extend the local bytes: another file, or no ranges.
bool fetch_rest(const std::string& url, std::FILE* file, int stall_seconds, const DownloadProgress& on_progress) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> curl(curl_easy_init(), &curl_easy_cleanup);
  const auto set = [&](CURLoption key, auto value) {
    if (!curl || curl_easy_setopt(curl.get(), key, value) != CURLE_OK) throw IoError(url, "libcurl cannot be started");
  };
  const curl_off_t start = size_of(file);
  const auto report = [&](curl_off_t now, curl_off_t all) {
    if (now > 0) on_progress(static_cast<double>(start + now), all > 0 ? static_cast<double>(start + all) : 0);
    return interrupt_flag() ? 1 : 0;
  };
  const curl_xferinfo_callback on_bytes = [](void* to, curl_off_t all, curl_off_t now, curl_off_t, curl_off_t) {
    return (*static_cast<decltype(&report)>(to))(now, all);
  };
  char words[CURL_ERROR_SIZE] = "";
  for (const auto key : {CURLOPT_FOLLOWLOCATION, CURLOPT_FAILONERROR, CURLOPT_NOSIGNAL}) set(key, 1L);
  for (const auto key : {CURLOPT_CONNECTTIMEOUT, CURLOPT_LOW_SPEED_TIME}) set(key, static_cast<long>(stall_seconds));
  set(CURLOPT_MAXREDIRS, kMaxRedirects);
  set(CURLOPT_LOW_SPEED_LIMIT, kSlowBytes);
  set(CURLOPT_URL, url.c_str());
  set(CURLOPT_USERAGENT, (std::string("alacarte/") + version()).c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_REDIR_PROTOCOLS_STR, url.starts_with("https:") ? "https" : "http,https");
  set(CURLOPT_ERRORBUFFER, words);
  set(CURLOPT_WRITEDATA, file);
  set(CURLOPT_NOPROGRESS, 0L);
  set(CURLOPT_XFERINFODATA, &report);
  set(CURLOPT_XFERINFOFUNCTION, on_bytes);
  set(CURLOPT_RESUME_FROM_LARGE, start);
  const CURLcode code = curl_easy_perform(curl.get());
  if (interrupt_flag()) throw Interrupted();
  long status = 0;
  curl_easy_getinfo(curl.get(), CURLINFO_RESPONSE_CODE, &status);
  curl_header* range = nullptr;  // "bytes */1000": the local bytes are complete, or belong to another file
  if (start > 0 && (code == CURLE_RANGE_ERROR || status == kRangeNotSatisfiable))
    return curl_easy_header(curl.get(), "Content-Range", 0, CURLH_HEADER, -1, &range) == CURLHE_OK &&
           std::string(range->value).ends_with('/' + std::to_string(start));
  const std::string detail = words[0] != '\0' ? words : curl_easy_strerror(code);
  if (code != CURLE_OK) throw IoError(url, complaint(code, detail, status, stall_seconds, start, size_of(file)));
  return start == 0 || size_of(file) > start;
}

/// Appends the missing part of `url` (http or https) to the file `path` and flushes it to the disk. Existing bytes are
/// not requested again; a server that cannot resume sends everything anew. Redirects are followed, from https only to
/// https; proxies come from the usual environment variables. Gives up if hardly anything arrives for `stall_seconds`.
/// Throws IoError if the download is incomplete (received bytes are kept, an empty file is not) or another download
/// holds `path`; throws Interrupted.
void download(const std::string& url, const std::string& path, int stall_seconds, const DownloadProgress& on_progress) {
  // Opens unbuffered for appending, and locked, so that two downloads cannot mix their bytes.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "abe"), &std::fclose);
  if (!file) throw IoError(path, std::string("cannot be written: ") + std::strerror(errno));
  if (::flock(::fileno(file.get()), LOCK_EX | LOCK_NB) != 0) throw IoError(path, "another download is at work on it");
  std::setvbuf(file.get(), nullptr, _IONBF, 0);
  const std::shared_ptr<void> at_end(nullptr, [&](void*) {
    if (size_of(file.get()) == 0) ::unlink(path.c_str());
  });
  while (!fetch_rest(url, file.get(), stall_seconds, on_progress))
    if (::ftruncate(::fileno(file.get()), 0) != 0) throw IoError(path, "cannot be emptied");
  if (size_of(file.get()) == 0) throw IoError(url, "the server sends an empty file");
  if (::fsync(::fileno(file.get())) != 0) throw IoError(path, "cannot be written");
}

struct DatasetsArguments {
  std::vector<std::string> names;
  std::string name, group, to;
  bool json = false;
  int stall_seconds = 30;
};

nlohmann::json document(const DatasetEntry& entry) {
  nlohmann::json json = to_json(entry);
  json["present"] = is_present(entry);
  return json;
}

/// Returns the data sets of --group, the named ones, or all.
std::vector<DatasetEntry> chosen(const DatasetsArguments& a) {
  const Catalogue catalogue = shipped_catalogue();
  if (!a.group.empty()) return catalogue.of_group(a.group, "--group");
  if (a.names.empty()) return catalogue.entries();
  std::vector<DatasetEntry> entries;
  for (const std::string& name : a.names) entries.push_back(catalogue.find(name));
  return entries;
}

int list_datasets(const DatasetsArguments& a) {
  nlohmann::json all = nlohmann::json::array();
  std::vector<std::vector<std::string>> rows = {{"name", "group", "rows", "inputs", "folds", "here", "target"}};
  for (const DatasetEntry& e : chosen(a)) {
    all.push_back(document(e));
    rows.push_back({e.name, e.group, std::to_string(e.rows), std::to_string(e.inputs), std::to_string(e.split.folds),
                    is_present(e) ? "yes" : "-", target_text(e)});
  }
  std::cout << (a.json ? all.dump(2) + '\n' : text_table(rows, "llrrrll"));
  return kSuccess;
}

int show_dataset(const DatasetsArguments& a) {
  const DatasetEntry entry = shipped_catalogue().find(a.name);
  if (a.json)
    std::cout << document(entry).dump(2) << '\n';
  else
    for (const auto& [name, value] : describe(entry)) std::cout << fmt::format("{:<12} {}\n", name, value);
  return kSuccess;
}

int verify_datasets(const DatasetsArguments& a) {
  const std::string root = data_root();
  int wrong = 0, missing = 0;
  for (const DatasetEntry& entry : chosen(a)) {
    const DatasetCheck check = check_dataset(entry, root, stop_if_interrupted);
    wrong += check.state == DatasetState::wrong;
    missing += check.state == DatasetState::missing;
    std::cout << fmt::format("{:<22} {}\n", entry.name, check.text) << std::flush;
  }
  if (wrong > 0)
    throw DataError(root,
                    fmt::format("{} data set{} not agree with the catalogue", wrong, wrong == 1 ? " does" : "s do"));
  if (missing > 0 && !a.names.empty())
    throw IoError(root, fmt::format("{} data set{} missing", missing, missing == 1 ? " is" : "s are"));
  return kSuccess;
}

/// Returns the progress line that a terminal shows during a download.
std::string download_line(const std::string& name, double here, double whole) {
  const std::string text = fmt::format("{}  {}", name, format_bytes(here));
  return whole > 0 ? text + fmt::format(" of {}  {:.0f} %", format_bytes(whole), 100 * here / whole) : text;
}

int fetch_datasets(const DatasetsArguments& a) {
  if (a.names.empty() == a.group.empty()) throw UsageError("say which data sets: either names or --group");
  const auto entries = chosen(a);
  const std::string root = a.to.empty() ? data_root() : a.to;
  std::size_t failed = 0;
  for (const DatasetEntry& entry : entries) {
    const auto download_to = [&](const std::string& url, const std::string& path, const std::string& label) {
      log_info(fmt::format("{}: {}", entry.name, url));
      download(url, path, a.stall_seconds,
               [&](double here, double whole) { show_live_line(download_line(label, here, whole)); });
      clear_live_line();
    };
    try {
      const std::string done = fetch_dataset(entry, root, download_to, stop_if_interrupted);
      std::cout << fmt::format("{:<22} {}\n", entry.name, done) << std::flush;
    } catch (const Interrupted&) {
      throw Interrupted("what came is kept, the same command goes on from there");
    } catch (const Error& error) {
      if (entries.size() == 1) throw;
      log_error(fmt::format("{}: {}", entry.name, error.what()));
      ++failed;
    }
  }
  if (failed > 0) throw IoError(root, fmt::format("{} of {} data sets were not fetched", failed, entries.size()));
  return kSuccess;
}

}  // namespace

Command datasets_command() {
  const auto a = std::make_shared<DatasetsArguments>();
  const Option json{"--json", &a->json, "Everything, as JSON"}, name{"NAME", &a->name, "Data set", "", kRequired},
      group{"--group", &a->group, "Only small, medium, large (classes of the paper), regression or classification",
            "GROUP"},
      stall = in_range({"--stall", &a->stall_seconds,
                        "Give up when less than 100 bytes a second came for so many seconds", "SECONDS", kShowDefault},
                       1, 3600);
  return {
      .name = "datasets",
      .summary = "List, describe, verify and fetch the data sets of the catalogue",
      .footer =
          R"(A data set lies in $ALACARTE_DATA_DIR/FOLDER/data.csv.gz: no header, target last; its folds beside it.

Examples:
  alacarte datasets list --group small
  alacarte datasets show servo
  alacarte datasets verify servo housing
  alacarte datasets fetch --group small --to data)",
      .subcommands = {
          {.name = "list",
           .summary = "One line for each data set of the catalogue",
           .options = {group, json},
           .run = [a] { return list_datasets(*a); }},
          {.name = "show",
           .summary = "All that is known of one data set",
           .options = {name, json},
           .run = [a] { return show_dataset(*a); }},
          {.name = "verify",
           .summary = "Compare files below $ALACARTE_DATA_DIR with the catalogue",
           .footer =
               R"(Sums, rows, columns and folds are looked at. Exit code 0: all that are here agree, and all that were named are here.)",
           .options = {{"NAME", &a->names, "Data sets (default: all)"}},
           .run = [a] { return verify_datasets(*a); }},
          {.name = "fetch",
           .summary = "Download data sets of the catalogue and compare them with it",
           .footer =
               R"(Files that are there are left alone. A download that ended early is kept as *.part and resumed by the same
command. A file with another sum than the catalogue's is removed. Proxies: https_proxy, http_proxy, no_proxy.)",
           .options = {{"NAME", &a->names, "Data sets"},
                       group,
                       {"--to", &a->to, "Data folder to write to (default: $ALACARTE_DATA_DIR)", "FOLDER"},
                       stall},
           .run = [a] { return fetch_datasets(*a); }}}};
}

}  // namespace alacarte::cli
