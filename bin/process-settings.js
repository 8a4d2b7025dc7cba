/**
 * With what Node starts rollcall. V8 and the allocator of the system read these only at the start of a process, so the
 * launcher replaces itself by a process that has them. Plain JavaScript, like the launcher.
 */

/**
 * An import lets rows and replies pass by, and little stays. Left alone, V8 keeps three times 32 MB for what is new and
 * lets what is old double before it looks. Where so little survives, threads that collect it together mostly wait for
 * each other.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8', '--no-parallel-scavenge', '--heap-growing-percent=50'];

/** glibc: one arena for all threads, and what a thread has freed goes back to the system. Other C libraries ignore them. */
export const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' };
