#pragma once
// Threads of OpenMP and of the BLAS, managed in one place to avoid oversubscription.
//
// The rule: a parallel region of ours runs single-threaded BLAS inside; where no region of ours is open, a
// factorisation may use all threads of the BLAS. Fits that run side by side get one thread each.
namespace alacarte {

/// Number of threads to use when the user asks for none: the processors this process may run on, or
/// affordable_threads() if those are fewer.
int hardware_threads();

/// OpenBLAS asks for its buffers again for ever where the address space is too small (`ulimit -v`), so what it needs is
/// looked at before. In bytes, measured with OpenBLAS 0.3.21; this is the code and the libraries.
inline constexpr double kCodeBytes = 135e6;
inline constexpr double kBufferBytes = 150e6;  ///< the buffers of one thread that computes
inline constexpr double kThreadBytes = 400e6;  ///< stack, heap and buffers of each further thread
/// RLIMIT_AS; infinite without a limit.
double address_space_limit();
/// Threads that the limit of the address space leaves room for, at least 1.
int affordable_threads();

/// Sets the BLAS's thread count for a scope and restores the former one. The count is global to the process, so only
/// code that runs alone may ask for more than one.
class BlasThreads {
 public:
  explicit BlasThreads(int count);  ///< from here to the end of the scope
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int former_;
};

}  // namespace alacarte
