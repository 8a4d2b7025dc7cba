import { counted, grouped } from '../../../text/wording.ts';
import type { Guard } from './guard.ts';

const WITH_FILE: Guard['modes'] = new Set(['add', 'mirror']);
const SHOWN_NAMES = 5;

/** Guards against too many creations: a wrong column creates unwanted users and groups. */
export const CREATION_GUARDS: readonly Guard[] = [
  {
    name: 'created-groups',
    meaning: 'More groups would be created than `--max-create` allows.',
    modes: WITH_FILE,
    remedy: 'Make sure that these are groups, and that the file is for this app; approve the plan if it is',
    check: ({ groups, creating }) => {
      const fresh = groups.filter(({ creates }) => creates !== undefined);
      const limit = creating?.limits.groups ?? 0;
      if (fresh.length <= limit) return [];
      const names = fresh.map(({ guid, region }) => `${guid} (${region})`);
      const what = `${counted(fresh.length, 'group')} would be created, ${firstOf(names)}; ${grouped(limit)} may be`;
      return [{ value: fresh.length, limit, what }];
    },
  },
  {
    name: 'created-users',
    meaning: 'More users would be created or made active again than `--max-create` allows.',
    modes: WITH_FILE,
    remedy: 'Make sure that the column of the UIDs is the right one, and approve the plan if it is',
    check: ({ creating }) => {
      if (creating?.missing == null) return [];
      const { unknown, deactivated, first } = creating.missing;
      const limit = creating.limits.users;
      const value = unknown + deactivated;
      if (value <= limit) return [];
      const inactive = deactivated === 0 ? '' : `, ${grouped(deactivated)} of them deactivated`;
      const named = first.length === 0 ? '' : `: ${firstOf(first, unknown)}`;
      const what = `the service does not find ${counted(value, 'user')}${inactive}${named}; ${grouped(limit)} may be created or made active`;
      return [{ value, limit, what }];
    },
  },
];

/** Some names, and how many more there are. */
function firstOf(names: readonly string[], of = names.length): string {
  const shown = names.slice(0, SHOWN_NAMES);
  return `${shown.join(', ')}${of > shown.length ? ` and ${grouped(of - shown.length)} more` : ''}`;
}
