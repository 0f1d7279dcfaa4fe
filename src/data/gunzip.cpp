#include <zlib.h>

#include <vector>

#include "alacarte/core/error.hpp"
#include "data/byte_source.hpp"

namespace alacarte::data_detail {
namespace {

constexpr std::size_t kPackedBytes = 1 << 15;
constexpr int kGzipWindow = 15 + 16;  // the largest window, gzip framing only

class GunzipSource : public ByteSource {
 public:
  GunzipSource(std::string name, std::unique_ptr<ByteSource> packed)
      : name_(std::move(name)), packed_(std::move(packed)), input_(kPackedBytes) {
    if (inflateInit2(&state_, kGzipWindow) != Z_OK) throw IoError(name_, "zlib cannot be started");
  }
  ~GunzipSource() override { inflateEnd(&state_); }
  GunzipSource(const GunzipSource&) = delete;
  GunzipSource& operator=(const GunzipSource&) = delete;

  std::size_t read(char* into, std::size_t capacity) override {
    state_.next_out = reinterpret_cast<Bytef*>(into);
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(capacity, 1u << 30));
    const uInt room = state_.avail_out;
    while (state_.avail_out == room) {
      if (between_members_ && !start_member()) return 0;
      if (state_.avail_in == 0 && !refill()) throw DataError(name_, "the gzip data are cut short");
      const int status = inflate(&state_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        between_members_ = true;
      } else if (status != Z_OK && status != Z_BUF_ERROR) {
        throw DataError(name_, std::string("the gzip data are damaged") +
                                   (state_.msg != nullptr ? std::string(" (") + state_.msg + ")" : std::string()));
      }
    }
    return room - state_.avail_out;
  }
  double share_read() const override { return packed_->share_read(); }

 private:
  bool refill() {
    state_.avail_in = static_cast<uInt>(packed_->read(input_.data(), input_.size()));
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    return state_.avail_in > 0;
  }

  /// Skips zero padding (tapes, some servers) and starts the next member, if there is one.
  bool start_member() {
    for (;;) {
      if (state_.avail_in == 0 && !refill()) return false;
      if (*state_.next_in != 0) break;
      ++state_.next_in;
      --state_.avail_in;
    }
    if (*state_.next_in != 0x1f) throw DataError(name_, "other bytes follow the gzip data");
    inflateReset(&state_);
    between_members_ = false;
    return true;
  }

  std::string name_;
  std::unique_ptr<ByteSource> packed_;
  std::vector<char> input_;
  z_stream state_{};
  bool between_members_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> gunzip(std::string name, std::unique_ptr<ByteSource> packed) {
  return std::make_unique<GunzipSource>(std::move(name), std::move(packed));
}

}  // namespace alacarte::data_detail
