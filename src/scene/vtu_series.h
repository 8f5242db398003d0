// A series of frames for ParaView: VTU files FOLDER/frame_00000.vtu and so on, or XDMF (xdmf_series.h). The file
// FOLDER/frames.pvd or FOLDER/frames.xdmf is a list of the frames with their times. This list is rewritten after every
// frame, so it is valid even if the program is interrupted.
#pragma once
#include "scene/session.h"
#include "scene/xdmf_series.h"

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];  // folder of the files
  bool is_xdmf;                    // true: the files have the format XDMF; false: VTU
  XdmfSeries xdmf;                 // the frames written so far, only for XDMF
  int count;                       // number of frames in the list of the series
  int *frame;                      // [capacity], number of each frame in the list
  double *time;                    // [capacity], time of each frame in the list, s
  int64_t capacity;                // allocated length of `frame` and `time`
} VtuSeries;

/// Adds the session's state as a frame. Nodes have position, velocity and displacement; tets have Cauchy stress, von
/// Mises stress and det F. VTU files also have numbers of the whole body, such as energies (observables without a
/// subject), as field data. Arrays in VTU files are compressed, in VTK's appended format.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Puts frames 0 to first - 1, which an earlier run has written to the folder, into the list. vtu_series_add adds later
/// frames.
bool vtu_series_continue(VtuSeries *series, int first, double fps, Error *error);

/// Waits until frames `first` to end - 1, and their list, are on the disk.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);
void vtu_series_destroy(VtuSeries *series);
