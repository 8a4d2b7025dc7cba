/** Schema of the catalog: imports, syncs and schedules. */
export const CATALOG_SCHEMA = new URL('catalog-schema.sql', import.meta.url);
/** Schema of the ledger of one import. */
export const IMPORT_SCHEMA = new URL('record/import-schema.sql', import.meta.url);
