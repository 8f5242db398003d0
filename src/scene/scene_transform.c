// Moves, turns and scales an entry of a scene: see scene_transform.h.
#include "scene/scene_transform.h"

#include <math.h>
#include <string.h>

#include "base/turn.h"
#include "base/vectors.h"
#include "scene/edit_values.h"
#include "scene/json_file.h"
#include "scene/scene_geometry.h"

// Significant digits of new values. With DIGITS, sums such as 0.1 + 0.2 are readable. EXACT keeps all bits of a double.
enum { DIGITS = 9, EXACT = 17 };
static const double HALF_TURN = 180;  // degrees

// Rounds a value to `digits` significant digits. Returns 0 if |value| < size * 10^-digits, because `value` is then only
// a rounding error of numbers as large as `size`.
static double readable(double value, double size, int digits) {
  return fabs(value) < size * pow(10, -digits) ? 0 : edit_rounded(value, digits);
}

static double radians_of(double degrees) {
  return degrees * acos(-1.0) / HALF_TURN;
}

void transform_point(const Transform *t, double point[3]) {
  const int j = (t->axis + 1) % 3, k = (t->axis + 2) % 3;
  switch (t->kind) {
    case TRANSFORM_MOVE:
      point[t->axis] += t->amount;
      return;
    case TRANSFORM_TURN: {
      double arm[3] = { 0 };
      arm[j] = point[j] - t->pivot[j];
      arm[k] = point[k] - t->pivot[k];
      turn_about_axis(arm, t->axis, radians_of(t->amount));
      point[j] = t->pivot[j] + arm[j];
      point[k] = t->pivot[k] + arm[k];
      return;
    }
    case TRANSFORM_SCALE: {
      double along = 0;
      for (int i = 0; i < 3; i++) along += t->direction[i] * (point[i] - t->pivot[i]);
      for (int i = 0; i < 3; i++)
        point[i] = t->along ? point[i] + (t->amount - 1) * along * t->direction[i]
                            : t->pivot[i] + t->amount * (point[i] - t->pivot[i]);
      return;
    }
    case TRANSFORM_KINDS:
      return;
  }
}

// ---- positions

// Lists of a scene, and the keys of their entries that are positions.
static const char *const positions[][2] = {
  { "bodies", "place" }, { "shapes", "at" }, { "obstacles", "at" }, { "obstacles", "from" }, { "obstacles", "to" }
};
enum { POSITIONS = sizeof positions / sizeof *positions };

// Returns true if an entry of this list has the position of row r of `positions`. A capsule has the positions "from"
// and "to", every other obstacle "at". An entry without its key, such as a body without "place", is at the origin.
static bool has_position(const cJSON *item, const char *list, int r) {
  const char *key = positions[r][1];
  if (strcmp(positions[r][0], list) != 0) return false;
  return strcmp(list, "obstacles") != 0 || edit_key(item, key) || (strcmp(key, "at") == 0 && !edit_key(item, "from"));
}

// Returns the factor that converts positions in a list of the scene to m: the scene's key "scale", or 1 for obstacles.
static double unit_of(const cJSON *document, const char *list) {
  return strcmp(list, "obstacles") == 0 ? 1 : edit_number(document, "scale", 1);
}

// Transforms the positions of an entry. Coordinates that the transform does not change keep all digits.
static void put_positions(const cJSON *document, cJSON *item, const char *list, const Transform *t) {
  const double unit = unit_of(document, list);
  for (int r = 0; r < POSITIONS; r++) {
    double before[3], after[3], size = 0;
    if (!has_position(item, list, r)) continue;
    edit_read_vector(item, positions[r][1], before);
    for (int i = 0; i < 3; i++) after[i] = unit * before[i];
    transform_point(t, after);
    for (int i = 0; i < 3; i++) size = fmax(size, fmax(fabs(before[i]), fabs(after[i] / unit - before[i])));
    for (int i = 0; i < 3; i++) {
      const double now = after[i] / unit;

      // if the coordinate has changed by rounding errors only, the transform does not move it, and it keeps its digits
      const bool same = fabs(now - before[i]) <= 1e-15 * size;
      after[i] = same ? before[i] : readable(now, size, DIGITS);
    }
    edit_replace(item, positions[r][1], cJSON_CreateDoubleArray(after, 3));
  }
}

// ---- rotations. A rotation is an array R[3][3]: R[j] is the rotated unit vector of axis j.

static double degrees_of(double radians, int digits) {
  return readable(radians * HALF_TURN / acos(-1.0), HALF_TURN, digits);
}

// Returns a rotation as the value of a body's key "turn": an axis and an angle. Returns NULL if the angle is 0.
static cJSON *turn_of(const double R[3][3], int digits) {
  double axis[3] = { R[1][2] - R[2][1], R[2][0] - R[0][2], R[0][1] - R[1][0] };
  const double sine = vector_length(axis) / 2, cosine = (R[0][0] + R[1][1] + R[2][2] - 1) / 2;
  int largest = 0;
  if (sine < 1e-6 && cosine < 0) {  // half a turn: the axis follows from R[i][j] + (i == j) = 2 axis[i] axis[j]
    int j = 0;
    for (int i = 1; i < 3; i++)
      if (R[i][i] > R[j][j]) j = i;
    for (int i = 0; i < 3; i++) axis[i] = R[j][i] + (i == j);
  }

  // The largest component of the axis is made positive, so that a rotation about x is not written as one about -x.
  for (int i = 1; i < 3; i++)
    if (fabs(axis[i]) > fabs(axis[largest])) largest = i;
  const double sign = axis[largest] < 0 ? -1 : 1, length = sign * vector_length(axis);
  const double degrees = degrees_of(sign * atan2(sine, cosine), digits);
  if (degrees == 0) return NULL;

  for (int i = 0; i < 3; i++) axis[i] = readable(axis[i] / length, 1, digits);
  cJSON *turn = cJSON_CreateObject();
  json_put(turn, "axis", cJSON_CreateDoubleArray(axis, 3));
  json_put(turn, "degrees", cJSON_CreateNumber(degrees));
  return turn;
}

static void start_rotation(double R[3][3]) {
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) R[j][i] = i == j;
}

cJSON *transform_turn_of(const double degrees[3]) {
  double R[3][3];
  start_rotation(R);
  for (int j = 0; j < 3; j++) scene_turn(R[j], degrees);
  return turn_of((const double(*)[3])R, EXACT);
}

// Computes the rotation of a body by its key "turn".
static void body_rotation(const cJSON *body, double R[3][3]) {
  const cJSON *before = edit_key(body, "turn"), *name = edit_key(before, "axis");
  const double radians = radians_of(edit_number(before, "degrees", 0));
  double axis[3], turned[3];
  edit_read_vector(before, "axis", axis);
  for (int i = 0; cJSON_IsString(name) && i < 3; i++) axis[i] = name->valuestring[0] == 'x' + i;
  const double length = before ? vector_length(axis) : 1;
  for (int i = 0; i < 3; i++) axis[i] /= length;
  start_rotation(R);
  for (int j = 0; j < 3; j++) {
    turn_about(axis, radians, R[j], turned);
    memcpy(R[j], turned, sizeof turned);
  }
}

static void turn_body(cJSON *body, const Transform *t) {
  double R[3][3];
  body_rotation(body, R);
  for (int j = 0; j < 3; j++) turn_about_axis(R[j], t->axis, radians_of(t->amount));
  cJSON *turn = turn_of((const double(*)[3])R, DIGITS);
  if (turn)
    edit_replace(body, "turn", turn);
  else
    cJSON_DeleteItemFromObjectCaseSensitive(body, "turn");
}

// Computes the rotation by a key "turn" that has three angles.
static void angle_rotation(const cJSON *item, double R[3][3]) {
  double angles[3];
  edit_read_vector(item, "turn", angles);
  start_rotation(R);
  for (int j = 0; j < 3; j++) scene_turn(R[j], angles);
}

// Turns an entry whose key "turn" has three angles: a shape, or an obstacle of kind box or mesh. The rotation is the
// product R = Rz Ry Rx of rotations about the axes, so R[0] = (cos y cos z, cos y sin z, -sin y).
static void turn_angles(cJSON *item, const Transform *t) {
  double R[3][3];
  angle_rotation(item, R);
  for (int j = 0; j < 3; j++) turn_about_axis(R[j], t->axis, radians_of(t->amount));
  const double cosine = hypot(R[0][0], R[0][1]);
  // If the rotated x axis points along z (gimbal lock), only the sum or difference of the angles about x and z matters.
  // The angle about z is then set to 0.
  const bool locked = cosine < 1e-8;
  const double x = locked ? atan2(-R[2][1], R[1][1]) : atan2(R[1][2], R[2][2]);
  const double angles[3] = { degrees_of(x, DIGITS), degrees_of(atan2(-R[0][2], cosine), DIGITS),
                             locked ? 0 : degrees_of(atan2(R[0][1], R[0][0]), DIGITS) };
  edit_replace(item, "turn", cJSON_CreateDoubleArray(angles, 3));
}

// Turns the normal of an obstacle that is a plane.
static void turn_normal(cJSON *item, const Transform *t) {
  double normal[3];
  edit_read_vector(item, "normal", normal);
  const double length = vector_length(normal);
  turn_about_axis(normal, t->axis, radians_of(t->amount));
  for (int i = 0; i < 3; i++) normal[i] = readable(normal[i], length, DIGITS);
  edit_replace(item, "normal", cJSON_CreateDoubleArray(normal, 3));
}

// ---- kinds of entries

// For each kind of obstacle: the key that a rotation changes, and the key that TRANSFORM_SCALE multiplies.
static const struct {
  const char *kind, *turned, *scaled;
} obstacles[] = { { "plane", "normal", NULL },
                  { "sphere", NULL, "radius" },
                  { "box", "turn", "size" },
                  { "capsule", "from", "radius" },
                  { "mesh", "turn", "scale" } };

// Returns the key that a rotation or scaling changes in addition to positions. A rotation of a capsule changes only
// positions; the function then returns "from", the key of one end. NULL: the transform has no effect on the entry.
static const char *key_of(const cJSON *item, const char *list, TransformKind kind) {
  const bool turns = kind == TRANSFORM_TURN;
  if (strcmp(list, "bodies") == 0) return turns ? "turn" : "scale";
  if (strcmp(list, "shapes") == 0) return turns ? "turn" : "size";
  const cJSON *name = edit_key(item, "kind");
  for (size_t k = 0; cJSON_IsString(name) && k < sizeof obstacles / sizeof *obstacles; k++)
    if (strcmp(obstacles[k].kind, name->valuestring) == 0) return turns ? obstacles[k].turned : obstacles[k].scaled;
  return NULL;
}

bool scene_edit_position(const cJSON *document, const SceneEntry *entry, double position[3]) {
  const cJSON *item = edit_element(document, entry->list, entry->index);
  for (int r = 0; item && r < POSITIONS; r++) {
    if (!has_position(item, entry->list, r)) continue;
    edit_read_vector(item, positions[r][1], position);
    for (int i = 0; i < 3; i++) position[i] *= unit_of(document, entry->list);
    return true;
  }
  return false;
}

bool scene_edit_can(const cJSON *document, const SceneEntry *entry, TransformKind kind) {
  double position[3];
  if (!scene_edit_position(document, entry, position)) return false;
  const cJSON *item = edit_element(document, entry->list, entry->index);
  return kind == TRANSFORM_MOVE || key_of(item, entry->list, kind) != NULL;
}

bool scene_edit_axes(const cJSON *document, const SceneEntry *entry, double axes[3][3]) {
  if (!scene_edit_can(document, entry, TRANSFORM_SCALE)) return false;
  const cJSON *item = edit_element(document, entry->list, entry->index);
  const bool body = strcmp(entry->list, "bodies") == 0;
  // an obstacle has three lengths only if it is a box
  if (!body && strcmp(key_of(item, entry->list, TRANSFORM_SCALE), "size") != 0) return false;
  if (body)
    body_rotation(item, axes);
  else
    angle_rotation(item, axes);
  return true;
}

// Multiplies one component of the value of a key, a list of three numbers, by a factor. A number counts as a list of
// three equal numbers; missing: this number if the object does not have the key. If all components of a body's scale
// are then equal, the value is a number again.
static void multiply_one(cJSON *object, const char *key, int axis, double factor, double missing) {
  double v[3];
  if (cJSON_IsArray(edit_key(object, key)))
    edit_read_vector(object, key, v);
  else
    for (int i = 0; i < 3; i++) v[i] = edit_number(object, key, missing);
  v[axis] = edit_rounded(factor * v[axis], DIGITS);
  const bool uniform = strcmp(key, "scale") == 0 && v[0] == v[1] && v[0] == v[2];
  edit_replace(object, key, uniform ? cJSON_CreateNumber(v[0]) : cJSON_CreateDoubleArray(v, 3));
}

// Multiplies the value of a key, a number or a list of three numbers, by a factor. missing: the value if the object
// does not have the key.
static void multiply(cJSON *object, const char *key, double factor, double missing) {
  double v[3];
  if (!cJSON_IsArray(edit_key(object, key))) {
    edit_replace(object, key, cJSON_CreateNumber(edit_rounded(factor * edit_number(object, key, missing), DIGITS)));
    return;
  }
  edit_read_vector(object, key, v);
  for (int i = 0; i < 3; i++) v[i] = edit_rounded(factor * v[i], DIGITS);
  edit_replace(object, key, cJSON_CreateDoubleArray(v, 3));
}

bool scene_edit_transform(cJSON *document, const SceneEntry *entry, const Transform *t, Error *error) {
  static const char *const verbs[] = { "moved", "turned", "scaled" };
  cJSON *item = edit_element(document, entry->list, entry->index);
  if (!scene_edit_can(document, entry, t->kind))
    return error_set(error, "\"%s\" cannot be %s; select a body or another obstacle", entry->label, verbs[t->kind]);
  double axes[3][3];
  if (t->kind == TRANSFORM_SCALE && t->along && !scene_edit_axes(document, entry, axes))
    return error_set(error, "\"%s\" cannot be scaled along one axis; select a body, or an obstacle that is a box",
                     entry->label);
  const char *key = key_of(item, entry->list, t->kind);
  put_positions(document, item, entry->list, t);
  if (t->kind == TRANSFORM_SCALE && t->along)
    multiply_one(item, key, t->axis, t->amount, 1);
  else if (t->kind == TRANSFORM_SCALE)
    multiply(item, key, t->amount, 1);
  if (t->kind != TRANSFORM_TURN) return json_is_whole(error);
  if (strcmp(entry->list, "bodies") == 0)
    turn_body(item, t);
  else if (strcmp(key, "turn") == 0)
    turn_angles(item, t);
  else if (strcmp(key, "normal") == 0)
    turn_normal(item, t);
  return json_is_whole(error);
}
