// A body's state in a file that numpy reads: numpy.load("state.npz")["positions"].
// The file is a zip archive, uncompressed, of three .npy arrays of doubles, C order, shape (nodes, 3), in the node order
// of the mesh file (nodes that no tet uses left out):
//   positions (m), momenta (kg m/s), initial_positions (m)
#pragma once
#include "base/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Writes the file, all or nothing. Arrays are [node_count][3].
bool state_npz_write(const char *path, int node_count, const double (*positions)[3], const double (*momenta)[3],
                     const double (*initial_positions)[3], Error *error);

#ifdef __cplusplus
}
#endif
