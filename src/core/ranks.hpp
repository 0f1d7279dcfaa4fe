#pragma once
// Exchanges between the processes that share the rows of one training (ranks, in the words of MPI).
//
// All ranks run the same code on the same recipe and seed, and each reads its own range of the rows. They exchange
//
//   sums        over rows: Gram matrices, gradients, moments, scores, counts (sum(), Sums);
//   minima      and maxima: ranges of inputs, budgets of memory, threads and seconds (minimum(), maximum());
//   flags       that are true where they are true on any rank: an interrupt, a time that is over (any());
//   decisions   of the first rank, by its clock or its factor: factors of machines of different kinds differ in their
//               last digits (of_first(), share());
//   values      and texts of each rank: numbers of rows, speeds, columns seen, names of machines (of_each(), speeds(),
//               machine_of());
//   files       of the first rank: checkpoints, lists of parts (of_first()).
//
// All ranks receive the same bits, so everything that follows from them is the same on all ranks, too. A program that
// joined no others is one rank: each function then returns its argument, and sends nothing.
//
// All ranks call these functions in the same order, each on one thread (that of the program, outside of parallel
// regions). Callers are the room data (the pass, the rows and their statistics), FitContext for everything else, and
// the program as it starts and ends (cli/mpi_ranks.cpp, cli/process.cpp); tests/check_includes.sh allows no others.
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::ranks {

/// Carries numbers between ranks. Its one implementation, by MPI, belongs to the program (cli/mpi_ranks.cpp), so that
/// the library needs no MPI.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int count() const = 0;            ///< ranks, K
  virtual int own() const = 0;              ///< number of this rank, 0 .. K - 1
  virtual int on_this_machine() const = 0;  ///< ranks that share this machine's memory
  virtual std::string machine() const = 0;  ///< name of this machine
  /// Replaces values by their sums over ranks, with the same bits on all ranks and on every run of as many. Memory
  /// beside the values: a fixed amount.
  virtual void sum(double* values, std::size_t count) = 0;
  virtual void minimum(double* values, std::size_t count) = 0;  ///< replaces values by their minima over ranks
  /// Sends the bytes of rank `from` to all others.
  virtual void share(void* bytes, std::size_t count, int from) = 0;
  /// Ends all ranks at once, with this exit code.
  [[noreturn]] virtual void abort(int code) = 0;
};

/// Joins the ranks of a transport; null makes this program one rank again.
void join(std::unique_ptr<Transport> transport);
/// Ends all ranks with an exit code, if there are several; returns where there is one.
void abort(int code);

int count();            ///< 1 without a transport
int own();              ///< 0 without a transport
int on_this_machine();  ///< 1 without a transport
/// Returns the name of the machine of a rank; "" without a transport.
std::string machine_of(int rank);
inline bool is_first() { return own() == 0; }

void sum(double* values, std::size_t size);           ///< replaces values by their sums over ranks
void minimum(VecRef values);                          ///< replaces values by their minima over ranks
void maximum(VecRef values);                          ///< replaces values by their maxima over ranks
void share(void* bytes, std::size_t size, int from);  ///< sends the bytes of rank `from` to all others
double sum(double value);                             ///< returns the sum over ranks
double minimum(double value);                         ///< returns the minimum over ranks
double of_first(double value);                        ///< returns the value of the first rank: its clock, say
std::string of_first(std::string text);               ///< returns the text of the first rank
bool any(bool value);                                 ///< returns true on all ranks if it is true on one
Vector of_each(double value);                         ///< returns the values of all ranks, (K)
/// Returns the texts of all ranks, K of them.
std::vector<std::string> of_each(const std::string& text);

/// Adds numbers of different kinds over ranks in one message: add() each of them, then run().
class Sums {
 public:
  void add(double& value) { parts_.push_back({&value, 1, 1, false}); }
  void add(Index& count) { counts_.push_back(&count); }  ///< the sum must stay below 2^53
  void add(Eigen::Ref<Matrix> values);                   ///< values are contiguous, and their memory outlives run()
  void add(Vector& values) { parts_.push_back({values.data(), values.size(), 1, false}); }
  /// Adds the lower triangle of a square matrix, n (n + 1) / 2 numbers; the upper one is neither sent nor changed.
  void add_triangle(Eigen::Ref<Matrix> values);
  void run();  ///< leaves the sums where the values were

 private:
  struct Part {
    double* values;
    Index rows, columns;  // a vector has one column
    bool triangle;
  };
  std::vector<Part> parts_;
  std::vector<Index*> counts_;
};

/// Makes this rank one alone for its lifetime, as if it had joined no others: for work on rows in memory that all ranks
/// do alike and without messages. Ranks agree afterwards on anything that may differ, such as an interrupt.
class SingleRankScope {
 public:
  SingleRankScope();
  ~SingleRankScope();
  SingleRankScope(const SingleRankScope&) = delete;
  SingleRankScope& operator=(const SingleRankScope&) = delete;

 private:
  const bool had_others_;
};

/// Counts of the messages of this rank since it joined.
struct Traffic {
  Index sums = 0;          ///< calls of sum() and Sums::run()
  double sum_bytes = 0;    ///< bytes of the values summed
  Index small = 0;         ///< other calls: minima, and values of one rank or of each
  double small_bytes = 0;  ///< bytes of their values
};
const Traffic& traffic();

/// Rows that this rank went through and the seconds they took, without waiting for others; it shows a slow machine.
struct Pace {
  double rows = 0, seconds = 0;
};
Pace& pace();
/// Returns the rows a second of each rank so far, (K); empty where there is one rank or no row was read. All ranks call
/// it together.
Vector speeds();

}  // namespace alacarte::ranks
