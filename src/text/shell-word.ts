/** A value as a POSIX shell reads it back unchanged. */
export function shellWord(value: string): string {
  return /^[\w./:@%+-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;
}
