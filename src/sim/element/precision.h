// The two precisions for which all numerical source files are compiled: float (32 bits) and double (64 bits); see
// base/real.h.
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum Precision { PRECISION_F32, PRECISION_F64 } Precision;

const char *precision_name(Precision precision);  // "float", "double"
size_t precision_size(Precision precision);       // bytes of a number

#ifdef __cplusplus
}
#endif
