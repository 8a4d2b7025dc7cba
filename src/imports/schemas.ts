/** Folders with the numbered migrations of the three kinds of SQLite files. */

/** Of the catalog: imports, syncs, schedules and what is still to be delivered. */
export const CATALOG_MIGRATIONS = new URL('migrations/', import.meta.url);
/** Of the ledger of one import. */
export const IMPORT_MIGRATIONS = new URL('record/migrations/', import.meta.url);
/** Of the edits of an import's rows, next to its ledger. */
