import { readState } from './circuit.ts';

/**
 * The number of jobs of a queue that run at once, as data: it follows what the calls of these jobs say. It grows while more
 * calls at once bring more answers, and shrinks when they only wait longer or fail. Times are in ms.
 *
 * Start: it doubles whenever as many jobs have ended as run at once. Hold: it stays, until it is worth a trial. A trial runs
 * another number, waits until the jobs of before have ended, measures as many again, and compares: by answers in a time, not by
 * latency alone, because a service that has become slower for its own reasons needs more calls at once, and an overloaded
 * one needs fewer.
 */
export interface Flow {
  readonly limit: number;
  /** The highest limit, as it was last. */
  readonly most: number;
  readonly phase: 'start' | 'hold' | 'up' | 'down';
  /** So many jobs end first that began at another limit; 0 while a round is measured. */
  readonly settling: number;
  /** Start of the present round. */
  readonly from: FlowSums;
  readonly at: number;
  /** The last level that was found right; a trial is compared with it. */
  readonly base: FlowLevel | null;
  /** The latency and the share of failed calls that a level is held to. */
  readonly good: Pick<FlowLevel, 'ms' | 'failed'> | null;
  /** The lowest number known to be too high; null where none is. */
  readonly ceiling: { readonly limit: number; readonly fails: boolean } | null;
  /** The factor of the next trial without a ceiling. */
  readonly step: number;
  /** No trial without need before this time; the wait after the next one that fails. */
  readonly restUntil: number;
  readonly restMs: number;
  /** The next trial without need goes down. */
  readonly tryDown: boolean;
  /** The last round, as it is shown. */
  readonly seen: FlowLevel | null;
}

const SUMS = [
  'ended',
  'failed', // calls without an answer, and refused as too many
  'busyMs', // sum of how long the ended jobs took
  'loadMs', // jobs in flight, integrated over time
  'fullMs', // the part of loadMs in which the process had as many as it may, and could have done more
] as const;

/** Sums over all processes and their whole time. */
export type FlowSums = Readonly<Record<(typeof SUMS)[number], number>>;

/** A round at one limit. */
interface FlowLevel {
  readonly limit: number;
  /** Jobs that ended in it. */
  readonly ended: number;
  /** Average number of jobs in flight. */
  readonly inFlight: number;
  readonly ms: number;
  /** Answers in a second. */
  readonly rate: number;
  /** Share of the calls that failed. */
  readonly failed: number;
  /** Whether the limit held jobs back. */
  readonly bound: boolean;
}

export function sumsOf(of: (name: keyof FlowSums) => number): FlowSums {
  return Object.fromEntries(SUMS.map((name) => [name, of(name)])) as FlowSums;
}

export const NO_SUMS: FlowSums = sumsOf(() => 0);

/** The first number: each process had this one before it was adapted. */
export const FIRST_LIMIT = 20;
/** A round takes at least this long: what ends in less says little. */
const MIN_ROUND_MS = 200;
const MIN_ENDED = 10;
/** The part of the additional calls that must come back as additional answers. */
const MIN_GAIN = 0.3;
/** Latency that counts as grown, by that of the level. */
const GROWN = 1.4;
/** Share of failed calls that says nothing. */
const USUAL_FAILED = 0.05;
/** Calls that fail may take longer than others, and end long after their number was lowered. */
const LATE_ROUNDS = 2;
const FIRST_STEP = 1.25;
const MAX_STEP = 2;
/** Distances to a ceiling that are not worth a trial. */
const CLOSE = { fails: 1.06, waits: 1.1 };
const FIRST_REST_MS = 5_000;
/** A rest is at least so many times as long as a call. */
const REST_ROUNDS = 10;
const MAX_REST_MS = 5 * 60_000;
/** Measured jobs for a trial of a step: noise of half the latency is then a fifth of the step. */
const jobsFor = (step: number): number => (2.5 / Math.max(step, 0.08)) ** 2;
/** The most rounds that this may take. */
const MAX_ROUNDS = 6;

/** Nothing is known yet. @param limit 1 after an outage */
export function newFlow(sums: FlowSums, now: number, limit = FIRST_LIMIT): Flow {
  return {
    limit,
    most: limit,
    phase: 'start',
    settling: 0,
    from: sums,
    at: now,
    base: null,
    good: null,
    ceiling: null,
    step: FIRST_STEP,
    restUntil: 0,
    restMs: FIRST_REST_MS,
    tryDown: false,
    seen: null,
  };
}

/** @param most the most jobs that the process may run @param mostOfAll the most that all processes may run together */
export function shareOf(limit: number, most: number, mostOfAll: number): number {
  return Math.max(1, Math.min(most, Math.ceil((limit * most) / Math.max(most, mostOfAll))));
}

/** Returns the flow after these sums: the same object where there is nothing to decide. @param most the highest limit */
export function nextFlow(stored: Flow, sums: FlowSums, now: number, most: number): Flow {
  const flow = stored.limit > most ? { ...stored, limit: most } : stored;
  const round = levelOf(flow, sums, now);
  const again: Flow = { ...flow, most, from: sums, at: now };
  const seen: Flow = { ...again, seen: round };
  if (isFailing(flow, round)) return failing(seen, round);
  const isOver = now - flow.at >= MIN_ROUND_MS && round.ended >= (flow.settling || wanted(flow, round));
  if (!isOver) return stored;
  if (flow.settling > 0) return { ...again, settling: 0 };
  switch (flow.phase) {
    case 'start':
      return started(seen, round);
    case 'hold':
      return held(seen, round);
    case 'up':
      return triedUp(seen, round);
    case 'down':
      return triedDown(seen, round);
  }
}

/** More calls fail than chance explains. Those that began before a change say nothing about it. */
function isFailing({ limit, settling, phase, good }: Flow, { ended, failed }: FlowLevel): boolean {
  if (settling > 0 && phase !== 'up') return false;
  const usual = Math.max(good?.failed ?? 0, USUAL_FAILED);
  const chance = ended * usual + 4 * Math.sqrt(ended * usual * (1 - usual));
  // Calls that fail at once are the first to end.
  return ended >= Math.max(MIN_ENDED, phase === 'up' ? 0 : limit) && ended * failed > chance;
}

/** @returns the jobs that a round takes */
function wanted({ phase, limit, base, good }: Flow, round: FlowLevel): number {
  const isHurry = phase === 'hold' && good !== null && isGrown(round, good);
  if (phase === 'start') return limit;
  if (base === null || isHurry) return Math.max(MIN_ENDED, limit);
  const step = phase === 'hold' ? FIRST_STEP - 1 : Math.abs(limit / base.limit - 1);
  return Math.max(MIN_ENDED, limit, Math.min(jobsFor(step), limit * MAX_ROUNDS));
}

function levelOf({ limit, from, at }: Flow, sums: FlowSums, now: number): FlowLevel {
  const { ended, busyMs, loadMs, fullMs, ...counted } = sumsOf((name) => sums[name] - from[name]);
  const failed = Math.min(counted.failed, ended);
  const inFlight = loadMs / Math.max(1, now - at);
  return {
    limit,
    ended,
    inFlight,
    ms: busyMs / Math.max(1, ended),
    rate: (inFlight * (ended - failed) * 1000) / Math.max(1, busyMs),
    failed: failed / Math.max(1, ended),
    bound: fullMs / Math.max(1, loadMs) >= 0.5,
  };
}

/** @param rounds that are not measured */
function changed(flow: Flow, limit: number, rounds = 1): Flow {
  const next = Math.min(flow.most, Math.max(1, Math.round(limit)));
  return {
    ...flow,
    limit: next,
    settling: Math.ceil(Math.max(Math.min(flow.limit, flow.seen?.inFlight ?? 0), next) * rounds),
  };
}

/** Whether calls at this level take longer than they should. */
function isGrown({ bound, ms }: FlowLevel, good: NonNullable<Flow['good']>): boolean {
  return bound && ms > good.ms * GROWN;
}

function started(flow: Flow, round: FlowLevel): Flow {
  const good = flow.good === null || round.ms < flow.good.ms ? levelled(round) : flow.good;
  const known: Flow = { ...flow, good };
  if (round.ended >= MIN_ENDED && isGrown(round, good)) return { ...known, phase: 'hold', base: round };
  if (!round.bound) return { ...known, phase: round.failed > USUAL_FAILED ? 'hold' : 'start' };
  if (flow.limit >= flow.most) return { ...known, phase: 'hold' };
  return { ...changed(known, flow.limit * 2), settling: 0 };
}

const levelled = ({ ms, failed }: Pick<FlowLevel, 'ms' | 'failed'>) => ({ ms, failed });

function held(flow: Flow, round: FlowLevel): Flow {
  const good = flow.good ?? levelled(round);
  if (isGrown(round, good)) {
    // The first such round may have calls of before in it.
    const known: Flow = { ...flow, good, base: round };
    return flow.base !== null && isGrown(flow.base, good) ? tryLess(known, good.ms / round.ms) : known;
  }
  // A level that gives other numbers than before is another world: what was too high may not be now.
  const isOther = flow.base !== null && round.bound && Math.abs(round.rate / flow.base.rate - 1) > GROWN - 1;
  const known: Flow = {
    ...flow,
    base: round,
    good: { ms: good.ms, failed: good.failed * 0.7 + round.failed * 0.3 },
    ...(isOther && { ceiling: null, restUntil: 0, restMs: FIRST_REST_MS }),
  };
  if (known.at < known.restUntil) return known;
  const mayBeLess = isClose(known) || (known.good?.failed ?? 0) > USUAL_FAILED;
  if (mayBeLess && known.tryDown) return tryLess(known, usedPart(round) / known.step);
  if (mayBeLess && !round.bound) return resting(known);
  return round.bound ? tryMore(known) : known;
}

function usedPart({ inFlight, limit }: FlowLevel): number {
  return Math.min(1, Math.ceil(inFlight) / limit);
}

/** Whether it is not worth a trial to come nearer to the ceiling. */
function isClose({ ceiling, limit }: Flow): boolean {
  if (ceiling === null) return false;
  return ceiling.limit <= Math.max(limit + 1, limit * (ceiling.fails ? CLOSE.fails : CLOSE.waits));
}

function tryMore(flow: Flow): Flow {
  const { ceiling, limit, step } = flow;
  if (limit >= flow.most) return { ...flow, phase: 'hold' };
  const target = ceiling === null || isClose(flow) ? limit * step : (limit + ceiling.limit) / 2;
  return changed({ ...flow, phase: 'up' }, Math.max(limit + 1, target));
}

function tryLess(flow: Flow, factor: number, rounds = 1): Flow {
  const { limit, base } = flow;
  if (limit === 1) return { ...flow, phase: 'hold', good: base && levelled(base) };
  return changed({ ...flow, phase: 'down' }, Math.min(limit - 1, limit * Math.min(Math.max(factor, 0.5), 0.9)), rounds);
}

function triedUp(flow: Flow, round: FlowLevel): Flow {
  const base = flow.base ?? round;
  const gain = (round.rate / base.rate - 1) / (round.limit / base.limit - 1);
  if (round.bound && gain < MIN_GAIN) return tooHigh(flow, false);
  const step = Math.min(MAX_STEP, 1 + (flow.step - 1) * 2);
  const ceiling = flow.ceiling !== null && flow.ceiling.limit > round.limit ? flow.ceiling : null;
  const good = levelled(round);
  const known: Flow = { ...flow, base: round, good, ceiling, step, restMs: FIRST_REST_MS, tryDown: false };
  return isClose(known) || !round.bound ? resting(known) : tryMore(known);
}

/** Back to the level before. */
function tooHigh(flow: Flow, fails: boolean): Flow {
  const limit = flow.base?.limit ?? flow.limit / 2;
  const known: Flow = { ...flow, phase: 'hold', ceiling: { limit: flow.limit, fails }, step: FIRST_STEP, base: null };
  return changed(isClose({ ...known, limit }) ? resting(known) : known, limit, fails ? LATE_ROUNDS : 1);
}

function resting(flow: Flow): Flow {
  const restMs = Math.max(flow.restMs, REST_ROUNDS * (flow.good?.ms ?? 0));
  const next = Math.min(MAX_REST_MS, restMs * 2);
  return {
    ...flow,
    phase: 'hold',
    restUntil: flow.at + restMs,
    restMs: next,
    tryDown: !flow.tryDown,
    step: FIRST_STEP,
  };
}

function triedDown(flow: Flow, round: FlowLevel): Flow {
  const base = flow.base ?? round;
  const gain = (base.rate / Math.max(round.rate, Number.MIN_VALUE) - 1) / (base.limit / round.limit - 1);
  const isBetter = base.failed > USUAL_FAILED && round.failed < base.failed / 2;
  if (!round.bound || gain < MIN_GAIN || isBetter) {
    const fails = base.failed - round.failed > USUAL_FAILED / 2;
    const ceiling = { limit: fails ? Math.min(base.limit, Math.ceil(base.inFlight * 1.05)) : base.limit, fails };
    const ms = Math.min(flow.good?.ms ?? round.ms, round.ms);
    return { ...flow, phase: 'hold', base: round, good: { ms, failed: flow.good?.failed ?? 0 }, ceiling };
  }
  // Fewer calls bring as much less: the service is slower for its own reasons, and needs more of them.
  const known: Flow = { ...flow, phase: 'start', good: levelled(base), ceiling: null, base: null };
  if (!flow.tryDown) return changed(known, base.limit);
  const before: Flow = { ...flow, limit: base.limit, phase: 'hold', base: null };
  const mayBeMore = base.bound && !isClose(before);
  return changed(mayBeMore ? { ...before, tryDown: false } : resting(before), base.limit);
}

function failing(flow: Flow, round: FlowLevel): Flow {
  if (flow.phase === 'up') return tooHigh(flow, true);
  if (flow.phase === 'down') return triedDown(flow, round);
  return tryLess({ ...flow, base: round }, (1 - 2 * round.failed) * usedPart(round), LATE_ROUNDS);
}

export function readFlow(text: string): Flow | undefined {
  return readState(text, newFlow(NO_SUMS, 0));
}
