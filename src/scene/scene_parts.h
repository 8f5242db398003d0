// Functions that read and write those keys of a scene whose values are objects or lists, such as "pins". Rows of the
// table scene_options point to them. Their parameter `target` is the Scene. `name`, such as the file and the key,
// begins their messages.
#pragma once
#include "scene/scene.h"

/// Keys that a region may have, and keys that the value of a body's key "shape" may have. NULL ends each list.
extern const char *const region_keys[], *const body_shape_keys[];

/// Returns the keys that an entry of a list such as "pins" may have. NULL ends the list. The keys of an obstacle depend
/// on its kind, which is read from `entry`. For the keys of a body see body_options in scene_bodies.h.
const char *const *entry_keys(const char *list, const cJSON *entry);

/// Fails if a JSON value is not an object, or has a key that is not in `keys`, whose last entry is NULL.
bool parse_only_keys(const cJSON *object, const char *const *keys, const char *name, Error *error);

/// Fails if a text cannot be the name of an entry or a body. A name has at most SCENE_BODY_NAME - 1 characters, does
/// not begin with a digit, as indices do, and has no separator of the option --probe. key: for the message.
bool name_check(const char *text, const char *key, Error *error);

/// Reads a JSON list of at most `maximum` values into the array `items`, whose elements have `size` bytes. Calls
/// `parse` for each value. Sets *count to the number of values. A single object counts as a list with one value.
bool parse_list(const cJSON *list, const char *name, int maximum, int *count, void *items, size_t size,
                bool (*parse)(void *item, const cJSON *value, const char *name, Error *error), Error *error);

/// Reads a number more than 0. key: for the message.
bool parse_positive(const cJSON *value, double *number, const char *name, const char *key, Error *error);

/// Reads the key "name" of an entry, if the entry has one.
bool parse_entry_name(char entry[SCENE_BODY_NAME], const cJSON *value, const char *name, Error *error);

/// Reads the keys "path" and "spin" of an entry, if it has them. centre: the point used if "spin" has no key "about";
/// NULL: "about" is required.
bool parse_motion(RigidMotion *motion, const double *centre, const cJSON *value, const char *name, Error *error);

/// Reads a region: its bounds along the axes, ball, body and set of the mesh file (docs/reference/scenes.md).
bool parse_region(Region *region, const cJSON *value, const char *name, Error *error);

/// parse_pin reads an entry of "pins", and print_pin writes one. parse_shape_keys reads the keys "kind", "size" and
/// "cells" of a shape, and ignores other keys.
bool parse_pin(void *pin, const cJSON *value, const char *name, Error *error);
bool parse_shape_keys(SceneShape *shape, const cJSON *value, const char *name, Error *error);
cJSON *print_pin(const ScenePin *pin);

/// These functions read and write the keys "point", "normal", "reach" and "edges" of a blade, the surface of a cut.
bool parse_blade(Blade *blade, const cJSON *value, const char *name, Error *error);
void print_blade(cJSON *object, const Blade *blade);

bool parse_pins(void *target, const cJSON *value, const char *name, Error *error);
bool parse_forces(void *target, const cJSON *value, const char *name, Error *error);
bool parse_drags(void *target, const cJSON *value, const char *name, Error *error);
bool parse_cuts(void *target, const cJSON *value, const char *name, Error *error);
bool parse_camera(void *target, const cJSON *value, const char *name, Error *error);
bool parse_curves(void *target, const cJSON *value, const char *name, Error *error);
bool parse_views(void *target, const cJSON *value, const char *name, Error *error);
bool parse_materials(void *target, const cJSON *value, const char *name, Error *error);
bool parse_shapes(void *target, const cJSON *value, const char *name, Error *error);
bool parse_obstacles(void *target, const cJSON *value, const char *name, Error *error);
bool parse_color_range(void *target, const cJSON *value, const char *name, Error *error);
bool parse_section(void *target, const cJSON *value, const char *name, Error *error);
bool parse_twist(void *target, const cJSON *value, const char *name, Error *error);

// Functions that return the value of a key of the scene as JSON. If the scene does not have the key, they return NULL,
// or JSON null where null is a valid value of the key.
cJSON *print_pins(const void *target);
cJSON *print_obstacles(const void *target);
cJSON *print_forces(const void *target);
cJSON *print_drags(const void *target);
cJSON *print_cuts(const void *target);
cJSON *print_camera(const void *target);
cJSON *print_curves(const void *target);
cJSON *print_views(const void *target);
cJSON *print_materials(const void *target);
cJSON *print_shapes(const void *target);
cJSON *print_color_range(const void *target);
cJSON *print_section(const void *target);
cJSON *print_twist(const void *target);
