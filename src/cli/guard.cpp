#include "guard.hpp"

#include <cstdio>
#include <new>
#include <string>

#include "alacarte/core/pipes.hpp"
#include "log.hpp"
#include "output.hpp"

namespace alacarte::cli {
namespace {

int report(ExitCode code, const std::string& text) {
  log_error(text);
  return code;
}

int run(const std::function<int()>& body) {
  try {
    const int code = body();
    flush_standard_output();
    return code;
  } catch (const UsageError& error) {
    return report(kUsageError, error.what());
  } catch (const Interrupted& stop) {
    return report(kInterrupted, std::string("interrupted; ") + stop.what());
  } catch (const ConfigError& error) {
    return report(kConfigError, error.what());
  } catch (const DataError& error) {
    return report(kDataError, error.what());
  } catch (const ClosedPipe&) {
    return kClosedPipe;
  } catch (const IoError& error) {
    return report(kIoError, error.what());
  } catch (const NumericalError& error) {
    return report(kNumericalError, error.what());
  } catch (const std::bad_alloc&) {
    return report(kInternalError, "out of memory");
  } catch (const std::exception& error) {
    return report(kInternalError, std::string("internal error: ") + error.what());
  }
}

}  // namespace

int guarded(const std::function<int()>& body) noexcept {
  try {
    return run(body);
  } catch (...) {
    // Reporting itself failed, most likely for want of memory: no allocation any more.
    std::fprintf(stderr, "%s: error: out of memory\n", program_name());
    return kInternalError;
  }
}

}  // namespace alacarte::cli
