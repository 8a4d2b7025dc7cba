import type { Api } from './context.ts';

/** Notes the routes that are added from now on. @returns the methods that are allowed at an address; none where there is no such address */
export function noteMethods(app: Api): (url: string) => readonly string[] {
  const methods = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    // Addresses of any form are files of the console.
    if (url.includes('*')) return;
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
  });
  return (url) => {
    const parts = url.replace(/\?.*/, '').split('/');
    const isAt = (route: string) => {
      const names = route.split('/');
      return (
        names.length === parts.length &&
        names.every((name, at) => (name.startsWith(':') ? parts[at] : name === parts[at]))
      );
    };
    const found = [...methods].flatMap(([route, known]) => (isAt(route) ? [...known] : []));
    return [...new Set(found)].toSorted();
  };
}
