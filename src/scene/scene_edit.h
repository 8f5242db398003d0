// Edits a scene as a JSON document (scene_document): lists its entries and their keys, and adds, copies, removes and
// changes entries. Every edit gives a document that a scene file could contain, so the edited scene and its saved file
// are the same scene. Checks of values are left to the reader of scenes (scene_edit_read).
#pragma once
#include <cjson/cJSON.h>

#include "scene/scene.h"

enum { SCENE_ENTRIES_MAX = 256, SCENE_FIELDS_MAX = 48, SCENE_FIELD_TEXT = 1024, SCENE_KINDS_MAX = 24 };

// An entry of a scene, which the user can select: an element of a list such as "pins", the scene's mesh, or all keys of
// the scene that are in no other entry.
typedef struct SceneEntry {
  const char *list;  // key of the list: "pins"; "mesh": the mesh of a scene without "bodies"; "": the remaining keys
  int index;         // index in the list, from 0
  char label[64];    // as users read it: "body 0: sphere"
  char name[40];     // value of the entry's key "name"; empty: it has none
} SceneEntry;

// A key of an entry. Keys of an object inside the entry are named with a point: "region.z".
typedef struct SceneField {
  char key[40];
  char text[SCENE_FIELD_TEXT];  // value: "0.5", "0, 0, 1", "box", "true", or JSON; empty: the entry has no such key
  const Option *row;            // type, choices, range and help of the key; NULL: unknown
} SceneField;

// Bounding boxes, m, of the bodies at rest: low and high for all bodies together, body_low and body_high for each body.
// New entries are placed near them.
typedef struct SceneSpace {
  double low[3], high[3];
  int body_count;  // number of "bodies"; 0: the scene has a mesh or shapes, and its regions name no body
  double body_low[SCENE_PARTS_MAX][3], body_high[SCENE_PARTS_MAX][3];
} SceneSpace;

/// Computes the bounding boxes of the bodies of a scene from its mesh at rest.
void scene_space(const Scene *scene, const TetMesh *mesh, SceneSpace *space);

/// Lists all entries of a document. The first one has the keys of the scene that are in no other entry. Returns the
/// number of entries, at most SCENE_ENTRIES_MAX.
int scene_edit_list(const cJSON *document, SceneEntry *entries);

/// Lists the keys of an entry that users can change, also keys that the entry does not have yet. Returns their number.
int scene_edit_fields(const cJSON *document, const SceneEntry *entry, SceneField *fields);

/// Changes a key of an entry to the value that a text describes, or removes the key if the text is empty. Also removes
/// keys that exclude this key: "young" and "stiffness", for example. Also adds or removes a key that is valid only
/// together with it, such as "radius" with "center". If a body gets another name, regions with its old name get the new
/// one; if it loses its name, they get its number. Fails if the text begins like JSON, but is not valid JSON.
bool scene_edit_set(cJSON *document, const SceneEntry *entry, const char *key, const char *text, Error *error);

/// Names of the kinds of entries that scene_edit_add adds. NULL ends the list.
const char *const *scene_edit_kinds(void);

/// Adds an entry of kind `kind`, an index in scene_edit_kinds. body: index of the body that a new pin or force acts on.
/// If a body is added to a scene with one mesh or with shapes, these first become entries of the list "bodies". *added
/// gets the list and the index of the new entry.
bool scene_edit_add(cJSON *document, int kind, int body, const SceneSpace *space, SceneEntry *added, Error *error);

/// Adds a body with the mesh file `path` next to the other bodies. low, high [3]: bounding box of the mesh, m.
bool scene_edit_add_mesh(cJSON *document, const char *path, const double *low, const double *high,
                         const SceneSpace *space, SceneEntry *added, Error *error);

/// Adds an obstacle with the surface file `path` next to the bodies. low, high [3]: bounding box of the surface, m.
bool scene_edit_add_obstacle(cJSON *document, const char *path, const double *low, const double *high,
                             const SceneSpace *space, SceneEntry *added, Error *error);

/// If the entry is the mesh of a scene, makes this mesh the only entry of a list "bodies", as scene_edit_add does, and
/// returns this body. Other entries are returned unchanged.
SceneEntry scene_edit_body_of_mesh(cJSON *document, const SceneEntry *entry);

/// Adds a copy of an entry. A copy of a body, shape or obstacle is moved along x, away from the original.
bool scene_edit_copy(cJSON *document, const SceneEntry *entry, const SceneSpace *space, SceneEntry *added,
                     Error *error);

/// Removes an entry. If it is a body, also removes the pins, forces, drags and materials whose regions name this body.
/// *more gets the number of entries that were removed in addition.
bool scene_edit_remove(cJSON *document, const SceneEntry *entry, int *more, Error *error);

/// Returns true if the motion of the scene `before` can continue after an edit to the scene `after`: both have the same
/// meshes, pins, drags, cuts, initial state and time step. They may differ in names, looks, materials, forces
/// and obstacles.
bool scene_edit_continues(const cJSON *before, const cJSON *after);

/// Returns a document as the text that a scene file contains. The caller frees the text by cJSON_free.
char *scene_edit_text(const cJSON *document, Error *error);

/// Reads a scene from the text of a document. path: scene file that was edited. Messages name this file, and paths in
/// the document are relative to its folder.
bool scene_edit_read(Scene *scene, const char *text, const char *path, Error *error);
