// Seconds of the program's sum over ranks (cli/mpi_ranks.cpp), to the first rank and back, by size.
//   mpicxx -O2 messages.cpp -o messages && mpirun -np 2 ./messages
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  constexpr int kSegment = 1 << 20;
  if (rank == 0) std::printf("ranks,doubles,seconds\n");
  for (int size : {1, 1000, 100000, 1 << 20, 1 << 23}) {
    std::vector<double> values(static_cast<std::size_t>(size), 1.0), seconds;
    for (int repeat = 0; repeat < (size < 200000 ? 200 : 11); ++repeat) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double began = MPI_Wtime();
      for (int first = 0; first < size; first += kSegment) {
        const int length = std::min(kSegment, size - first);
        const void* own = rank == 0 ? MPI_IN_PLACE : values.data() + first;
        MPI_Reduce(own, values.data() + first, length, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Bcast(values.data() + first, length, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      }
      seconds.push_back(MPI_Wtime() - began);
    }
    std::sort(seconds.begin(), seconds.end());
    if (rank == 0) std::printf("%d,%d,%.3e\n", count, size, seconds[seconds.size() / 2]);
  }
  MPI_Finalize();
}
