// Rows of the panel: each has a name and a field with which the user changes a value. Functions that draw a row return
// true if the user has changed its value. While the user searches, a row without the searched words is not drawn. help:
// text that is shown while the mouse is over the row.
#pragma once
#include "hud/panel.h"

/// Draws a button. Returns true if the user has pressed it.
bool row_button(const char *name);

/// Draws small buttons on one or more lines. NULL ends the list of names; tips has their help. Returns the index of the
/// pressed button, or -1.
int row_buttons(const char *const *names, const char *const *tips);

/// Draws a box that the user ticks.
bool row_check(const char *name, bool *value, const char *help);

/// Draws a number field that the user drags or types into. low, high: range of the number when it is dragged. format:
/// format of printf. log: dragging by a pixel multiplies the number by a factor; otherwise it adds an amount.
bool row_drag(const char *name, double *value, double low, double high, const char *format, bool log, const char *help);

/// Draws a number field that the user can only type into.
bool row_enter(const char *name, double *value, const char *format, const char *help);

/// Draws a list from which the user chooses a name. Draws nothing if the list is empty.
bool row_choose(const char *name, HudChoice *choice, const char *help);

/// Draws the row of a setting.
bool row_setting(HudSetting *setting);

/// Returns true if the user searches for words that a row does not have. Must be called before a row is drawn by
/// row_begin.
bool row_hides(const char *name, const char *help);

/// Draw the parts of a row whose field the caller draws. row_begin draws the name at the left of a line, and returns
/// the label by which Dear ImGui must identify the field, which fills the rest of the line. row_end must be called
/// after the field is drawn. It shows the help, and adds the field to the lists for tests (items.h). text: the text in
/// the field.
const char *row_begin(const char *name, const char *help);
void row_end(const char *name, const char *text, const char *help);

/// Gives the next field the keyboard focus if its row was shown because of row_want. Must be called before a field for
/// typing is drawn.
void row_focus();

/// row_want: when the row with this name is drawn, the panel scrolls to it, and a frame is drawn around it; "": no row.
/// row_is_marked: a row has such a frame. row_unmark: removes the frame.
void row_want(const char *name);
bool row_is_marked();
void row_unmark();

/// Writes a key as the name of a row, with spaces for underscores.
void row_name_of(const char *key, char name[32]);
