// `pliant SCENE`: a window that shows a scene. The user pulls, pins and cuts the body with the mouse.
#pragma once
#include "scene/scene.h"

typedef enum Antialias { ANTIALIAS_AUTO, ANTIALIAS_ON, ANTIALIAS_OFF } Antialias;

typedef struct WindowOptions {
  int size[2];                   // size of the window, in pixels of a screen with 96 pixels per inch
  int frames;                    // number of frames after which the window closes; 0: no limit
  double max_fps;                // largest number of drawn frames per second; 0: the refresh rate of the screen
  int picture_size[2];           // size of the pictures that key F12 takes, pixels; 0: size of the window
  char save[SCENE_PATH_LENGTH];  // scene file that Ctrl+S writes; empty: a new file in the working directory
  Antialias antialias;
  char log[SCENE_PATH_LENGTH];         // file for the input log; empty: none is written
  char record[SCENE_PATH_LENGTH];      // folder for recordings; empty: a new folder, named by date and time
  char state[SCENE_PATH_LENGTH];       // file for the final state (.npz); empty: none
  char trace[SCENE_PATH_LENGTH];       // file for events as JSON lines, see trace.h; empty: none
  char screenshot[SCENE_PATH_LENGTH];  // PNG file of the last frame; empty: none
  bool verbose;                        // also reports the time that cuts and tears take
} WindowOptions;

extern const Option window_options[];

/// Returns the defaults: 1280x800, no limit of frames, no files.
WindowOptions window_defaults(void);

/// Runs until the user closes the window. Must be called on the main thread. Fails if no window can be opened, or if
/// the simulation fails.
bool run_window(const Scene *scene, const WindowOptions *options, Error *error);

/// As run_window, for the scene and the commands of an input log.
bool window_replay(const char *log, const WindowOptions *options, Error *error);
