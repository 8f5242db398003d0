// Draws rigid obstacles. Their surfaces are divided into triangles once and stored in an OpenGL buffer.
#pragma once
#include <stdint.h>

#include "base/error.h"
#include "base/obstacle.h"

// The triangles of obstacles in an OpenGL buffer, which this struct owns. Zeroed: no triangles.
typedef struct ObstacleShapes {
  unsigned vertex_array, buffer;  // OpenGL objects; each vertex has a position, m, and a unit normal
  double low[3], high[3];         // m, bounding box of the obstacles that cast shadows
  // vertex_count: number of all vertices. casting_count: number of vertices, at the start of the buffer, that belong to
  // obstacles that cast shadows. Planes cast no shadows.
  int vertex_count, casting_count;
  int obstacle_count;
  // [obstacle_count], the vertices of each obstacle: the number of the first one, and how many these are
  int first[OBSTACLES_MAX + 1], count[OBSTACLES_MAX + 1];
} ObstacleShapes;

/// Creates the triangles of obstacles [count] at their positions at `time`, s. Needs a current OpenGL context. A plane,
/// which is infinite, is drawn as a square with edges of 2 * reach m. The centre of the square is the point of the
/// plane that is nearest to `centre`.
bool obstacle_shapes_create(ObstacleShapes *shapes, const Obstacle *obstacles, int count, double time,
                            const double centre[3], double reach, Error *error);
void obstacle_shapes_destroy(ObstacleShapes *shapes);

/// Finds the points of obstacles [count] that a ray hits first. distance [count]: their distances, m, from `origin`
/// along the unit vector `direction`; infinity for an obstacle that the ray does not hit. The obstacles have the shapes
/// that obstacle_shapes_create draws with the same arguments. Needs no OpenGL context. Fails only if memory runs out.
bool obstacle_shapes_hit(const Obstacle *obstacles, int count, double time, const double centre[3], double reach,
                         const double origin[3], const double direction[3], double *distance, Error *error);

/// Draws all obstacles; if `casting`, only those that cast shadows. Bit k of `hidden` is set if obstacle k is left out.
/// The shader program `program` must have the position as vertex attribute 0 and the normal as attribute 1.
void obstacle_shapes_draw(const ObstacleShapes *shapes, bool casting, uint32_t hidden, unsigned program);

/// Copies obstacles [count] to `all`. If `radius` is positive, also adds the ball with which the user pushes bodies by
/// the mouse: a sphere of this radius, m, around `middle`, m. Returns the number of obstacles in `all`.
int obstacles_and_ball(const Obstacle *obstacles, int count, double radius, const double middle[3],
                       Obstacle all[OBSTACLES_MAX + 1]);
