import { isTexts, storedJson } from '../platform/stored-json.ts';
import type { ImportRecord } from './catalog.ts';

/** The tags of an import, which the catalog keeps as JSON. */
export function tagsOf({ tags }: Pick<ImportRecord, 'tags'>): string[] {
  return storedJson(tags, 'tags', isTexts);
}
