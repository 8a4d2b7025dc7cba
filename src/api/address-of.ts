/** The path of a request with the fields that it names filled in, and the other fields. */
export function addressOf(path: string, input: object): { readonly address: string; readonly rest: object } {
  const rest = new Map<string, unknown>(Object.entries(input).filter(([, value]) => value !== undefined));
  const address = path.replace(/:(\w+)/g, (_, name: string) => {
    const value = rest.get(name);
    rest.delete(name);
    return encodeURIComponent(String(value));
  });
  return { address, rest: Object.fromEntries(rest) };
}
