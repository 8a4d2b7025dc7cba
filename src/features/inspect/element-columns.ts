/** Levels below an element that are looked into. */
const MAX_LEVELS = 3;

/** The texts of elements by path, such as `user.id` or `members.role`; entries of lists one by one. */
export function elementColumns(elements: readonly unknown[]): Map<string, { values: string[]; inList: boolean }> {
  const columns = new Map<string, { values: string[]; inList: boolean }>();
  const walk = (path: string, value: unknown, inList: boolean, level: number): void => {
    if (Array.isArray(value)) {
      for (const entry of value) walk(path, entry, true, level);
    } else if (typeof value === 'object' && value !== null && level < MAX_LEVELS) {
      for (const [key, inner] of Object.entries(value)) {
        walk(path === '' ? key : `${path}.${key}`, inner, inList, level + 1);
      }
    } else {
      const column = columns.get(path) ?? { values: [], inList };
      columns.set(path, column);
      column.inList ||= inList;
      column.values.push(typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value));
    }
  };
  for (const element of elements) walk('', element, false, 0);
  return columns;
}
