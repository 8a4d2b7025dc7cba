import { z } from 'zod';
import { MAX_TAGS, TAG, TAG_ALLOWED, TAGS_ALLOWED } from './tag-rule.ts';

/** Words that people give imports, to find them again. */

const tag = z.string().trim().regex(TAG, TAG_ALLOWED);

export const tags = z.array(tag).max(MAX_TAGS, TAGS_ALLOWED);

/** `choir,autumn 2026`: each once, in the order in which they came. */
export const tagsOption = z
  .string()
  .transform((text) => text.split(',').filter((part) => part.trim() !== ''))
  .pipe(tags)
  .transform((list) => [...new Set(list)])
  .meta({ description: 'Tags, separated by commas: words to find the import by.' });

/** Tags to add and to remove. */
export const tagChanges = z.strictObject({ add: tags.optional(), remove: tags.optional() });
export type TagChanges = z.infer<typeof tagChanges>;

/** Returns the tags after the changes; one that is removed and added stays. Case does not matter. */
export function tagsAfter(before: readonly string[], { add = [], remove = [] }: TagChanges): string[] {
  const gone = new Set(remove.map((one) => one.toLowerCase()));
  const kept = before.filter((one) => !gone.has(one.toLowerCase()));
  const known = new Set(kept.map((one) => one.toLowerCase()));
  return [...kept, ...add.filter((one) => !known.has(one.toLowerCase()))];
}
