// The state of the window's thread, and the functions that its files export to each other. The sections below name the
// file that defines each function; run_window.c contains the main loop.
#pragma once
#include "base/path_lock.h"
#include "live/sim_thread.h"
#include "record/frame_writer.h"
#include "render/hud.h"
#include "render/overlay.h"
#include "render/picker.h"
#include "render/render_target.h"
#include "render/window.h"
#include "window/folder_list.h"
#include "window/recent_files.h"
#include "window/run_window.h"
#include "window/trace.h"

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL, MOUSE_CUT } MouseMode;

enum { VIEW_SCENES_MAX = HUD_NAMES_MAX };

// Changes by the user that can be undone and redone.
typedef enum ChangeKind {
  CHANGE_HOLD,      // pins and pulls; the simulation stores them, see live/hold_history.h
  CHANGE_SETTINGS,  // `before` and `after` are the commands that set the old and the new settings
  CHANGE_VIEW,      // only camera and style of `before` and `after` are used
  CHANGE_CUT,       // before.to: the cut's position on the timeline
} ChangeKind;

typedef struct Change {
  ChangeKind kind;
  Command before, after;
} Change;

typedef struct History {
  Change change[HOLD_CHANGES_MAX];  // the limit of the simulation's history
  int count, now;                   // changes 0 to now - 1 are in effect, the others are undone
  Camera camera;                    // the view at the last call of view_note
  Style style;
  double changed_at;  // s of the clock, time of the last movement of a slider or the wheel
} History;

// State of the window's thread. Pixels are counted from the upper left corner of the picture.
typedef struct View {
  const WindowOptions *options;
  SimThread *sim;        // the simulation that is shown; NULL until the first is ready
  SimThread *next;       // the simulation that is being built to replace it; NULL: none
  const char *building;  // the last progress text of `next` in the trace
  double next_since;     // s of the clock, start of the building of `next`
  int opened;            // number of simulations that were shown so far
  Window *window;
  bool has_hud, software;  // software: OpenGL draws on the CPU
  RenderTarget picture;
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  Camera camera, first_camera;
  Style style;
  Stream stream;     // stream that reads sim->positions, on the display's device
  SimStatus status;  // status that belongs to the drawn positions
  Form *form;        // form of the drawn positions, held (see form_hold); NULL: nothing is shown
  int cuts;          // SimStatus.cuts at the last call of view_note_cut
  Trace trace;
  int width, height;            // size of the picture, pixels
  int64_t frame;                // number of frames drawn so far
  bool has_positions;           // true once `sim` has published positions
  bool changed;                 // the picture would differ from the last one
  double draw_until, shown_at;  // s of the clock: end of continuous drawing; time of the last picture
  double frames_per_s, rate_begin;
  int64_t rate_frame;
  double started_at;  // s of the clock, start of the program
  // last values sent to the simulation and received from it
  Camera sent_camera;
  Style sent_style;
  int pin_version, view_version;
  uint8_t *pinned;  // [node_count]
  // the mouse
  MouseMode mode;
  int button;  // the button that began the mode
  double cursor[2];
  double radius, stiffness;  // settings of a grab, m and N/m (0: the simulation chooses)
  bool pushes;               // the grab pushes with a ball; `pick.point` is the ball's first centre
  Pick pick;                 // the picked point that is pulled
  double cut_from[2];        // pixel at which the line of a cut begins
  double depth;              // m, distance by which the wheel has moved the target away from the camera
  double target[3];          // m, the position that the picked point is pulled to
  int64_t awaited_drag;      // frame of the oldest drag that no picture contains yet; 0: none
  int64_t answers, frames_waited, frames_waited_max;  // drags in pictures; sum and maximum of their delays, frames
  bool probes;                                        // values under the mouse are shown (key I)
  Pick under;                                         // the point under the mouse; tet -1: none
  Hover hover;                                        // the patch that a press would grab
  double hovered_at[2];                               // cursor position of the last pick
  double pressed_at[2], pressed_time;                 // pixel and time of the last left press, for double clicks
  const char *trace_event;                            // "pick", "pin" or "release", for the trace of the next frame
  bool slow;                                          // a warning about slow steps is shown
  bool quit;
  double quit_asked_until;  // s of the clock: a second Esc before this time quits during a recording
  // the HUD
  bool shows_panel, shows_keys, browses;
  HudPanel panel;
  HudAxes axes;
  HudBrowser browser;
  FolderList files;                   // the folder that the browser shows
  SimulationSettings first_settings;  // the settings of the scene's start
  Scene settings;                     // temporary of the panel: see view_panel.c
  char message[400];                  // shown below the first line
  double message_until;               // s of the clock, end of the message
  char scene_paths[VIEW_SCENES_MAX][SCENE_PATH_LENGTH];
  char scene_names[VIEW_SCENES_MAX][64];
  int scene_count;
  char save_path[SCENE_PATH_LENGTH];  // file of the last save; empty: not saved yet
  char saving[SCENE_PATH_LENGTH];     // file of the save that was requested last
  int saved, refusals, resets;        // last values of the counts in SimStatus
  bool picture_asked;
  RecentFiles recent;
  bool recent_fails;  // the list could not be written, and a message was shown
  History history;
  // the timeline
  bool backwards;     // backward playback is on
  double back_since;  // s of the clock, time of the last move on the timeline
  int64_t back_to;    // position that the last move requested
  // the recording
  FrameWriter writer;
  PathLock record_lock;
  bool recording;
  int recording_number;  // number that sim_thread_record returned
  int frames_recorded, recordings;
  char record_folder[SCENE_PATH_LENGTH];
  char record_message[SCENE_PATH_LENGTH + 128];
} View;

// view.c

/// Sends a command to the simulation. Returns false, with a notice, if its mailbox is full.
bool view_post(View *view, const Command *command);

/// Shows a message for 8 s.
void view_say(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Returns the description of the picture to draw.
Picture view_picture(const View *view);

// view_scene.c

/// Begins to build a simulation of a scene as view->next. `replay` is the input log to replay; empty: none.
bool view_begin(View *view, const Scene *scene, const char *replay, Error *error);

/// Begins to build the scene or mesh of a file that the user opens. On an error, shows a message and changes nothing.
void view_open(View *view, const char *path);

/// Shows view->next once it is ready. If it cannot be built, shows the error as a message. If no other simulation is
/// shown, sets *failed instead and returns false with the error.
bool view_update_next(View *view, bool *failed, Error *error);

/// Switches the renderer to another form of the body, and holds the form.
bool view_show_form(View *view, Form *form, Error *error);

/// Ends the simulation that is shown, and frees its renderer, form and stream.
bool view_stop_sim(View *view, Error *error);

// view_history.c

/// Sends a command that changes pins, pulls or settings, and stores it for undo.
void view_change(View *view, const Command *command);

/// Sends settings and speed as a change that can be undone. `field`: as Command.field.
void view_adjust(View *view, const SimulationSettings *settings, double speed, const char *field);

/// Stores the changes of camera and style since the last call as one entry for undo. Call it before each action of the
/// user on the view. `goes_on`: the action may belong to the previous one if that happened a moment ago.
void view_note(View *view, bool goes_on);

/// Stores a cut at a position of the timeline for undo. Drops earlier changes of pins and pulls, since the cut has
/// changed the nodes.
void view_note_cut(View *view, int64_t at);

/// Drops all changes, for another scene.
void view_forget(View *view);

void view_undo(View *view);
void view_redo(View *view);

// view_timeline.c

/// Moves to a position of the timeline, clamped to the stored range. The simulation is paused.
void view_go(View *view, int64_t position);

/// Moves by a number of steps; negative: back. Counts from the target of the last move if that was less than 1 s ago.
void view_go_by(View *view, int64_t steps);

/// Starts or stops backward playback.
void view_toggle_backwards(View *view);

/// Continues backward playback, if it is on. Call it in each frame.
void view_go_back(View *view);

// view_files.c

/// Requests a save of the present state as a scene. The file is that of the last save, the one of --save, the shown
/// scene if it was saved by the program, or a new file "NAME-1.json" in the working directory.
void view_save(View *view);

/// Moves a file to the top of the recent files. Shows a message the first time that the list cannot be written.
void view_remember(View *view, const char *path);

/// Reports a completed save. Call it when SimStatus.saved has changed.
void view_saved(View *view);

/// Writes a picture without panel and texts, "NAME-1.png".
bool view_take_picture(View *view, Error *error);

/// Sets the window's title to the name of the shown file, without folder and ending.
void view_show_name(View *view);

// view_browser.c

/// Shows the file browser, in the folder that it showed last, or first in the folder of the scene.
void view_browse(View *view);

/// Handles a key while the browser is open.
void view_browser_key(View *view, const WindowEvent *event);

/// Applies the user's clicks in the browser.
void view_apply_browser(View *view);

// view_words.c

/// Writes the line at the top of the window.
void view_describe(const View *view, char line[512]);
/// Writes the text that follows this line in another colour: warnings, and the progress of view->next or the last
/// message.
void view_describe_trouble(const View *view, char warning[512]);

/// Writes a warning, with advice, that steps are slow (0.25 s or more). Returns false if they are not.
bool view_describe_slowness(const View *view, char *text, size_t size);

/// Writes the progress of the building of view->next, with a bar.
void view_describe_progress(const View *view, char *text, size_t size);

// view_input.c

/// Handles the events of mouse, keys and dropped files since the last call.
bool view_handle_events(View *view, Error *error);

/// Text of the page of keys (F1).
extern const char *const view_keys;

// view_panel.c

/// Fills the panel with the present settings, unless the user is changing them.
void view_fill_panel(View *view);

/// Applies the user's actions in the panel.
void view_apply_panel(View *view);

/// Lists the scenes that the panel offers.
void view_list_scenes(View *view);

// view_probe.c

/// Adds a label with node, tet, displacement and stress under the mouse, if view->probes is set.
bool view_probe(const View *view, HudOverlay *overlay, Error *error);

// view_recording.c

/// Begins a recording with the panel's settings, or ends it. Errors are shown in the panel.
void view_toggle_recording(View *view);

/// Writes the present frame if it is the next one of the recording.
bool view_record(View *view, Error *error);

/// Ends the recording and completes its files.
void view_end_recording(View *view);

/// As view_end_recording, without calls of OpenGL: for a process that ends because its window is gone.
void view_finish_recording(View *view);

// view_exit.c

/// Registers an exit handler that completes recording, log and state if a call of the window system ends the process by
/// exit(). Call it for each simulation that is shown, after its device has been opened: exit() runs handlers in reverse
/// order, so the device still works in this one. SIGPIPE is ignored from then on.
void view_guard_exit(View *view);

/// Disables the exit handler. Call it before the view is destroyed.
void view_unguard_exit(void);
