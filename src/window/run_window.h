// `pliant SCENE`: a window on a scene, in which the user takes hold of the body with the mouse.
#pragma once
#include "scene/scene.h"

typedef enum Antialias { ANTIALIAS_AUTO, ANTIALIAS_ON, ANTIALIAS_OFF } Antialias;

typedef struct WindowOptions {
  int size[2];                   // the window, pixels of a screen of 96 an inch
  int frames;                    // closes after so many drawn frames; 0: never
  int picture_size[2];           // of pictures taken by F12, pixels; 0: as large as the window's
  char save[SCENE_PATH_LENGTH];  // what Ctrl+S writes; empty: a new scene in the folder it was started in
  Antialias antialias;
  char log[SCENE_PATH_LENGTH];         // input log to write; empty: none
  char record[SCENE_PATH_LENGTH];      // folder for recordings; empty: a new one for each, named by the time
  char state[SCENE_PATH_LENGTH];       // where to write the final state (.npz); empty: nowhere
  char trace[SCENE_PATH_LENGTH];       // JSON lines about what the mouse did, see trace.h; empty: none
  char screenshot[SCENE_PATH_LENGTH];  // PNG file of the last frame; empty: none
  bool verbose;                        // reports the time of cuts and tears too
} WindowOptions;

extern const Option window_options[];

/// 1280x800, without end, without trace.
WindowOptions window_defaults(void);

/// Runs until the user closes the window. Main thread only. Fails where no window can be opened, and with what goes
/// wrong in the simulation.
bool run_window(const Scene *scene, const WindowOptions *options, Error *error);

/// The same, doing again what an input log says.
bool window_replay(const char *log, const WindowOptions *options, Error *error);
