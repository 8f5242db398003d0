// Numbers by which stages can be tuned, lanes per row or cells per thread block, chosen by timing all permitted values.
// The choice is stored, by device, stages, precision and power of two of the unknowns, in the user's cache folder
// ($XDG_CACHE_HOME or ~/.cache)/pliant/tunings: one line for each, its fields separated by tabs. Lines that cannot be
// read are skipped. If the file cannot be written, a notice says so, and nothing is stored.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the tuning of the fastest product y = A x; must be called before a solver is created. x and y are [n] real on
/// A's device. Does nothing if A has no tunings. Waits for the device.
bool autotune_operator(Operator *A, const void *x, void *y, Stream stream, Error *error);

/// Sets the number of cells per thread block of the fastest assembly into A. The arguments are those of assembly_run.
/// Does nothing if the assembly's blocks are fixed. Waits for the device.
bool autotune_assembly(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                       const Operator *A, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
