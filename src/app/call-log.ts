import type { CallObserver } from '../imports/send/call-observer.ts';
import type { Logger } from '../platform/log.ts';

/**
 * A line for every call that was not plainly answered: 429, retry, refused batch, stopped region. What the service said
 * may name users, so that only `debug` shows it, except where it is about the key or the plan.
 */
export function callLog(log: Logger): CallObserver {
  return {
    called: (region, { kind, code, httpStatus, ms }, _rate, about) => {
      if (kind === 'answered' && !log.isLevelEnabled('debug')) return;
      const { importId, batch, job, attempt, isLastAttempt, message, waitMs, requestId } = about;
      const facts = {
        ...{ import: importId, region, batch, job, attempt, status: httpStatus, ms },
        ...(code !== '' && { code }),
        ...(requestId !== null && { request: requestId }),
      };
      switch (kind) {
        case 'answered':
          return log.debug(facts, 'call answered');
        case 'slow-down':
          return log.warn({ ...facts, waitMs }, 'rate limit');
        case 'again':
          // Without a reply it is the network's word, which names no user.
          return log.warn(
            httpStatus === null ? { ...facts, message } : told(log, facts, message),
            isLastAttempt ? 'no answer, given up' : 'retry',
          );
        case 'halve':
          return log.info(told(log, facts, message), 'batch split');
        case 'group':
        case 'final':
          // That a group or user is missing or there is what the job asks about.
          return log[job === 'create-missing' ? 'info' : 'warn'](told(log, facts, message), 'refused');
        case 'stop-region':
          return log.error({ ...facts, message }, 'region stopped');
      }
    },
  };
}

function told(log: Logger, facts: object, message: string): object {
  return log.isLevelEnabled('debug') ? { ...facts, message } : facts;
}
