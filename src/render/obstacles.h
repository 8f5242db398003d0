// Rigid obstacles in the picture: their surfaces as triangles, made once.
#pragma once
#include "base/error.h"
#include "base/obstacle.h"

// A zeroed ObstacleShapes is empty. OpenGL's names, owned.
typedef struct ObstacleShapes {
  unsigned vertex_array, buffer;    // position, m, and normal of each vertex
  double low[3], high[3];           // m, bounding box of those that cast a shadow
  int vertex_count, casting_count;  // those that cast a shadow come first: all but planes, behind which is nothing
} ObstacleShapes;

/// Of where they are at `time` s. Wants a current OpenGL context. Planes are shown as squares around the point that is
/// nearest to `centre` [3], which reach `reach` m.
bool obstacle_shapes_create(ObstacleShapes *shapes, const Obstacle *obstacles, int count, double time,
                            const double centre[3], double reach, Error *error);
void obstacle_shapes_destroy(ObstacleShapes *shapes);

/// Draws them, or those that cast a shadow, with `program`, whose attribute 0 is the position and 1 the normal.
void obstacle_shapes_draw(const ObstacleShapes *shapes, bool casting, unsigned program);

/// The obstacles [count] with one more, a sphere that moves, where its radius is above 0, m: into `all`, whose number
/// it returns.
int obstacles_and_ball(const Obstacle *obstacles, int count, double radius, const double middle[3],
                       Obstacle all[OBSTACLES_MAX + 1]);
