// Cavities of a body. The surface of a hollow body consists of several closed surfaces, called shells here. A shell
// inside another one bounds a cavity if its polygons have the opposite orientation.
#pragma once
#include "mesh/surface_polygons.h"

// The cavities of a surface, and counts of shells that may be faults of the file. A zeroed Cavities is empty.
typedef struct Cavities {
  // Number of regions that stay empty, and a point strictly inside each of them, [count]. A shell inside a cavity with
  // the orientation of the cavity's surface divides the cavity into two such regions.
  int count;
  double (*point)[3];
  int same;   // number of shells inside the material of the body that have the orientation of the surrounding shell
  int mixed;  // number of shells whose polygons have both orientations; they are not cavities. 0 if there is one shell
} Cavities;

/// Finds the cavities of a surface whose polygons form closed shells. The outermost shells bound the body, whatever
/// their orientation. A shell inside another one changes between material and cavity if their orientations differ, so a
/// cavity may contain a further solid. Fails if memory runs out, if no point inside a cavity is found, as if shells
/// intersect, or after an interrupt. The time is linear in the number of polygons times the number of nested shells.
bool cavities_find(const Polygons *polygons, const char *path, Cavities *cavities, Error *error);
void cavities_destroy(Cavities *cavities);
