// Replaces OpenBLAS's function: returns the kernels that it chooses for an unknown processor.
extern "C" const char* openblas_get_corename() { return "Prescott"; }
