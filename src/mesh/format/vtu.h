// VTK's XML files of unstructured grids (.vtu): ASCII, base64 or appended data (raw or base64), plain or compressed by
// zlib, either byte order, block headers of 4 or 8 bytes, any number of pieces.
#pragma once
#include "mesh/mesh_write.h"

bool vtu_read(const char *path, TetMesh *mesh, Error *error);
bool vtu_write(FILE *file, const TetMesh *mesh, const MeshWriting *how, Error *error);
