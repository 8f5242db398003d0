// The state of the window's thread, and the functions that the files of src/window provide to each other. Each section
// below names the file that defines its functions; run_window.c contains the main loop.
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
  CHANGE_HOLD,      // pins and pulls; the simulation stores their history, see live/hold_history.h
  CHANGE_SETTINGS,  // `before` and `after` are the commands that set the old and the new settings
  CHANGE_VIEW,      // only camera and style of `before` and `after` are used
  CHANGE_CUT,       // before.to is the position of the cut on the timeline
} ChangeKind;

typedef struct Change {
  ChangeKind kind;
  Command before, after;
} Change;

typedef struct History {
  Change change[HOLD_CHANGES_MAX];  // HOLD_CHANGES_MAX is also the limit of the simulation's history of pins and pulls
  int count, now;                   // changes 0 to now - 1 are in effect, the others are undone
  Camera camera;                    // camera at the last call of view_note
  Style style;
  double changed_at;  // clock time of the last movement of a slider or of the wheel, s
} History;

// State of the window's thread. Pixels are counted from the upper left corner of the picture.
typedef struct View {
  const WindowOptions *options;
  SimThread *sim;        // the simulation that is shown; NULL until the first is ready
  SimThread *next;       // the simulation that is being built to replace it; NULL: none
  const char *building;  // progress text of `next` that was written to the trace last
  double next_since;     // clock time at which the building of `next` began, s
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
  Form *form;        // mesh and surface of the body to which the drawn positions belong; NULL: nothing is shown. The
                     // view holds this form, see form_hold
  int cuts;          // SimStatus.cuts at the last call of view_note_cut
  Trace trace;
  int width, height;            // size of the picture, pixels
  int64_t frame;                // number of frames drawn so far
  bool has_positions;           // true once `sim` has published positions
  bool changed;                 // the picture would differ from the last one
  double draw_until, shown_at;  // clock times, s: end of continuous drawing; time of the last picture
  double frames_per_s, rate_begin;
  int64_t rate_frame;
  double started_at;  // clock time at which the program began, s
  // last values sent to the simulation and received from it
  Camera sent_camera;
  Style sent_style;
  int pin_version, view_version;
  uint8_t *pinned;  // [node_count], marks of the nodes that were received last
  // the mouse
  MouseMode mode;
  int button;  // mouse button by which the mode was begun
  double cursor[2];
  double radius, stiffness;  // settings of a grab, m and N/m (0: the simulation chooses)
  bool pushes;               // the grab pushes the body with a ball; `pick.point` is the first centre of the ball
  Pick pick;                 // the picked point, which the mouse pulls
  double cut_from[2];        // pixel at which the line of a cut begins
  double depth;              // m, distance by which the wheel has moved the target away from the camera
  double target[3];          // m, position to which the picked point is pulled
  int64_t awaited_drag;      // frame of the oldest drag that no picture contains yet; 0: none
  int64_t answers, frames_waited, frames_waited_max;  // number of drags that pictures contain; sum and maximum of their
                                                      // delays in frames
  bool probes;                                        // values under the mouse are shown (key I)
  Pick under;                                         // point of the body under the mouse; tet -1: none
  Hover hover;                                        // patch that the mouse would grab if it were pressed now
  double hovered_at[2];                               // position of the mouse when `under` was found last
  double pressed_at[2], pressed_time;                 // pixel and time of the last press of the left button, to detect
                                                      // double clicks
  const char *trace_event;                            // "pick", "pin" or "release", which the next frame writes to the
                                                      // trace; NULL: none
  bool slow;                                          // a warning about slow steps is shown
  bool quit;
  double quit_asked_until;  // clock time, s: until then, a second Esc quits although a recording runs
  // the HUD
  bool shows_panel, shows_keys, browses;
  HudPanel panel;
  HudAxes axes;
  HudBrowser browser;
  FolderList files;                   // the folder that the browser shows
  SimulationSettings first_settings;  // settings at the start of the scene
  Scene settings;                     // work space of view_panel.c
  char message[400];                  // message that the window shows below its first line
  double message_until;               // clock time at which the message disappears, s
  char scene_paths[VIEW_SCENES_MAX][SCENE_PATH_LENGTH];
  char scene_names[VIEW_SCENES_MAX][64];
  int scene_count;
  char save_path[SCENE_PATH_LENGTH];  // file of the last save; empty: not saved yet
  char saving[SCENE_PATH_LENGTH];     // file of the save that was requested last
  int saved, refusals, resets;        // values of these counts in SimStatus when they were last seen
  bool picture_asked;
  RecentFiles recent;
  bool recent_fails;  // writing `recent` has failed, and the user has been told
  History history;
  // the timeline
  bool backwards;     // backward playback is on
  double back_since;  // clock time of the last move on the timeline, s
  int64_t back_to;    // position to which the last move went
  // the recording
  FrameWriter writer;
  PathLock record_lock;
  bool recording;
  int recording_number;  // number of the recording, from sim_thread_record
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

/// Begins to build the scene or mesh of a file that the user opens. On an error, shows a message; the present scene
/// stays.
void view_open(View *view, const char *path);

/// Shows view->next once it is built. If it cannot be built and another simulation is shown, shows the error as a
/// message. If no other simulation is shown, sets *failed and returns false with the error.
bool view_update_next(View *view, bool *failed, Error *error);

/// Switches the renderer to another form of the body (mesh and surface), for example after a cut, and holds this form.
bool view_show_form(View *view, Form *form, Error *error);

/// Ends the simulation that is shown. Frees its renderer and stream, and releases its form.
bool view_stop_sim(View *view, Error *error);

// view_history.c

/// Sends a command that changes pins, pulls or settings, and stores it for undo.
void view_change(View *view, const Command *command);

/// Sends settings and speed as one change that can be undone. `field` is the panel's label of the changed number, for
/// messages.
void view_adjust(View *view, const SimulationSettings *settings, double speed, const char *field);

/// Stores the changes of camera and style since the last call as one entry for undo. Called before each action of the
/// user on the view. If `goes_on`, an action a moment after the previous one is added to the previous entry.
void view_note(View *view, bool goes_on);

/// Stores a cut, made at position `at` of the timeline, for undo. Drops earlier changes of pins and pulls, since the
/// cut has renumbered nodes.
void view_note_cut(View *view, int64_t at);

/// Drops all stored changes, when another scene is opened.
void view_forget(View *view);

void view_undo(View *view);
void view_redo(View *view);

// view_timeline.c

/// Moves to a position of the timeline, clamped to the stored range. The simulation is paused.
void view_go(View *view, int64_t position);

/// Moves by a number of steps; a negative number moves back. If the last move was less than 1 s ago, steps are counted
/// from the target of that move.
void view_go_by(View *view, int64_t steps);

/// Starts or stops backward playback.
void view_toggle_backwards(View *view);

/// Continues backward playback, if it is on. Called in each frame.
void view_go_back(View *view);

// view_files.c

/// Requests a save of the present state as a scene. The file is the first of these that exists: the file of the last
/// save; the file given by --save; the shown scene, if the program saved it; a new file "NAME-1.json" in the working
/// directory.
void view_save(View *view);

/// Moves a file to the top of the list of recent files. If the list cannot be written, shows a message, but only the
/// first time.
void view_remember(View *view, const char *path);

/// Reports a completed save. Called when SimStatus.saved has changed.
void view_saved(View *view);

/// Writes a picture without panel and texts to a new file "NAME-1.png".
bool view_take_picture(View *view, Error *error);

/// Sets the window's title to the name of the shown file, without folder and ending.
void view_show_name(View *view);

// view_browser.c

/// Shows the file browser. It begins with the folder that it showed last, or at first with the folder of the scene.
void view_browse(View *view);

/// Handles a key while the browser is open.
void view_browser_key(View *view, const WindowEvent *event);

/// Applies the user's clicks in the browser.
void view_apply_browser(View *view);

// view_words.c

/// Writes the line of text at the top of the window.
void view_describe(const View *view, char line[512]);
/// Writes the text that follows the first line in another colour: warnings, and either the progress of view->next or
/// the last message.
void view_describe_trouble(const View *view, char warning[512]);

/// If steps are slow (0.25 s or more), writes a warning with advice. Returns false if they are not slow.
bool view_describe_slowness(const View *view, char *text, size_t size);

/// Writes the progress of the building of view->next, with a bar.
void view_describe_progress(const View *view, char *text, size_t size);

// view_input.c

/// Handles the events of mouse, keys and dropped files since the last call.
bool view_handle_events(View *view, Error *error);

/// Text of the page of keys (F1).
extern const char *const view_keys;

// view_panel.c

/// Copies the present settings to the panel, except those that the user is changing.
void view_fill_panel(View *view);

/// Applies the user's actions in the panel.
void view_apply_panel(View *view);

/// Lists the scenes that the panel offers to open.
void view_list_scenes(View *view);

// view_probe.c

/// Adds a label with node, tet, displacement and stress under the mouse, if view->probes is set.
bool view_probe(const View *view, HudOverlay *overlay, Error *error);

// view_recording.c

/// Begins a recording with the settings in the panel, or ends the present recording. Errors are shown in the panel.
void view_toggle_recording(View *view);

/// Writes the present frame if it is the next one of the recording.
bool view_record(View *view, Error *error);

/// Ends the recording and completes its files.
void view_end_recording(View *view);

/// As view_end_recording, but without calls of OpenGL: for a process that ends because its window no longer exists.
void view_finish_recording(View *view);

// view_exit.c

/// Registers an exit handler. If a call of the window system ends the process by exit(), the handler completes
/// recording, log and state. Called for each simulation that is shown, after its device has been opened: exit() calls
/// handlers in reverse order, so this handler runs while the device still works. From then on SIGPIPE is ignored.
void view_guard_exit(View *view);

/// Disables the exit handler. Called before the view is destroyed.
void view_unguard_exit(void);
