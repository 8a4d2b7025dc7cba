import { basename } from 'node:path';
import { CREATION, type CreateChoices } from '../options/create-options.ts';
import { textsOf } from '../options/option.ts';
import { CONTENT, type ReadingChoices, SHAPE } from '../options/reading-options.ts';
import { EXPECTING, type ExpectingChoices } from '../options/sending-options.ts';
import { addressName } from '../text/address-text.ts';
import { STANDARD_INPUT } from './fetched-file.ts';
import type { RecipeFlags } from './flags/option-flags.ts';
import { type ShapeFlags, shapeOf } from './flags/shape-flags.ts';
import { recipeToSend } from './recipe-options.ts';

const SENT = { ...CONTENT, ...SHAPE, ...EXPECTING, ...CREATION };

/** Returns the API's query for what imports and syncs have in common. @throws BadRecipe */
export async function readingQuery(
  file: string,
  flags: ReadingChoices & CreateChoices & RecipeFlags & ShapeFlags & ExpectingChoices,
): Promise<URLSearchParams> {
  const name = file === '-' ? STANDARD_INPUT : basename(addressName(file));
  const query = new URLSearchParams({ name });
  if (flags.recipe !== undefined) query.set('recipe', await recipeToSend(flags.recipe));
  for (const [option, text] of textsOf(SENT, { ...flags, shape: shapeOf(flags) })) query.append(option, text);
  return query;
}
