import { type LedgerThreads, openLedgerThreads } from '../../src/imports/report/ledger-threads.ts';
import { stageFile } from '../../src/imports/stage/stage-file.ts';

/**
 * Reading threads that all coordinators of this process share: to start one takes more processor time than to read a small
 * import. They end when they have had nothing to do for a while, as in life.
 */
const threads = openLedgerThreads();

/** For one coordinator: closed, they have done what it asked for, have none of its ledgers open, and refuse what comes. */
function shareReading(): LedgerThreads {
  const paths = new Set<string>();
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  const close = async () => {
    closed = true;
    await Promise.allSettled(underWay);
    await Promise.all([...paths].map(threads.forget));
  };

  /** The same function, noting what it is asked. */
  const noting =
    <Given extends readonly unknown[]>(ask: (...given: Given) => unknown) =>
    (...given: Given): unknown => {
      if (closed) throw new Error('imports are not read any more');
      const [about] = given;
      const path = typeof about === 'string' ? about : (about as { path?: unknown } | undefined)?.path;
      if (typeof path === 'string') paths.add(path);
      const answer = ask(...given);
      if (!(answer instanceof Promise)) return answer;
      underWay.add(answer);
      return answer.finally(() => underWay.delete(answer));
    };

  const asked = Object.entries(threads).map(
    ([name, ask]) => [name, noting(ask as (...given: readonly unknown[]) => unknown)] as const,
  );
  return { ...(Object.fromEntries(asked) as unknown as LedgerThreads), close };
}

/** In place of a coordinator's own threads: files are read in the thread of the test, and reading threads are shared. */
export const SHARED_READING = { stage: stageFile, openReading: shareReading };
