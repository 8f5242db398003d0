// Moves, turns and scales an entry of a scene in its JSON document: a body, a shape or an obstacle (scene_edit.h).
#pragma once
#include "scene/scene_edit.h"

typedef enum TransformKind { TRANSFORM_MOVE, TRANSFORM_TURN, TRANSFORM_SCALE, TRANSFORM_KINDS } TransformKind;

// A motion along an axis of the world, a right-handed rotation about such an axis, or a change of all lengths.
typedef struct Transform {
  TransformKind kind;
  int axis;         // 0 x, 1 y, 2 z; not used by TRANSFORM_SCALE
  double amount;    // distance in m, angle in degrees, or factor on all lengths
  double pivot[3];  // m, point that a rotation or a change of lengths keeps at its position
} Transform;

/// Moves a point, m, as the transform moves the points of an entry.
void transform_point(const Transform *transform, double point[3]);

/// Returns true if the scene has keys by which this kind of transform changes the entry, with an effect. For example, a
/// sphere among the obstacles can be moved and scaled, but not turned.
bool scene_edit_can(const cJSON *document, const SceneEntry *entry, TransformKind kind);

/// Gets the position, m, of an entry that can be moved. Returns false for other entries.
bool scene_edit_position(const cJSON *document, const SceneEntry *entry, double position[3]);

/// Transforms an entry, by changing its keys such as "place", "turn" and "scale". Their new values are rounded to nine
/// digits. Fails if scene_edit_can returns false.
bool scene_edit_transform(cJSON *document, const SceneEntry *entry, const Transform *transform, Error *error);

/// Returns the rotation by three angles, about x, then y, then z, as the key "turn" of a body: an axis and an angle.
cJSON *transform_turn_of(const double degrees[3]);
