#pragma once
// Threads of OpenMP and of the BLAS, managed in one place to avoid oversubscription.
//
// The rule: a parallel region of ours runs single-threaded BLAS inside; outside of one, a factorisation may use all
// threads of the BLAS. Fits that run side by side get one thread each.
namespace alacarte {

/// Returns the default number of threads: the processors this process may run on, or affordable_threads() if those are
/// fewer.
int hardware_threads();

/// Address space of the code and the libraries in bytes, measured with OpenBLAS 0.3.21. OpenBLAS retries forever when
/// the address space is too small (`ulimit -v`), so the need is checked first.
inline constexpr double kCodeBytes = 135e6;
inline constexpr double kBufferBytes = 150e6;  ///< bytes of the buffers of a computing thread
inline constexpr double kThreadBytes = 400e6;  ///< bytes of stack, heap and buffers of each further thread
/// Returns RLIMIT_AS in bytes; infinite without a limit.
double address_space_limit();
/// Returns the number of threads that fit in the address space, at least 1.
int affordable_threads();

/// Sets the BLAS's thread count for a scope and restores the former one. The count is global to the process, so only
/// code that runs alone may ask for more than one.
class BlasThreads {
 public:
  explicit BlasThreads(int count);  ///< sets the count until the end of the scope
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int former_;
};

}  // namespace alacarte
