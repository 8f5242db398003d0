// The window's thread: what it has, shared by the files that choose what is shown (view_scene.c), listen (view_input.c),
// show the panel (view_panel.c), put it in words (view_words.c), record (view_recording.c), and hold it all together
// (run_window.c).
#pragma once
#include "live/sim_thread.h"
#include "record/folder_lock.h"
#include "record/frame_writer.h"
#include "render/hud.h"
#include "render/overlay.h"
#include "render/picker.h"
#include "render/render_target.h"
#include "render/window.h"
#include "window/run_window.h"
#include "window/trace.h"

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL } MouseMode;

enum { VIEW_SCENES_MAX = HUD_NAMES_MAX };

// Pixels are those of the picture, from its upper left corner.
typedef struct View {
  const WindowOptions *options;
  SimThread *sim;        // what is shown; NULL before the first is ready
  SimThread *next;       // what is being built to take its place; NULL: nothing
  const char *building;  // what was told last about that
  double next_since;     // s of the clock
  int opened;            // sims that were shown so far
  Window *window;
  bool has_hud;
  RenderTarget picture;
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  Camera camera, first_camera;
  Style style;
  Stream stream;  // the reader's, on the display's device
  SimNote note;   // of the positions that are drawn
  Trace trace;
  int width, height;             // of the picture
  int64_t frame;                 // drawn so far
  bool seen;                     // positions have come
  bool stirred;                  // the user did something, or the simulation, since the last picture
  double awake_until, shown_at;  // s of the clock: till when each picture is drawn; when the last was
  double frames_per_s, rate_begin;
  int64_t rate_frame;
  double begun;  // s of the clock, when the program began
  // what the simulation has been told, and what it has told
  Camera told_camera;
  Style told_style;
  int pin_version, view_version;
  uint8_t *pinned;  // [node_count]
  // the mouse
  MouseMode mode;
  int button;  // that began the mode
  double cursor[2];
  double radius, stiffness;                            // of its grab, m and N/m (0: the simulation chooses)
  Pick pick;                                           // what is held while pulling
  double depth;                                        // m, how far the wheel has pushed it away
  double target[3];                                    // m, where that is pulled to
  int64_t sent;                                        // frame of the drag whose answer is awaited; 0: none
  int64_t answers, frames_waited, frames_waited_most;  // frames from a drag to the picture that answers it
  Hover hover;                                         // what would be held
  double hovered_at[2];                                // the cursor then
  double pressed_at[2], pressed_time;                  // of the last left press, for double clicks
  const char *happened;                                // "pick" or "release", to be traced when the frame is drawn
  bool slow;                                           // the user has been told that steps are
  bool quit;
  double asked_until;  // s of the clock: until then a second wish to leave is obeyed
  // the HUD
  bool shows_panel, shows_keys;
  HudPanel panel;
  char told[400];  // a message of ours, until told_until
  double told_until;
  char scene_paths[VIEW_SCENES_MAX][SCENE_PATH_LENGTH];
  char scene_names[VIEW_SCENES_MAX][64];
  int scene_count;
  // the recording
  FrameWriter writer;
  FolderLock record_lock;
  bool recording;
  int recording_number;  // by which the simulation knows it
  int frames_recorded, recordings;
  char record_folder[SCENE_PATH_LENGTH];
  char record_told[SCENE_PATH_LENGTH + 128];
} View;

// view.c

/// Sends a command; says so where the simulation does not listen.
void view_post(View *view, const Command *command);

/// Sends settings and speed.
void view_adjust(View *view, const SimulationSettings *settings, double speed);

/// Shows a message for a few seconds.
void view_tell(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// What is drawn now.
Picture view_picture(const View *view);

// view_scene.c

/// Begins to build a scene, or what a replay's log (not empty) holds, as view->next.
bool view_begin(View *view, const Scene *scene, const char *replay, Error *error);

/// The same for a file that the user opens. What is shown stays where that fails.
void view_open(View *view, const char *path);

/// Shows the next one when it is ready; *failed where it cannot be built and nothing else is shown.
bool view_look_after_next(View *view, bool *failed, Error *error);

/// Ends the simulation that is shown, and all that belongs to it.
bool view_forget_sim(View *view, Error *error);

// view_words.c

/// The line at the top; what is wrong, is being built, or was told; and how far the one that is being built has come.
void view_describe(const View *view, char line[512]);
void view_describe_trouble(const View *view, char warning[512]);

/// That a step takes longer than the eye forgives, and what would help; false where it does not.
bool view_describe_slowness(const View *view, char *text, size_t size);
void view_describe_progress(const View *view, char *text, size_t size);

// view_input.c

/// Takes what the user did since last time.
bool view_listen(View *view, Error *error);

/// The page of keys.
extern const char *const view_keys;

// view_panel.c

/// Fills the panel with what is in force, unless the user is changing it.
void view_fill_panel(View *view);

/// Does what the user did in it.
void view_obey_panel(View *view);

/// Lists the scenes that the panel offers.
void view_list_scenes(View *view);

// view_recording.c

/// Begins or ends a recording, by the panel's choices. What is wrong is told in the panel.
void view_toggle_recording(View *view);

/// Takes the frame at hand, if the recording waits for it.
bool view_record(View *view, Error *error);

/// Ends it, with what there is.
void view_end_recording(View *view);
