import { counted } from '../../../text/wording.ts';
import type { CreatedView } from '../api.ts';

/** Users and groups that an import created, as they are shown before and after they are deleted. */

type Thing = Pick<CreatedView['things'][number], 'kind' | 'region' | 'name' | 'why'>;

const SHOWN = 50;

/** "  user ann (us)", or why it is kept. */
export function linesOf(things: readonly Thing[]): string[] {
  const lines = things
    .slice(0, SHOWN)
    .map(({ kind, name, region, why }) => `  ${kind} ${name} (${region})${why === '' ? '' : `, kept: ${why}`}`);
  return things.length > SHOWN ? [...lines, `  … and ${things.length - SHOWN} more`] : lines;
}

/** "1 group and 2 users" */
export function listed(things: readonly Pick<Thing, 'kind'>[]): string {
  const count = (wanted: Thing['kind']) => things.filter(({ kind }) => kind === wanted).length;
  const parts = (['group', 'user'] as const).flatMap((kind) => (count(kind) > 0 ? [counted(count(kind), kind)] : []));
  return parts.length === 0 ? 'Nothing' : parts.join(' and ');
}
