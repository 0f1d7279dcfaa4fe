#pragma once
// Threads of OpenMP and of the BLAS, managed in one place to avoid oversubscription.
//
// The rule: a parallel region of ours runs single-threaded BLAS inside; where no region of ours is open, a
// factorisation may use all threads of the BLAS. Fits that run side by side get one thread each.
namespace alacarte {

/// Number of threads to use when the user asks for none: the processors this process may run on.
int hardware_threads();

/// Sets the BLAS's thread count for a scope and restores the former one. The count is global to the process, so only
/// code that runs alone may ask for more than one.
class BlasThreads {
 public:
  explicit BlasThreads(int count);
  ~BlasThreads();
  BlasThreads(const BlasThreads&) = delete;
  BlasThreads& operator=(const BlasThreads&) = delete;

 private:
  int former_;
};

}  // namespace alacarte
