/** Folders with the numbered migrations of the catalog and of ledgers. */

/** Migrations of the catalog: imports, syncs, schedules and reports that wait for delivery. */
export const CATALOG_MIGRATIONS = new URL('migrations/', import.meta.url);
/** Migrations of the ledger of one import. */
export const IMPORT_MIGRATIONS = new URL('record/migrations/', import.meta.url);
