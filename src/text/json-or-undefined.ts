/** The value of a JSON text; undefined where it is none. The error is dropped: it would quote the text. */
export function jsonOrUndefined(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
