// The fields that a body can be coloured by: the simulation computes them, scenes choose one, the renderer draws it.
#pragma once

typedef enum FieldKind {
  FIELD_NONE,
  FIELD_VON_MISES,  // Pa
  FIELD_PRINCIPAL,  // the largest principal Cauchy stress, Pa
  FIELD_J,          // det F
  FIELD_PRESSURE,   // of what touches by self-contact, Pa
  FIELD_GIVEN,      // values of a problem without time, with a title of their own; no choice of scenes
} FieldKind;

// What each node's arrow shows.
typedef enum VectorKind {
  VECTORS_NONE,
  VECTORS_VELOCITY,  // m/s
  VECTORS_FORCE,     // N, what pulls and pushes it from outside: weight, loads, pulls, floor, obstacles; not pins
  VECTORS_CONTACT,   // N, of self-contact
} VectorKind;

#define VECTOR_NAMES "none|velocity|force|contact"  // as users write them

// What follows the nodes' values [node_count] of a field, floats.
typedef enum FieldExtra {
  FIELD_SMALLEST,
  FIELD_LARGEST,
  FIELD_MEAN,    // over the nodes
  FIELD_SPREAD,  // root mean square of what differs from the mean
  FIELD_EXTRA,
} FieldExtra;

#define FIELD_NAMES "none|von_mises|principal|j|pressure"  // as users write them
