// `pliant record SCENE -o DIR`: computes frames of a scene without a window and writes pictures, a film or data files.
#pragma once
#include "app/command_line.h"
#include "app/engine.h"
#include "app/record_pace.h"
#include "scene/probes.h"
#include "scene/scene.h"

typedef struct RecordOptions {
  char output[SCENE_PATH_LENGTH];      // folder for pictures frame_00000.png ..., created if missing; empty: none
  bool overwrite;                      // deletes frames of an earlier run from the output folders
  char video[SCENE_PATH_LENGTH];       // film: MP4, WebP or GIF file; empty: none
  char vtu[SCENE_PATH_LENGTH];         // folder for a series of VTU files; empty: none
  char xdmf[SCENE_PATH_LENGTH];        // folder for an XDMF series instead of VTU files; empty: none
  char state[SCENE_PATH_LENGTH];       // file for the final state (.npz); empty: none
  char save_scene[SCENE_PATH_LENGTH];  // scene file (.json) for the final state; empty: none
  char checkpoint[SCENE_PATH_LENGTH];  // file to which checkpoints are written; empty: none
  char resume[SCENE_PATH_LENGTH];      // checkpoint from which the run continues; empty: starts at rest
  int every;                           // number of steps from one checkpoint to the next
  int frames;                          // number of frames; RECORD_FRAMES_OPEN: as many as the replayed log has
  ProbeOptions probe;
  EngineOptions engine;
  double fps;        // frames per second of simulated time
  int size[2];       // size of the pictures, pixels
  int view;          // number, from 1, of the stored view that replaces the scene's camera; 0: none
  double turntable;  // turns of the camera around the body from the first frame to the last; 0: the camera is at rest
  bool verbose;      // also reports how long each cut and tear takes to compute
} RecordOptions;

extern const Option record_options[];
extern const OptionTerm record_terms[];

/// Returns the default options: 120 frames of 1280 x 720 pixels, 30 per second, and no files.
RecordOptions record_defaults(void);

/// Replays an input log and writes the files of a recording. Ends when the log ends, or earlier if options->frames
/// frames were written.
bool record_replay(const char *log, const RecordOptions *options, Error *error);
