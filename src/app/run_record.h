// `pliant record SCENE -o DIR`: writes frames of a scene without a window, as pictures and as a film.
#pragma once
#include "app/command_line.h"
#include "app/engine.h"
#include "app/record_pace.h"
#include "scene/probes.h"
#include "scene/scene.h"

typedef struct RecordOptions {
  char output[SCENE_PATH_LENGTH];      // folder for frame_00000.png and so on, created if it does not exist; empty: no
                                       // pictures
  bool overwrite;                      // frames of an earlier run in the output folders are deleted
  char video[SCENE_PATH_LENGTH];       // MP4 file; empty: none
  char vtu[SCENE_PATH_LENGTH];         // folder for a series of VTU files; empty: none
  char xdmf[SCENE_PATH_LENGTH];        // folder for an XDMF series instead of VTU files; empty: none
  char state[SCENE_PATH_LENGTH];       // file for the final state (.npz); empty: none
  char save_scene[SCENE_PATH_LENGTH];  // scene file (.json) for the final state; empty: none
  char checkpoint[SCENE_PATH_LENGTH];  // file to which checkpoints are written; empty: none
  char resume[SCENE_PATH_LENGTH];      // checkpoint from which the run continues; empty: the run begins at rest
  int every;                           // number of steps between two checkpoints
  int frames;                          // number of frames; RECORD_FRAMES_OPEN: until the replayed log ends
  ProbeOptions probe;
  EngineOptions engine;
  double fps;    // pictures per simulated second
  int size[2];   // size of the pictures, pixels
  bool verbose;  // also reports the time that cuts and tears take
} RecordOptions;

extern const Option record_options[];
extern const OptionTerm record_terms[];

/// Returns the defaults: 120 frames of 1280x720, 30 per second, no files.
RecordOptions record_defaults(void);

/// Replays an input log and writes the files of a recording. Ends with the log, or after options->frames frames.
bool record_replay(const char *log, const RecordOptions *options, Error *error);
