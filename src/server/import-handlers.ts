import { rm } from 'node:fs/promises';
import type { z } from 'zod';
import { type BulkAnswer, type bulkBody, importOperations, tagsAfter } from '../api/imports.ts';
import type { HandlersOf } from '../api/operation.ts';
import type { serviceOperations } from '../api/service.ts';
import { type Catalog, tagsOf } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { importRequest } from '../imports/life/new-import.ts';
import { checkMeant } from '../imports/target.ts';
import type { ImportState } from '../membership/import-state.ts';
import { keptOf, textsOf } from '../options/option.ts';
import { ROW_FILTER } from '../options/row-filter.ts';
import { STOPPING } from '../options/sending-options.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { inShort, isoTime } from '../text/wording.ts';
import type { ServerContext } from './context.ts';
import { answersSoon } from './http-answers.ts';
import { importReading } from './import-reading.ts';
import type { ImportViews } from './import-views.ts';
import { problemDocument, problemOf } from './problem.ts';

type Verb = 'pause' | 'resume' | 'cancel';

/** The parts that what is done with imports takes. */
export interface ImportActs {
  readonly coordinator: Pick<
    Coordinator,
    Verb | 'create' | 'dismiss' | 'tag' | 'remove' | 'find' | 'lookUp' | 'retry' | 'sendsTo'
  >;
  readonly dir: DataDir;
  readonly views: ImportViews;
}

/** `POST /v1/imports` of a file on this machine: as commands ask for it, and of an upload that has come. */
export const fileOperations = {
  create: { ...importOperations.create, query: undefined, body: importRequest },
};

/** Begins the import of a file on this machine. The folder that was made for it goes where it cannot begin. */
export function importMaking({ coordinator, dir, views }: ImportActs) {
  return {
    create: async (request, { who, audited }) => {
      const { id, file, options } = request;
      try {
        checkMeant(file, options, coordinator.sendsTo);
        const made = await coordinator.create({ ...request, createdBy: who });
        audited(inShort({ file, ...options, target: undefined }), made);
        return views.of(coordinator.find(made));
      } catch (error) {
        const isLeft = id !== undefined && coordinator.lookUp(id) === undefined;
        if (isLeft) await rm(dir.folder(id), { recursive: true, force: true });
        throw error;
      }
    },
  } satisfies HandlersOf<typeof fileOperations>;
}

/** Done with imports: in a server, and in any other process that runs some. */
export function importActs({ coordinator, views }: ImportActs): HandlersOf<typeof importOperations> {
  return {
    act: bulk((id, wanted) => actOn(coordinator, id, wanted), coordinator),
    resume: async ({ id, ...changes }, { audited }) => {
      const record = await coordinator.resume(id, changes);
      audited(inShort(changes));
      return views.of(record);
    },
    pause: async ({ id }) => views.of(await coordinator.pause(id)),
    cancel: async ({ id }) => views.of(await coordinator.cancel(id)),
    retry: async ({ id, ...asked }, { who, audited }) => {
      const only = keptOf(ROW_FILTER, asked);
      const made = await coordinator.retry(id, { ...keptOf(STOPPING, asked), only, createdBy: who });
      const texts = new URLSearchParams(textsOf(ROW_FILTER, only)).toString();
      audited(texts === '' ? `of ${id}` : `of ${id}, only ${texts.slice(0, 500)}`, made);
      return views.of(coordinator.find(made));
    },
  };
}

/** Imports: the list, one, what can be done with it, and its journal. Uploads are in uploads/. */
export function importHandlers(context: ServerContext): HandlersOf<typeof importOperations> {
  const { coordinator, reading, views } = context;
  const { page, transitions } = reading;
  return {
    ...importReading({ page, transitions, find: (id) => coordinator.find(id), view: (record) => views.of(record) }),
    ...importActs(context),
    sending: async ({ id, ...changes }) => {
      // No command asks for it.
      const { sendingPlanOf } = await import('./sending-plan.ts');
      return sendingPlanOf(context, coordinator.find(id), changes);
    },
    remove: async ({ id }, { audited }) => {
      const { file } = coordinator.find(id);
      await coordinator.remove(id);
      audited(inShort({ file }));
    },
  };
}

type BulkAct = Omit<z.infer<typeof bulkBody>, 'ids'>;

/** Does one thing with several imports. @param act returns the import's new state; null for one that is deleted */
function bulk(
  act: (id: string, wanted: BulkAct) => Promise<ImportState | null>,
  imports: { find(id: string): { readonly state: ImportState } },
): Required<HandlersOf<typeof importOperations>>['act'] {
  return async ({ ids, ...wanted }, { audited }) => {
    const results: BulkAnswer['results'] = [];
    // One after the other, so that each waits for what is running.
    for (const id of new Set(ids)) {
      try {
        const state = await act(id, wanted);
        audited(wanted.tags === undefined ? '' : inShort(wanted.tags), id, `import.${wanted.action}`);
        results.push({ id, state });
      } catch (error) {
        const refused = problemOf(error);
        if (refused === undefined) throw error;
        results.push({ id, state: stateOf(imports, id), problem: problemDocument(refused) });
      }
    }
    return { results };
  };
}

/** Tags imports that no process runs: nothing else can be done with those at once. */
export function tagging(catalog: Pick<Catalog, 'get' | 'setTags'>): Pick<HandlersOf<typeof importOperations>, 'act'> {
  const find = (id: string) => catalog.get(id);
  const tag = async (id: string, { tags = {} }: BulkAct) => {
    catalog.setTags(id, JSON.stringify(tagsAfter(tagsOf(find(id)), tags)));
    return find(id).state;
  };
  return { act: bulk(tag, { find }) };
}

async function actOn(
  coordinator: ImportActs['coordinator'],
  id: string,
  { action, tags = {} }: BulkAct,
): Promise<ImportState | null> {
  if (action === 'tag') return coordinator.tag(id, tags).state;
  if (action !== 'delete') return (await coordinator[action](id)).state;
  await coordinator.remove(id);
  return null;
}

/** Null for one that is not there. */
function stateOf(imports: Parameters<typeof bulk>[1], id: string): ImportState | null {
  try {
    return imports.find(id).state;
  } catch {
    return null;
  }
}

/** The state of the regions, in any process that runs imports. */
export function regionHandlers(coordinator: Pick<Coordinator, 'regions'>): HandlersOf<typeof serviceOperations> {
  return {
    regions: async () => {
      const [regions, queues] = await answersSoon(
        Promise.all([coordinator.regions.status(), coordinator.regions.inspect()]),
      );
      return {
        regions: regions.map((status) => {
          const { nextAddedAt, stalled = 0 } = queues.get(status.region) ?? {};
          return { ...status, waitingSince: isoTime(nextAddedAt ?? null), stalled };
        }),
      };
    },
  };
}
