// `pliant record SCENE -o DIR`: frames of a scene without a window, as pictures and as a film.
#pragma once
#include "app/command_line.h"
#include "app/record_pace.h"
#include "scene/probes.h"
#include "scene/scene.h"

typedef struct RecordOptions {
  char output[SCENE_PATH_LENGTH];      // folder for frame_00000.png and so on, made where missing; empty: no pictures
  bool overwrite;                      // the folders may hold frames of an earlier run, which are deleted
  char video[SCENE_PATH_LENGTH];       // MP4 file; empty: none
  char vtu[SCENE_PATH_LENGTH];         // folder for a series of VTU files; empty: none
  char state[SCENE_PATH_LENGTH];       // where to write the final state (.npz); empty: nowhere
  char save_scene[SCENE_PATH_LENGTH];  // the scene (.json) to write of the end; empty: none
  char checkpoint[SCENE_PATH_LENGTH];  // where to write checkpoints; empty: nowhere
  char resume[SCENE_PATH_LENGTH];      // the checkpoint to continue from; empty: from rest
  int every;                           // steps between checkpoints
  int frames;                          // RECORD_FRAMES_OPEN: to the end of the log that is replayed
  ProbeOptions probe;
  double fps;    // pictures per simulated second
  int size[2];   // pixels
  bool verbose;  // reports the time of cuts and tears too
} RecordOptions;

extern const Option record_options[];
extern const OptionTerm record_terms[];

/// 120 frames of 1280x720, 30 a second, and nowhere to write them.
RecordOptions record_defaults(void);

/// Does again what an input log says, to its end or for so many frames, into the same kinds of files.
bool record_replay(const char *log, const RecordOptions *options, Error *error);
