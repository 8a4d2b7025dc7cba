/** Values that are given one after the other, as one: lists are joined, and so are objects. */
export function joined<Value>(values: readonly Value[]): Value {
  return (Array.isArray(values[0]) ? values.flat() : Object.assign({}, ...values)) as Value;
}

/** The values that are given, without those that are undefined. */
export function defined<Given extends object>(
  given: Given,
): { [Name in keyof Given]?: Exclude<Given[Name], undefined> } {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Given]?: Exclude<Given[Name], undefined> };
}
