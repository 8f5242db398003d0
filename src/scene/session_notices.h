// Notices about what a scene asks for and will not get, as it begins.
#pragma once
#include "scene/session.h"

/// Of a session that has its scene and its mesh: steps and tolerances that rounding takes, keys that do nothing,
/// obstacles between whose sides no node of the body may come to lie, bodies within others.
void session_notices(const Session *session);

/// Of a session that has its pins: bodies that begin deep within obstacles or under the floor, which store energy so.
void session_notice_depths(const Session *session);
