import { z } from 'zod';
import { isRefusedForNow, isTooMany, UNTOLD_WAIT_MS } from '../src/chat/error-policy.ts';
import type { Answered, RowOutcome, Sent } from '../src/imports/record/batch-result.ts';
import { OUTCOMES } from '../src/membership/outcome.ts';
import { type JobRun, SlowDown } from '../src/queue/define-job.ts';
import { ATTEMPTS, type BatchPayload, type BatchPorts, SendAgain } from './send-batch.ts';

/**
 * A reply may refuse some users for now, with a code that would repeat a whole call (error-policy.ts). These are sent again,
 * within the attempts of the batch; what the reply said of the others waits in the payload until the batch ends.
 */

/** Rows as [number, text]. Checked by hand: a schema for each row takes ten times as long. */
export function isListed(list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  for (const row of list) {
    if (!Array.isArray(row) || row.length !== 2) return false;
    if (!Number.isSafeInteger(row[0]) || typeof row[1] !== 'string') return false;
  }
  return true;
}

/** Outcomes of rows from a reply, as jobs carry them. */
export const ANSWERED_FIELDS = {
  others: z.array(z.object({ row: z.int(), outcome: z.enum(OUTCOMES), code: z.string(), message: z.string() })),
  missing: z.array(z.int()),
  messages: z
    .custom<readonly (readonly [number, string])[]>(isListed, { error: 'expected messages as [row number, id]' })
    .exactOptional(),
  members: z.int().exactOptional(),
};

export const EARLIER_FIELDS = {
  /** Rows that are sent again, and what was said of the others. */
  earlier: z.object({ ...ANSWERED_FIELDS, again: z.array(z.int()) }).optional(),
};
type Earlier = Readonly<z.infer<z.ZodObject<typeof EARLIER_FIELDS>>>;

export function refusedForNow(others: readonly RowOutcome[]): readonly RowOutcome[] {
  return others.filter(({ outcome, code }) => outcome === 'failed' && isRefusedForNow(code));
}

/** The same result, with what earlier replies said. @param rest the rows that were sent again */
export function withEarlier({ earlier }: Earlier, sent: Sent, rest: readonly number[]): Sent {
  if (earlier === undefined) return sent;
  const { again: _, ...known } = earlier;
  const ended = (
    outcome: RowOutcome['outcome'],
    { code, message }: { readonly code: string; readonly message: string },
  ) => withReply(known, { others: rest.map((row) => ({ row, outcome, code, message })), missing: [] });
  switch (sent.kind) {
    case 'answered':
      return withReply(known, sent);
    case 'refused':
      return ended(sent.outcome, sent);
    case 'group':
    case 'halve':
      return ended('failed', sent);
    case 'unanswered':
      return ended(sent.maybeCarriedOut ? 'unconfirmed' : 'failed', sent);
    default:
      return sent;
  }
}

function withReply(
  known: Answered,
  { others, missing, messages = [], members }: Answered,
): Extract<Sent, { kind: 'answered' }> {
  const counts = [known.members ?? [], members ?? []].flat();
  const written = [...(known.messages ?? []), ...messages];
  return {
    kind: 'answered',
    others: [...known.others, ...others],
    missing: [...known.missing, ...missing],
    ...(written.length > 0 && { messages: written }),
    ...(counts.length > 0 && { members: Math.max(...counts) }),
  };
}

/**
 * Ports that deliver a result when no one in it is refused for now, or the attempts are used up.
 * @param merged as `withEarlier`, for a result without an answer
 */
export function repeating<Ports extends BatchPorts>(
  job: JobRun<BatchPayload & Earlier>,
  ports: Ports,
  merged: (sent: Sent) => Sent,
): Ports {
  return {
    ...ports,
    deliver: async (to, result) => {
      const { sent, calls, uncertainty } = result;
      if (sent.kind === 'unanswered') return ports.deliver(to, { ...result, sent: merged(sent) });
      const again = sent.kind === 'answered' ? refusedForNow(sent.others) : [];
      const [first] = again;
      if (sent.kind !== 'answered' || first === undefined || job.isLastAttempt || calls.length >= ATTEMPTS) {
        return ports.deliver(to, result);
      }
      const rows = again.map(({ row }) => row);
      const { kind: _, ...answered } = sent;
      const others = sent.others.filter((other) => !again.includes(other));
      await job.update({
        ...job.payload,
        calls: [...calls],
        uncertainty: uncertainty ?? `an earlier reply refused this user with ${first.code}`,
        earlier: { ...answered, others, missing: [...answered.missing], again: rows },
      });
      if (again.some(({ code }) => isTooMany(code))) throw new SlowDown(UNTOLD_WAIT_MS);
      throw new SendAgain(first);
    },
  };
}
