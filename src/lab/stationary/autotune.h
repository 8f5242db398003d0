// Chooses the tuning number of a matrix format or of an assembly by timing all permitted values. A tuning number
// affects the speed of the method; examples are the number of GPU threads per matrix row and the number of cells per
// thread block. Choices are stored in the user's cache folder, in the file $XDG_CACHE_HOME/pliant/tunings or
// ~/.cache/pliant/tunings. A line is one choice, with fields separated by tabs: device, names of the methods,
// precision, size of the problem, and the chosen number. Lines that cannot be read are skipped. If the file cannot be
// written, a notice is printed.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the tuning number of the matrix A, such as the number of threads per row, to the value with the fastest product
/// y = A x. Must be called before a solver is created for A. x and y are arrays [n] of real on A's device. Does nothing
/// if the format of A has no tuning number. Waits for the device.
bool autotune_operator(Operator *A, const void *x, void *y, Stream stream, Error *error);

/// Sets the number of cells per thread block to the one with the fastest assembly into the matrix A. `parameters`,
/// `nodal` (the nodal data) and the load vector F are arguments of the assembly. Does nothing if the assembly has no
/// such number. Waits for the device.
bool autotune_assembly(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                       const Operator *A, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
