// The window's thread: what it has, shared by the files that choose what is shown (view_scene.c), listen
// (view_input.c), show the panel (view_panel.c) and the file browser (view_browser.c), put it in words (view_words.c),
// save (view_files.c), record (view_recording.c), outlive the window (view_exit.c), and hold it all together
// (run_window.c).
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

// What the user has changed, to be undone and done again.
typedef enum ChangeKind {
  CHANGE_HOLD,      // pins and pulls: the simulation remembers them, see live/hold_history.h
  CHANGE_SETTINGS,  // before and after are commands that bring them about
  CHANGE_VIEW,      // of these, camera and style count
  CHANGE_CUT,       // to: positions of the timeline without it, and with it
} ChangeKind;

typedef struct Change {
  ChangeKind kind;
  Command before, after;
} Change;

typedef struct History {
  Change change[HOLD_CHANGES_MAX];  // so that the simulation remembers as many
  int count, now;                   // those before `now` are done, the others undone
  Camera camera;                    // the view as it was last noted
  Style style;
  double changed_at;  // s of the clock: when a slider or the wheel was last moved
} History;

// Pixels are those of the picture, from its upper left corner.
typedef struct View {
  const WindowOptions *options;
  SimThread *sim;        // the one that is shown; NULL before the first is ready
  SimThread *next;       // the one that is being built to replace it; NULL: none
  const char *building;  // its last progress text that was traced
  double next_since;     // s of the clock
  int opened;            // sims that were shown so far
  Window *window;
  bool has_hud, software;  // software: the processor draws
  RenderTarget picture;
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  Camera camera, first_camera;
  Style style;
  Stream stream;     // the reader's, on the display's device
  SimStatus status;  // of the positions that are drawn
  Form *form;        // that they are of, held; NULL where nothing is shown
  int cuts;          // SimStatus.cuts, as it was noted
  Trace trace;
  int width, height;            // of the picture
  int64_t frame;                // drawn so far
  bool has_positions;           // of the simulation that is shown
  bool changed;                 // by the user or the simulation, since the last picture
  double draw_until, shown_at;  // s of the clock: until when every picture is drawn; when the last was
  double frames_per_s, rate_begin;
  int64_t rate_frame;
  double started_at;  // s of the clock, when the program began
  // what the simulation was sent last, and what came from it
  Camera sent_camera;
  Style sent_style;
  int pin_version, view_version;
  uint8_t *pinned;  // [node_count]
  // the mouse
  MouseMode mode;
  int button;  // that began the mode
  double cursor[2];
  double radius, stiffness;  // of its grab, m and N/m (0: the simulation chooses)
  bool pushes;               // with a ball: `pick.point` is where its middle was at first
  Pick pick;                 // the point that is pulled
  double cut_from[2];        // where the line of a cut begins
  double depth;              // m, how far the wheel has pushed its target away from the eye
  double target[3];          // m, where that is pulled to
  int64_t awaited_drag;      // the frame of the oldest drag that no picture has answered yet; 0: none
  int64_t answers, frames_waited, frames_waited_most;  // frames from a drag to the picture that answers it
  bool probes;                                         // what is under the mouse is told
  Pick under;                                          // that; tet -1: nothing
  Hover hover;                                         // the patch that a press would grab
  double hovered_at[2];                                // the cursor when that was looked up
  double pressed_at[2], pressed_time;                  // of the last left press, for double clicks
  const char *trace_event;  // "pick", "pin" or "release", to be traced when the frame is drawn
  bool slow;                // the user has been told that steps are slow
  bool quit;
  double quit_asked_until;  // s of the clock: until then a second Esc leaves, though a recording is under way
  // the HUD
  bool shows_panel, shows_keys, browses;
  HudPanel panel;
  HudAxes axes;
  HudBrowser browser;
  FolderList files;                   // that it shows
  SimulationSettings first_settings;  // those that the scene began with
  Scene settings;                     // scratch of the panel: see view_panel.c
  char message[400];                  // shown below the first line
  double message_until;               // s of the clock
  char scene_paths[VIEW_SCENES_MAX][SCENE_PATH_LENGTH];
  char scene_names[VIEW_SCENES_MAX][64];
  int scene_count;
  char save_path[SCENE_PATH_LENGTH];  // where what is shown is saved; empty: not known yet
  char saving[SCENE_PATH_LENGTH];     // where it was last sent to be
  int saved, refusals, resets;        // counts of SimStatus that the user has seen
  bool picture_asked;
  RecentFiles recent;
  bool recent_fails;  // to be kept
  History history;
  // the timeline
  bool backwards;     // it is played backwards
  double back_since;  // s of the clock, when it was last sent back,
  int64_t back_to;    // and where to
  // the recording
  FrameWriter writer;
  PathLock record_lock;
  bool recording;
  int recording_number;  // by which the simulation knows it
  int frames_recorded, recordings;
  char record_folder[SCENE_PATH_LENGTH];
  char record_message[SCENE_PATH_LENGTH + 128];
} View;

// view.c

/// Sends a command to the simulation; false, with a notice, where its mailbox is full.
bool view_post(View *view, const Command *command);

/// Shows a message for a few seconds.
void view_say(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// What the renderer is to draw now.
Picture view_picture(const View *view);

// view_scene.c

/// Begins to build a scene, or what a replay's log (not empty) holds, as view->next.
bool view_begin(View *view, const Scene *scene, const char *replay, Error *error);

/// The same for a file that the user opens. Where that fails a message says so, and what is shown stays.
void view_open(View *view, const char *path);

/// Shows view->next once it is ready. *failed: it cannot be built, and nothing else is shown.
bool view_update_next(View *view, bool *failed, Error *error);

/// Draws another form of the body from now on.
bool view_show_form(View *view, Form *form, Error *error);

/// Ends the simulation that is shown, and all that belongs to it.
bool view_stop_sim(View *view, Error *error);

// view_history.c

/// Sends a command that changes what holds the body, or its settings, and remembers it.
void view_change(View *view, const Command *command);

/// Sends settings and speed, which can be undone. `field`: as Command.field.
void view_adjust(View *view, const SimulationSettings *settings, double speed, const char *field);

/// Remembers what has happened to the view since last time. To be called before each thing that the user does to it,
/// so that it can be undone by itself; with `goes_on`, one that may be a part of what he did a moment ago.
void view_note(View *view, bool goes_on);

/// Remembers a cut that was made at a position of the timeline. What was done to pins and pulls before was of other
/// nodes, and is forgotten.
void view_note_cut(View *view, int64_t at);

/// Forgets all, for another scene.
void view_forget(View *view);

void view_undo(View *view);
void view_redo(View *view);

// view_timeline.c

/// Puts the body where it was behind a step, paused; to the nearest one that is remembered.
void view_go(View *view, int64_t position);

/// So many steps on from there, or back: from where the body was sent a moment ago, though it may not be there yet.
void view_go_by(View *view, int64_t steps);

/// Plays backwards, or ends that.
void view_toggle_backwards(View *view);

/// While it plays backwards: goes on.
void view_go_back(View *view);

// view_files.c

/// Writes all as a scene: where --save says, over the saved scene that is shown, or as a new one, "NAME-1.json", in the
/// folder that the program was started in. A message tells what became of it.
void view_save(View *view);

/// Puts a file to the top of those opened last; the first time that this list cannot be kept, it is told.
void view_remember(View *view, const char *path);

/// To be called when SimStatus.saved has changed.
void view_saved(View *view);

/// Writes a picture without panel and words, "NAME-1.png".
bool view_take_picture(View *view, Error *error);

/// The name of what is shown, without folder and ending, goes into the window's title.
void view_show_name(View *view);

// view_browser.c

/// Shows the file browser, in the folder where it was, else in that of what is shown.
void view_browse(View *view);

/// A key while it is open.
void view_browser_key(View *view, const WindowEvent *event);

/// Does what the user did in it by the mouse.
void view_apply_browser(View *view);

// view_words.c

/// The line at the top; below it what is wrong, or the progress of view->next, or the last message.
void view_describe(const View *view, char line[512]);
void view_describe_trouble(const View *view, char warning[512]);

/// That steps take so long that the body visibly hesitates, and what would help; false where they do not.
bool view_describe_slowness(const View *view, char *text, size_t size);

/// How far the building of view->next has come, with a bar.
void view_describe_progress(const View *view, char *text, size_t size);

// view_input.c

/// Handles what the user did with mouse, keys and files since last time.
bool view_handle_events(View *view, Error *error);

/// The page of keys.
extern const char *const view_keys;

// view_panel.c

/// Fills the panel with what is in force, unless the user is changing it.
void view_fill_panel(View *view);

/// Applies what the user did in it.
void view_apply_panel(View *view);

/// Lists the scenes that the panel offers.
void view_list_scenes(View *view);

// view_probe.c

/// Tells beside the mouse what is there, where the user wants that: node, tet, displacement and stress.
bool view_probe(const View *view, HudOverlay *overlay, Error *error);

// view_recording.c

/// Begins or ends a recording, by the panel's choices. What is wrong is shown in the panel.
void view_toggle_recording(View *view);

/// Writes the frame that was drawn, if the recording waits for it.
bool view_record(View *view, Error *error);

/// Ends the recording with the frames it has.
void view_end_recording(View *view);

/// As view_end_recording, without a call of OpenGL: for a process that ends because its window is gone.
void view_finish_recording(View *view);

// view_exit.c

/// Makes sure that recording, log and state of the window end whole where the process ends by exit() within a call of
/// the window system. To be called for each simulation that is shown, after its device has been opened: exit() calls
/// handlers in the reverse order, so that the device still works in this one. SIGPIPE is ignored from then on.
void view_guard_exit(View *view);

/// Withdraws that, before the view is destroyed.
void view_unguard_exit(void);
