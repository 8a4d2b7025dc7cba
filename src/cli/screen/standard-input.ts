/** The end of a pipe and the Ctrl-C that caused it come in any order, within this time in ms. */
export const TOGETHER_MS = 100;

/** Name of standard input in an import of a server. */
export const STANDARD_INPUT = 'standard-input';
