/**
 * For threads in which rows pass by and none stays. Without it V8 lets each of them gather three times 16 MB of what is
 * no longer needed before it looks.
 */
export const PASSING_ROWS = { maxYoungGenerationSizeMb: 6 } as const;
