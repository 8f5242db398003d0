// Contact forces of the present state: between bodies by self-contact (docs/explanation/contact.md), and from obstacles
// and the floor. Computed on the host. Friction of self-contact is that of the last step.
#pragma once
#include "sim/simulation.h"

// Numbers of obstacles, which are negative: -1, -2, ... for the settings' obstacles, then the floor and the ball of the
// mouse.
enum { CONTACT_FLOOR = -1 - OBSTACLES_MAX, CONTACT_BALL = CONTACT_FLOOR - 1, CONTACT_NAME = 24 };

// Contact of two bodies, of a body with itself, or of a body and an obstacle.
typedef struct BodyContact {
  int body[2];       // numbers from 0, ascending; an obstacle is the second
  int64_t touching;  // pairs of points and triangles, of edges, or of points and planes within reach; without
                     // self-contact, nodes inside the floor or an obstacle
  double force[3];   // N, on the first body, with friction; 0 for a body with itself
  double push;       // N, sum of the magnitudes of normal forces
} BodyContact;

/// Writes the name of a negative number: "obstacle 2", "the floor".
void contact_name_obstacle(int number, char name[CONTACT_NAME]);

/// Lists all pairs in contact, by the number of the first body, bodies before obstacles. The caller releases *list by
/// free(); it is NULL if there is none. Waits for the device.
bool contact_of_bodies(Simulation *simulation, BodyContact **list, int *count, Error *error);

/// Computes the forces of self-contact on nodes, force [node_count][3] N, with friction; 0 without self-contact. Waits
/// for the device.
bool contact_forces_on_nodes(Simulation *simulation, double (*force)[3], Error *error);

/// As contact_forces_on_nodes and contact_pressure, as floats on the simulation's device: see simulation_write_vectors
/// and simulation_write_field.
bool contact_write_vectors(Simulation *simulation, float *vectors, Error *error);
bool contact_write_pressure(Simulation *simulation, float *values, Error *error);

/// Computes the pressure of self-contact at nodes, [node_count] Pa: the normal force on a node over its part of the
/// rest surface; 0 for interior nodes. Waits for the device.
bool contact_pressure(Simulation *simulation, double *pressure, Error *error);
