import type { ImportRecord } from './catalog.ts';

/** The tags of an import, which the catalog keeps as JSON. Without zod: commands that only look at imports do not load it. */
export function tagsOf({ tags }: Pick<ImportRecord, 'tags'>): string[] {
  const list: unknown = JSON.parse(tags);
  if (!Array.isArray(list) || list.some((tag) => typeof tag !== 'string'))
    throw new TypeError(`${tags} is not a list of tags`);
  return list;
}
