// The fields that a body can be coloured by.
#pragma once

typedef enum FieldKind {
  FIELD_NONE,
  FIELD_VON_MISES,  // Pa
  FIELD_PRINCIPAL,  // the largest principal Cauchy stress, Pa
  FIELD_J,          // det F
} FieldKind;

#define FIELD_NAMES "none|von_mises|principal|j"  // as users write them

enum { FIELD_EXTRA = 2 };  // what follows the nodes' values: the smallest and the largest of them
