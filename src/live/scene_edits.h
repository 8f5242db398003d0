// Edits of the scene of a running simulation, for the scene editors of the window and of the page of `pliant serve`. An
// edit changes the JSON document of the scene (scene_edit.h), and builds the simulation of the changed scene. It then
// replaces the shown simulation, paused in its initial state. So an edited scene is exactly the scene that its saved
// file would give. If the body has moved, and the edit changes neither meshes nor the initial state, the edited scene
// continues the motion instead. Undo builds the scene before the edit.
//
// The caller owns the simulations. It shows the new one when it is ready, and then calls scene_edits_begin and
// scene_edits_shown.
#pragma once
#include "live/sim_thread.h"
#include "scene/scene_edit.h"
#include "scene/scene_transform.h"

// State of the editor. A version is the JSON text of an edited scene.
typedef struct SceneEdits {
  Scene base;                   // scene with which the shown simulation began
  SimulationSettings settings;  // settings of the shown simulation at its start
  char **version;               // [version_count], all versions since a file was opened
  int64_t version_count, version_capacity;
  int shown;   // number of the shown version; -1: the scene was not edited since the file was opened
  int wanted;  // number of the version whose simulation is being built; -1: none
  // version of the shown scene, with the settings that the user has changed, before the edits that `wanted` contains;
  // version after the first of these edits
  int from, first;
  int step;        // -1: `wanted` undoes an edit; 1: it redoes one; 0: it is a new edit
  bool continues;  // the scene `wanted` continues the motion of the shown one
  bool paused;     // the simulation was paused when the edit that `wanted` contains was made
  int selected, entry_count, field_count;
  SceneEntry entry[SCENE_ENTRIES_MAX];  // [entry_count], entries of the scene
  SceneField field[SCENE_FIELDS_MAX];   // [field_count], keys of the selected entry
  bool stale;                           // entries and fields must be listed again (scene_edits_list)
  char changed[40];                     // key that the user changed last; empty: the last edit was of another kind
  char refused[40], reason[400];        // key for which the last typed value was refused, and the reason; empty: none
  char deleted[80];                     // message about the entries that were deleted with a body; empty: none
} SceneEdits;

// The simulation that is shown and its newest status, and the simulation that is being built to replace it.
typedef struct EditedSim {
  SimThread *sim;
  const SimStatus *now;
  SimThread **next;  // *next NULL: none is being built
} EditedSim;

typedef enum SceneEditKind {
  EDIT_ADD,           // added: adds an entry of this kind, an index in scene_edit_kinds
  EDIT_ADD_MESH,      // text: adds a body with the mesh of this file
  EDIT_ADD_OBSTACLE,  // text: adds an obstacle with the surface of this file
  EDIT_COPY,          // adds a copy of the selected entry
  EDIT_REMOVE,        // deletes the selected entry
  EDIT_SET,           // key, text: changes a key of the selected entry
  EDIT_TRANSFORM,     // transform: moves, turns or scales the selected entry
} SceneEditKind;

// An edit by the user. The comments on its kinds name the members that they use.
typedef struct SceneEdit {
  SceneEditKind kind;
  int added;
  const char *key, *text;
  Transform transform;
} SceneEdit;

/// Must be called when another simulation is shown, before its first positions are shown.
void scene_edits_begin(SceneEdits *edits, const SimThread *sim);

/// Drops all versions, because another file is opened. scene_edits_destroy also frees their list.
void scene_edits_clear(SceneEdits *edits);
void scene_edits_destroy(SceneEdits *edits);

/// Returns the JSON document that the next edit changes. It describes the scene that is being built for an edit, if
/// there is one; otherwise the shown scene, with the settings that the user has changed. The caller deletes it.
cJSON *scene_edits_document(const SceneEdits *edits, const SimStatus *now, Error *error);

/// Computes the bounding boxes of the bodies of the shown scene at rest.
void scene_edits_space(const SceneEdits *edits, const SimThread *sim, SceneSpace *space);

/// Lists the entries of a document, and the keys of the selected one. The same entry stays selected.
void scene_edits_list(SceneEdits *edits, const cJSON *document);

/// Selects an entry. Returns false if it is not listed.
bool scene_edits_select(SceneEdits *edits, const char *list, int index);

/// Returns the reason why the scene cannot be edited now; NULL: it can be. If `built` is true, the shown scene must
/// have all earlier edits.
const char *scene_edits_obstruction(const SceneEdits *edits, const EditedSim *shown, bool built);

/// Applies an edit, and begins to build the edited scene as *shown->next. A new entry becomes the selected one. On
/// failure the scene stays as it is, and the refused key is marked (scene_edits_refuse).
bool scene_edits_make(SceneEdits *edits, const EditedSim *shown, const SceneEdit *edit, Error *error);

/// Begins to build a version, to undo (step -1) or redo (step 1) an edit. Fails as scene_edits_make.
bool scene_edits_return(SceneEdits *edits, const EditedSim *shown, int version, int step, Error *error);

/// Stores the reason why an edit is not possible. If the edit was a change of a key, marks the key as refused.
void scene_edits_refuse(SceneEdits *edits, const char *reason);

/// Stops the building of *shown->next, and continues the shown simulation.
void scene_edits_drop(const SceneEdits *edits, const EditedSim *shown);

/// Must be called when *shown->next is ready, until it is shown. If it is an edited scene that continues the motion of
/// the shown one, hands this motion over. Returns HAND_OVER_DONE if *shown->next can be shown, and HAND_OVER_NONE while
/// it cannot. Returns HAND_OVER_REFUSED with an error if the motion cannot continue; *shown->next is then dropped.
HandOverStage scene_edits_hand_over(SceneEdits *edits, const EditedSim *shown, Error *error);

/// Must be called when the edited scene is shown. Writes a message about the edit for the user.
void scene_edits_shown(SceneEdits *edits, char *text, size_t size);
