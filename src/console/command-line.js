/** The command that does on a command line what the page shows. Pure. */

/**
 * Words as a shell takes them: those with other characters than names have stand in quotes.
 * @param {readonly string[]} words
 */
function commandLine(words) {
  return words.map((word) => (/^[\w.,:/@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/**
 * `rollcall report ID --server …` with flags of the same names as the options.
 * @param {string} id
 * @param {string} server
 * @param {Readonly<Record<string, string>>} [options]
 */
export function reportCommand(id, server, options = {}) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return commandLine(['rollcall', 'report', id, ...flags, '--server', server]);
}
