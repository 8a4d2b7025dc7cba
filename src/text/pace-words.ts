import { counted, duration } from './wording.ts';

interface Pace {
  readonly limitedBy: 'nothing' | 'rate' | 'concurrency' | 'group' | 'service' | null;
  readonly group: string | null;
  readonly atOnce: number | null;
  readonly callMs: number | null;
}

/** "at the rate limit"; empty where nothing limits a region, or something else that is said already. */
export function limitWords({ limitedBy, group, atOnce, callMs }: Pace) {
  const each = callMs === null ? '' : `, ${duration(callMs)} each`;
  const calls = `${counted(atOnce ?? 0, 'call')} at once${each}`;
  switch (limitedBy) {
    case 'rate':
      return 'at the rate limit';
    case 'concurrency':
      return `at the maximum of ${calls}`;
    case 'service':
      return `the service takes no more than ${calls}`;
    case 'group':
      return `at the maximum of calls at once to one group, ${group ?? ''}${each}`;
    default:
      return '';
  }
}
