// The data of all forces on a body, and the arguments that rows of forces.def take. Built for each precision.
#pragma once
#include "sim/force/body.h"
#include "sim/force/floor.h"
#include "sim/force/obstacle.h"

enum { FORCE_KEYS = 4 };  // numbers that one row may add to the key of a recorded graph

// Pressure on faces of the surface. The faces around a node a are the entries from start[a] to start[a + 1].
typedef struct Pressures {
  int count, nodes;  // number of faces, and of nodes of each
  int changes;       // number of calls that set faces
  int row_count;     // number of nodes of faces
  int *row;          // [row_count], these nodes
  int *start;        // [node_count + 1]
  int *entry;        // [count * nodes], nodes * face + index of the node within the face
  int *node;         // [count][nodes]
  int *table;        // [count], table of weights of each face
  double *weight;    // [tables][nodes][nodes (nodes - 1)/2], see rows/pressure.h
  double *value;     // [count] Pa
  real *tangent;  // [count * nodes][nodes][3] vectors of the tangent, in the order of the entries; see rows/pressure.h
  double *dot;    // [row_count], a product's x.y by rows, on the CPU
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
