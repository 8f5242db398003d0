// What bodies that touch do to each other in the present state, by self-contact (docs/explanation/contact.md), and what
// obstacles and the floor do to them. Computed on the host; friction of self-contact is that of the last step.
#pragma once
#include "sim/simulation.h"

// What is no body has numbers below 0: settings' obstacles from -1 down, the floor, and the ball that the mouse pushes
// with.
enum { CONTACT_FLOOR = -1 - OBSTACLES_MAX, CONTACT_BALL = CONTACT_FLOOR - 1, CONTACT_NAME = 24 };

// What touches of two bodies, of one with itself, or of one and an obstacle.
typedef struct BodyContact {
  int body[2];       // from 0, ascending; an obstacle is the second
  int64_t touching;  // pairs of points and triangles, and of edges, within reach; of the floor, of planes, and of what
                     // else nodes alone meet, those that are in it
  double force[3];   // N, on the first, friction included; of one body with itself 0
  double push;       // N, the sum of what these push along their normals
} BodyContact;

/// What such a number below 0 is called: "obstacle 2".
void contact_name_obstacle(int number, char name[CONTACT_NAME]);

/// Every pair of which anything touches, by the first one's number, bodies before obstacles. free() releases the list,
/// which is NULL where there is none. Waits.
bool contact_of_bodies(Simulation *simulation, BodyContact **list, int *count, Error *error);

/// The force on every node, [node_count][3] N, friction included. Waits.
bool contact_forces_on_nodes(Simulation *simulation, double (*force)[3], Error *error);

/// The same as floats on the simulation's own device, as simulation_write_vectors and simulation_write_field have them.
bool contact_write_vectors(Simulation *simulation, float *vectors, Error *error);
bool contact_write_pressure(Simulation *simulation, float *values, Error *error);

/// The pressure on the surface, [node_count] Pa: what pushes a node along normals, over its share of the surface at
/// rest; 0 inside. Waits.
bool contact_pressure(Simulation *simulation, double *pressure, Error *error);
