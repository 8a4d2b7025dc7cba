import { Readable } from 'node:stream';
import type { FileFacts } from '../../api/file-facts.ts';
import { isReadAtRandom } from '../../imports/read/random-access.ts';
import { headOf } from '../recipes/head.ts';
import type { Recipe } from '../recipes/recipe.ts';
import { inspect } from './inspect.ts';
import { BEGINNING_BYTES, beginning, type PreviewRequest, unpacked } from './preview.ts';

export interface InspectRequest extends PreviewRequest {
  readonly recipes: readonly Recipe[];
}

/** Returns the facts about a file, as far as its beginning shows them. */
export async function inspectHead({ head, name, options, recipes }: InspectRequest): Promise<FileFacts> {
  const given = Buffer.from(head);
  const { bytes, isCut } = await unpacked(given);
  const shown = beginning(bytes, options, isCut);
  return inspect({
    name,
    bytes: undefined,
    head: await headOf(given, options.encoding),
    isCut: !isReadAtRandom(given) && (isCut || given.length >= BEGINNING_BYTES),
    open: () => (isReadAtRandom(given) ? { bytes: given, name } : { stream: Readable.from([shown]), name }),
    options,
    recipes,
  });
}
