// A series of VTU files that ParaView plays: FOLDER/frame_00000.vtu and so on, listed with their times by
// FOLDER/frames.pvd, which is rewritten with every frame, so that it is valid whenever the program ends.
#pragma once
#include "scene/session.h"

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];
  int count;     // frames listed
  int *frame;    // [capacity]
  double *time;  // [capacity], s
  int64_t capacity;
} VtuSeries;

/// Adds the session's state: positions, velocity and displacement on nodes, Cauchy stress, von Mises stress and det F
/// on tets, appended and compressed; and the observables that have no subject (observable.h) as field data.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Lists the frames before `first` that an earlier run left in the folder; vtu_series_add goes on from there.
bool vtu_series_continue(VtuSeries *series, int first, double fps, Error *error);

/// Waits until the frames from `first` to before `end`, and the list, are on the disk.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);
void vtu_series_destroy(VtuSeries *series);
