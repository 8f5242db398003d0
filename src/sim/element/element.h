// The element that a source is built for: ELEMENT_HEADER names its header. Sources that assemble are built once for
// each element and precision. An element header defines
//   ELEMENT_NODES         nodes of an element;
//   ELEMENT_NODE_DATA     reals of nodal data C(n);
//   ELEMENT_NODE_DOF      unknowns of a node;
//   ELEMENT_DOF           unknowns of an element, nodes times unknowns of a node;
//   ELEMENT_SUPPLEMENTAL  reals of supplemental data S(e), possibly 0;
//   ELEMENT_MATRIX        values of A_e: symmetric, its upper triangle by rows;
//   ElementParameters, element_parameters(material [MATERIAL_PARAMETERS], vector_scale, matrix_scale);
//   element_evaluate(nodal [NODES][NODE_DATA], S, parameters, F [DOF], A [MATRIX] or NULL): returns a number that is
//                         positive if the element is valid;
//   element_supplemental(space, e, S);
// in arithmetic that runs on both devices.
#pragma once
#include "base/real.h"
#include "sim/element/symmetric.h"
#include ELEMENT_HEADER

// capacity of an array for S(e)
enum { ELEMENT_SUPPLEMENTAL_CAPACITY = ELEMENT_SUPPLEMENTAL > 0 ? ELEMENT_SUPPLEMENTAL : 1 };

// ELEMENT_ROW(globalnz) -> globalnz_tet4_stvk_f32, and the element's name as text
#define ELEMENT_ROW(name) REAL_NAME(REAL_PASTE(name, ELEMENT))
#define ELEMENT_TEXT_(name) #name
#define ELEMENT_TEXT(name) ELEMENT_TEXT_(name)
#define ELEMENT_LABEL ELEMENT_TEXT(ELEMENT)
