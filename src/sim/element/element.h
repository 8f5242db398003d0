// Includes the header of one element: the element for which a source file is compiled. An element is a shape with a
// material, such as tet4_stvk. The build sets the macro ELEMENT_HEADER to the name of this header, and compiles such
// sources once for each element and precision.
//
// An element has nodal data, such as displacements, and supplemental data S(e), constants that are stored for each cell
// e. From both it computes an element vector F_e and an element matrix A_e. Its header defines
//   ELEMENT_NODES         nodes of a cell;
//   ELEMENT_NODE_DATA     reals of nodal data for each node;
//   ELEMENT_NODE_DOF      unknowns of a node;
//   ELEMENT_DOF           unknowns of a cell: nodes times unknowns of a node;
//   ELEMENT_SUPPLEMENTAL  reals of supplemental data S(e), possibly 0;
//   ELEMENT_MATRIX        number of stored values of A_e, which is symmetric: its upper triangle by rows;
//   ElementParameters, element_parameters(material [MATERIAL_PARAMETERS], vector_scale, matrix_scale);
//   element_evaluate(nodal [NODES][NODE_DATA], S, parameters, F [DOF], A [MATRIX] or NULL): computes F_e and A_e, and
//   returns a number that is positive if the cell is not inverted;
//   element_supplemental(space, e, S): computes S(e).
// These functions compile for the CPU and for the GPU, except element_supplemental, which runs on the host.
#pragma once
#include "base/real.h"
#include "sim/element/symmetric.h"
#include ELEMENT_HEADER

// Size of a local array for the constants S(e) of an element; an array cannot have size 0.
enum { ELEMENT_SUPPLEMENTAL_CAPACITY = ELEMENT_SUPPLEMENTAL > 0 ? ELEMENT_SUPPLEMENTAL : 1 };

// Names of symbols. ELEMENT_ROW(globalnz) is globalnz_tet4_stvk_f32 for the element tet4_stvk in float, so that the
// object files for different elements have different names. ELEMENT_LABEL is the element's name as text, "tet4_stvk".
#define ELEMENT_ROW(name) REAL_NAME(REAL_PASTE(name, ELEMENT))
#define ELEMENT_TEXT_(name) #name
#define ELEMENT_TEXT(name) ELEMENT_TEXT_(name)
#define ELEMENT_LABEL ELEMENT_TEXT(ELEMENT)
