// The number of cells that a thread block processes in the assemblies of localreuse.c. The functions test if an
// assembly has such a number, and set it. Studies and the option --autotune use them.
#pragma once
#include "sim/assembly/assembly.h"

#ifdef __cplusplus
extern "C" {
#endif

bool localreuse_has_block_f32(const Assembly *assembly);
bool localreuse_has_block_f64(const Assembly *assembly);
bool localreuse_set_block_f32(Assembly *assembly, int block, Error *error);
bool localreuse_set_block_f64(Assembly *assembly, int block, Error *error);

/// Returns true if the assembly is defined in localreuse.c; its number of cells per thread block can then be changed.
static inline bool assembly_has_block(const Assembly *assembly) {
  return localreuse_has_block_f32(assembly) || localreuse_has_block_f64(assembly);
}

/// Sets the number of cells per thread block of an assembly of localreuse.c: 64, 128 or 256.
static inline bool assembly_set_block(Assembly *assembly, int block, Error *error) {
  return assembly->method->stage.precision == PRECISION_F32 ? localreuse_set_block_f32(assembly, block, error)
                                                            : localreuse_set_block_f64(assembly, block, error);
}

#ifdef __cplusplus
}
#endif
