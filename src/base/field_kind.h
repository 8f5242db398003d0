// Fields by which a body can be coloured: the simulation computes them, scenes select one, the renderer draws it.
#pragma once

typedef enum FieldKind {
  FIELD_NONE,
  FIELD_VON_MISES,  // von Mises stress, Pa
  FIELD_PRINCIPAL,  // largest principal Cauchy stress, Pa
  FIELD_J,          // det F: deformed volume / volume at rest
  FIELD_PRESSURE,   // contact pressure of self-contact, Pa
  FIELD_GIVEN,      // values of a stationary problem, such as temperatures; Style.title names them. Scenes cannot
                    // select this field
} FieldKind;

// Quantity that arrows at nodes show.
typedef enum VectorKind {
  VECTORS_NONE,
  VECTORS_VELOCITY,  // velocity, m/s
  VECTORS_FORCE,     // external forces, N: weight, loads, pulls, floor, obstacles; without the reactions of pins
  VECTORS_CONTACT,   // contact forces of self-contact, N
} VectorKind;

#define VECTOR_NAMES "none|velocity|force|contact"  // as users write them

// A field is an array of floats: one value for each node, and after them these statistics.
typedef enum FieldExtra {
  FIELD_SMALLEST,
  FIELD_LARGEST,
  FIELD_MEAN,    // mean over the nodes
  FIELD_SPREAD,  // root mean square deviation from the mean
  FIELD_EXTRA,
} FieldExtra;

#define FIELD_NAMES "none|von_mises|principal|j|pressure"  // as users write them
