// A series of VTU files for ParaView: FOLDER/frame_00000.vtu and so on. FOLDER/frames.pvd lists them with their times.
// It is rewritten after every frame, so it is valid whenever the program ends.
#pragma once
#include "scene/session.h"

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];
  int count;     // number of listed frames
  int *frame;    // [capacity]
  double *time;  // [capacity], s
  int64_t capacity;
} VtuSeries;

/// Adds the session's state as a frame. Nodes have position, velocity and displacement; tets have Cauchy stress, von
/// Mises stress and det F. Numbers of the whole body, such as energies (observables without a subject), are field data.
/// Arrays are stored compressed, in the appended format of VTU.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Lists the frames before `first` that an earlier run has left in the folder. vtu_series_add adds later ones.
bool vtu_series_continue(VtuSeries *series, int first, double fps, Error *error);

/// Waits until the frames from `first` to end - 1, and frames.pvd, are on the disk.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);
void vtu_series_destroy(VtuSeries *series);
