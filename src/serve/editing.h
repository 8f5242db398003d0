// The scene editor of the page: the page lists the entries of the scene and the keys of the selected entry, and edits
// them. live/scene_edits.c makes the edits.
#pragma once
#include "live/hold_history.h"
#include "live/scene_edits.h"
#include "scene/json.h"
#include "serve/message.h"
#include "serve/shown.h"

// An edit that can be undone: the versions of the scene before and after it, see SceneEdits.
typedef struct EditChange {
  int before, after;
} EditChange;

typedef struct Editing {
  SceneEdits edits;
  SimThread *next;                      // simulation of the edited scene, which is being built; NULL: none
  EditChange change[HOLD_CHANGES_MAX];  // [count]
  int count, now;                       // number of stored edits; number of the first ones, which are not undone
  int asked;                            // index in `change` of the edit that edits.wanted undoes or redoes
  bool has_settings;                    // edits.settings belong to the shown simulation
} Editing;

/// Must be called when the first simulation is shown.
void editing_open(Editing *editing, const SimThread *sim);

/// Stops the building of an edited scene, and frees everything.
void editing_close(Editing *editing);

/// Returns the names of the kinds of entries that the page can add, as a JSON list. The caller deletes it.
cJSON *editing_kinds(void);

/// Fails if a message of the kind MESSAGE_ADD does not have the name of a kind of entries.
bool editing_check(const Message *message, Error *error);

/// Selects an entry, or edits the scene. On failure, nothing but the selection has changed, and the page must show the
/// error.
bool editing_apply(Editing *editing, const Shown *shown, const Message *message, Error *error);

/// Undoes the last edit (step -1), or redoes the next one (step 1). If an edited scene is being built, undo only stops
/// this. Sets *done to false if there is no such edit.
bool editing_revert(Editing *editing, const Shown *shown, int step, bool *done, Error *error);

/// Returns true if the edited scene is built, so that editing->next can be shown; the caller then calls editing_shown.
/// Must be called repeatedly. If the scene cannot be built or cannot continue the motion, the page must show the error.
bool editing_ready(Editing *editing, const Shown *shown, Error *error);

/// Must be called when editing->next is shown. Writes a message about the edit for the user.
void editing_shown(Editing *editing, const SimThread *sim, char *words, size_t size);

/// Returns a message about an edit without the path of the scene at its beginning.
const char *editing_words(const Editing *editing, const char *message);

/// If entries, keys or the refused value have changed since the last call, returns them as the JSON object
/// {"scene": ...}; otherwise NULL. The caller deletes it.
cJSON *editing_list(Editing *editing, const Shown *shown, Error *error);
