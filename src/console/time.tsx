/** Times as elements. */
import { dayAndTimeIn, exactTime, timeToTheSecond } from './format.ts';
import { RelativeTime } from './relative-time.tsx';

/** Shows the age of a time, or the time to the second; the other one on hovering. */
export function Time({ iso, seconds = false }: { iso: string | null; seconds?: boolean }) {
  if (iso === null) return '–';
  if (!seconds) return <RelativeTime iso={iso} />;
  return (
    <time dateTime={iso} title={exactTime(iso)}>
      {timeToTheSecond(iso)}
    </time>
  );
}

/** A time by the clocks of a time zone. */
export function TimeIn({ iso, tz }: { iso: string; tz: string }) {
  return (
    <time dateTime={iso} title={exactTime(iso)}>
      {dayAndTimeIn(iso, tz)}
    </time>
  );
}
