// Rows of the keys of entries: see entry_rows.h.
#include "scene/entry_rows.h"

#include <math.h>
#include <string.h>

// A row applies to the entries of `list`; NULL: of all lists.
static const struct {
  const char *list;
  Option row;
} rows[] = {
  { NULL, { "name", OPTION_TEXT, .help = "Name of the entry, for messages and probes." } },
  { "obstacles", { "mesh", OPTION_TEXT, .help = "File with the surface of the obstacle: .obj, .stl or .off." } },
  { "obstacles",
    { "kind", OPTION_TEXT, .help = "Shape of the obstacle. To change it, delete the obstacle and add another one." } },
  { NULL,
    { "kind", OPTION_TEXT, .choices = "box|beam|sphere|cylinder|torus",
      .help = "Shape: box, beam, sphere, cylinder or torus." } },
  { NULL, { "size", OPTION_VECTOR, .help = "Lengths in m along x, y and z." } },
  { NULL,
    { "cells", OPTION_INTEGER, OPTION_FROM_TO(1, 1000),
      .help = "Number of cell edges across the thinnest part. More cells are more exact, and slower." } },
  { NULL, { "scale", OPTION_NUMBER, OPTION_MORE_THAN(0), .help = "Factor on all lengths." } },
  { NULL, { "turn", OPTION_VECTOR, .help = "Rotations in degrees about x, y and z." } },
  { NULL,
    { "at", OPTION_VECTOR,
      .help = "Position in m: for a shape, the middle of the lower face of its bounding box; for an obstacle, its "
              "centre; for a plane, a point of the plane." } },
  { "materials",
    { "stiffness", OPTION_NUMBER, OPTION_MORE_THAN(0),
      .help = "Factor on the stiffness of the cells in the region." } },
  { "drags",
    { "stiffness", OPTION_NUMBER, OPTION_MORE_THAN(0),
      .help =
          "Stiffness of the springs that pull the nodes, N/m. If empty: without a radius, the nodes follow the path "
          "exactly; with a radius, the springs are as stiff as those of the mouse." } },
  { NULL,
    { "spin", OPTION_CUSTOM,
      .help = "Rotation over time, speed in degrees per second: {\"axis\": [0, 0, 1], \"about\": [0, 0, 0], "
              "\"speed\": 90}." } },
  { NULL, { "friction", OPTION_NUMBER, OPTION_AT_LEAST(0), .help = "Coefficient of Coulomb friction." } },
  { NULL, { "normal", OPTION_VECTOR, .help = "Direction perpendicular to the plane." } },
  { NULL, { "from", OPTION_VECTOR, .help = "Centre of one end of the capsule, m." } },
  { NULL, { "to", OPTION_VECTOR, .help = "Centre of the other end of the capsule, m." } },
  { "obstacles", { "radius", OPTION_NUMBER, OPTION_MORE_THAN(0), .help = "Radius, m." } },
  { NULL,
    { "radius", OPTION_NUMBER, OPTION_MORE_THAN(0),
      .help = "Radius in m of the ball around the center; the region is limited to this ball." } },
  { NULL,
    { "x", OPTION_CUSTOM,
      .help = "Lower and upper bound in m of the region along x, such as null, 0.1; null means no bound." } },
  { NULL,
    { "y", OPTION_CUSTOM,
      .help = "Lower and upper bound in m of the region along y, such as null, 0.1; null means no bound." } },
  { NULL,
    { "z", OPTION_CUSTOM,
      .help = "Lower and upper bound in m of the region along z, such as null, 0.1; null means no bound." } },
  { NULL,
    { "center", OPTION_CUSTOM,
      .help = "Centre in m of a ball to which the region is limited; +z: the node with the largest z, -z: with the "
              "smallest z." } },
  { NULL,
    { "body", OPTION_CUSTOM,
      .help = "Number or name of the body to which the region is limited. If empty: all bodies." } },
  { NULL, { "set", OPTION_TEXT, .help = "Named set of the mesh file to which the region is limited." } },
  { NULL, { "axes", OPTION_TEXT, .help = "Axes along which the nodes are held, such as xz. If empty: all axes." } },
  { NULL, { "move", OPTION_VECTOR, .help = "Displacement in m of the nodes at the full load, for `pliant solve`." } },
  { NULL, { "path", OPTION_CUSTOM, .help = "Displacements in m at given times in s: [[time, dx, dy, dz], ...]." } },
  { NULL,
    { "total", OPTION_CUSTOM,
      .help = "Force on the whole region, N. A component may be a formula of the time t in quotes." } },
  { NULL,
    { "traction", OPTION_CUSTOM,
      .help = "Force per area of the surface, N/m^2. A component may be a formula of x, y, z and t in quotes." } },
  { NULL,
    { "pressure", OPTION_NUMBER, OPTION_ANY, .help = "Pressure on the surface, Pa. Positive values push inward." } },
  { NULL,
    { "share", OPTION_TEXT, .choices = "|area|volume",
      .help = "Division of the total force among the nodes: area or volume." } },
  { NULL, { "steps", OPTION_CUSTOM, .help = "First and last time step in which the force acts, counted from 1." } },
  { NULL, { "over_time", OPTION_CUSTOM, .help = "Factors on the force at given times in s: [[time, factor], ...]." } },
  { NULL, { "time", OPTION_NUMBER, OPTION_AT_LEAST(0), .help = "Time of the cut, s." } },
  { NULL, { "point", OPTION_VECTOR, .help = "A point of the plane of the cut, m." } },
  { NULL,
    { "reach", OPTION_NUMBER, OPTION_MORE_THAN(0),
      .help = "The body is cut up to this distance from the point, in m. If empty, the whole body is cut." } },
  { NULL,
    { "edges", OPTION_CUSTOM,
      .help =
          "Two vectors e, [[x, y, z], [x, y, z]]. The cut contains only points p with (p - point) . e >= 0 for both "
          "e." } },
};

const Option *entry_row(const char *list, const char *key) {
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
    if (strcmp(rows[k].row.key, key) == 0 && (!rows[k].list || strcmp(rows[k].list, list) == 0)) return &rows[k].row;
  return NULL;
}
