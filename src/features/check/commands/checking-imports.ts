import type { Checking } from '../../../cli/feature.ts';
import { checkedLocally } from './checked.ts';

/**
 * The part of checks in `import` and `status`. Parts that ask the service, or a server, are loaded when they are used.
 */
export const checking: Checking = {
  local: async (options) => (await import('./local-check.ts')).runCheck(options),
  remote: async (...asked) => (await import('./remote-check.ts')).sendAndCheck(...asked),
  status: async (config, imports, { id, sandbox }) => {
    const { server } = imports;
    const checked =
      server === undefined
        ? await checkedLocally(config, id)
        : await (await import('./remote-check.ts')).checkedRemotely(server, id);
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
