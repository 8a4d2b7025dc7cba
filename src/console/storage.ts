/** Uses a storage of the browser; undefined where it keeps nothing, or has no room. */
export function tried<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}
