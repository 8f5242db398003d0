// Rigid obstacles in the picture. Their surfaces are triangulated once and stored in an OpenGL buffer.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

// A zeroed ObstacleShapes is empty. It owns its OpenGL objects.
typedef struct ObstacleShapes {
  unsigned vertex_array, buffer;    // each vertex of the buffer has a position, m, and a normal
  double low[3], high[3];           // m, bounding box of the shadow casters
  int vertex_count, casting_count;  // shadow casters come first: all obstacles but planes
} ObstacleShapes;

/// Creates the shapes of the obstacles [count] at their positions at `time` s. Needs a current OpenGL context. A plane
/// is drawn as a square of 2 reach x 2 reach m^2. Its centre is the point of the plane nearest to `centre`.
bool obstacle_shapes_create(ObstacleShapes *shapes, const Obstacle *obstacles, int count, double time,
                            const double centre[3], double reach, Error *error);
void obstacle_shapes_destroy(ObstacleShapes *shapes);

/// Draws all obstacles, or only the shadow casters if `casting`. The program's attribute 0 is the position, and 1 the
/// normal.
void obstacle_shapes_draw(const ObstacleShapes *shapes, bool casting, unsigned program);

/// Copies the obstacles [count] to `all`. If `radius` (m) is positive, adds a sphere of this radius with its centre at
/// `middle`. Returns the number of obstacles in `all`.
int obstacles_and_ball(const Obstacle *obstacles, int count, double radius, const double middle[3],
                       Obstacle all[OBSTACLES_MAX + 1]);
