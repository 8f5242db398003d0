// The data of all forces on a body, and arguments of the functions of forces (forces.def). This header is compiled for
// each precision.
#pragma once
#include "sim/force/body.h"
#include "sim/force/floor.h"
#include "sim/force/obstacle.h"

enum { FORCE_KEYS = 4 };  // number of parameters that each force adds to the key of a recorded graph (forces_key)

// Pressures on faces of the surface; rows/pressure.h has the equations. The faces around node a are entry[start[a]] to
// entry[start[a + 1] - 1].
typedef struct Pressures {
  int count, nodes;  // number of faces, and number of nodes per face
  int changes;       // number of times that the faces were set
  int row_count;     // number of nodes that belong to faces
  int *row;          // [row_count], the nodes that belong to faces
  int *start;        // [node_count + 1], index in `entry` of the first face at each node
  int *entry;        // [count * nodes], a face and the index of node a within this face, as nodes * face + index. With
                     // 3 nodes per face, 7 means node 1 of face 2
  int *node;         // [count][nodes], the nodes of each face under pressure
  int *table;        // [count], index of each face's table in `weight`
  double *weight;    // [tables][nodes][nodes (nodes - 1)/2], weights w_abc, see rows/pressure.h
  double *value;     // [count] Pa, pressure on each face; positive values push inward
  real *tangent;     // [count * nodes][nodes][3], vectors t_ab of the tangent (pressure_tangent), in the order of
                     // `entry`
  double *dot;       // [row_count], work array on the CPU: one partial sum of a dot product for each node of `row`
} Pressures;

// Data of all forces, with arrays on the body's device. An anchor is the point of the floor or an obstacle to which a
// node sticks by static friction.
typedef struct Forces {
  // [n] N. load: constant load, gravity included; pull: stiffness of the node's spring times the spring's target
  // displacement
  real *load, *pull;
  // [node_count]. spring: stiffness of the spring at each node, N/m; damper: coefficient of the damper, N s/m
  real *spring, *damper;
  Floor floor;            // height, stiffness and friction of the floor
  real *contact;          // [node_count] m: contact stiffness of a node divided by floor.modulus
  real *anchor;           // [node_count][2] m: displacements of the anchors on the floor; part of the state
  int obstacle_count;     // number of obstacles that act on single nodes by springs
  Obstacle *obstacle;     // [obstacle_count], the obstacles that act on single nodes by springs
  real *obstacle_anchor;  // [obstacle_count][node_count][3] m: displacements of the anchors on obstacles; part of the
                          // state
  Pressures pressure;
  struct Contact *self;  // self-contact (sim/contact), on the host; borrowed; NULL: none
} Forces;

// The state at the end of a step, for the functions of FORCE_IN_SEPARATE_LOOP rows.
typedef struct StepEnd {
  StepSpan span;   // start and duration of the step, s
  const real *u;   // [n] m, displacements at the end of the step, relative to the body's origin
  real theta;      // pressures are evaluated at u0 + theta (u - u0), with u0 the displacements at the start of the step
  real lookahead;  // s. Above 0 in Newton's first evaluation: nodes that would touch after this time count as touching
                   // (floor_ahead)
  bool stick;      // true: store the anchors of nodes that touch
} StepEnd;
