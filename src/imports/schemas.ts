/** Schema of the catalog: imports, syncs and schedules. */
export const CATALOG_SCHEMA = new URL('catalog-schema.sql', import.meta.url);
/** Schema of the ledger of one import. */
export const IMPORT_SCHEMA = new URL('record/import-schema.sql', import.meta.url);
/** Schema of the memberships that end. */
export const ENDS_SCHEMA = new URL('ends/ends-schema.sql', import.meta.url);
/** Tables of a survey of the service, with which the file of a check, an export or a plan begins. */
export const SURVEY_SCHEMA = new URL('survey-schema.sql', import.meta.url);
