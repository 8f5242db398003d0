// How the structured keys of a scene are read: `parse` of their rows in scene_options. `target` is a Scene; `name`
// begins the messages.
#pragma once
#include "scene/scene.h"

bool parse_pins(void *target, const cJSON *value, const char *name, Error *error);
bool parse_forces(void *target, const cJSON *value, const char *name, Error *error);
bool parse_drags(void *target, const cJSON *value, const char *name, Error *error);
bool parse_camera(void *target, const cJSON *value, const char *name, Error *error);
bool parse_materials(void *target, const cJSON *value, const char *name, Error *error);
bool parse_shapes(void *target, const cJSON *value, const char *name, Error *error);
bool parse_obstacles(void *target, const cJSON *value, const char *name, Error *error);
bool parse_color_range(void *target, const cJSON *value, const char *name, Error *error);
bool parse_section(void *target, const cJSON *value, const char *name, Error *error);
bool parse_twist(void *target, const cJSON *value, const char *name, Error *error);
