// Includes the header of one element. An element is a cell shape with a material, such as tet4_stvk. All source files
// that include this file are compiled once for each element and precision; the macro ELEMENT_HEADER is then the name of
// the element's header.
//
// An element computes, for a cell e, a vector F_e and a matrix A_e (of a solid: internal forces and tangent stiffness).
// Its input is nodal data, such as displacements, and S(e), constants that are stored for each cell. The element's
// header defines
//   ELEMENT_NODES         number of nodes of a cell;
//   ELEMENT_NODE_DATA     number of reals of nodal data for each node;
//   ELEMENT_NODE_DOF      number of unknowns of a node;
//   ELEMENT_DOF           number of unknowns of a cell: nodes times unknowns of a node;
//   ELEMENT_SUPPLEMENTAL  number of reals in S(e), possibly 0;
//   ELEMENT_MATRIX        number of stored values of the symmetric matrix A_e: its upper triangle, stored by rows;
//   ElementParameters     struct of the material's constants and of scale factors of F_e and A_e, the result of
//   element_parameters(material [MATERIAL_PARAMETERS], vector_scale, matrix_scale);
//   element_evaluate(nodal [NODES][NODE_DATA], S, parameters, F [DOF], A [MATRIX] or NULL): computes F_e and A_e, and
//   returns a number that is positive if the cell is not inverted;
//   element_supplemental(space, e, S): computes S(e).
// These functions compile for the CPU and for the GPU, except element_supplemental, which runs on the host.
#pragma once
#include "base/real.h"
#include "sim/element/symmetric.h"
#include ELEMENT_HEADER

// Length of a local array for the constants S(e) of a cell: at least 1, because C has no arrays of length 0.
enum { ELEMENT_SUPPLEMENTAL_CAPACITY = ELEMENT_SUPPLEMENTAL > 0 ? ELEMENT_SUPPLEMENTAL : 1 };

// ELEMENT_ROW(name) is a symbol name that differs for each element and precision. Example: for the element tet4_stvk in
// float, ELEMENT_ROW(globalnz) is globalnz_tet4_stvk_f32, and ELEMENT_LABEL is the text "tet4_stvk".
#define ELEMENT_ROW(name) REAL_NAME(REAL_PASTE(name, ELEMENT))
#define ELEMENT_TEXT_(name) #name
#define ELEMENT_TEXT(name) ELEMENT_TEXT_(name)
#define ELEMENT_LABEL ELEMENT_TEXT(ELEMENT)
