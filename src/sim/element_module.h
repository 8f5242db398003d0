// Elements (a cell shape with a material) that are not linked into libpliant_engine. Each has two modules, the shared
// libraries NAME_f32.so for float and NAME_f64.so for double. A module exports the element's assemblies, operators and
// so on, as an array of table rows (element_rows.c). Modules are searched in the folders of $PLIANT_ELEMENTS, then in
// elements/ of libpliant_engine's folder.
#pragma once
#include <stddef.h>

#include "sim/element/stage.h"

// ELEMENT_NAME: longest name of an element, in bytes with its terminating zero. ELEMENT_MODULES_MAX: largest number of
// modules in a list. ELEMENT_FOLDERS_LENGTH: capacity for a list of folders in a message, in bytes.
enum { ELEMENT_NAME = 64, ELEMENT_MODULES_MAX = 64, ELEMENT_FOLDERS_LENGTH = 600 };

// Identifies the version of Pliant for which a module was built. Modules of another version are rejected, because their
// structs may have other members.
typedef struct ElementSeal {
  const char *version;  // version of Pliant for which the module was built
  size_t row_sizes;     // number that changes if the size of one of three structs changes (ELEMENT_SEAL)
} ElementSeal;

// The seal that identifies this version of Pliant: its version text, and a number that changes if the size of one of
// three structs changes. The file that uses the macro must include the headers of these structs.
#define ELEMENT_SEAL \
  { PLIANT_VERSION, sizeof(ElementRow) + 1000 * (sizeof(AssemblyMethod) + 1000 * sizeof(OperatorMethod)) }

/// Opens the module of an element, such as "tet4_stvk", in a precision. Returns its table rows, which end with NULL.
/// The module stays open. Returns NULL with an error if the module does not exist or is invalid. The message names the
/// searched folders and ends with `remedy`, the caller's advice.
const Stage *const *element_module_open(const char *element, Precision precision, const ElementSeal *seal,
                                        const char *remedy, Error *error);

/// Writes the folders in which modules are searched, separated by commas, for messages.
void element_module_folders(char text[ELEMENT_FOLDERS_LENGTH]);

/// Writes the names of all elements that have a module NAME_f64.so, sorted and each once. Returns their number.
int element_module_list(char names[ELEMENT_MODULES_MAX][ELEMENT_NAME]);
