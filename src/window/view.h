// The state of the window's thread, and functions that the files of src/window share, in sections by file. run_window.c
// has the main loop.
#pragma once
#include "base/path_lock.h"
#include "hud/hud.h"
#include "hud/overlay.h"
#include "live/scene_edits.h"
#include "record/frame_writer.h"
#include "render/picker.h"
#include "render/render_target.h"
#include "render/window.h"
#include "window/fill_thread.h"
#include "window/folder_list.h"
#include "window/handles.h"
#include "window/look.h"
#include "window/measure.h"
#include "window/message_list.h"
#include "window/palette.h"
#include "window/recent_files.h"
#include "window/run_window.h"
#include "window/trace.h"

typedef enum MouseMode { MOUSE_FREE, MOUSE_ORBIT, MOUSE_PAN, MOUSE_PULL, MOUSE_CUT, MOUSE_HANDLE } MouseMode;

enum { VIEW_SCENES_MAX = HUD_NAMES_MAX };  // max number of example scenes that the panel lists

// Changes by the user that can be undone and redone.
typedef enum ChangeKind {
  CHANGE_HOLD,      // pins and pulls, whose history is in the simulation's thread (live/hold_history.h)
  CHANGE_SETTINGS,  // before, after: commands that set the old and the new settings
  CHANGE_VIEW,      // before, after: commands with the old and the new camera and style
  CHANGE_CUT,       // before.to: position of the cut on the timeline of stored steps
  CHANGE_SCENE,     // before.to, after.to: versions of the edited scene (SceneEdits.version)
  CHANGE_PROBE,     // a curve was added, such as that of a probe; before.path, after.path: name of its observable
  CHANGE_NO_PROBE,  // as CHANGE_PROBE, but the curve was deleted
} ChangeKind;

typedef struct Change {
  ChangeKind kind;
  Command before, after;
} Change;

typedef struct View View;

// An action of the user that has a key, a button or an entry in the command palette.
typedef struct Action {
  const char *name, *help;  // texts of the action in the command palette
  void (*run)(View *view);  // NULL: the key turns the camera (live/camera_input.h)
  int key;                  // with `control` a letter, otherwise a code KEY_...; 0: no key
  const char *key_text;     // key or mouse action as users read it; NULL: none
  bool control, shift;      // keys that must be held down
  bool joins;               // the page of keys lists the action on the line of the previous one
} Action;

typedef struct History {
  Change change[HOLD_CHANGES_MAX];  // [count]; the simulation's history of pins and pulls has the same limit
  int count, now;                   // number of stored changes; number of the first ones, which are not undone
  Camera camera;                    // camera and style at the last call of view_note
  Style style;
  double changed_at;  // s, clock time of the last change by a slider or the wheel
} History;

// An entry of the scene under the mouse, and its distance from the eye, m (view_select.c).
typedef struct EntryHit {
  const char *list;  // as SceneEntry.list
  int index;
  double distance;
} EntryHit;

// The scene editor: the edits, and what the window adds to them.
typedef struct Editor {
  SceneEdits edits;  // its entries are in the order of the tab Scene
  int asked;         // version that undo or redo asks view_open_asked to open; -1: none
  int asked_step;    // -1: `asked` undoes an edit; 1: it redoes one
  Handles handles;   // handles that move, turn or scale the selected entry
  // bit k is set if body k is not drawn, and if obstacle k is not drawn
  uint32_t hidden, hidden_obstacles;
  int lit;                 // selected body, which the picture shows in another colour; -1: none
  uint32_t lit_obstacles;  // bit k is set if obstacle k is selected, and shown in another colour
  SceneEntry marked;       // entry whose nodes are marked in the picture; list NULL: none
  // hit [hit_count]: entries under the mouse when the left button was pressed, nearest first. hit_at: pixel of the
  // press. clicked_at: pixel of the last click that selected an entry. again: the press was at the same point as this
  // click
  EntryHit hit[SCENE_ENTRIES_MAX];
  int hit_count;
  double hit_at[2], clicked_at[2];
  bool again;
  bool of_saved;  // the opened file was a saved scene, so that Ctrl+S overwrites it
} Editor;

// The start page. `chosen` is the file that the user has chosen on it and that is not opened yet; empty: none.
typedef struct Start {
  bool shown, loaded;                // loaded: the pictures of the examples were read
  HudStart page;                     // [page.tile_count] examples
  char examples[SCENE_PATH_LENGTH];  // folder of the examples, whose files are no recent files of the page; empty: none
  char chosen[SCENE_PATH_LENGTH];
  bool paused;  // `chosen` is opened paused
} Start;

// State of the window's thread. Pixels are counted from the upper left corner of the picture.
struct View {
  const WindowOptions *options;
  SimThread *sim;        // simulation that is shown; NULL: none yet
  SimThread *next;       // simulation that is being built to replace it; NULL: none
  const char *building;  // last progress text of `next` that was written to the trace
  double next_since;     // s, clock time at which building `next` began
  int opened;            // number of simulations that have been shown
  Window *window;
  bool has_hud, software;  // the HUD (texts and panels over the picture) was created; OpenGL draws on the CPU
  RenderTarget picture;
  Programs programs;
  SurfaceRenderer renderer;
  Picker picker;
  Camera camera, first_camera;
  SceneViews views;  // views that the user has stored
  Style style;
  Stream stream;     // stream that reads sim->positions on the drawing device
  SimStatus status;  // status that belongs to the drawn positions
  Form *form;        // mesh and surface of the drawn positions; the View holds a reference; NULL: none
  int cuts;          // SimStatus.cuts at the last view_note_cut
  Trace trace;
  int width, height;                // pixels, size of the picture, which fills the window above docked plots
  int64_t frame;                    // number of frames drawn
  bool has_positions;               // `sim` has published positions
  bool changed;                     // something that the picture shows has changed since the picture was drawn
  double draw_until, shown_at;      // s, clock times: end of continuous drawing, and last picture
  double frames_per_s, rate_begin;  // measured rate of frames; s, clock time at which its present measurement began
  int64_t rate_frame;               // value of `frame` at the time rate_begin
  double started_at;                // s, clock time at which the program began
  // sent_camera, sent_style: last values that were sent to the simulation's thread. pin_version, view_version: values
  // of these members in the SimStatus that was last read
  Camera sent_camera;
  Style sent_style;
  int pin_version, view_version;
  uint8_t *pinned;  // [node_count], marks of nodes, such as pinned axes, see sim_thread_pins
  // the mouse, and the springs by which it pulls a patch of the body, or the ball by which it pushes the body
  MouseMode mode;
  int button;                // mouse button that began `mode`
  double cursor[2];          // pixels, position of the mouse
  double radius, stiffness;  // m, radius of the pulled patch; N/m, stiffness of its springs (0: automatic)
  double chosen_radius;      // m, radius that the user has chosen in the panel; 0: none
  bool pushes;               // the mouse pushes with a ball; pick.point is the centre of the ball at the press
  Pick pick;                 // point of the body that the mouse pulls
  double cut_from[2];        // pixels, start of the line of a cut
  const Tool *tool, *held;   // chosen tool; tool that the pressed left button uses, NULL: none
  Measure measure;           // line of the tool "measure"
  // The tool "pair": true: the user has clicked the first part of a pair, with this number (BodyContact.body).
  bool has_first;
  int first_part;
  // For each curve of a ball-shaped patch: the node nearest to its centre. id: number of the curve, plus 1. form: mesh
  // to which the node belongs.
  struct {
    int id, node;
    const Form *form;
  } patch_node[CURVES_MAX];
  int shown_cursor;      // WindowCursor that was set last; -1: the HUD chooses the cursor
  double depth;          // m, distance along the view direction by which the wheel has moved the target
  double target[3];      // m, position to which the picked point is pulled
  int64_t awaited_drag;  // frame of the oldest drag that no picture shows yet; 0: none
  // Measured delays from a mouse motion to the first picture that shows its effect: their number, and their sum and
  // maximum in frames.
  int64_t answers, frames_waited, frames_waited_max;
  bool probes;                         // the picture shows values at the point under the mouse (key I)
  Pick under;                          // point of the body under the mouse; tet -1: none
  Hover hover;                         // patch that the mouse would pull
  double hovered_at[2];                // pixels, position of the mouse for which `under` was found
  double pressed_at[2], pressed_time;  // pixels, and s: last press of the left button, for double clicks
  // event that the next frame writes to the file `trace`: "pick", "pin" or "release"; NULL: none
  const char *trace_event;
  bool slow;  // a warning about slow time steps is shown
  bool quit;
  double quit_asked_until;  // s, clock time until which a second Esc quits during a recording
  // panels, lists and texts that are drawn over the picture
  bool shows_panel, shows_keys, shows_palette, shows_messages, browses;
  bool hints;  // hints for new users are shown
  // The present hint. hint_begun: it was shown. hint_paused, hint_tool: values of status.paused and `tool` then.
  HudHint hint;
  bool hint_begun, hint_paused;
  const Tool *hint_tool;
  Look look;        // text size, colours and width of these
  bool look_fails;  // storing the look has failed, and a message about this was shown
  Palette palette;
  HudPanel panel;
  HudDock dock;  // plots at the bottom of the window; its `pixels` are 0 if the plots are in the panel
  HudToolbar toolbar;
  HudAxes axes;
  HudLegend legend;
  HudBrowser browser;
  Start start;
  FolderList files;                   // folder that the browser shows
  SimulationSettings first_settings;  // settings at the start of the scene
  Scene settings;                     // scene with the present settings, on which view_panel.c works
  MessageList messages;
  HudMessageList message_list;  // window that lists `messages`
  int64_t listed;               // value of messages.added when the window was last drawn
  char scene_paths[VIEW_SCENES_MAX][SCENE_PATH_LENGTH];
  char scene_names[VIEW_SCENES_MAX][64];
  int scene_count;
  char save_path[SCENE_PATH_LENGTH];  // file of the last save; empty: none
  char saving[SCENE_PATH_LENGTH];     // file of the last requested save
  int saved, refusals, resets;        // values of these members of SimStatus when they were last read
  bool picture_asked;
  RecentFiles recent;
  bool recent_fails;  // writing `recent` has failed, and a message about this was shown
  History history;
  Editor editor;
  void (*opens)(View *view, const char *path);   // called for the file that the user chooses in the file browser
  FillThread fill;                               // fills a surface with tets
  void (*filled)(View *view, const char *mesh);  // called for the mesh file that `fill` has written
  bool turns;                                    // the camera turns around the body
  double turned_at;                              // s, clock time at which the camera was turned last
  // backward playback of stored earlier steps
  bool backwards;     // backward playback is on
  double back_since;  // s, clock time of the last move on the timeline
  int64_t back_to;    // position to which the last move on the timeline went
  // the recording that the user has started in the window
  FrameWriter writer;
  PathLock record_lock;
  bool recording;
  // Number of frames in which the camera turns once around the body; 0: it does not turn. still: the simulation was
  // paused at the start of the recording, so frames are not at times of the simulation.
  int turn_frames;
  bool still;
  int recording_number;  // number of the recording, from sim_thread_record
  int frames_recorded, recordings;
  char record_folder[SCENE_PATH_LENGTH];
  char record_message[SCENE_PATH_LENGTH + 128];
};

// ---- functions of view.c

/// Sends a command to the simulation's thread. Returns false, with a notice, if its mailbox is full.
bool view_post(View *view, const Command *command);

/// Show a message for some seconds. view_warn: the user's action has no effect, or not the expected one. view_fail: an
/// error.
void view_say(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_warn(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));
void view_fail(View *view, const char *format, ...) __attribute__((format(printf, 2, 3)));

/// Marks a field of the panel because its value was refused, and shows the reason as a message. key: key of the field's
/// option, or name of its row.
void view_refuse(View *view, const char *key, const char *reason);

/// Opens the list of all messages, or closes it.
void view_toggle_messages(View *view);

/// Deletes all messages.
void view_clear_messages(View *view);

/// view_fill_messages: copies the messages to their list. view_apply_messages: applies the user's clicks in the list.
void view_fill_messages(View *view);
void view_apply_messages(View *view);

/// Returns true if the tab Scene is open. Otherwise shows a message.
bool view_edits(View *view);

/// Returns the arguments of the renderer for the present picture, such as camera, style and springs.
Picture view_picture(const View *view);

/// Returns true if two pixels count as one point for the mouse, because they are near each other.
bool view_is_same_point(const View *view, const double a[2], const double b[2]);

// ---- functions of view_scene.c

/// Begins to build the simulation of a scene as view->next, which is paused at its start if `paused`. replay: input log
/// that it replays; empty: none.
bool view_begin(View *view, const Scene *scene, bool paused, const char *replay, Error *error);

/// Begins to build the scene or mesh of a file. First fills a closed surface with tets. On an error shows a message,
/// and the present scene stays open.
/// view_open_paused: the simulation is paused at its start.
void view_open(View *view, const char *path);
void view_open_paused(View *view, const char *path);

/// Shows view->next once it is built. If it cannot be built and another simulation is shown, shows a message. If no
/// other one is shown, sets *failed to true and returns false with the error.
bool view_update_next(View *view, bool *failed, Error *error);

/// Makes the renderer draw the mesh and the surface of `form`, for example after a cut. Adds a reference to the form.
bool view_show_form(View *view, Form *form, Error *error);

/// Ends the simulation that is shown. Frees its renderer, mesh and stream.
bool view_stop_sim(View *view, Error *error);

// ---- functions of view_history.c

/// Sends a command that changes pins, pulls or settings, and stores it for undo.
void view_change(View *view, const Command *command);

/// Sends settings and speed as one change for undo. field: label of the changed number in the panel, for messages.
void view_adjust(View *view, const SimulationSettings *settings, double speed, const char *field);

/// Must be called before each action that changes camera or style. Stores the changes of camera and style since the
/// last stored entry as one entry for undo. goes_on: true for actions that may follow each other quickly, such as turns
/// of the wheel; if the last one was less than 0.7 s ago, nothing is stored yet, so that all of them become one entry.
void view_note(View *view, bool goes_on);

/// Stores a cut for undo. `at`: its position on the timeline of stored steps. Drops earlier changes of pins and pulls,
/// because the cut has given their nodes new numbers.
void view_note_cut(View *view, int64_t at);

/// Stores for undo that the curve of an observable with this name was added (`placed`), or deleted.
void view_note_curve(View *view, const char *name, bool placed);

/// Must be called when the window shows the scene SceneEdits.wanted. Stores for undo the edits that led to this scene;
/// if undo or redo has built the scene, marks the edit as undone or redone. Drops the changes of pins, pulls, settings
/// and cuts, because they belong to the previous simulation.
void view_note_edits(View *view);

/// Drops all stored changes, because another scene is opened.
void view_forget(View *view);

void view_undo(View *view);
void view_redo(View *view);

// ---- functions of view_edit.c

/// Opens a new scene, a floor with one box, paused.
void view_new_scene(View *view);

/// Lists the scene's entries and the keys of the selected one in the panel, if they have changed.
void view_fill_editor(View *view);

/// Applies the user's actions in the tab Scene of the panel.
void view_apply_editor(View *view);

/// Copies or deletes the selected entry of the tab Scene, which must be open.
void view_duplicate_entry(View *view);
void view_delete_entry(View *view);

/// Lets the user type a name for the selected entry of the tab Scene, which must be open.
void view_rename_entry(View *view);

/// Adds a body with the mesh of a file to the scene. A closed surface is first filled with tets.
void view_add_mesh(View *view, const char *path);

/// Adds an obstacle with the surface of a file to the scene.
void view_add_obstacle(View *view, const char *path);

/// Selects an entry in the tab Scene, if the scene has it.
void view_select_entry(View *view, const char *list, int index);

/// Moves, turns or scales the selected entry of the tab Scene.
void view_transform_selected(View *view, const Transform *transform);

/// Moves the selected entry of the tab Scene, which must be open, up or down onto the floor. Without a floor, moves its
/// lowest point to z = 0.
void view_place_on_floor(View *view);

/// Opens the version that undo or redo asks for (Editor.asked), if any; must be called in each frame.
void view_open_asked(View *view);

// ---- functions of view_select.c

/// Must be called when the left button is pressed. While the tab Scene is open, lists the entries under the mouse.
/// pick: point of the body there.
bool view_list_hits(View *view, const Pick *pick, const double pixel[2], Error *error);

/// Must be called when the left button is released. If the mouse has not moved since the press, selects the entry that
/// is nearest to the eye. Another click at the same point selects the next one.
void view_select_hit(View *view, const double pixel[2]);

/// Shows the selected body or obstacle in another colour, or marks the nodes of the selected entry, while the tab Scene
/// is open.
bool view_light_selection(View *view, Error *error);

// ---- functions of view_handles.c

/// Draws the handles at the selected body or obstacle of the tab Scene, by which the mouse moves, turns or scales it.
void view_draw_handles(const View *view, HudOverlay *overlay);

/// Returns true if the handles of the selected entry are not shown because the entry may have moved since the start.
/// Then the user can go to the start. A replay cannot be edited, so the function returns false for it.
bool view_handles_away(const View *view);

/// Shows the next kind of handles that the selected entry has, in the order move, turn, scale.
void view_next_handles(View *view);

/// If there is a handle under the pixel, begins to change the selected entry and returns true. snaps: the change is
/// rounded, see Handles.
bool view_grab_handle(View *view, const double pixel[2], bool snaps);

/// Moves the held handle, if any, to a pixel.
void view_drag_handle(View *view, const double pixel[2]);

/// Switches rounding of the change on or off during a drag.
void view_snap_handle(View *view, bool snaps);

/// Releases the held handle, if any, and changes the selected entry.
void view_drop_handle(View *view);

// ---- functions of view_bookmarks.c

/// Stores the present camera as view number `index`, from 0 to SCENE_VIEWS_MAX - 1. Shows a message.
void view_store(View *view, int index);

/// Lists the stored views in the panel, and applies the user's actions in this list.
void view_fill_views(View *view);
void view_apply_views(View *view);

/// Moves the camera to the stored view number `index`. Shows a message if there is none.
void view_recall(View *view, int index);

// ---- functions of view_hide.c

/// Returns true if the entry of the tab Scene can be hidden: it is a body or an obstacle. *hidden: it is hidden.
bool view_hides_entry(const View *view, int entry, bool *hidden);

/// Hides an entry of the tab Scene in the picture, or shows it again. Hidden bodies cannot be picked.
void view_toggle_hidden(View *view, int entry);

/// As view_toggle_hidden, for the selected entry. The tab Scene must be open.
void view_hide_selected(View *view);

/// Shows all hidden bodies and obstacles again.
void view_show_hidden(View *view);

/// Must be called when an edited scene is shown. body_count, obstacle_count: numbers of bodies and obstacles before the
/// edit. If the edit may have renumbered bodies, shows all hidden bodies again; likewise for obstacles.
void view_keep_hidden(View *view, int body_count, int obstacle_count);

// ---- functions of view_versions.c

/// Returns the simulations that an edit works on: the shown one, and the one that is being built.
EditedSim view_edited_sim(View *view);

/// Shows the reason why an edit is not possible. If the edit was a change of a key, marks the key as refused.
void view_refuse_edit(View *view, const char *reason);

/// Stops the building of view->next, and continues the shown simulation.
void view_drop_next(View *view);

/// Must be called when view->next is ready, in each frame. If it is an edited scene that continues the motion of the
/// shown one, hands this motion over. Returns true if view->next can be shown.
bool view_hand_over(View *view);

/// Cancels the edit whose scene is being built. Returns false if there is none.
bool view_cancel_edit(View *view);

/// Must be called when the edited scene is shown. Shows a message about the edit, and makes the panel list the scene's
/// entries again.
void view_edit_shown(View *view);

/// Must be called when a scene cannot be built. If the scene is the result of an edit, shows the reason and returns
/// true.
bool view_edit_failed(View *view, const char *message);

/// Drops all versions, because another file is opened. view_destroy_editor also frees their list.
void view_forget_edits(View *view);
void view_destroy_editor(View *view);

// ---- functions of view_timeline.c

/// Moves to a position of the timeline, which counts the stored time steps of the simulation, or to the nearest stored
/// position. The simulation then pauses.
void view_go(View *view, int64_t position);

/// Moves along the timeline by this number of time steps, back if the number is negative. If the last move was less
/// than 1 s ago, counts from the target of that move, even if the simulation has not reached it yet.
void view_go_by(View *view, int64_t steps);

/// Starts or stops backward playback.
void view_toggle_backwards(View *view);

/// Continues backward playback, if it is on; must be called in each frame.
void view_go_back(View *view);

// ---- functions of view_files.c

/// Requests a save of the present state as a scene. The file is the file of the last save; if there was none, the file
/// of the option --save; without this option, the file of the shown scene, if the program has written this file.
/// Otherwise, the file is a new one, "NAME-1.json" in the working folder.
void view_save(View *view);

/// Moves a file to the top of the list of recent files. If the list cannot be written, shows a message, but only once.
void view_remember(View *view, const char *path);

/// Shows a message about a completed save; must be called when SimStatus.saved has changed.
void view_saved(View *view);

/// Writes the path of a file that does not exist yet: the first unused name of "NAME-1.png", "NAME-2.png" and so on,
/// for the ending ".png". NAME is the name of the scene. If all names are used, shows a message and returns false.
bool view_free_name(View *view, const char *ending, char path[SCENE_PATH_LENGTH]);

/// Writes a picture, without panel and texts, to a new file "NAME-1.png".
bool view_take_picture(View *view, Error *error);

/// Sets the window's title to the name of the shown file, without folder and ending.
void view_show_name(View *view);

// ---- functions of view_fill.c

/// Fills a surface with tets in the background, and then calls `then` for the new mesh file. Shows errors as messages.
void view_fill_surface(View *view, const char *surface, void (*then)(View *view, const char *mesh));

/// Writes the name of the surface that is being filled, and the time.
void view_describe_fill(const View *view, char *text, size_t size);

/// Uses the mesh of a surface that was filled; must be called in each frame.
void view_update_fill(View *view);

// ---- functions of view_browser.c

/// Opens the file browser in the folder that the browser has last shown; at the first call, in the scene's folder.
void view_browse(View *view);

/// Handles a key while the file browser is open.
void view_browser_key(View *view, const WindowEvent *event);

/// Applies the user's clicks in the file browser.
void view_apply_browser(View *view);

// ---- functions of view_start.c

/// Opens the start page.
void view_open_start(View *view);

/// Copies the examples and the recent files to the start page. Reads the pictures of the examples at the first call.
void view_fill_start(View *view);

/// Applies the user's clicks in the start page.
void view_apply_start(View *view);

/// Opens the file that was chosen on the start page, if any, when no other file is being opened; must be called in each
/// frame.
void view_open_chosen(View *view);

/// Frees the pictures of the start page.
void view_destroy_start(View *view);

// ---- functions of view_words.c

/// Writes the line of text at the top of the window.
void view_describe(const View *view, char line[512]);

/// Writes the lines after the first one: warnings, the progress of view->next, and the last messages.
void view_list_notices(const View *view, HudNotices *notices);

/// Writes a warning with advice if a time step takes 0.25 s or more; otherwise returns false.
bool view_describe_slowness(const View *view, char *text, size_t size);

/// Writes the progress of building view->next, with a bar.
void view_describe_progress(const View *view, char *text, size_t size);

// ---- functions of view_input.c

/// Handles the events of mouse, keys and dropped files since the last call.
bool view_handle_events(View *view, Error *error);

// ---- functions of view_actions.c

/// All actions. The list ends with an action whose name is NULL.
extern const Action view_actions[];

/// Returns the action of a pressed key; NULL: none.
const Action *view_action_of(const WindowEvent *event);

/// Runs an action.
void view_act(View *view, const Action *action);

/// Opens the command palette with all commands and settings.
void view_open_palette(View *view);

/// Ends the mouse's present action, such as a pull. how: COMMAND_KEEP leaves a pull in place, COMMAND_RELEASE removes
/// it.
void view_let_go(View *view, CommandKind how);

/// Handles the key Esc. Does the first of these that is possible: cancels a cut or a motion of a body; closes the
/// topmost list or page, such as the start page; ends the search in the panel; chooses the tool grab; closes the panel;
/// quits.
void view_escape(View *view);

/// Quits. During a recording, the first call only shows a message.
void view_leave(View *view);

/// Moves the camera so that it shows the whole body as it is now.
bool view_show_all(View *view, Error *error);

// ---- functions of view_keys.c

/// Returns the text of the page of keys (F1).
const char *view_keys(void);

// ---- functions of view_look.c

/// Shows the window with the stored look and that of the options. If the stored one cannot be read, shows a message.
void view_begin_look(View *view);

/// Shows and stores a look that the user has chosen.
void view_choose_look(View *view, const Look *now);

/// Change the text size by a step, or back to normal. Show a message.
void view_larger_text(View *view);
void view_smaller_text(View *view);
void view_normal_text(View *view);

/// Switches between the dark and the light theme.
void view_switch_theme(View *view);

/// Moves the panel to the other edge of the window.
void view_switch_side(View *view);

/// Divides the window into the picture and docked plots, if there are any. Must be called before each picture.
void view_divide_window(View *view);

/// Shows the plots at the bottom of the window, or in the panel again.
void view_toggle_dock(View *view);

/// Applies the user's actions in the docked plots.
void view_apply_dock(View *view);

/// Copies the look (theme, text size and width of the panel) to the panel.
void view_fill_look(View *view);

/// Applies the user's changes of the look in the panel.
void view_apply_look(View *view);

// ---- functions of view_hints.c

/// Must be called at the start: shows the hints for new users that have not ended yet, unless the options forbid it.
void view_begin_hints(View *view);

/// Shows all hints again.
void view_show_hints(View *view);

/// Fills view->hint with the present hint. Returns false if there is none, or if another widget covers it.
bool view_fill_hint(View *view);

/// Applies the user's clicks in the hint.
void view_apply_hint(View *view);

// ---- functions of view_palette.c

/// Lists the commands and settings that match the typed text, unless they are listed already.
void view_fill_palette(View *view);

/// Handles a key or a typed character while the palette is open.
void view_palette_key(View *view, const WindowEvent *event);

/// Applies the user's click in the palette.
void view_apply_palette(View *view);

/// Compares the typed words with a line of the palette. Returns -1 if a word is neither in the name nor in the help.
/// Otherwise returns the quality of the match: 0 if the name is the typed text, 1 if it begins with the text, 2 if the
/// name has all words, 3 if some words are only in the help.
int view_palette_rank(const char *typed, const char *name, const char *help);

// ---- functions of view_panel.c

/// Fills the plots of the panel.
void view_fill_plots(View *view);

/// Copies the present settings to the panel, except those that the user is changing.
void view_fill_panel(View *view);

/// Applies the user's actions in the panel.
void view_apply_panel(View *view);

/// As view_refuse, for a reason from the simulation. If it concerns a field, it begins with the label of the field.
void view_refuse_command(View *view, const char *reason);

/// Returns a scene that contains only the present settings and style. It is valid until the next call.
Scene *view_settings_in_force(View *view);

/// Returns the names of the panel's materials, and their descriptions in *tips. NULL ends each list.
const char *const *view_presets(View *view, const char *const **tips);

/// Gives the body the material number `preset` of view_presets.
void view_apply_preset(View *view, int preset);

/// Fixes the range of the colours to the range that FIELD_RANGE_FOLLOW gives for the present values of the shown field.
void view_fit_range(View *view);

/// Resets the range of the colours, which grows with the values over time, to the range of the present values.
void view_restart_range(View *view);

/// Lists the example scenes for the panel.
void view_list_scenes(View *view);

// ---- functions of view_probe.c

/// If view->probes, adds a label with node, tet, displacement and stress under the mouse.
bool view_probe(const View *view, HudOverlay *overlay, Error *error);

// ---- functions of view_recording.c

/// Begins a recording with the panel's settings, or ends the present one. The panel shows errors.
void view_toggle_recording(View *view);

/// Begins a recording in which the camera turns once around the body, or ends the present recording. If the simulation
/// is paused, records the body as it is.
void view_record_turntable(View *view);

/// Writes the present frame to the recording, if it is the next frame that the recording needs.
bool view_record(View *view, Error *error);

/// Ends the recording and completes its files.
void view_end_recording(View *view);

/// As view_end_recording, but without calls of OpenGL, for a process whose window another program has closed.
void view_finish_recording(View *view);

// ---- functions of view_turntable.c

/// Lets the camera turn around the body, or stops it.
void view_toggle_turntable(View *view);

/// Turns the camera, if it is to turn; must be called in each frame.
void view_turn(View *view);

// ---- functions of view_exit.c

/// Sets a handler for exit() that completes the files of recording, log and state, since the window system may call
/// exit(). Must be called for each simulation after its device was opened. Handlers run in reverse order of their
/// registration, so this handler then runs before the device is closed. Also ignores SIGPIPE.
void view_guard_exit(View *view);

/// Disables the exit handler; must be called before the view is destroyed.
void view_unguard_exit(void);
