// A series of frames for ParaView. The frames are VTU files FOLDER/frame_00000.vtu and so on, or XDMF files
// (xdmf_series.h). FOLDER/frames.pvd, or frames.xdmf, lists the frames with their times. This list is written again
// after each frame, so an interrupted series is valid.
//
// If several processes divide the body (SimulationSettings.ranks), all of them call these functions. Process k writes
// its piece of a VTU frame to the file frame_00000_k.vtu (vtu_piece.h). Process 0 writes the other files, among them
// frame_00000.pvtu, which lists the pieces. XDMF files contain the whole mesh, and process 0 writes all of them.
#pragma once
#include "scene/session.h"
#include "scene/xdmf_series.h"

// A frame in the list of a series.
typedef struct VtuFrame {
  int number;
  double time;      // s
  bool is_divided;  // true: frame_00000.pvtu, with pieces; false: frame_00000.vtu, or XDMF files
} VtuFrame;

typedef struct VtuSeries {
  char folder[SCENE_PATH_LENGTH];  // folder of the files
  bool is_xdmf;                    // true: the files are XDMF; false: VTU
  XdmfSeries xdmf;                 // the frames that were added so far, if the files are XDMF
  int count;                       // number of frames in the list
  VtuFrame *frame;                 // [count], the frames
  int64_t capacity;                // allocated length of `frame`
  // processes that write pieces of the frames of this run; NULL: one process writes whole frames
  const struct Ranks *ranks;
} VtuSeries;

/// Adds the session's state as frame number `frame` at `time`, s. Nodes have position, velocity and displacement; tets
/// have Cauchy stress, von Mises stress and det F. VTU files also have numbers that refer to the whole body, such as
/// energies, as "field data". The arrays of VTU files are compressed. If a process cannot write its piece, all
/// processes fail with its message.
bool vtu_series_add(VtuSeries *series, Session *session, int frame, double time, Error *error);

/// Returns the time, s, of a frame of a recording that began at time 0 with `fps` frames per second. A frame shows the
/// state after the first time step, of `dt` seconds, that ends at frame / fps or later, so its time is that of this
/// state. If there are more frames than time steps, several frames show one state and have its time.
double vtu_series_time(int frame, double fps, double dt);

/// Continues the series of an earlier run: adds to the list those of the frames 0 to `first` - 1 whose files exist.
/// fps, dt: frames per simulated second and duration of a time step, from which the times of these frames follow.
bool vtu_series_continue(VtuSeries *series, int first, double fps, double dt, Error *error);

/// Waits until frames `first` to `end` - 1 and the list are stored on the disk, so that a crash of the machine cannot
/// lose them.
bool vtu_series_sync(const VtuSeries *series, int first, int end, Error *error);

/// Prints the number of frames and the path of their list.
void vtu_series_print(const VtuSeries *series);
void vtu_series_destroy(VtuSeries *series);
