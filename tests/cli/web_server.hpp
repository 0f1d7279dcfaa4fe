#pragma once
// Single-threaded web server with configurable faults.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace alacarte::test {

struct WebRequest {
  std::string path;   ///< path on the request line: with scheme and host for a proxy
  std::string range;  ///< Range header, or ""
};

/// Verbatim answer, and the seconds to hold the connection open afterwards.
struct WebAnswer {
  std::string bytes;
  double hold_seconds = 0;
};

/// Returns an answer; header lines include their ends. Every answer closes the connection: a client that reused it
/// would occasionally be reset.
inline WebAnswer whole_answer(const std::string& body, const std::string& status = "200 OK",
                              const std::string& headers = "") {
  return {"HTTP/1.1 " + status + "\r\n" + headers + "Content-Length: " + std::to_string(body.size()) +
          "\r\nConnection: close\r\n\r\n" + body};
}

/// Returns the answer of a well-behaved server, ranges included.
inline WebAnswer good_answer(const std::string& body, const WebRequest& request) {
  if (request.range.empty()) return whole_answer(body);
  const auto start = static_cast<std::size_t>(std::stoul(request.range.substr(request.range.find('=') + 1)));
  const std::string size = std::to_string(body.size());
  if (start >= body.size())
    return whole_answer("", "416 Range Not Satisfiable", "Content-Range: bytes */" + size + "\r\n");
  const std::string range = std::to_string(start) + "-" + std::to_string(body.size() - 1) + "/" + size;
  return whole_answer(body.substr(start), "206 Partial Content", "Content-Range: bytes " + range + "\r\n");
}

class WebServer {
 public:
  using Handler = std::function<WebAnswer(const WebRequest&)>;

  WebServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const raw = reinterpret_cast<sockaddr*>(&address);
    if (socket_ < 0 || ::bind(socket_, raw, length) != 0 || ::listen(socket_, 8) != 0 ||
        ::getsockname(socket_, raw, &length) != 0)
      throw std::runtime_error("no local web server");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~WebServer() {
    stop_ = true;
    thread_.join();
    ::close(socket_);
  }
  WebServer(const WebServer&) = delete;
  WebServer& operator=(const WebServer&) = delete;

  std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string url(const std::string& path) const { return address() + path; }

  void on(const std::string& path, Handler handler) {
    const std::lock_guard lock(mutex_);
    handlers_[path] = std::move(handler);
  }
  void serve_file(const std::string& path, const std::string& body) {
    on(path, [body](const WebRequest& request) { return good_answer(body, request); });
  }
  std::vector<WebRequest> requests() const {
    const std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  bool readable(int descriptor) const {
    pollfd entry{descriptor, POLLIN, 0};
    return ::poll(&entry, 1, 20) > 0;
  }

  void serve() {
    while (!stop_) {
      if (!readable(socket_)) continue;
      const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      if (connection < 0) continue;
      answer(connection);
      ::close(connection);
    }
  }

  void answer(int connection) {
    std::string text;
    while (!stop_ && text.find("\r\n\r\n") == std::string::npos) {
      char buffer[4096];
      if (!readable(connection)) continue;
      const ssize_t count = ::read(connection, buffer, sizeof buffer);
      if (count <= 0) return;
      text.append(buffer, static_cast<std::size_t>(count));
    }
    const WebAnswer answer = answer_to(parse(text));
    for (std::size_t sent = 0; sent < answer.bytes.size();) {
      const ssize_t count = ::send(connection, answer.bytes.data() + sent, answer.bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return;
      sent += static_cast<std::size_t>(count);
    }
    // A client that gives up closes its side, which makes the connection readable.
    for (double held = 0; held < answer.hold_seconds && !stop_ && !readable(connection);) held += 0.02;
  }

  static WebRequest parse(const std::string& text) {
    WebRequest request;
    const auto start = text.find(' ') + 1;
    request.path = text.substr(start, text.find(' ', start) - start);
    const std::string header = "\r\nRange: ";
    if (const auto at = text.find(header); at != std::string::npos)
      request.range = text.substr(at + header.size(), text.find("\r\n", at + 2) - at - header.size());
    return request;
  }

  WebAnswer answer_to(const WebRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const auto found = handlers_.find(request.path);
    return found == handlers_.end() ? whole_answer("no such page", "404 Not Found") : found->second(request);
  }

  int socket_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_;
  std::map<std::string, Handler> handlers_;
  std::vector<WebRequest> requests_;
  std::thread thread_;
};

}  // namespace alacarte::test
