import { RollcallError } from '../errors/rollcall-error.ts';
import { isRegion, REGIONS, type Region } from '../membership/membership.ts';

/** Faults that can be planted in a call, in the order in which the kinds are tried. */
export const FAULT_KINDS = {
  'reset-before': 'the connection is reset, nothing is changed',
  'reset-midway': 'the first half of the UIDs is carried out, then the connection is reset (add members only)',
  'reset-after': 'the change is made, then the connection is reset',
  timeout: 'no answer ever comes, nothing is changed',
  'too-many': '429 with Retry-After: 1, nothing is changed',
  unavailable: '503, nothing is changed',
  error: '500, nothing is changed',
  firewall: '403 with the web page of a firewall on the way, nothing is changed',
  redirect: '302 to a login page, as something on the way sends it, nothing is changed',
  'refuse-key': 'the key is refused as unknown',
  'reset-created': 'a user or group is created, then the connection is reset (creating only)',
  truncated: 'the change is made, the JSON of the reply breaks off',
  'not-json': '200 with an HTML page, nothing is changed',
  'omit-uid': 'the change is made, the last UID is missing from the reply (add members only)',
  'short-page': 'returns half a page and counts it as whole (lists only)',
  'empty-page': 'returns an empty page although the list has entries (lists only)',
  'repeat-page': 'returns the first page whichever was asked for (lists only)',
  slow: 'the answer takes longer; other faults may join',
} as const;
export type FaultKind = keyof typeof FAULT_KINDS;

/** Calls that have faults of their own. */
export type FaultyCall = 'add-members' | 'create' | 'list';

/** Faults that hit only such calls. */
const ONLY: Readonly<Partial<Record<FaultKind, FaultyCall>>> = {
  'reset-midway': 'add-members',
  'omit-uid': 'add-members',
  'reset-created': 'create',
  'short-page': 'list',
  'empty-page': 'list',
  'repeat-page': 'list',
};

/** A fault, where it happens (everywhere without a region), and when: with a chance per call, or in the next calls. */
export type Fault = {
  readonly kind: FaultKind;
  readonly region?: Region;
  /** Delay in milliseconds; for `slow` only. */
  readonly ms?: number;
} & ({ readonly chance: number } | { readonly count: number });

/**
 * Reads faults separated by commas, each `[region:]kind[=when]`: `reset-after=2%,too-many=5,eu:slow=400ms@10%`.
 * `when` is a probability (`5%` or `0.05`) or a count of calls (`3`); every call without it. `slow` takes its time first.
 * @throws BAD_FAULT, which shows the fault and what is allowed
 */
export function parseFaults(text: string) {
  return text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map(parseFault);
}

function parseFault(text: string) {
  const parts = /^(?:([^:=]*):)?([^:=]*)(?:=(.*))?$/.exec(text);
  const [, region, kind = '', setting] = parts ?? [];
  if (parts === null) throw badFault(text, 'expected [region:]kind[=when], for example eu:too-many=5');
  if (region !== undefined && !isRegion(region)) {
    throw badFault(text, `unknown region "${region}", known are ${REGIONS.join(', ')}`);
  }
  if (!isFaultKind(kind)) {
    throw badFault(text, `unknown kind "${kind}", known are ${Object.keys(FAULT_KINDS).join(', ')}`);
  }
  const where = { kind, ...(region !== undefined && { region }) };
  if (kind !== 'slow') return { ...where, ...parseWhen(text, setting) };
  const slow = /^(\d+)ms(?:@(.+))?$/.exec(setting ?? '');
  if (slow === null) throw badFault(text, 'slow needs milliseconds, for example slow=400ms or slow=400ms@10%');
  return { ...where, ms: Number(slow[1]), ...parseWhen(text, slow[2]) };
}

function parseWhen(text: string, when: string | undefined) {
  if (when === undefined) return { chance: 1 };
  if (/^\d+$/.test(when)) return { count: Number(when) };
  const chance = /^\d+(\.\d+)?%$/.test(when) ? Number(when.slice(0, -1)) / 100 : Number(when);
  if (/^(?:\d+(?:\.\d+)?|\.\d+)%?$/.test(when) && chance <= 1) return { chance };
  throw badFault(text, `"${when}" is neither a probability (5% or 0.05) nor a count of calls (3)`);
}

function badFault(text: string, problem: string) {
  return new RollcallError('BAD_FAULT', { text, problem });
}

function isFaultKind(text: string): text is FaultKind {
  return Object.hasOwn(FAULT_KINDS, text);
}

/** The faults in force; can be changed while calls come in. @param random returns numbers from 0 to below 1 */
export function faultsWith(random: () => number) {
  let inForce: { readonly fault: Fault; left: number }[] = [];
  /** Functions that end the waits of the calls that are slow now. */
  const slow = new Set<() => void>();
  /** Puts these faults in force in place of earlier ones. Calls that those have made slow wait no longer. */
  const set = (faults: string | readonly Fault[]) => {
    const parsed = typeof faults === 'string' ? parseFaults(faults) : faults;
    const order = Object.keys(FAULT_KINDS);
    inForce = parsed
      .map((fault) => ({ fault, left: 'count' in fault ? fault.count : Number.POSITIVE_INFINITY }))
      .sort((a, b) => order.indexOf(a.fault.kind) - order.indexOf(b.fault.kind));
    for (const end of slow) end();
  };
  return {
    set,
    clear: () => set([]),
    /** Resolves after this time, or as soon as other faults are in force. */
    slowDown: async (ms: number) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      // It does not keep a process alive that has closed the sandbox.
      const timer = setTimeout(resolve, ms).unref();
      slow.add(resolve);
      await promise;
      clearTimeout(timer);
      slow.delete(resolve);
    },
    /** Decides for one call: at most one fault, and a delay. If several faults hit it, the first kind in FAULT_KINDS wins and the others are not counted down. */
    strike: (region: Region, call: FaultyCall | undefined) => {
      let struck: FaultKind | undefined;
      let delayMs = 0;
      for (const active of inForce) {
        const { fault, left } = active;
        const only = ONLY[fault.kind];
        if ((fault.region ?? region) !== region || (only ?? call) !== call || left === 0) continue;
        // Always draw, so that the calls that one fault hits do not depend on the other faults.
        if ('chance' in fault && random() >= fault.chance) continue;
        if (fault.kind === 'slow') delayMs += fault.ms ?? 0;
        else if (struck === undefined) struck = fault.kind;
        else continue;
        active.left -= 1;
      }
      return { fault: struck, delayMs };
    },
  };
}
export type Faults = ReturnType<typeof faultsWith>;

/** Numbers from 0 to below 1 that the seed alone decides (mulberry32), so that a run with faults can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
