import type { CallObserver } from '../imports/send/call-observer.ts';
import type { Logger } from '../platform/log.ts';

/**
 * A line for every call that was not simply answered: 429, retry, refused batch, stopped region. The service's message
 * may name users, so only `debug` shows it, except where it is about the key or the plan.
 */
export function callLog(log: Logger): CallObserver {
  return {
    circuit: (region, { state, since, code, message }) => {
      if (state === 'closed') log.info({ region }, 'the service answers again');
      else
        log.warn(
          withMessageInDebug(log, { region, since, code }, message),
          'the service does not answer, its jobs wait',
        );
    },
    called: (region, { kind, code, httpStatus, ms }, _rate, about) => {
      if (kind === 'answered' && !log.isLevelEnabled('debug')) return;
      const { importId, batch, job, attempt, message, waitMs, requestId } = about;
      const facts = {
        import: importId,
        region,
        batch,
        job,
        attempt,
        status: httpStatus,
        ms,
        ...(code !== '' && { code }),
        ...(requestId !== null && { request: requestId }),
      };
      switch (kind) {
        case 'answered':
          return log.debug(facts, 'call answered');
        case 'slow-down':
          return log.warn({ ...facts, waitMs }, 'rate limit');
        case 'again':
          // Without a reply the message comes from the network and names no user; nothing else says what a fault of ours is.
          return log.warn(
            httpStatus === null || code === 'WORKER_FAULT'
              ? { ...facts, message }
              : withMessageInDebug(log, facts, message),
            'retry',
          );
        case 'halve':
          return log.info(withMessageInDebug(log, facts, message), 'batch split');
        case 'group':
        case 'final':
          // For `create-missing`, a refusal is the expected answer to whether a group or user exists.
          return log[job === 'create-missing' ? 'info' : 'warn'](withMessageInDebug(log, facts, message), 'refused');
        case 'stop-region':
          return log.error({ ...facts, message }, 'region stopped');
      }
    },
  };
}

function withMessageInDebug(log: Logger, facts: object, message: string) {
  return log.isLevelEnabled('debug') ? { ...facts, message } : facts;
}
