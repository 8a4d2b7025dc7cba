/** File in the folder of an import: keys that the identity file does not have, each once. */
export const UNKNOWN_IDENTITIES = 'unknown-identities.csv';
