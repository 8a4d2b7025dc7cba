import type { z } from 'zod';
import type { BulkAnswer, bulkBody } from '../api/imports.ts';
import type { HandlersOf } from '../api/operation.ts';
import type { importOperations } from '../api/operations/import-operations.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { rowFilterOf, rowFilterOptions } from '../imports/report/found-rows.ts';
import type { ImportState } from '../membership/import-state.ts';
import { inShort } from '../text/wording.ts';
import type { ServerContext } from './context.ts';
import type { ImportViews } from './import-views.ts';
import { problemDocument } from './problem.ts';
import { problemOf } from './refusals.ts';
import { sendingPlanOf } from './sending-plan.ts';

type Verb = 'pause' | 'resume' | 'cancel';

/** The parts that what is done with imports takes. */
export interface ImportActs {
  readonly coordinator: Pick<Coordinator, Verb | 'dismiss' | 'tag' | 'remove' | 'find' | 'retry'>;
  readonly views: Pick<ImportViews, 'of'>;
}

/** Done with imports: in a server, and in any other process that runs some. */
export function importActs({ coordinator, views }: ImportActs): HandlersOf<typeof importOperations> {
  return {
    act: async ({ ids, ...wanted }, { audited }) => {
      const results: BulkAnswer['results'] = [];
      // One after the other, so that each waits for what is running.
      for (const id of new Set(ids)) {
        try {
          const state = await actOn(coordinator, id, wanted);
          audited(wanted.tags === undefined ? '' : inShort(wanted.tags), id, `import.${wanted.action}`);
          results.push({ id, state });
        } catch (error) {
          const refused = problemOf(error);
          if (refused === undefined) throw error;
          results.push({ id, state: stateOf(coordinator, id), problem: problemDocument(refused) });
        }
      }
      return { results };
    },
    resume: async ({ id, ...changes }, { audited }) => {
      const record = await coordinator.resume(id, changes);
      audited(inShort(changes));
      return views.of(record);
    },
    pause: async ({ id }) => views.of(await coordinator.pause(id)),
    cancel: async ({ id }) => views.of(await coordinator.cancel(id)),
  };
}

/** Begins a retry, in a process that stays until it is over. */
export function retrying({ coordinator, views }: ImportActs): Pick<HandlersOf<typeof importOperations>, 'retry'> {
  return {
    retry: async ({ id, maxErrors, ...chosen }, { who, audited }) => {
      const only = rowFilterOf(chosen);
      const made = await coordinator.retry(id, { maxErrors, only, createdBy: who });
      const texts = new URLSearchParams(rowFilterOptions(only)).toString();
      audited(texts === '' ? `of ${id}` : `of ${id}, only ${texts.slice(0, 500)}`, made);
      return views.of(coordinator.find(made));
    },
  };
}

/** Imports: the list, one, what can be done with it, and its journal. Uploads are in uploads/. */
export function importHandlers(context: ServerContext): HandlersOf<typeof importOperations> {
  const { coordinator, reading, views } = context;
  return {
    ...importActs(context),
    ...retrying(context),
    list: async ({ limit, cursor, ...filter }) => {
      const { imports, next } = reading.page({
        limit,
        ...filter,
        ...(cursor !== undefined && { before: cursor }),
      });
      return { imports: await Promise.all(imports.map((record) => views.of(record))), nextCursor: next ?? null };
    },
    one: async ({ id }) => views.of(coordinator.find(id)),
    sending: async ({ id, ...changes }) => sendingPlanOf(context, coordinator.find(id), changes),
    remove: async ({ id }, { audited }) => {
      const { file } = coordinator.find(id);
      await coordinator.remove(id);
      audited(inShort({ file }));
    },
    journal: async ({ id }) => {
      coordinator.find(id);
      const moves = reading.transitions(id);
      return { transitions: moves.map(({ at, ...move }) => ({ at: new Date(at).toISOString(), ...move })) };
    },
  };
}

/** Returns its new state; null for one that is deleted. */
async function actOn(
  coordinator: ImportActs['coordinator'],
  id: string,
  { action, tags = {} }: Omit<z.infer<typeof bulkBody>, 'ids'>,
): Promise<ImportState | null> {
  if (action === 'tag') return coordinator.tag(id, tags).state;
  if (action !== 'delete') return (await coordinator[action](id)).state;
  await coordinator.remove(id);
  return null;
}

/** Null for one that is not there. */
function stateOf(coordinator: Pick<Coordinator, 'find'>, id: string): ImportState | null {
  try {
    return coordinator.find(id).state;
  } catch {
    return null;
  }
}
