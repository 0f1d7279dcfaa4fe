#pragma once
// The processes that share the rows of one training (ranks, in the words of MPI): how many there are, and sums over
// them.
//
// All ranks run the same code on the same recipe and seed. Only rows are shared out: each rank reads its own range, and
// what is made of rows is added over the ranks, here. A sum has the same bits on all ranks, so everything that follows
// from sums has, too, and nothing else is ever exchanged. A program that joined no others is one rank, and every
// function here does nothing.
//
// All ranks call these functions in the same order, each on one thread (that of the program, outside of parallel
// regions).
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "alacarte/core/types.hpp"

namespace alacarte::ranks {

/// What carries numbers between ranks. Its one implementation, by MPI, belongs to the program (cli/mpi_ranks.cpp), so
/// that the library needs no MPI.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual int count() const = 0;            ///< ranks, K
  virtual int own() const = 0;              ///< this one, 0 .. K - 1
  virtual int on_this_machine() const = 0;  ///< ranks that share this machine's memory
  virtual std::string machine() const = 0;  ///< name of this machine
  /// In place: the sum over ranks, the same bits on all of them and on every run of as many. Memory beside the values:
  /// a fixed amount.
  virtual void sum(double* values, std::size_t count) = 0;
  virtual void minimum(double* values, std::size_t count) = 0;  ///< in place: the least over ranks
  /// The bytes of rank `from` to all others.
  virtual void share(void* bytes, std::size_t count, int from) = 0;
  /// Ends all ranks at once, with this exit code.
  [[noreturn]] virtual void abort(int code) = 0;
};

/// Joins the ranks of a transport; null: one rank again.
void join(std::unique_ptr<Transport> transport);
/// Ends all ranks with an exit code, if there are several; returns where there is one.
void abort(int code);

int count();            ///< 1 without a transport
int own();              ///< 0 without a transport
int on_this_machine();  ///< 1 without a transport
/// The name of the machine of a rank; "" without a transport.
std::string machine_of(int rank);
inline bool is_first() { return own() == 0; }
/// Whether the file at this place of several is this rank's: they are dealt out one by one.
inline bool has_file(std::size_t place) {
  return place % static_cast<std::size_t>(count()) == static_cast<std::size_t>(own());
}

void sum(double* values, std::size_t size);           ///< in place, over ranks
void minimum(VecRef values);                          ///< in place, over ranks
void maximum(VecRef values);                          ///< in place, over ranks
void share(void* bytes, std::size_t size, int from);  ///< the bytes of rank `from` to all others
double sum(double value);
double minimum(double value);
double of_first(double value);  ///< the value of the first rank: a clock, say
std::string of_first(std::string text);
bool any(bool value);  ///< true on all ranks if it is on one
/// (K) the value of each rank.
Vector of_each(double value);
/// The text of each rank, K of them.
std::vector<std::string> of_each(const std::string& text);

/// Numbers of different kinds that are added over ranks in one message.
class Sums {
 public:
  void add(double& value) { parts_.push_back({&value, 1, 1, false}); }
  void add(Index& count) { counts_.push_back(&count); }  ///< below 2^53
  void add(Eigen::Ref<Matrix> values);                   ///< contiguous; the memory must outlive run()
  void add(Vector& values) { parts_.push_back({values.data(), values.size(), 1, false}); }
  /// The lower triangle of a square matrix; what is above stays. n (n + 1) / 2 numbers are sent.
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

/// While it lives this rank is alone, as if it had joined no others: for work on rows in memory that all ranks do alike
/// and without messages. What may differ, such as an interrupt, is agreed on afterwards.
class SingleRankScope {
 public:
  SingleRankScope();
  ~SingleRankScope();
  SingleRankScope(const SingleRankScope&) = delete;
  SingleRankScope& operator=(const SingleRankScope&) = delete;

 private:
  const bool had_others_;
};

/// What this rank sent since it joined.
struct Traffic {
  Index sums = 0;          ///< calls of sum() and Sums::run()
  double sum_bytes = 0;    ///< of the values summed
  Index small = 0;         ///< other calls: minima, and values of one rank or of each
  double small_bytes = 0;  ///< of these values
};
const Traffic& traffic();

/// Rows that this rank went through and the seconds that took, without waiting for others: what shows a slow machine.
struct Pace {
  double rows = 0, seconds = 0;
};
Pace& pace();
/// (K) rows a second of each rank so far; empty where there is one rank or no row was read. All ranks call it together.
Vector speeds();

}  // namespace alacarte::ranks
