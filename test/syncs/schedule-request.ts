import type { ScheduleRequest } from '../../src/features/schedule/schedule-catalog.ts';
import { DEFAULT_FLAGS } from '../../src/features/sync/plan-flags.ts';

interface RequestChanges extends Partial<Omit<ScheduleRequest, 'options'>> {
  readonly name: string;
  readonly file: string;
  readonly options?: Partial<ScheduleRequest['options']>;
}

/** A schedule that applies what its file says, every night, at the service. */
export function scheduleRequest({ file, options, ...changes }: RequestChanges): ScheduleRequest {
  return {
    cron: '30 2 * * *',
    tz: 'Europe/Rome',
    file,
    source: file,
    headers: {},
    settings: {},
    maxSource: 1_000_000,
    protectFile: null,
    repair: false,
    catchUp: false,
    restricted: false,
    ...changes,
    options: {
      reading: { format: 'auto', map: {}, region: 'us' },
      flags: DEFAULT_FLAGS,
      limits: {},
      apply: true,
      sandbox: false,
      ...options,
    },
  };
}
