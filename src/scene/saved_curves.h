// The names of curves (Scene.curves) in a saved scene whose body was cut. The saved mesh numbers its nodes anew, and
// entries of lists may be left out, so names such as "position:17" and "reaction:2" must be translated.
#pragma once
#include "scene/session.h"

enum { LISTED_PINS_MAX = SCENE_PARTS_MAX * (1 + SCENE_BODY_PINS) };  // the scene's own pins, and those of its bodies

// Entry k of a list of the session's scene is entry pin[k], force[k] or drag[k] of the saved scene, both counted from
// 0; -1: the entry is left out, because it selects no node of the cut body. Pins have the order of scene_pin.
typedef struct KeptEntries {
  int pin[LISTED_PINS_MAX], force[SCENE_PARTS_MAX], drag[SCENE_PARTS_MAX];
} KeptEntries;

// A saved scene with a cut body.
typedef struct SavedScene {
  const TetMesh *mesh;      // mesh of the saved scene
  const int *node_now;      // [nodes of the session's mesh], index of each node in `mesh`
  const KeptEntries *kept;  // entries of the lists of the saved scene
} SavedScene;

/// Replaces the names of the session's curves in `curves` by names that refer to the same nodes and entries in the
/// saved scene. Removes names of nodes, entries and patches that do not exist any more, and appends them to `left_out`.
/// Both are lists with commas, as Scene.curves.
void saved_curves_translate(char curves[SCENE_CURVES], const Session *session, const SavedScene *saved,
                            char left_out[SCENE_CURVES]);
