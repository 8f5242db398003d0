// Tools of the window: effects of the left mouse button. The toolbar, the palette and the page of keys read one table,
// so a new tool is one row.
#pragma once
#include "window/view.h"

struct Tool {
  const char *name, *label;       // name in the palette, the toolbar and the page of keys; name with a capital letter
  const char *help;               // one sentence, for the tooltip and the palette
  const char *hint;               // line at the bottom of the window while the tool is chosen
  const char *icon;               // see HudButton.icon
  int key;                        // code KEY_..., which chooses the tool
  const char *key_text;           // name of this key, as the window shows it to users
  const char *shortcut;           // mouse action that uses the tool without choosing it; NULL: none
  bool with_shift, with_control;  // a press while Shift or Ctrl is held down uses this tool, whichever is chosen
  WindowCursor cursor;            // mouse cursor where the tool can be used
  bool lights_patch;              // the patch under the mouse, on which the tool acts, is lit
  bool anywhere;                  // a press on the background uses the tool too; otherwise it turns the view
  // Returns the reason why the tool cannot be used in this scene; NULL: it can be. The member may be NULL.
  const char *(*obstacle)(const View *view);
  // press: called when the left button is pressed at the point `pick` of the body or, if `anywhere`, on the background,
  // with -1 as pick->triangle. move: called in each frame until the button is released. release: called at the release.
  // move and release may be NULL.
  void (*press)(View *view, const Pick *pick);
  void (*move)(View *view);
  void (*release)(View *view);
};

/// All tools, the default one first. The list ends with a tool whose name is NULL.
extern const Tool view_tools[];

/// Makes the left button use this tool from now on. If the tool cannot be used in this scene, shows the reason.
void view_choose_tool(View *view, const Tool *tool);

/// Returns the tool that a key chooses; NULL: none.
const Tool *view_tool_of_key(const WindowEvent *event);

/// Returns the tool that a press of the left button uses: the tool of Shift or Ctrl if this key is held down and the
/// tool can be used in this scene; otherwise the chosen tool.
const Tool *view_tool_of_press(const View *view, bool shift, bool control);

/// view_press_tool begins to use a tool when the button is pressed, view_move_tool continues in each frame, and
/// view_release_tool ends the use.
void view_press_tool(View *view, const Tool *tool, const Pick *pick);
void view_move_tool(View *view);
void view_release_tool(View *view);

/// Shows the cursor of the tool if the tool can be used at the point under the mouse.
void view_show_cursor(View *view);

// ---- functions of view_curves.c

/// Places a probe on the node nearest to a picked point.
void view_add_probe(View *view, const Pick *pick);

/// Adds the curve of the mean displacement of a patch: the part of the surface within view->radius of a picked point.
void view_add_patch(View *view, const Pick *pick);

/// Adds a body, the floor or an obstacle at the mouse to a pair. After the second one, adds the curve of their contact
/// force. pick->triangle is -1 if the mouse is not on a body.
void view_add_pair(View *view, const Pick *pick);

/// Adds the curve of an observable, such as "kinetic". For "position:17" places a probe on node 17.
bool view_open_curve(View *view, const char *name, Error *error);

/// Adds the curves that the scene's key "curves" names. A message names those that cannot be added.
void view_open_curves(View *view);

/// Lists the curves in the panel, and shows why a curve was removed.
void view_fill_curves(View *view);

/// Applies the user's actions in the panel's list of curves.
void view_apply_curves(View *view);

// The curves of a simulation that an edited scene replaces. node_count: number of nodes of its body; listed: the names
// that curves_list_names has stored.
typedef struct KeptProbes {
  int count, node_count;
  char listed[SCENE_CURVES];
  Curve curve[CURVES_MAX];  // [count]
} KeptProbes;

/// view_keep_probes: copies the curves of the present simulation. view_place_probes: places them in the simulation of
/// the edited scene, on the nodes with the same undeformed positions. If no node has this position, but the number of
/// nodes is the same, a body was moved, and the probe gets the node with the same number. Other probes are removed, and
/// a message says so. The curves of all other observables remain. All curves begin again.
void view_keep_probes(View *view, KeptProbes *kept);
void view_place_probes(View *view, const KeptProbes *kept);

/// Adds a mark and a label for each probe. Calls view_fill_curves.
bool view_draw_probes(View *view, HudOverlay *overlay, Error *error);

// ---- functions of view_measure.c

/// Adds a picked point as an end of the measured line. After the second end, the next point begins another line.
void view_measure(View *view, const Pick *pick);

/// Removes the measured line.
void view_remove_measure(View *view);

/// Draws the measured line with its length.
bool view_draw_measure(View *view, HudOverlay *overlay, Error *error);

// ---- functions of view_toolbar.c

/// Returns the icon of an action's button in the toolbar (HudButton.icon); empty: it has none.
const char *view_icon_of(const Action *action);

/// Fills the toolbar with buttons for actions and tools.
void view_fill_toolbar(View *view);

/// Applies the user's click in the toolbar.
void view_apply_toolbar(View *view);

/// Writes the line at the bottom of the window: the hint of the chosen tool, and other uses of mouse and keys.
void view_describe_tool(const View *view, char line[512]);
