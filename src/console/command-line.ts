/** The command that does on a command line what the page shows. Pure. */

/** Words as a shell takes them: those with other characters than names have stand in quotes. */
function commandLine(words: readonly string[]) {
  return words.map((word) => (/^[\w.,:/@=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ');
}

/** `rollcall report ID --server …` with flags of the same names as the options. */
export function reportCommand(id: string, server: string, options: Readonly<Record<string, string>> = {}) {
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  return commandLine(['rollcall', 'report', id, ...flags, '--server', server]);
}
