#include "fit_options.hpp"

#include "alacarte/app/memory.hpp"
#include "core/ranks.hpp"

namespace alacarte {

FitOptions fit_options(const TrainFileOptions& options, const Job& job) {
  FitOptions how;
  how.seed = options.seed;
  how.threads = static_cast<int>(ranks::minimum(job.threads));
  how.observer = job.observer;
  how.interrupt = job.interrupt;
  how.checkpoint_path = options.checkpoint;
  how.resume = options.resume;
  how.repeat = options.repeat;
  how.start_from = options.start_from;
  how.start_name = options.start_name;
  how.memory_bytes = options.memory_bytes > 0 ? options.memory_bytes : available_memory() / ranks::on_this_machine();
  how.memory_bytes = ranks::minimum(how.memory_bytes);
  return how;
}

}  // namespace alacarte
