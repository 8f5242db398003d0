// Moves, turns and scales an entry of a scene in its JSON document: a body, a shape or an obstacle (scene_edit.h).
#pragma once
#include "scene/scene_edit.h"

typedef enum TransformKind { TRANSFORM_MOVE, TRANSFORM_TURN, TRANSFORM_SCALE, TRANSFORM_KINDS } TransformKind;

// A change of an entry: a motion along the x, y or z axis, a right-handed rotation about a line parallel to such an
// axis, or a scaling. A scaling multiplies all lengths or, if `along`, only lengths along one of the entry's local axes
// (scene_edit_axes).
typedef struct Transform {
  TransformKind kind;
  int axis;             // 0 x, 1 y, 2 z; of TRANSFORM_SCALE the entry's local axis, if `along`
  double amount;        // distance in m, angle in degrees, or factor on lengths
  double pivot[3];      // m, point that a rotation or a scaling does not move
  bool along;           // TRANSFORM_SCALE: only lengths along `direction` change
  double direction[3];  // unit vector of the entry's local axis, if `along`
} Transform;

/// Applies the transform to a point of an entry, m.
void transform_point(const Transform *transform, double point[3]);

/// Returns true if this kind of transform has an effect on the entry and can be written by keys of the scene. For
/// example, a sphere among the obstacles can be moved and scaled, but not turned.
bool scene_edit_can(const cJSON *document, const SceneEntry *entry, TransformKind kind);

/// Gets the local axes of an entry along which it can be scaled: the x, y and z axes that its key "turn" has rotated.
/// axes[k] is a unit vector. Returns false if the entry cannot be scaled along a single axis: only bodies, shapes, and
/// boxes among the obstacles can.
bool scene_edit_axes(const cJSON *document, const SceneEntry *entry, double axes[3][3]);

/// Gets the position, m, of an entry that can be moved. Returns false for other entries.
bool scene_edit_position(const cJSON *document, const SceneEntry *entry, double position[3]);

/// Transforms an entry by changing its keys, such as "place", "turn" and "scale". The new values are rounded to nine
/// digits. Fails if scene_edit_can returns false, or if `along` is set and scene_edit_axes returns false.
bool scene_edit_transform(cJSON *document, const SceneEntry *entry, const Transform *transform, Error *error);

/// Returns a rotation as the value of a body's key "turn", an axis and an angle. The rotation is about the x axis, then
/// the y axis, then the z axis, by the angles degrees[0], degrees[1] and degrees[2].
cJSON *transform_turn_of(const double degrees[3]);
