// A series of frames in XDMF. FOLDER/frames.xdmf has an element <Grid> for each frame, and arrays are raw binary files
// in the same folder. Each file is either complete or missing, so a run can be interrupted and resumed. ParaView finds
// the arrays from any working folder; meshio finds them only if FOLDER is the working folder.
#pragma once
#include "mesh/format/vtu.h"
#include "mesh/tet_mesh.h"

// A zeroed XdmfSeries is empty.
typedef struct XdmfSeries {
  char *grids;               // text of the elements <Grid> so far, one per line; owned
  int64_t length, capacity;  // bytes of the text `grids`, and allocated bytes
  uint32_t cells_sum;        // checksum of the mesh whose cells were written last
  bool has_cells;            // true: this run has written the files of cells
  int cells_frame;           // frame with which the files of cells were written
} XdmfSeries;

/// Writes the arrays of a frame, frame_00000.NAME.bin, and its element <Grid>, frame_00000.xmf. Then rewrites
/// frames.xdmf. Fields that are tables are left out. Cells are written again when the mesh changes. Fails for cubic
/// tets, which XDMF does not have.
bool xdmf_series_add(XdmfSeries *series, const char *folder, int frame, double time, const TetMesh *mesh,
                     const double (*positions)[3], const VtuField *fields, int count, Error *error);

/// Adds a frame that an earlier run has written to the folder. *found is false if the folder does not have this frame.
bool xdmf_series_take(XdmfSeries *series, const char *folder, int frame, bool *found, Error *error);

/// Waits until the files of a frame are on the disk.
bool xdmf_frame_sync(const char *folder, int frame, Error *error);

/// Waits until frames.xdmf and the names in the folder are on the disk.
bool xdmf_list_sync(const char *folder, Error *error);
void xdmf_series_destroy(XdmfSeries *series);
