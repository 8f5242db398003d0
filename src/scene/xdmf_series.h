// A series of frames in XDMF. FOLDER/frames.xdmf has an element <Grid> per frame; arrays are raw binary files in the
// same folder. A file appears only when it is complete, so a run can be interrupted and resumed. ParaView finds the
// arrays from any working folder. The Python package meshio finds them only if FOLDER is the working folder.
#pragma once
#include "mesh/format/vtu.h"
#include "mesh/tet_mesh.h"

// The frames of a series so far. Zeroed: no frames.
typedef struct XdmfSeries {
  char *grids;               // text of the elements <Grid> of all frames so far, one per line; owned
  int64_t length, capacity;  // length: number of bytes of the text `grids`. capacity: number of allocated bytes.
  uint32_t cells_sum;        // checksum of the mesh whose cells were last written
  bool has_cells;            // the present run has written the files of cells
  // number of the frame with which the files of cells were written; later frames refer to these files
  int cells_frame;
} XdmfSeries;

/// Writes the arrays of a frame, frame_00000.NAME.bin, and its <Grid>, frame_00000.xmf; then writes frames.xdmf again.
/// Leaves out values for the whole mesh, such as energies. Writes the cells again if the mesh has changed. Fails for
/// cubic tets, which XDMF lacks.
bool xdmf_series_add(XdmfSeries *series, const char *folder, int frame, double time, const TetMesh *mesh,
                     const double (*positions)[3], const VtuField *fields, int count, Error *error);

/// Adds to the list frame number `frame`, whose files an earlier run has written. Sets *found to true if the frame's
/// files are in the folder.
bool xdmf_series_take(XdmfSeries *series, const char *folder, int frame, bool *found, Error *error);

/// Waits until the files of a frame are stored on the disk, so that a crash of the machine cannot lose them.
bool xdmf_frame_sync(const char *folder, int frame, Error *error);

/// Waits until frames.xdmf and the directory entries of the folder are stored on the disk.
bool xdmf_list_sync(const char *folder, Error *error);
void xdmf_series_destroy(XdmfSeries *series);
