// The piece of a VTU frame that one process of an MPI run writes: the cells that the process counts in sums, and the
// nodes of these cells. The pieces of all processes together are the whole mesh. Nodes at which pieces meet are in
// several of them.
#pragma once
#include "mesh/extract.h"
#include "mesh/format/vtu.h"
#include "scene/session.h"

// A zeroed VtuPiece is empty.
typedef struct VtuPiece {
  MeshPart part;  // nodes and cells of the piece, in the order of the session's mesh
  TetMesh mesh;   // mesh of the piece
  // [cells of the session's mesh] 1: the cell has a node of the piece, so it contributes to values of this node
  uint8_t *is_near;
} VtuPiece;

/// Creates the piece of this process, in a session that is divided among processes (SimulationSettings.ranks). The
/// caller destroys it, also after a failure.
bool vtu_piece_create(VtuPiece *piece, const Session *session, Error *error);
void vtu_piece_destroy(VtuPiece *piece);

/// Writes the piece as a VTU file, on each process its own. positions [nodes of the session's mesh][3], m. The values
/// of the fields are those of the session's mesh, of which the file gets those of the piece; tables are written whole.
bool vtu_piece_write(const VtuPiece *piece, const char *path, const double (*positions)[3], const VtuField *fields,
                     int count, Error *error);
