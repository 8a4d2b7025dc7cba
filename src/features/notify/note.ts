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
export function readNote(text: string): z.infer<typeof note> {
  return note.parse(JSON.parse(text));
}
