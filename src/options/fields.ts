/** The fields of a membership that an input may have columns for. */
export const FIELDS = ['region', 'guid', 'uid', 'scope', 'onBehalfOf'] as const;
export type Field = (typeof FIELDS)[number];
