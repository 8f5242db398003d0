// A series of frames in XDMF: FOLDER/frames.xdmf has a grid for each frame, and arrays are raw binary files beside it.
// Raw files need no library, and each is complete or missing, so that a run can be interrupted and resumed. ParaView
// finds them from any folder; meshio looks for them in the working folder.
#pragma once
#include "mesh/format/vtu.h"
#include "mesh/tet_mesh.h"

// A zeroed XdmfSeries is empty.
typedef struct XdmfSeries {
  char *grids;  // text of the grids so far, one a line; owned
  int64_t length, capacity;
  uint32_t cells_sum;  // checksum of the mesh whose cells are on the disk
  bool has_cells;      // the files below are of this run
  int cells_frame;     // the frame that wrote them
} XdmfSeries;

/// Writes the arrays of a frame, frame_00000.NAME.bin, and its grid, frame_00000.xmf; then rewrites frames.xdmf. Tables
/// among the fields are left out. Cells are written again when the mesh changes. Fails for cubic tets, which XDMF does
/// not have.
bool xdmf_series_add(XdmfSeries *series, const char *folder, int frame, double time, const TetMesh *mesh,
                     const double (*positions)[3], const VtuField *fields, int count, Error *error);

/// Takes a frame of an earlier run into the series; *found is false if the folder does not have it.
bool xdmf_series_take(XdmfSeries *series, const char *folder, int frame, bool *found, Error *error);

/// Waits until the files of a frame are on the disk.
bool xdmf_frame_sync(const char *folder, int frame, Error *error);

/// Waits until frames.xdmf and the names in the folder are on the disk.
bool xdmf_list_sync(const char *folder, Error *error);
void xdmf_series_destroy(XdmfSeries *series);
