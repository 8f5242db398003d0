// Contact forces of the present state: between bodies by self-contact (docs/explanation/contact.md), and between bodies
// and obstacles or the floor. They are computed on the host, with the friction forces of the last step.
#pragma once
#include "sim/simulation.h"

// BodyContact.body has these numbers: 0, 1, 2 and so on for bodies, -1 - k for entry k of settings.obstacles,
// CONTACT_FLOOR for the floor, and CONTACT_BALL for the ball of simulation_push. CONTACT_NAME: bytes of a buffer for
// the name of an obstacle.
enum { CONTACT_FLOOR = -1 - OBSTACLES_MAX, CONTACT_BALL = CONTACT_FLOOR - 1, CONTACT_NAME = 24 };

// Contact of two bodies, of a body with itself, or of a body and an obstacle.
typedef struct BodyContact {
  int body[2];  // numbers of the two bodies, ascending; an obstacle is always the second
  // With self-contact: number of contact pairs, such as a point and a triangle, that are close enough to push each
  // other. Without self-contact: number of nodes inside the floor or the obstacle, except nodes that are held in all
  // directions. It can be 0 with friction: friction acts at the end of a step on parts that touched at its start.
  int64_t touching;
  // N, total force with friction on the first body (without self-contact: not on held unknowns); 0 for body with itself
  double force[3];
  double moment[3];  // N m, moment of this force about the origin of coordinates; 0 for body with itself
  double push;       // N, sum of the magnitudes of the normal forces
} BodyContact;

/// Writes the name for a negative number, as in BodyContact.body: "obstacle 2" for -2, "the floor", "the pushing ball".
void contact_name_obstacle(int number, char name[CONTACT_NAME]);

/// Lists all pairs of bodies, and of bodies and obstacles, that touch or between which friction acts. They are sorted
/// by the first body, and then bodies come before obstacles. The caller frees *list by free(); NULL: nothing touches.
/// Waits for the device.
bool contact_of_bodies(Simulation *simulation, BodyContact **list, int *count, Error *error);

/// Computes, for self-contact, *friction: the sum of the magnitudes of all friction forces, N. *limit gets the largest
/// possible sum, N: the coefficients of friction times the normal forces. Without self-contact *friction and *limit are
/// 0. Waits for the device.
bool contact_friction_total(Simulation *simulation, double *friction, double *limit, Error *error);

/// Computes force [node_count][3], the forces of self-contact on nodes, N, friction included. They are 0 if
/// self-contact is off. Waits for the device.
bool contact_forces_on_nodes(Simulation *simulation, double (*force)[3], Error *error);

/// Computes for each node of the user's mesh force [node_count][3], the contact force on it with friction, N, and
/// push [node_count], its part of the pushes of its contacts (BodyContact.push), N. Without self-contact, these are
/// the forces of the springs by which floor and obstacles push nodes; components on held unknowns are then 0. Waits
/// for the device.
bool contact_loads_on_nodes(Simulation *simulation, double (*force)[3], double *push, Error *error);

/// Functions that write floats to memory on the simulation's device. contact_write_vectors: the forces of
/// contact_forces_on_nodes, N. contact_write_pressure: the pressures of contact_pressure, Pa, and their statistics
/// (base/field_kind.h).
bool contact_write_vectors(Simulation *simulation, float *vectors, Error *error);
bool contact_write_pressure(Simulation *simulation, float *values, Error *error);

/// Computes pressure [node_count], the pressure of self-contact at nodes, Pa: the normal force on a node divided by the
/// node's part of the undeformed surface area; 0 for interior nodes. Waits for the device.
bool contact_pressure(Simulation *simulation, double *pressure, Error *error);
