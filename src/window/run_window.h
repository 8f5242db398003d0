// `pliant SCENE`: a window in which the user pulls, pins and cuts a body with the mouse.
#pragma once
#include "scene/scene.h"

typedef enum Antialias { ANTIALIAS_AUTO, ANTIALIAS_ON, ANTIALIAS_OFF } Antialias;

// HINTS_AUTO: hints for new users are shown, but not in tests, and not if the user's actions are written to a log.
typedef enum HintsOption { HINTS_AUTO, HINTS_ON, HINTS_OFF } HintsOption;

typedef enum ThemeOption { THEME_LAST, THEME_DARK, THEME_LIGHT } ThemeOption;

// Range of the user's factor on the size of text, and the step by which keys change it. These are macros, since tables
// of options use them.
#define TEXT_SIZE_MIN 0.75
#define TEXT_SIZE_MAX 2.0
#define TEXT_SIZE_STEP 0.125

typedef struct WindowOptions {
  int size[2];                   // size of the window, pixels of a screen with 96 pixels per inch
  int frames;                    // the window closes after this number of frames; 0: never
  double max_fps;                // largest number of frames per second; 0: the refresh rate of the screen
  int picture_size[2];           // pixels, size of the pictures that the key F12 writes; 0: size of the window
  char save[SCENE_PATH_LENGTH];  // scene file that Ctrl+S writes; empty: a new file in the working folder
  Antialias antialias;
  ThemeOption theme;                   // THEME_LAST: the theme that the user chose last
  double text_size;                    // factor on the size of texts and panels; 0: the size that the user chose last
  char log[SCENE_PATH_LENGTH];         // file for the input log; empty: none
  char record[SCENE_PATH_LENGTH];      // folder for recordings; empty: a new one, named by date and time
  char state[SCENE_PATH_LENGTH];       // file for the final state (.npz); empty: none
  char trace[SCENE_PATH_LENGTH];       // file for events as JSON lines (trace.h); empty: none
  char screenshot[SCENE_PATH_LENGTH];  // PNG file of the last frame; empty: none
  HintsOption hints;
  bool start;    // opens the start page over the scene
  bool verbose;  // also reports how long each cut and tear takes to compute
} WindowOptions;

extern const Option window_options[];

/// Returns the default options: 1280 x 800 pixels, no limit of frames, no files.
WindowOptions window_defaults(void);

/// Runs until the user closes the window, in the main thread. Fails if no window can be opened or the simulation fails.
bool run_window(const Scene *scene, const WindowOptions *options, Error *error);

/// As run_window, but reads the scene from an input log and repeats the commands in it.
bool window_replay(const char *log, const WindowOptions *options, Error *error);
