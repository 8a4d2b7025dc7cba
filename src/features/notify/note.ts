import { printable } from '../../text/wording.ts';

/** A change of state of an import, a sync or a region that the receiver is notified of. */
export interface Delivery {
  /** The same in every repetition. */
  readonly id: string;
  readonly kind: 'import' | 'sync' | 'region';
  /** The id of the import or sync, or the region. */
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

/** For an incoming webhook of Slack. */
export function slackBody(body: string): string {
  const { title, text } = messageOf(body);
  // Slack makes links and calls of what is between these characters, also in text without other markup.
  const plain = `${title}\n${text}`.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return JSON.stringify({ text: plain, mrkdwn: false });
}
