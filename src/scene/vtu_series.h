// A series of frames for ParaView: VTU files FOLDER/frame_00000.vtu and so on, or XDMF (xdmf_series.h).
// FOLDER/frames.pvd or frames.xdmf lists them with their times. It is rewritten after every frame, so it is valid
// whenever the program ends.
#pragma once
#include "scene/session.h"
#include "scene/xdmf_series.h"

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];
  bool is_xdmf;
  XdmfSeries xdmf;
  int count;     // number of listed frames
  int *frame;    // [capacity]
  double *time;  // [capacity], s
  int64_t capacity;
} VtuSeries;

/// Adds the session's state as a frame. Nodes have position, velocity and displacement; tets have Cauchy stress, von
/// Mises stress and det F. In VTU files, numbers of the whole body, such as energies (observables without a subject),
/// are field data, and arrays are stored compressed, in the appended format.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Lists the frames before `first` that an earlier run has left in the folder. vtu_series_add adds later ones.
bool vtu_series_continue(VtuSeries *series, int first, double fps, Error *error);

/// Waits until the frames from `first` to end - 1, and their list, are on the disk.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);
void vtu_series_destroy(VtuSeries *series);
