// Functions that find the part of the scene to which the text after the colon of an observable refers, such as node 17
// for "position:17". The rows of the table of observables point to them (member `find`). They store what they found in
// *subject, which is zeroed before. They fail if the scene has no such part.
#pragma once
#include "scene/observable.h"

/// Finds the node with this number in the mesh file, such as "17".
bool subject_find_node(const Session *session, const char *text, ObservedSubject *subject, Error *error);

/// Find an entry of the list pins or drags, by its name or its number in the list.
bool subject_find_pin(const Session *session, const char *text, ObservedSubject *subject, Error *error);
bool subject_find_drag(const Session *session, const char *text, ObservedSubject *subject, Error *error);

/// Finds the region of an entry: "pins/1" is the region of the first pin, "forces/1" that of the first force, and
/// "drags/1" that of the first drag. Pins and drags can also be given by name, such as "pins/left".
bool subject_find_region(const Session *session, const char *text, ObservedSubject *subject, Error *error);

/// Finds a patch of the surface: a ball "X/Y/Z/RADIUS" or "X/Y/Z/RADIUS/BODY", or a region as in subject_find_region.
bool subject_find_patch(const Session *session, const char *text, ObservedSubject *subject, Error *error);

/// Finds a pair of bodies or obstacles "A/B", such as "ball/floor".
bool subject_find_pair(const Session *session, const char *text, ObservedSubject *subject, Error *error);

/// Finds the pair of a distance: two different bodies, or a body and an obstacle whose shape has a formula.
bool subject_find_distance_pair(const Session *session, const char *text, ObservedSubject *subject, Error *error);
