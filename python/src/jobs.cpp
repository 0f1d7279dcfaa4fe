#include "jobs.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "alacarte/app/job.hpp"
#include "alacarte/core/threads.hpp"

namespace py = pybind11;

namespace alacarte::python {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);

/// A job in progress.
struct Running {
  std::atomic<bool> interrupt = false;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::exception_ptr error;

  bool wait() {
    std::unique_lock lock(mutex);
    return ended.wait_for(lock, kPoll, [&] { return done; });
  }
  void end() {
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_all();
  }
};

/// State shared by all jobs of this process. Never destroyed: daemon threads may outlive it.
struct Registry {
  std::mutex mutex;
  std::set<Running*> running;
  bool closed = false;  // true once the interpreter ends
  std::timed_mutex training;
};
alignas(Registry) unsigned char registry_memory[sizeof(Registry)];
Registry& registry() {
  static Registry* const made = new (registry_memory) Registry;
  return *made;
}

class Registered {
 public:
  explicit Registered(Running& job) : job_(job) {
    const std::lock_guard lock(registry().mutex);
    if (registry().closed) throw Interrupted();
    registry().running.insert(&job_);
  }
  ~Registered() {
    const std::lock_guard lock(registry().mutex);
    registry().running.erase(&job_);
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

 private:
  Running& job_;
};

void work_alone(Running& job, const std::function<void(const std::atomic<bool>&)>& work, bool alone) {
  std::unique_lock<std::timed_mutex> lock(registry().training, std::defer_lock);
  while (alone && !lock.try_lock_for(kPoll))
    if (job.interrupt) throw Interrupted();
  work(job.interrupt);
}

py::dict to_dict(const Progress& progress) {
  py::dict record;
  record["fit"] = progress.fit;
  record["stage"] = progress.stage;
  record["iteration"] = progress.iteration;
  record["evaluation"] = progress.evaluation;
  record["objective"] = progress.objective;
  record["seconds"] = progress.seconds;
  record["seconds_left"] = progress.seconds_left < 0 ? py::object(py::none()) : py::float_(progress.seconds_left);
  return record;
}

}  // namespace

void Relay::on_progress(const Progress& progress) {
  if (!wanted_) return;
  const std::lock_guard lock(mutex_);
  records_.push_back(progress);
}

void Relay::on_message(const std::string& message) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(message);
}

void Relay::deliver() {
  std::deque<Progress> records;
  {
    const std::lock_guard lock(mutex_);
    records.swap(records_);
  }
  for (const Progress& record : records) progress_(to_dict(record));
}

std::vector<std::string> Relay::messages() {
  const std::lock_guard lock(mutex_);
  return messages_;
}

void run_job(const std::function<void(const std::atomic<bool>&)>& work, bool alone, Relay* relay) {
  Running job;
  const Registered registered(job);  // keeps the interpreter alive until this thread has the GIL again
  std::optional<py::error_already_set> raised;
  const auto attend = [&] {
    if (raised) return;
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (relay != nullptr) relay->deliver();
    } catch (py::error_already_set& error) {
      raised.emplace(std::move(error));
      job.interrupt = true;
    }
  };
  {
    const py::gil_scoped_release released;
    std::thread thread([&] {
      try {
        work_alone(job, work, alone);
      } catch (...) {
        job.error = std::current_exception();
      }
      job.end();
    });
    while (!job.wait()) {
      const py::gil_scoped_acquire acquired;
      attend();
    }
    thread.join();
  }
  attend();
  if (raised) throw std::move(*raised);
  if (job.error) std::rethrow_exception(job.error);
}

void run_briefly(const std::function<void()>& work) {
  const std::unique_lock<std::timed_mutex> lock(registry().training, std::try_to_lock);
  std::optional<BlasThreads> single;
  if (lock) single.emplace(1);
  work();
}

void stop_jobs() {
  const py::gil_scoped_release released;
  for (;;) {
    {
      const std::lock_guard lock(registry().mutex);
      registry().closed = true;
      if (registry().running.empty()) return;
      for (Running* job : registry().running) job->interrupt = true;
    }
    std::this_thread::sleep_for(kPoll);
  }
}

void forget_jobs() { new (&registry()) Registry; }

}  // namespace alacarte::python
