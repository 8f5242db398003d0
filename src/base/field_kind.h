// Fields that can colour a body: the simulation computes them, scenes select one, the renderer draws it.
#pragma once

typedef enum FieldKind {
  FIELD_NONE,
  FIELD_VON_MISES,  // von Mises stress, Pa
  FIELD_PRINCIPAL,  // largest principal Cauchy stress, Pa
  FIELD_J,          // det F: deformed volume / volume at rest
  FIELD_PRESSURE,   // contact pressure of self-contact, Pa
  // values of a stationary problem, such as temperatures; Style.title is the name of this quantity. Scenes cannot
  // select this field
  FIELD_GIVEN,
} FieldKind;

// Vectors of nodes that a picture can show. They are drawn as arrows if nothing else is noted.
typedef enum VectorKind {
  VECTORS_NONE,
  VECTORS_VELOCITY,       // velocity, m/s
  VECTORS_FORCE,          // external forces, N: weight, loads, pulls, floor, obstacles; without the reactions of pins
  VECTORS_CONTACT,        // contact forces of self-contact, N
  VECTORS_CONTACT_LINES,  // as VECTORS_CONTACT, but drawn as lines around the nodes with a force
} VectorKind;

// names by which users select a VectorKind, in enum order
#define VECTOR_NAMES "none|velocity|force|contact|contact_lines"

// Statistics of a field over all nodes. The array of a field has one float per node, followed by these four statistics.
// For example, element node_count + FIELD_MEAN is the mean.
typedef enum FieldExtra {
  FIELD_SMALLEST,
  FIELD_LARGEST,
  FIELD_MEAN,    // mean
  FIELD_SPREAD,  // root mean square deviation from the mean
  FIELD_EXTRA,
} FieldExtra;

#define FIELD_NAMES "none|von_mises|principal|j|pressure"  // names by which users select a FieldKind, in enum order
