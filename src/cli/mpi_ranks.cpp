// MPI ranks; no other file uses MPI.
#include "cli/program.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstdlib>
#include <set>

#include "app/quantities.hpp"
#include "core/ranks.hpp"
#include "log.hpp"
#include "process.hpp"
#ifdef ALACARTE_HAVE_MPI
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace alacarte::cli {
namespace {

/// Returns a whole number from the environment, or `otherwise`.
int environment_number(const char* name, int otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoi(text) : otherwise;
}

/// Returns the number of processes that an MPI launcher reports, and this one's rank. srun with PMIx gives no number.
int launched_ranks() {
  const int slurm = std::getenv("PMIX_RANK") != nullptr ? environment_number("SLURM_STEP_NUM_TASKS", 1) : 1;
  return std::max({environment_number("OMPI_COMM_WORLD_SIZE", 1), environment_number("PMI_SIZE", 1), slurm});
}
int launched_rank() {
  return environment_number("OMPI_COMM_WORLD_RANK", environment_number("PMI_RANK", environment_number("PMIX_RANK", 0)));
}

#ifdef ALACARTE_HAVE_MPI

class MpiTransport final : public ranks::Transport {
 public:
  MpiTransport() {
    int given = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given);
    MPI_Comm_size(MPI_COMM_WORLD, &count_);
    MPI_Comm_rank(MPI_COMM_WORLD, &own_);
    MPI_Comm machine = MPI_COMM_NULL;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
    MPI_Comm_size(machine, &on_this_machine_);
    MPI_Comm_free(&machine);
  }
  ~MpiTransport() override { MPI_Finalize(); }

  int count() const override { return count_; }
  int own() const override { return own_; }
  int on_this_machine() const override { return on_this_machine_; }
  std::string machine() const override {
    char name[MPI_MAX_PROCESSOR_NAME] = {};
    int length = 0;
    MPI_Get_processor_name(name, &length);
    return name;
  }

  // Reduces to the first rank and broadcasts, since MPI_Allreduce may add in another order on each rank. An MPI adds
  // the same numbers of the same ranks in the same order on every run ("Advice to implementors" of MPI_Reduce).
  // Messages are segmented, since MPI allocates the size of a message again.
  void sum(double* values, std::size_t count) override {
    for_segments(values, count, [&](double* segment, int size) {
      const void* own = own_ == 0 ? MPI_IN_PLACE : segment;
      MPI_Reduce(own, segment, size, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      MPI_Bcast(segment, size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    });
  }

  void minimum(double* values, std::size_t count) override {
    for_segments(values, count, [&](double* segment, int size) {
      MPI_Allreduce(MPI_IN_PLACE, segment, size, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    });
  }

  void share(void* bytes, std::size_t count, int from) override {
    for_segments(static_cast<char*>(bytes), count,
                 [&](char* segment, int size) { MPI_Bcast(segment, size, MPI_BYTE, from, MPI_COMM_WORLD); });
  }

  void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::_Exit(code);
  }

 private:
  template <class T, class Body>
  static void for_segments(T* values, std::size_t count, const Body& body) {
    constexpr std::size_t kSegment = std::size_t{1} << 20;
    for (std::size_t first = 0; first < count; first += kSegment)
      body(values + first, static_cast<int>(std::min(kSegment, count - first)));
  }

  int count_ = 1, own_ = 0, on_this_machine_ = 1;
};

void join_launched() { ranks::join(std::make_unique<MpiTransport>()); }

#else

void join_launched() {
  throw UsageError("this program was built without MPI (ALACARTE_MPI), and a launcher started several of it");
}

#endif

/// Refuses on all ranks; only the first prints the reason.
[[noreturn]] void refuse_alike(const std::string& why) {
  if (launched_rank() != 0) std::_Exit(kUsageError);
  throw UsageError(why);
}

/// Logs the data read and sent by the ranks, and the slowest one.
void log_ranks() {
  const Vector speeds = ranks::speeds();
  const ranks::Traffic sent = ranks::traffic();
  if (speeds.size() == 0) return;
  Index slowest = 0;
  const double least = speeds.minCoeff(&slowest);
  const std::string machine = ranks::machine_of(static_cast<int>(slowest));
  log_event(
      "ranks",
      {{"ranks", speeds.size()},
       {"rows_per_second", std::vector<double>(speeds.begin(), speeds.end())},
       {"slowest", slowest},
       {"machine", machine},
       {"sums", sent.sums},
       {"sum_bytes", sent.sum_bytes},
       {"small_messages", sent.small},
       {"small_bytes", sent.small_bytes}},
      fmt::format("{} ranks, {:.3g} rows a second each; slowest: {} of {}, {:.3g}; {} sums of {} in all", speeds.size(),
                  speeds.mean(), slowest, machine, least, sent.sums, format_bytes(sent.sum_bytes)));
}

int run_on_ranks(const std::function<int()>& run, int& threads) {
#ifndef ALACARTE_HAVE_MPI
  if (launched_rank() != 0) std::_Exit(kUsageError);
#endif
  join_launched();
  if (ranks::count() == 1)
    refuse_alike(
        fmt::format("{} processes were started together, but not by a launcher of the MPI that this program was "
                    "built with; take its mpirun, or srun --mpi=pmix",
                    launched_ranks()));
  if (!ranks::is_first()) silence_log(true);
  threads = static_cast<int>(ranks::minimum(threads));
  const int code = run();
  log_ranks();
  ranks::join(nullptr);
  return code;
}

}  // namespace

void join_ranks_in(Command& program, CommonOptions& common) {
  for (Command& command : program.subcommands) {
    if (!command.run) continue;
    static const std::set<std::string> on_ranks = {"convert", "evaluate", "predict", "train"};
    const bool takes_ranks = on_ranks.count(command.name) > 0;
    if (command.name == "run" || command.name == "unit") continue;
    command.run = [run = command.run, takes_ranks, &threads = common.threads, name = command.name] {
      if (launched_ranks() == 1) {
        if (takes_ranks && environment_number("SLURM_STEP_NUM_TASKS", 1) > 1 &&
            environment_number("SLURM_PROCID", 0) == 0)
          log_warning("srun started several processes, and each does all of the work; with --mpi=pmix they share it");
        return run();
      }
      if (!takes_ranks) refuse_alike(name + " runs in one process; start it without mpirun or srun");
      return run_on_ranks(run, threads);
    };
  }
}

}  // namespace alacarte::cli
