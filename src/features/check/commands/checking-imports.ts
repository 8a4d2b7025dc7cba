import type { Checking } from '../../../cli/feature.ts';
import { checkedHere } from './checked.ts';

/**
 * The part of checks in `import` and `status`. Parts that ask the service, or a server, are loaded when they are used.
 */
export const checking: Checking = {
  here: async (options) => (await import('./check-here.ts')).runCheckHere(options),
  there: async (...asked) => (await import('./check-there.ts')).importAndCheckThere(...asked),
  status: async (config, imports, { id, sandbox }) => {
    const { server } = imports;
    const checked =
      server === undefined
        ? await checkedHere(config, id)
        : await (await import('./check-there.ts')).checkedThere(server, id);
    if (checked === undefined) return undefined;
    const { record, summary, underWay } = checked;
    const { state, reason, calls } = record;
    const { concludeCheck } = await import('./check-outcome.ts');
    return {
      document: { state, underWay, reason, calls, summary: summary ?? null },
      isDone: summary !== undefined,
      isUnderWay: underWay,
      conclude: (io) => void concludeCheck({ io, imports, id, json: false, sandbox, checked }),
    };
  },
};
