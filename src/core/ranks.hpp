#pragma once
// The processes that share the rows of one training (ranks in MPI): their number, and sums over them.
//
// All ranks run the same code on the same recipe and seed. Only rows are distributed: each rank reads its own range,
// and sums over rows are added over the ranks here. A sum has the same bits on all ranks, and so has everything
// computed from sums; nothing else is exchanged. Without a transport there is one rank, and these functions do nothing.
//
// All ranks call these functions in the same order, each on its main thread (outside of parallel regions).
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::ranks {

/// Interface to messages between ranks. The program implements it by MPI (cli/mpi_ranks.cpp), which the library does
/// not need.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int count() const = 0;            ///< ranks, K
  virtual int own() const = 0;              ///< this rank, 0 .. K - 1
  virtual int on_this_machine() const = 0;  ///< ranks that share this machine's memory
  virtual std::string machine() const = 0;  ///< name of this machine
  /// Sums over ranks in place, with the same bits on all of them and on every run with as many. Needs fixed extra
  /// memory.
  virtual void sum(double* values, std::size_t count) = 0;
  virtual void minimum(double* values, std::size_t count) = 0;  ///< smallest over ranks, in place
  /// Sends the bytes of rank `from` to all others.
  virtual void share(void* bytes, std::size_t count, int from) = 0;
  /// Ends all ranks at once, with this exit code.
  [[noreturn]] virtual void abort(int code) = 0;
};

/// Joins the ranks of a transport; null: back to one rank.
void join(std::unique_ptr<Transport> transport);
/// Ends all ranks with an exit code; returns if there is only one.
void abort(int code);

int count();            ///< 1 without a transport
int own();              ///< 0 without a transport
int on_this_machine();  ///< 1 without a transport
/// Returns the name of a rank's machine; "" without a transport.
std::string machine_of(int rank);
inline bool is_first() { return own() == 0; }
/// Returns true if this rank has the file at this place of several: they are dealt out in turn.
inline bool has_file(std::size_t place) {
  return place % static_cast<std::size_t>(count()) == static_cast<std::size_t>(own());
}

void sum(double* values, std::size_t size);           ///< in place, over ranks
void minimum(VecRef values);                          ///< in place, over ranks
void maximum(VecRef values);                          ///< in place, over ranks
void share(void* bytes, std::size_t size, int from);  ///< sends the bytes of rank `from` to all others
double sum(double value);
double minimum(double value);
double of_first(double value);  ///< value of the first rank, such as a clock
std::string of_first(std::string text);
bool any(bool value);  ///< true on all ranks if it is on one
/// Returns (K) the value of each rank.
Vector of_each(double value);
/// Returns the text of each rank, K of them.
std::vector<std::string> of_each(const std::string& text);

/// Values of different types that are added over ranks in one message.
class Sums {
 public:
  void add(double& value) { parts_.push_back({&value, 1, 1, false}); }
  void add(Index& count) { counts_.push_back(&count); }  ///< below 2^53
  void add(Eigen::Ref<Matrix> values);                   ///< contiguous; the memory must outlive run()
  void add(Vector& values) { parts_.push_back({values.data(), values.size(), 1, false}); }
  /// Adds the lower triangle of a square matrix, n (n + 1) / 2 numbers; the rest stays.
  void add_triangle(Eigen::Ref<Matrix> values);
  void run();  ///< replaces the values by their sums

 private:
  struct Part {
    double* values;
    Index rows, columns;  // a vector has one column
    bool triangle;
  };
  std::vector<Part> parts_;
  std::vector<Index*> counts_;
};

/// Scope in which this rank is alone, as if it had joined no others: for work on rows in memory that all ranks repeat
/// without messages. Differences, such as an interrupt, are resolved afterwards.
class SingleRankScope {
 public:
  SingleRankScope();
  ~SingleRankScope();
  SingleRankScope(const SingleRankScope&) = delete;
  SingleRankScope& operator=(const SingleRankScope&) = delete;

 private:
  const bool had_others_;
};

/// Messages that this rank sent since it joined.
struct Traffic {
  Index sums = 0;          ///< calls of sum() and Sums::run()
  double sum_bytes = 0;    ///< bytes of the summed values
  Index small = 0;         ///< other calls: minima, and values of one rank or of each
  double small_bytes = 0;  ///< bytes of these values
};
const Traffic& traffic();

/// Rows that this rank processed and the seconds they took, without waiting for others; it exposes slow machines.
struct Pace {
  double rows = 0, seconds = 0;
};
Pace& pace();
/// Returns (K) the rows a second of each rank so far; empty for one rank or without rows. All ranks call it together.
Vector speeds();

}  // namespace alacarte::ranks
