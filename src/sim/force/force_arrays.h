// The data of all forces on a body (forces.def), and arguments of the functions that compute these forces. n is the
// number of unknowns, 3 for each node. This header is compiled for each precision.
#pragma once
#include "sim/force/body.h"
#include "sim/force/floor.h"
#include "sim/force/obstacle.h"

// FORCE_KEYS: largest number of parameters of one kind of force that a recorded CUDA graph contains as constants
// (forces_key).
enum { FORCE_KEYS = 4 };

// Pressures on faces of the surface; rows/pressure.h has the equations. Node a belongs to the faces entry[start[a]] to
// entry[start[a + 1] - 1].
typedef struct Pressures {
  int count, nodes;  // number of faces, and number of nodes per face
  int changes;       // counts calls that set the faces, so that recorded graphs notice a change (pressure_key)
  int row_count;     // number of nodes that belong to faces
  int *row;          // [row_count], the nodes that belong to faces
  int *start;        // [node_count + 1], index in `entry` of the first face at each node
  // [count * nodes]: lists of the faces of each node. A face is stored as nodes * face + (index of the node in the
  // face). Example with 3 nodes per face: 7 is node 1 of face 2.
  int *entry;
  int *node;   // [count][nodes], the nodes of each face under pressure
  int *table;  // [count], index of each face's table in `weight`
  // [tables][nodes][nodes (nodes - 1)/2], tables of the weights w_abc for nodes a, b, c of a face with b < c. w_abc is
  // an integral over the face (rows/pressure.h). Faces with equal weights share a table.
  double *weight;
  double *value;  // [count] Pa, pressure on each face; positive values push inward
  // [count * nodes][nodes][3], the symmetric part of the tangent of the pressures: a vector t_ab for each element of
  // `entry` (node a of a face) and each node b of the same face. The matrix times a vector v gives at node a the sum of
  // all cross products t_ab x v_b. antisymmetric: the other part, stored likewise; NULL on the GPU.
  real *tangent, *antisymmetric;
  double *dot;  // [row_count], work array on the CPU: one partial sum of a dot product for each node of `row`
} Pressures;

// Data of all forces on a body. Arrays are on the device where the body is stored. An anchor is the point of the floor
// or of an obstacle to which a node sticks by static friction.
typedef struct Forces {
  // [n] N. load: constant loads, gravity included. pull: the constant part of the spring forces, which is the stiffness
  // of each node's spring times the target displacement of the node.
  real *load, *pull;
  // Loads that the caller has written to the device's memory (simulation_give_load). given: [n] N, these loads. base:
  // [n] N, all other loads. If has_given is true, load = base + given. Both are allocated at first use.
  bool has_given;
  real *base, *given;
  // [node_count]. spring: stiffness of the spring at each node, N/m; damper: coefficient of the damper, N s/m
  real *spring, *damper;
  Floor floor;         // height, stiffness and friction of the floor
  real *contact;       // [node_count] m: contact stiffness of each node divided by floor.modulus (see floor.h)
  real *anchor;        // [node_count][2] m: displacements of the anchors on the floor; part of the state
  int obstacle_count;  // number of obstacles, without those of self-contact
  Obstacle *obstacle;  // [obstacle_count], the obstacles: rigid surfaces that act on single nodes by springs
  // [obstacle_count][node_count][3] m: for each obstacle and node, the displacement at which the node would be at its
  // anchor, the point to which static friction ties it; part of the body's state
  real *obstacle_anchor;
  Pressures pressure;
  struct Contact *self;  // self-contact (sim/contact), on the host; borrowed; NULL: none
} Forces;

// Arguments for forces that a separate loop evaluates at the end of a time step (FORCE_IN_SEPARATE_LOOP in forces.def).
typedef struct StepEnd {
  StepSpan span;  // start and duration of the time step, s
  const real *u;  // [n] m, displacements at the end of the time step, relative to the body's origin
  // Pressures are evaluated at the displacements u0 + theta (u - u0), where u0 are the displacements at the start of
  // the time step.
  real theta;
  // s: how far ahead the loop searches for contact. A node also counts as touching if it would touch within this time
  // (floor_ahead). Only Newton's first evaluation of a time step has lookahead > 0.
  real lookahead;
  bool stick;  // true: store the new anchors on obstacles; for a node that does not touch, its displacement u
} StepEnd;
