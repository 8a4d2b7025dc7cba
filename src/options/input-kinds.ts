/** What a file with rows can be. */
export const INPUT_KINDS = ['csv', 'json', 'ndjson', 'xlsx', 'ods', 'yaml', 'ldif'] as const;
