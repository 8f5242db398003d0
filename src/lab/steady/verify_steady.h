// Stationary problems with known answers: the cases of `pliant-lab verify`.
#pragma once
#include "verify/verify.h"

/// The cases, numbered from 1; ends with a row whose name is NULL.
extern const VerifyCase steady_cases[];
