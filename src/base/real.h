// The type `real`, the precision of numerical sources. Sources that include this file are compiled twice, with
// -DREAL=float -DREAL_SUFFIX=f32 and with -DREAL=double -DREAL_SUFFIX=f64. They export only names that REAL_NAME has
// formed, so one program can contain both versions.
#pragma once

#ifndef REAL
#error "include base/real.h only in sources that are built once for each precision"
#endif

typedef REAL real;

#define REAL_PASTE_(name, suffix) name##_##suffix
#define REAL_PASTE(name, suffix) REAL_PASTE_(name, suffix)
#define REAL_NAME(name) REAL_PASTE(name, REAL_SUFFIX)  // dcsr_cpu -> dcsr_cpu_f32

#define REAL_PRECISION (sizeof(real) == sizeof(float) ? PRECISION_F32 : PRECISION_F64)
