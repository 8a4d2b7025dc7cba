import { isObject } from '../platform/stored-json.ts';
import { jsonOrUndefined } from '../text/json-or-undefined.ts';

/**
 * The circuit breaker of a queue, as data: whether the service that its jobs call answers. Closed: jobs start. Open: none
 * does. Half-open: one job tries whether the service answers again. Times are in ms since 1970, by the processes' clocks.
 */
export interface Circuit {
  /** Begin of the first call without an answer since the last answer; null when the last call was answered. */
  readonly since: number | null;
  /** Calls without an answer since then. */
  readonly calls: number;
  /** Null while it is closed. */
  readonly openedAt: number | null;
  /** Probes that failed since it opened. */
  readonly tries: number;
  /** The earliest time of the next probe; 0 while the circuit is closed. */
  readonly nextTryAt: number;
  /** The process that probes, and the time at which it loses the probe: so a dead process frees it. */
  readonly probe: { readonly by: string; readonly until: number } | null;
  /** A recent answer: at most NOTE_MS older than the last one while it is closed. */
  readonly answeredAt: number | null;
  /** A call was last answered that had no answer before, while others had one: the service fails now and then. */
  readonly recoveredAt: number | null;
  /** The service asked to send nothing before; null where it asked for no long wait. */
  readonly waitsUntil: number | null;
  /** The error code of the last unanswered call. */
  readonly code: string;
  readonly message: string;
}

export const NEW_CIRCUIT: Circuit = {
  since: null,
  calls: 0,
  openedAt: null,
  tries: 0,
  nextTryAt: 0,
  probe: null,
  answeredAt: null,
  recoveredAt: null,
  waitsUntil: null,
  code: '',
  message: '',
};

/** Interval in which processes tell each other that calls are answered, in ms. */
export const NOTE_MS = 1_000;
/** So many calls in a row must have had no answer: a single one says little. */
const MIN_CALLS = 3;
/** So long there must have been no answer, in ms: longer than NOTE_MS, after which another process would have told of one. */
const MIN_SILENCE_MS = 2 * NOTE_MS;
const FIRST_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** Longer than any call takes, in ms. */
const MAX_PROBE_MS = 120_000;

export interface NoAnswer {
  /** Start of the call, in ms since 1970. */
  readonly at: number;
  readonly code: string;
  readonly message: string;
}

export interface Answer {
  /** The service asked to send nothing before, in ms since 1970. */
  readonly waitsUntil?: number | null;
  /** The same call got no answer before, while others did. */
  readonly recovered?: boolean;
}

/** A call was answered: the circuit is closed. */
export function answered(before: Circuit, { waitsUntil = null, recovered = false }: Answer, now: number): Circuit {
  return { ...NEW_CIRCUIT, answeredAt: now, recoveredAt: recovered ? now : before.recoveredAt, waitsUntil };
}

/** A call was not answered. The circuit opens when none was for a while. */
export function unanswered(circuit: Circuit, { at, code, message }: NoAnswer, now: number): Circuit {
  const since = circuit.since ?? Math.max(at, circuit.answeredAt ?? 0);
  const noted = { ...circuit, since, calls: circuit.calls + 1, code, message };
  const opens = circuit.openedAt === null && noted.calls >= MIN_CALLS && now - since >= MIN_SILENCE_MS;
  return opens ? { ...noted, openedAt: now, nextTryAt: now + FIRST_WAIT_MS } : noted;
}

/** Gives `by` the next probe, if it is due and no one has it. */
export function takeProbe(circuit: Circuit, by: string, now: number): Circuit {
  if (circuit.openedAt === null || waitOf(circuit, now) > 0) return circuit;
  return { ...circuit, probe: { by, until: now + MAX_PROBE_MS } };
}

/** The probe of `by` was not answered: the next one comes later. */
export function probeFailed(circuit: Circuit, by: string, no: NoAnswer, now: number): Circuit {
  const noted = unanswered(circuit, no, now);
  if (noted.probe?.by !== by) return noted;
  const tries = noted.tries + 1;
  return { ...noted, tries, probe: null, nextTryAt: now + Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** tries) };
}

/** `by` has not called after all: another may. */
export function leaveProbe(circuit: Circuit, by: string): Circuit {
  return circuit.probe?.by === by ? { ...circuit, probe: null } : circuit;
}

/** Ms until a job may look again whether it may start; 0 when it may. A clock that was set back makes nothing wait longer. */
export function waitOf(circuit: Circuit, now: number): number {
  if (stateOf(circuit, now) === 'half-open') return FIRST_WAIT_MS;
  return Math.min(Math.max(0, circuit.nextTryAt - now), MAX_WAIT_MS);
}

export function stateOf({ openedAt, probe }: Circuit, now: number): 'closed' | 'open' | 'half-open' {
  if (openedAt === null) return 'closed';
  const isProbed = probe !== null && probe.until > now && probe.until <= now + MAX_PROBE_MS;
  return isProbed ? 'half-open' : 'open';
}

export function readCircuit(text: string): Circuit {
  return readState(text, NEW_CIRCUIT) ?? NEW_CIRCUIT;
}

/** Reads a state that is stored beside the queue; undefined where this version cannot read it. @param like any state of the same kind */
export function readState<State extends object>(text: string, like: State): State | undefined {
  const value: unknown = jsonOrUndefined(text);
  return isObject(value) && Object.keys(like).every((name) => name in value) ? (value as State) : undefined;
}
