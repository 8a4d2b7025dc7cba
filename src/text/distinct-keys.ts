/** The columns as keys of an object: a name that occurs twice in the header becomes `name`, `name_2`, …, so that none is lost. */
export function distinctKeys(columns: readonly string[]) {
  const taken = new Set(columns);
  const seen = new Set<string>();
  /** The next number to try for a name: a header may repeat one name thousands of times. */
  const next = new Map<string, number>();
  return columns.map((column) => {
    let key = column;
    let number = next.get(column) ?? 2;
    for (; seen.has(key); number++) {
      const candidate = `${column}_${number}`;
      if (!taken.has(candidate)) key = candidate;
    }
    next.set(column, number);
    seen.add(key);
    return key;
  });
}
