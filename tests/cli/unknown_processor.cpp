// Before OpenBLAS's own: the name of the kernels that it takes where it does not know the processor.
extern "C" const char* openblas_get_corename() { return "Prescott"; }
