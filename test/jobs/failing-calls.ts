import { afterRefusal } from '../../jobs/batch-policy.ts';
import { backoffMs } from '../../src/chat/error-policy.ts';
import type { Standing } from '../../src/imports/record/batch-result.ts';
import {
  answered,
  type Circuit,
  NEW_CIRCUIT,
  probeFailed,
  takeProbe,
  unanswered,
  waitOf,
} from '../../src/queue/circuit.ts';

/** The calls of an import in which each user is a number, in a time of their own. */
export interface Calls {
  /** Users of each batch. */
  readonly batches: readonly (readonly number[])[];
  /** Whether the service answers a call with these users, so many ms after the start; without users, a question. */
  readonly answers: (users: readonly number[], ms: number) => boolean;
  readonly random: () => number;
}

interface Waiting {
  readonly users: readonly number[];
  readonly at: number;
  readonly standing?: Standing | undefined;
  /** Questions in a row without an answer. */
  readonly asked?: number;
}

/** Time between the first calls of two batches, in ms. */
const PACE_MS = 50;
/** Times are in ms since 1970. */
const START = 1_000_000;

/** @returns the users that were given up, and how long it took */
export function sendAll({ batches, answers, random }: Calls): { givenUp: Set<number>; ms: number } {
  const waiting: Waiting[] = batches.map((users, nth) => ({ users, at: START + nth * PACE_MS }));
  const givenUp = new Set<number>();
  let circuit: Circuit = NEW_CIRCUIT;
  let now = START;
  const noAnswer = () => ({ at: now, code: 'HTTP_503', message: '' });
  const again = (batch: Waiting, waitMs: number) => waiting.push({ ...batch, at: now + Math.max(1, waitMs) });
  const ask = (batch: Waiting): boolean => {
    const { asked = 0 } = batch;
    if (answers([], now - START)) {
      circuit = answered(circuit, { recovered: asked > 0 }, now);
      return true;
    }
    circuit = unanswered(circuit, noAnswer(), now);
    again({ ...batch, asked: asked + 1 }, backoffMs(asked + 1, random()));
    return false;
  };
  const call = (batch: Waiting, isTrial: boolean): void => {
    const { users, standing } = batch;
    if (answers(users, now - START)) {
      circuit = answered(circuit, { recovered: (standing?.tries ?? 0) > 0 }, now);
      return;
    }
    const { recoveredAt } = circuit;
    circuit = isTrial ? probeFailed(circuit, 'a', noAnswer(), now) : unanswered(circuit, noAnswer(), now);
    const isAway = !isTrial && circuit.openedAt !== null;
    const next = afterRefusal(
      { kind: 'again', maybeCarriedOut: true },
      { standing, at: now, now, size: users.length, asks: true },
      isAway ? { waitMs: waitOf(circuit, now) } : { answeredAt: isTrial ? now : circuit.answeredAt, recoveredAt },
    );
    if (next.step === 'wait') again({ users, at: now, standing: next.standing }, next.waitMs);
    else if (next.step === 'again')
      again({ users, at: now, standing: next.standing }, backoffMs(next.standing.tries, random()));
    else if (next.step === 'halve') {
      const half = Math.ceil(users.length / 2);
      for (const part of [users.slice(0, half), users.slice(half)])
        again({ users: part, at: now, standing: next.standing }, 0);
    } else for (const user of users) givenUp.add(user);
  };
  while (waiting.length > 0) {
    waiting.sort((a, b) => b.at - a.at);
    const batch = waiting.pop() as Waiting;
    now = Math.max(now, batch.at);
    const isOpen = circuit.openedAt !== null;
    if (isOpen && waitOf(circuit, now) > 0) {
      again(batch, waitOf(circuit, now));
      continue;
    }
    if (isOpen) {
      circuit = takeProbe(circuit, 'a', now);
      if (answers([], now - START)) call({ ...batch }, true);
      else {
        circuit = probeFailed(circuit, 'a', noAnswer(), now);
        again(batch, waitOf(circuit, now));
      }
      continue;
    }
    if (batch.standing === undefined || ask(batch)) call({ ...batch, asked: 0 }, false);
  }
  return { givenUp, ms: now - START };
}
