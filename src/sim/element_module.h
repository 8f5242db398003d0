// Elements that are not linked into libpliant_engine. Each is a pair of shared modules, NAME_f32.so and NAME_f64.so. A
// module exports one array of its rows (element_rows.c). Modules are searched for in the folders of $PLIANT_ELEMENTS,
// then in elements/ (a build folder) and pliant/elements/ (an installed program) of libpliant_engine's folder.
#pragma once
#include <stddef.h>

#include "sim/element/stage.h"

enum { ELEMENT_NAME = 64, ELEMENT_MODULES_MAX = 64 };

// Version for which a module was built. Rows of another version may have other members.
typedef struct ElementSeal {
  const char *version;
  size_t row_sizes;
} ElementSeal;

// The seal of this version. The headers of all rows must be included before it.
#define ELEMENT_SEAL \
  { PLIANT_VERSION, sizeof(ElementRow) + 1000 * (sizeof(AssemblyMethod) + 1000 * sizeof(OperatorMethod)) }

/// Opens the module of an element ("tet4_stvk") in a precision and returns its rows, a list that ends with NULL. The
/// module stays open. Returns NULL with an error if no module exists (the message has the folders and `remedy`), or if
/// it is invalid.
const Stage *const *element_module_open(const char *element, Precision precision, const ElementSeal *seal,
                                        const char *remedy, Error *error);

/// Writes the names of the elements that have a module in double, sorted, without repetitions. Returns their number.
int element_module_list(char names[ELEMENT_MODULES_MAX][ELEMENT_NAME]);
