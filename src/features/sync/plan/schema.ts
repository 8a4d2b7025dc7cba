/** The numbered migrations of a plan's file. */
export const PLAN_MIGRATIONS = new URL('migrations/', import.meta.url);
