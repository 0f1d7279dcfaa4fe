// Seconds of the Cholesky factor and the inverse of a D x D matrix, which every rank computes for itself today, and of
// ScaLAPACK on a grid of ranks that share the matrix.
//   mpicxx -O2 cholesky.cpp -o cholesky -lscalapack-openmpi -lopenblas
//   OPENBLAS_NUM_THREADS=2 ./cholesky 8192                 # LAPACK, one process
//   OPENBLAS_NUM_THREADS=1 mpirun -np 4 ./cholesky 8192    # ScaLAPACK
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridinfo(int context, int* rows, int* columns, int* row, int* column);
int numroc_(const int* n, const int* block, const int* process, const int* source, const int* processes);
void descinit_(int* descriptor, const int* m, const int* n, const int* mb, const int* nb, const int* row_source,
               const int* column_source, const int* context, const int* leading, int* info);
void pdpotrf_(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* descriptor,
              int* info);
void pdpotri_(const char* uplo, const int* n, double* a, const int* ia, const int* ja, const int* descriptor,
              int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dpotri_(const char* uplo, const int* n, double* a, const int* lda, int* info);
}

namespace {

constexpr int kBlock = 128, kRepeats = 3;

double entry(int i, int j) { return 1.0 / (1 + std::abs(i - j)) + (i == j ? 2.0 : 0.0); }

struct Matrix {
  int size, grid_rows = 1, grid_columns = 1, row = 0, column = 0, local_rows, local_columns;
  std::vector<double> values;

  /// Returns the global row or column of a local one: blocks are distributed cyclically.
  static int global(int local, int process, int processes) {
    return (local / kBlock * processes + process) * kBlock + local % kBlock;
  }
  void fill() {
    values.resize(static_cast<std::size_t>(local_rows) * static_cast<std::size_t>(local_columns));
    for (int j = 0; j < local_columns; ++j)
      for (int i = 0; i < local_rows; ++i)
        values[static_cast<std::size_t>(j) * static_cast<std::size_t>(local_rows) + static_cast<std::size_t>(i)] =
            entry(global(i, row, grid_rows), global(j, column, grid_columns));
  }
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, count = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  const int size = argc > 1 ? std::atoi(argv[1]) : 8192, zero = 0, one = 1, block = kBlock;
  Matrix a{size, 1, 1, 0, 0, size, size, {}};
  int descriptor[9] = {}, info = 0;
  if (count > 1) {
    a.grid_rows = static_cast<int>(std::sqrt(count));
    while (count % a.grid_rows != 0) --a.grid_rows;
    a.grid_columns = count / a.grid_rows;
    int context = 0;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridinit(&context, "Row", a.grid_rows, a.grid_columns);
    Cblacs_gridinfo(context, &a.grid_rows, &a.grid_columns, &a.row, &a.column);
    a.local_rows = numroc_(&size, &block, &a.row, &zero, &a.grid_rows);
    a.local_columns = numroc_(&size, &block, &a.column, &zero, &a.grid_columns);
    const int leading = std::max(1, a.local_rows);
    descinit_(descriptor, &size, &size, &block, &block, &zero, &zero, &context, &leading, &info);
  }
  std::vector<double> factor, inverse;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    a.fill();
    MPI_Barrier(MPI_COMM_WORLD);
    const double began = MPI_Wtime();
    if (count > 1)
      pdpotrf_("L", &size, a.values.data(), &one, &one, descriptor, &info);
    else
      dpotrf_("L", &size, a.values.data(), &size, &info);
    MPI_Barrier(MPI_COMM_WORLD);
    const double middle = MPI_Wtime();
    if (info == 0 && count > 1)
      pdpotri_("L", &size, a.values.data(), &one, &one, descriptor, &info);
    else if (info == 0)
      dpotri_("L", &size, a.values.data(), &size, &info);
    MPI_Barrier(MPI_COMM_WORLD);
    factor.push_back(middle - began);
    inverse.push_back(MPI_Wtime() - middle);
  }
  std::sort(factor.begin(), factor.end());
  std::sort(inverse.begin(), inverse.end());
  if (rank == 0)
    std::printf("{\"ranks\": %d, \"size\": %d, \"factor\": %.2f, \"inverse\": %.2f, \"info\": %d}\n", count, size,
                factor[kRepeats / 2], inverse[kRepeats / 2], info);
  MPI_Finalize();
  return info != 0;
}
