import { expect, test } from 'vitest';
import { newSchedule } from '../../src/features/schedule/operations.ts';
import { settingsToKeep } from '../../src/features/schedule/routes/schedule-settings.ts';
import type { Aimed } from '../../src/imports/target.ts';

const MACHINE = { isHere: true, sources: [] as string[], namedSources: {}, defaultRegion: 'us' } as const;

test.each([true, false])(
  'with sandbox: %s, a schedule is added only by a process that sends there',
  async (sandbox) => {
    const given = newSchedule.omit({ name: true }).parse({ cron: '@daily', tz: 'UTC', file: '/members.csv', sandbox });
    const keptAt = (sendsTo: Aimed) => settingsToKeep(given, undefined, { ...MACHINE, sendsTo });
    await expect(keptAt({ sandbox: !sandbox })).rejects.toMatchObject({ code: 'WRONG_TARGET' });
    expect(await keptAt({ sandbox })).toMatchObject({ sandbox });
  },
);
