// Selection of a stage's tuning number, lanes per row or cells per thread block, by timing all permitted values.
// Results are stored by device, stages, precision and the power of two of the unknowns in the user's cache:
// ($XDG_CACHE_HOME or ~/.cache)/pliant/tunings. A line holds one result, with fields separated by tabs. Invalid lines
// are ignored. If the file cannot be written, a notice reports it and the result is still used.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Sets the operator's tuning to that of the fastest product y = A x. Call it before a solver is created. x and y [n]
/// hold reals on A's device; y is overwritten. Does nothing if the operator has no tunings. Waits for the device.
bool autotune_operator(Operator *A, const void *x, void *y, Stream stream, Error *error);

/// Sets the assembly's thread block to that of the fastest assembly into A; arguments as in assembly_run. Does nothing
/// if the block is fixed. Waits for the device.
bool autotune_assembly(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                       const Operator *A, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
