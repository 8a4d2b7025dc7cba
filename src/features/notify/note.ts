import { z } from 'zod';

/** A notification as it is sent (docs/webhook.md). @param type such as `import.completed` @param at ms since 1970 */
export function noteText(type: string, at: number, data: object): string {
  return JSON.stringify({ type, timestamp: new Date(at).toISOString(), data });
}

/** The parts of a notification that people see. */
const note = z.object({
  type: z.string(),
  data: z.object({
    id: z.string().optional(),
    file: z.string().optional(),
    reason: z.string().optional(),
    rows: z.record(z.string(), z.number()).optional(),
  }),
});

/** @param text of `noteText` */
function readNote(text: string): z.infer<typeof note> {
  return note.parse(JSON.parse(text));
}

/** A notification in words, for people, and in the shapes that chat programs take. */
export interface Message {
  readonly title: string;
  readonly text: string;
}

/** @param body the notification as JSON (docs/webhook.md) */
export function messageOf(body: string): Message {
  const { type, data } = readNote(body);
  const [kind = '', state = ''] = type.split('.');
  const { id = '', file = '', reason = '', rows = {} } = data;
  const counts = Object.entries(rows).filter(([, count]) => count > 0);
  return {
    title: `rollcall: ${kind} ${state}${file === '' ? '' : `: ${file}`}`,
    text: [reason, counts.map(([name, count]) => `${name} ${count}`).join(', '), id]
      .filter((line) => line !== '')
      .join('\n'),
  };
}

/** For an incoming webhook of Slack. */
export function slackBody(body: string): string {
  const { title, text } = messageOf(body);
  // Slack reads these three characters as markup.
  const plain = `${title}\n${text}`.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
  return JSON.stringify({ text: plain });
}

/** For a workflow of Teams that posts what it receives: an adaptive card. */
export function teamsBody(body: string): string {
  const { title, text } = messageOf(body);
  const block = (content: string, style: object) => ({ type: 'TextBlock', text: content, wrap: true, ...style });
  return JSON.stringify({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          type: 'AdaptiveCard',
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          version: '1.4',
          body: [block(title, { weight: 'Bolder' }), ...text.split('\n').map((line) => block(line, {}))],
        },
      },
    ],
  });
}
