// A series of frames for ParaView. The frames are VTU files FOLDER/frame_00000.vtu and so on, or XDMF files
// (xdmf_series.h). FOLDER/frames.pvd, or frames.xdmf, lists the frames with their times. This list is written again
// after each frame, so an interrupted series is valid.
#pragma once
#include "scene/session.h"
#include "scene/xdmf_series.h"

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];  // folder of the files
  bool is_xdmf;                    // true: the files are XDMF; false: VTU
  XdmfSeries xdmf;                 // the frames that were added so far, if the files are XDMF
  int count;                       // number of frames in the list
  int *frame;                      // [count], numbers of the frames
  double *time;                    // [count] s, times of the frames
  int64_t capacity;                // allocated length of `frame` and `time`
} VtuSeries;

/// Adds the session's state as frame number `frame` at `time`, s. Nodes have position, velocity and displacement; tets
/// have Cauchy stress, von Mises stress and det F. VTU files also have numbers that refer to the whole body, such as
/// energies, as "field data". The arrays of VTU files are compressed.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Continues the series of an earlier run: adds to the list those of the frames 0 to `first` - 1 whose files exist.
/// fps: frames per simulated second, from which the times of these frames follow.
bool vtu_series_continue(VtuSeries *series, int first, double fps, Error *error);

/// Waits until frames `first` to `end` - 1 and the list are stored on the disk, so that a crash of the machine cannot
/// lose them.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);

/// Prints the number of frames and the path of their list.
void vtu_series_print(const VtuSeries *series);
void vtu_series_destroy(VtuSeries *series);
