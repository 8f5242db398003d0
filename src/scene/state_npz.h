// The state of a body as a .npz file, which numpy.load reads:
//
//   state = numpy.load("state.npz")
//   state["positions"]          [node_count, 3] float64, m
//   state["momenta"]            [node_count, 3] float64, kg m/s
//   state["initial_positions"]  [node_count, 3] float64, m: the undeformed shape, not the start of a run
//
// Nodes are in the order of the mesh. A .npz is a ZIP archive of .npy files without compression. A .npy file has these
// parts: "\x93NUMPY", version 1.0, the length of the header, the header as a Python literal padded to a multiple of 64
// bytes, and the array's numbers, little-endian, row by row.
#pragma once
#include "base/error.h"

/// Writes the three arrays to the file `path`. The file appears completely or not at all.
bool state_npz_write(const char *path, int node_count, const double (*positions)[3], const double (*momenta)[3],
                     const double (*initial_positions)[3], Error *error);
