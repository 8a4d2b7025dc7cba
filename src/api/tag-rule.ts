/** The rule for tags. The console has it too, and says at the field what is wrong. */

export const MAX_TAGS = 20;
export const TAG = /^[\p{L}\p{M}\p{N} ._:/@+-]{1,40}$/u;
export const TAG_ALLOWED = 'allowed are 1 to 40 letters, digits, blanks and . _ - : / @ +';
export const TAGS_ALLOWED = `allowed are ${MAX_TAGS} tags`;

/** Returns what is wrong with the first of these tags that is; '' for nothing. */
export function tagsProblem(tags: readonly string[]) {
  const wrong = tags.find((tag) => !TAG.test(tag));
  if (wrong !== undefined) return `“${wrong}” cannot be a tag: ${TAG_ALLOWED}`;
  return tags.length > MAX_TAGS ? `${tags.length} tags are too many: ${TAGS_ALLOWED}` : '';
}
