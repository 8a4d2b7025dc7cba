import type { z } from 'zod';
import type { CircuitStatus } from '../../api/region-status.ts';
import type { Region } from '../../membership/membership.ts';
import { noAnswerSince } from '../../text/no-answer.ts';
import { printable, utcTime } from '../../text/wording.ts';
import type { regionNote } from './operations.ts';

/** A change of state of an import, a sync or a region that the receiver is notified of. */
export interface Delivery {
  /** The same in every repetition. */
  readonly id: string;
  readonly kind: 'import' | 'sync' | 'region';
  readonly subject: string;
  /** A word of membership/import-state.ts or sync-state.ts; of a region, `away` or `back`. */
  readonly state: string;
  readonly reason: string;
  /** The time of the move, in ms since 1970. */
  readonly at: number;
  /** The body that is sent; null until it is made. */
  readonly body: string | null;
}

/** A notification as it is sent (docs/webhook.md). @param type such as `import.completed` @param at ms since 1970 */
export function noteText(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** The parts of a notification that people see. */
type Seen = Partial<Record<'id' | 'file' | 'reason', string> & { rows: Record<string, number> }>;

/** A notification in words, for people. Each part is one line, whatever its text is. @param body what `noteText` wrote */
export function messageOf(body: string): { readonly title: string; readonly text: string } {
  const { type, data }: { readonly type: string; readonly data: Seen } = JSON.parse(body);
  const { id = '', file = '', reason = '', rows = {} } = data;
  const counts = Object.entries(rows).filter(([, count]) => count > 0);
  const said = [reason, counts.map(([name, count]) => `${name} ${count}`).join(', '), id];
  const lines = said.filter((line) => line !== '').map(printable);
  return {
    title: printable(`rollcall: ${type.replace('.', ' ')}${file === '' ? '' : `: ${file}`}`),
    text: lines.join('\n'),
  };
}

export function slackBody(body: string): string {
  const { title, text } = messageOf(body);
  // Slack makes links and calls of what is between these characters, also in text without other markup.
  const plain = `${title}\n${text}`.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return JSON.stringify({ text: plain, mrkdwn: false });
}

/** An outage that is shorter is not notified, in ms: it is over before anyone could act. */
const NOTABLE_MS = 60_000;

/** Tells of outages that last, and of their end. @returns a function that takes each change of a region's circuit */
export function watchOutages(tell: (note: Delivery) => void, notableMs = NOTABLE_MS) {
  const outages = new Map<Region, { since: string; last: CircuitStatus; isTold: boolean; timer: NodeJS.Timeout }>();
  return (region: Region, status: CircuitStatus): void => {
    const known = outages.get(region);
    if (status.state === 'closed') {
      clearTimeout(known?.timer);
      outages.delete(region);
      if (known?.isTold) tell(noteOf(region, status, known.since));
    } else if (known !== undefined) known.last = status;
    else {
      const since = status.since ?? new Date().toISOString();
      const announce = () => {
        outage.isTold = true;
        tell(noteOf(region, outage.last, since));
      };
      const timer = setTimeout(announce, Date.parse(since) + notableMs - Date.now()).unref();
      const outage = { since, last: status, isTold: false, timer };
      outages.set(region, outage);
    }
  };
}

/** A server that is started again tells the begin under the same id. */
function noteOf(region: Region, { state: circuit, code, message }: CircuitStatus, since: string): Delivery {
  const at = Date.now();
  const state = circuit === 'closed' ? 'back' : 'away';
  const reason =
    state === 'back'
      ? `the chat service answers again in ${region}; it had not since ${utcTime(since)}`
      : `in ${region}, ${noAnswerSince({ code, message }, utcTime(since))}${message === '' ? '' : `: ${message}`}; rows wait and use no attempts`;
  const data: z.infer<typeof regionNote> = { region, state, since, reason };
  const body = noteText(`region.${state}`, at, data);
  return { id: `${region}-${state}-${Date.parse(since)}`, kind: 'region', subject: region, state, reason, at, body };
}
