import { z } from 'zod';
import type { ControlHandler } from '../../imports/life/control-socket.ts';
import type { SyncRunner } from './run/sync-runner.ts';

const decision = z.object({ who: z.string(), reason: z.string().default('') });

/** Returns the handler with which a server answers the commands that decide about stored plans. */
export function syncControl(syncs: SyncRunner): ControlHandler {
  return (method, [first, id = '', verb], body) => {
    if (method !== 'POST' || first !== 'syncs') return undefined;
    const decide = (act: (who: string, reason: string) => unknown) => {
      const { who, reason } = decision.parse(body);
      return Promise.resolve().then(() => act(who, reason));
    };
    if (verb === 'apply') return decide((who) => syncs.apply(id, who));
    if (verb === 'approve' || verb === 'reject') return decide((who, reason) => syncs[verb](id, who, reason));
    return undefined;
  };
}
