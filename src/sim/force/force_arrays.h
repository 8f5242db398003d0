// The data of all forces on a body, and the arguments that rows of forces.def take. Built for each precision.
#pragma once
#include "sim/force/body.h"
#include "sim/force/floor.h"
#include "sim/force/obstacle.h"

enum { FORCE_KEYS = 4 };  // numbers that one row may add to the key of a recorded graph

// Pressure on triangles of the surface. The triangles around a node a are the entries from start[a] to start[a + 1].
typedef struct Pressures {
  int count;         // number of triangles
  int changes;       // number of calls that set pressures
  int *start;        // [node_count + 1]
  int (*corner)[3];  // [3 count] nodes, counter-clockwise seen from outside, from the entry's node on
  real *value;       // [3 count] Pa
} Pressures;

// Arrays on the body's device.
typedef struct Forces {
  real *load, *pull;      // [n] N
  real *spring, *damper;  // [node_count] N/m and N s/m
  Floor floor;            // its values for all nodes
  real *contact;          // [node_count] m: contact stiffness of a node over floor.modulus
  real *anchor;           // [node_count][2] m: displacements of floor anchors; part of the state
  int obstacle_count;
  Obstacle *obstacle;     // [obstacle_count]
  real *obstacle_anchor;  // [obstacle_count][node_count][3] m: anchors for each obstacle; part of the state
  Pressures pressure;
  struct Contact *self;  // contact of the surface with itself (sim/contact), on the host; or NULL; borrowed
} Forces;

// The end of a step, as rows with a loop of their own evaluate it.
typedef struct StepEnd {
  StepSpan span;
  const real *u;   // [n] displacements there, from the body's origin
  real theta;      // forces that follow the motion act at u0 + theta (u - u0)
  real lookahead;  // s, see floor_contact
  bool stick;      // nodes stick to the points that they touch
} StepEnd;
