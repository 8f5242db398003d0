// Numbers that stages can be tuned by, lanes of a row or cells of a block of threads, chosen by timing all there are;
// and remembered, by device, stages, precision and the power of two of the unknowns, in the user's cache folder
// ($XDG_CACHE_HOME or ~/.cache)/pliant/tunings: a line for each, fields apart by tabs. Lines that make no sense are
// passed over; a folder that cannot be written is told and otherwise no harm.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Takes the tuning of the fastest product y = A x, before a solver is made; x and y [n] real on A's device. Nothing
/// where there is none to choose. Waits.
bool autotune_operator(Operator *A, const void *x, void *y, Stream stream, Error *error);

/// Takes the block of the fastest assembly into A, whose arguments are those of assembly_run. Nothing where there is no
/// choice. Waits.
bool autotune_assembly(Assembly *assembly, const AssemblyParameters *parameters, const void *nodal, void *F,
                       const Operator *A, Stream stream, Error *error);

#ifdef __cplusplus
}
#endif
