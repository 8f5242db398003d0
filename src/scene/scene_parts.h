// How the structured keys of a scene are read and written: `parse` and `print` of their rows in scene_options. `target`
// is a Scene; `name` begins the messages.
#pragma once
#include "scene/scene.h"

/// What a scene calls each kind of obstacle.
extern const char *const obstacle_kinds[OBSTACLE_KINDS];

/// Fails where a JSON object is none, or has a key that is not among `keys` (NULL-terminated).
bool parse_only_keys(const cJSON *object, const char *const *keys, const char *name, Error *error);

/// Calls `parse` for each item of a list of at most `most`, or for the one object that stands for it.
bool parse_list(const cJSON *list, const char *name, int most, int *count, void *items, size_t size,
                bool (*parse)(void *item, const cJSON *value, const char *name, Error *error), Error *error);

/// Of one ScenePin, and of the kind, size and cells of one SceneShape, whose other keys have been looked at; and how a
/// pin is written.
bool parse_pin(void *pin, const cJSON *value, const char *name, Error *error);
bool parse_shape_keys(SceneShape *shape, const cJSON *value, const char *name, Error *error);
cJSON *print_pin(const ScenePin *pin);

/// Of a blade, within a larger object: "point", "normal", "reach" and "edges"; and how these are written into one.
bool parse_blade(Blade *blade, const cJSON *value, const char *name, Error *error);
void print_blade(cJSON *object, const Blade *blade);

bool parse_pins(void *target, const cJSON *value, const char *name, Error *error);
bool parse_forces(void *target, const cJSON *value, const char *name, Error *error);
bool parse_drags(void *target, const cJSON *value, const char *name, Error *error);
bool parse_cuts(void *target, const cJSON *value, const char *name, Error *error);
bool parse_camera(void *target, const cJSON *value, const char *name, Error *error);
bool parse_materials(void *target, const cJSON *value, const char *name, Error *error);
bool parse_shapes(void *target, const cJSON *value, const char *name, Error *error);
bool parse_obstacles(void *target, const cJSON *value, const char *name, Error *error);
bool parse_color_range(void *target, const cJSON *value, const char *name, Error *error);
bool parse_section(void *target, const cJSON *value, const char *name, Error *error);
bool parse_twist(void *target, const cJSON *value, const char *name, Error *error);

// And how they are written: `print` of their rows. What the scene does not have is NULL, or null where that is a value.
cJSON *print_pins(const void *target);
cJSON *print_obstacles(const void *target);
cJSON *print_forces(const void *target);
cJSON *print_drags(const void *target);
cJSON *print_cuts(const void *target);
cJSON *print_camera(const void *target);
cJSON *print_materials(const void *target);
cJSON *print_shapes(const void *target);
cJSON *print_color_range(const void *target);
cJSON *print_section(const void *target);
cJSON *print_twist(const void *target);
