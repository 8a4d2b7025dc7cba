/** The end of a pipe and the Ctrl-C that caused it come in any order, within this time in ms. */
export const TOGETHER_MS = 100;

/** What an import of standard input is called at a server. */
export const STANDARD_INPUT = 'standard-input';
