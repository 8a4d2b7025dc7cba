import { createSettingsOf } from '../../options/create-options.ts';
import { mapLookups } from '../../options/lookups.ts';
import { shownFile } from '../../sources/schemes.ts';
import { readSyncOptions } from '../sync/sync-options.ts';
import type { NewSchedule, ScheduleChange } from './schedule-catalog.ts';

type Settings = Omit<NewSchedule, 'nextDue'>;

/** Returns the changes of an edit, by the settings' names for users. Nothing that may be a secret is in it. */
export function scheduleChanges(before: Settings, after: Settings): ScheduleChange[] {
  const was = shownSettings(before);
  const is = shownSettings(after);
  const changes = [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((field) => {
    const [from, to] = [textOf(was[field]), textOf(is[field])];
    return from === to ? [] : [{ field, from, to }];
  });
  const isOtherQuery = before.source !== after.source && was['file'] === is['file'];
  return isOtherQuery
    ? [...changes, { field: 'file', from: textOf(was['file']), to: 'the same with another query' }]
    : changes;
}

function shownSettings(settings: Settings): Readonly<Record<string, unknown>> {
  const {
    cron,
    tz,
    file,
    headers,
    settings: source,
    maxSource,
    protectFile,
    options,
    repair,
    catchUp,
    restricted,
  } = settings;
  const { reading, flags, create, ...decided } = readSyncOptions({ options });
  return {
    ...{ cron, tz, headers, source, maxSource, repair, catchUp, restricted },
    protectFile: protectFile && shownFile({ file: protectFile }),
    file: shownFile({ file }),
    ...decided,
    ...(create !== undefined && createSettingsOf(create)),
    ...flags,
    ...reading,
    ...mapLookups(reading ?? {}, ({ path, ...kept }) => ({ ...kept, path: shownFile({ file: path }) })),
  };
}

/** '' where it is not set, or set to nothing. */
function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (typeof value !== 'object') return String(value);
  return Object.keys(value).length === 0 ? '' : JSON.stringify(value);
}
