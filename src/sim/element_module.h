// Elements that are no part of libpliant. Each is a pair of shared modules, NAME_f32.so and NAME_f64.so. A module
// exports one array of its rows (element_rows.c). They are searched for in the folders of $PLIANT_ELEMENTS, in
// elements/ beside libpliant (a build folder) and in pliant/elements/ beside it (an installed program).
#pragma once
#include <stddef.h>

#include "sim/element/stage.h"

enum { ELEMENT_NAME = 64, ELEMENT_MODULES_MAX = 64 };

// The version that a module was built for. Rows of another version may have other members.
typedef struct ElementSeal {
  const char *version;
  size_t row_sizes;
} ElementSeal;

// The seal of this version. It needs the headers of all rows.
#define ELEMENT_SEAL \
  { PLIANT_VERSION, sizeof(ElementRow) + 1000 * (sizeof(AssemblyMethod) + 1000 * sizeof(OperatorMethod)) }

/// Opens the module of an element ("tet4_stvk") in a precision and returns its rows, a list that ends with NULL. The
/// module stays open. NULL with an error that names the folders where no such module is and the remedy, or its fault.
const Stage *const *element_module_open(const char *element, Precision precision, const ElementSeal *seal,
                                        const char *remedy, Error *error);

/// Writes the names of the elements whose modules in double are there, sorted and each once; returns their count.
int element_module_list(char names[ELEMENT_MODULES_MAX][ELEMENT_NAME]);
