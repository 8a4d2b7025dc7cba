import type { Checking } from '../../../cli/feature.ts';
import { checkedAt, checkedLocally } from './checked.ts';

/**
 * The part of checks in `import` and `status`. Parts that ask the service, or a server, are loaded when they are used.
 */
export const checking: Checking = {
  local: async (options) => (await import('./local-check.ts')).runCheck(options),
  remote: async (...asked) => (await import('./remote-check.ts')).sendAndCheck(...asked),
  status: async (config, imports, { id, sandbox }) => {
    const { server } = imports;
    const checked = await (server === undefined ? checkedLocally(config, id) : checkedAt(server, id));
    if (checked === undefined) return undefined;
    const { state, reason, calls, summary, underWay } = checked;
    const { concludeCheck } = await import('./check-outcome.ts');
    return {
      document: { state, underWay, reason, calls, summary },
      isDone: summary !== null,
      isUnderWay: underWay,
      conclude: (io) => void concludeCheck({ io, imports, id, json: false, sandbox, checked }),
    };
  },
};
