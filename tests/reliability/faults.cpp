// A library to preload into the program that makes calls fail. Counting begins with main(), since the program does not
// control what libraries do before.
//   FAULT_CALL   alloc, write, fsync, rename, open, link or close
//   FAULT_AT     number of the first such call that fails, from 1; without it calls are only counted
//   FAULT_EVERY  distance in calls between failures; 0: only one fails
//   FAULT_ERROR  errno of the failure
//   FAULT_REPORT file that receives "CALL NUMBER" for each kind of call at a normal end
// Calls of libgomp and OpenBLAS are left alone: these end the process if they get no memory.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* pointer, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
}

namespace {

enum Call { kNone, kAlloc, kWrite, kFsync, kRename, kOpen, kLink, kClose, kCalls };
const char* const kNames[kCalls] = {"", "alloc", "write", "fsync", "rename", "open", "link", "close"};

Call chosen = kNone;
long first = 0, every = 0;
int error_number = 0, report = -1;
std::atomic<long> calls[kCalls];
std::atomic<bool> armed{false};
thread_local bool inside = false;

long number_of(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

bool is_left_alone(void* caller) {
  Dl_info info;
  if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) return false;
  return std::strstr(info.dli_fname, "libgomp") != nullptr || std::strstr(info.dli_fname, "libopenblas") != nullptr;
}

/// Returns true if this call is to fail, and sets errno.
bool fails(Call call, void* caller) {
  if (!armed || inside) return false;
  inside = true;
  const bool skipped = is_left_alone(caller);
  inside = false;
  if (skipped) return false;
  const long past = ++calls[call] - first;
  if (chosen != call || first == 0 || past < 0 || (past > 0 && (every == 0 || past % every != 0))) return false;
  errno = error_number;
  return true;
}

using Main = int (*)(int, char**, char**);
Main program_main;

int armed_main(int argc, char** argv, char** environment) {
  const char* call = std::getenv("FAULT_CALL");
  for (int k = 1; call != nullptr && k < kCalls; ++k)
    if (std::strcmp(call, kNames[k]) == 0) chosen = static_cast<Call>(k);
  first = number_of("FAULT_AT");
  every = number_of("FAULT_EVERY");
  error_number = chosen == kAlloc ? ENOMEM : static_cast<int>(number_of("FAULT_ERROR"));
  if (const char* path = std::getenv("FAULT_REPORT"))
    report = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  ::unsetenv("FAULT_REPORT");  // processes started by the program write no report
  armed = true;
  return program_main(argc, argv, environment);
}

__attribute__((destructor)) void tell() {
  armed = false;
  if (report < 0) return;
  for (int k = 1; k < kCalls; ++k) {
    char text[64];
    const int length = std::snprintf(text, sizeof text, "%s %ld\n", kNames[k], calls[k].load());
    ::syscall(SYS_write, report, text, static_cast<size_t>(length));
  }
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

int open_with(int folder, const char* path, int flags, va_list more, void* caller) {
  const unsigned mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(more, unsigned) : 0;
  return fails(kOpen, caller) ? -1 : static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

}  // namespace

#define CALLER __builtin_return_address(0)
#define OPEN(folder)                                             \
  va_list more;                                                  \
  va_start(more, flags);                                         \
  const int file = open_with(folder, path, flags, more, CALLER); \
  va_end(more);                                                  \
  return file

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(), void (*end)(), void* stack) {
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  program_main = main;
  return next<Start>("__libc_start_main")(armed_main, argc, argv, init, fini, end, stack);
}

void* malloc(size_t size) { return fails(kAlloc, CALLER) ? nullptr : __libc_malloc(size); }
void* calloc(size_t count, size_t size) { return fails(kAlloc, CALLER) ? nullptr : __libc_calloc(count, size); }
void* realloc(void* pointer, size_t size) { return fails(kAlloc, CALLER) ? nullptr : __libc_realloc(pointer, size); }
void* memalign(size_t alignment, size_t size) {
  return fails(kAlloc, CALLER) ? nullptr : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  return fails(kAlloc, CALLER) ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** pointer, size_t alignment, size_t size) {
  if (fails(kAlloc, CALLER)) return ENOMEM;
  *pointer = __libc_memalign(alignment, size);
  return *pointer == nullptr ? ENOMEM : 0;
}

// Messages on standard error do not fail here.
ssize_t write(int file, const void* bytes, size_t count) {
  return file > STDERR_FILENO && fails(kWrite, CALLER) ? -1 : ::syscall(SYS_write, file, bytes, count);
}
ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  return fails(kWrite, CALLER) ? -1 : ::syscall(SYS_pwrite64, file, bytes, count, offset);
}
ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t offset) {
  return fails(kWrite, CALLER) ? -1 : ::syscall(SYS_pwrite64, file, bytes, count, offset);
}
ssize_t writev(int file, const struct iovec* parts, int count) {
  return file > STDERR_FILENO && fails(kWrite, CALLER) ? -1 : ::syscall(SYS_writev, file, parts, count);
}
int fsync(int file) { return fails(kFsync, CALLER) ? -1 : static_cast<int>(::syscall(SYS_fsync, file)); }
int fdatasync(int file) { return fails(kFsync, CALLER) ? -1 : static_cast<int>(::syscall(SYS_fdatasync, file)); }
int rename(const char* from, const char* to) noexcept {
  return fails(kRename, CALLER) ? -1 : static_cast<int>(::syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}
int link(const char* from, const char* to) noexcept {
  return fails(kLink, CALLER) ? -1 : static_cast<int>(::syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
int close(int file) {
  // Linux closes the file even if close() fails.
  const bool lost = file > STDERR_FILENO && fails(kClose, CALLER);
  const int result = static_cast<int>(::syscall(SYS_close, file));
  if (!lost) return result;
  errno = error_number;
  return -1;
}

int open(const char* path, int flags, ...) { OPEN(AT_FDCWD); }
int open64(const char* path, int flags, ...) { OPEN(AT_FDCWD); }
int openat(int folder, const char* path, int flags, ...) { OPEN(folder); }
int openat64(int folder, const char* path, int flags, ...) { OPEN(folder); }
FILE* fopen(const char* path, const char* mode) {
  return fails(kOpen, CALLER) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  return fails(kOpen, CALLER) ? nullptr : next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

}  // extern "C"
