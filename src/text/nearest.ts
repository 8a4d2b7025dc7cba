import { createRequire } from 'node:module';

const load = createRequire(import.meta.url);

/** The name that is most like this one, if one is. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  // Only a wrong name needs it.
  const { default: leven } = load('leven') as typeof import('leven');
  const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, '');
  const wanted = plain(name);
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const candidate of names) {
    const distance = leven(wanted, plain(candidate));
    if (
      distance <= Math.max(1, Math.floor(wanted.length / 3)) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    ) {
      best = { name: candidate, distance };
    }
  }
  return best?.name;
}
