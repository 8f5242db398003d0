// Ctrl-C, kill and the end of the terminal as a wish to end: what runs long looks whether there is one, and ends what it has begun.
#pragma once

/// From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) are noted; a second one ends the program at
/// once. interrupt_end puts back what was.
void interrupt_begin(void);
void interrupt_end(void);

/// The signal that has come since interrupt_begin; 0: none.
int interrupt_signal(void);
