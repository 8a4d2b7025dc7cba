import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { surveyProgress } from '../../api/fields.ts';
import type { ImportView } from '../../api/imports.ts';
import { eventOperations, type ListEvents } from '../../api/service.ts';
import { isError } from '../../errors/rollcall-error.ts';
import { isFinal, isUnderWay } from '../../membership/import-state.ts';
import { messagesSentence } from '../../membership/outcome-words.ts';
import { counted, grouped } from '../../text/wording.ts';
import type { Imports } from '../client/imports.ts';
import type { Client } from '../client/operation-client.ts';
import { type Io, say, textsOf } from './io.ts';
import { type Progress, showProgress, showSteps } from './show-progress.ts';

/** Between two looks at something whose events are heard, in ms: some may be missed. */
const SLOW_MS = 3_000;
/** The same where no events come. */
const LOOK_MS = 250;
/** Time that a server may be away while a command follows something, in ms: it may be restarting. */
const PATIENCE_MS = 120_000;
/** Time that a process of this machine gets to answer, in ms: it may have just started. */
const APPEAR_MS = 8_000;

/** Something under way that a command follows: an import, a sync, a check. */
interface Followed<View> {
  readonly id: string;
  readonly imports: Pick<Imports, 'server' | 'client'>;
  /** Ends the following, not what is followed. */
  readonly signal: AbortSignal;
  /** @param shown the import, where an event has shown it */
  readonly look: (shown?: Shown) => Promise<View>;
  /** Asked after each look. `soon`: it may be over, which another look will tell. */
  readonly goesOn: (view: View, before: View | undefined, isHeard: boolean) => boolean | 'soon';
  /** Shows the progress. @param last the last look @param trouble why there is no newer one */
  readonly show: (last: () => View | undefined, trouble: () => string | undefined) => Progress;
}

type Shown = ListEvents['imports']['imports'][number];

interface End<View> {
  readonly view: View;
  /** `over`: it does not go on; `left`: the signal came. */
  readonly end: 'over' | 'left';
}

/**
 * Shows the progress until it is over or the signal comes. It looks at least once, after events, and now and then.
 * @throws AWAY when the server does not answer for too long
 */
async function follow<View>(followed: Followed<View>): Promise<End<View>> {
  const { id, imports, signal, look, goesOn, show } = followed;
  let last: View | undefined;
  let isAway = false;
  let wake = new AbortController();
  const over = new AbortController();
  let shown: Shown | undefined;
  const hears = (one?: Shown) => {
    shown = one;
    wake.abort();
  };
  const events = hear(imports.client, id, hears, over.signal);
  const progress = show(
    () => last,
    () => (isAway ? `${imports.server?.url} does not answer; trying again` : undefined),
  );
  let answeredAt = performance.now();
  try {
    for (;;) {
      wake = new AbortController();
      const before = last;
      let isSoon = !events.areHeard();
      try {
        const told = shown;
        shown = undefined;
        const view = await look(told);
        last = view;
        [isAway, answeredAt] = [false, performance.now()];
        const next = goesOn(view, before, events.areHeard());
        if (next === false) return { view, end: 'over' };
        isSoon ||= next === 'soon';
      } catch (error) {
        if (!isError(error, 'AWAY') || performance.now() - answeredAt > PATIENCE_MS) throw error;
        if (signal.aborted && last === undefined) throw error;
        [isAway, isSoon] = [true, true];
      }
      if (last !== undefined && signal.aborted) return { view: last, end: 'left' };
      await sleep(isSoon ? LOOK_MS : SLOW_MS, undefined, { signal: AbortSignal.any([signal, wake.signal]) }).catch(
        () => {},
      );
    }
  } finally {
    over.abort();
    progress.stop();
  }
}

/** Hears the events about something, until the signal. A stream that breaks is opened again. @param wake called for each event, with the import that it shows, and when it breaks */
function hear(client: Client, id: string, wake: (shown?: Shown) => void, signal: AbortSignal) {
  let areHeard = false;
  const listen = async () => {
    while (!signal.aborted) {
      try {
        for await (const { imports = [] } of dataOf(await client.download(eventOperations.lists, { id }, signal))) {
          areHeard = true;
          wake(imports.find((one) => one.id === id));
        }
      } catch {
        // A look says what is wrong.
      }
      if (areHeard) wake();
      areHeard = false;
      await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  };
  void listen();
  return { areHeard: () => areHeard };
}

/** The data of server-sent events; a heartbeat has none. */
async function* dataOf(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Partial<ListEvents['imports']>> {
  let rest = '';
  for await (const text of textsOf(pieces)) {
    const events = (rest + text).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) yield JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}');
  }
}

interface FollowedSteps<View> extends Omit<Followed<View>, 'show' | 'imports'> {
  readonly io: Io;
  readonly imports: Pick<Imports, 'server' | 'client' | 'regions'>;
  readonly linesOf: (view: View) => readonly string[];
  readonly begins: string;
}

/** Follows something whose progress has lines of its own. Returns the last look. @throws as `follow` */
export async function followSteps<View>(followed: FollowedSteps<View>): Promise<View> {
  const { io, imports, linesOf, begins } = followed;
  const show: Followed<View>['show'] = (last, trouble) => {
    const linesNow = () => {
      const [view, why] = [last(), trouble()];
      return why !== undefined ? [why] : view === undefined ? [] : linesOf(view);
    };
    return showSteps(io, linesNow, { begins, regions: imports.regions });
  };
  return (await follow({ ...followed, show })).view;
}

/** A survey of the service under way: a check, an export. */
interface Survey {
  readonly underWay: boolean;
  readonly progress: z.infer<typeof surveyProgress> | null;
}

export function followSurvey<View extends Survey>(followed: Omit<FollowedSteps<View>, 'goesOn' | 'linesOf'>) {
  return followSteps<View>({
    ...followed,
    goesOn: ({ underWay }) => underWay,
    linesOf: ({ progress }) => {
      if (progress === null) return [];
      const { step, done, of } = progress;
      const known =
        of === null ? grouped(done) : `${grouped(done)} of ${counted(of, step === 'users' ? 'user' : 'group')}`;
      return [`asking for ${step}  ${known}`];
    },
  });
}

/**
 * Shows an import until nothing more happens to it by itself, no process runs it, or the signal comes.
 * @param sentBefore rows of it that were sent before, if it begins to send now: then it says what other users will see of the rest
 * @throws as `follow`
 */
export async function followImport(
  io: Io,
  imports: Imports,
  id: string,
  { signal, sentBefore }: { readonly signal: AbortSignal; readonly sentBefore?: number | null },
): Promise<End<ImportView>['end']> {
  let announces = typeof sentBefore === 'number';
  let runAt = performance.now();
  const { end } = await follow<ImportView>({
    id,
    imports,
    signal,
    // Only the process that reads a file knows how far it is, and says so with an event.
    look: async (shown) => shown ?? imports.one(id),
    goesOn: (view, before, isHeard) => {
      if (announces && view.writes !== undefined && view.state !== 'staged') {
        const messages = view.writes.messages - (sentBefore ?? 0);
        // It may have ended before its first call, by too many invalid rows.
        if (messages > 0 && (view.calls > 0 || !isFinal(view.state)))
          say(io, messagesSentence({ ...view.writes, messages }));
        announces = false;
      }
      // A server that is away is waited for in another way.
      if (isHeard || imports.server !== undefined) runAt = performance.now();
      // It passes through `staged` on its way to `running`: only with a reason, or seen there twice, it has stopped there.
      const isPassing = view.state === 'staged' && view.code === undefined && before?.state !== 'staged';
      const isOver = !isUnderWay(view.state) && !isPassing;
      if (isOver || performance.now() - runAt > APPEAR_MS) return false;
      return view.state === 'staged' ? 'soon' : true;
    },
    show: (view, trouble) => showProgress(io, { view, trouble, regions: imports.regions }),
  });
  return end;
}
