import { rm } from 'node:fs/promises';
import type { z } from 'zod';
import { type BulkAnswer, type bulkBody, importOperations, tagsAfter } from '../api/imports.ts';
import type { HandlersOf } from '../api/operation.ts';
import type { ProblemDocument } from '../api/problems.ts';
import type { serviceOperations } from '../api/service.ts';
import { type Catalog, type ImportRecord, tagsOf } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { importRequest } from '../imports/life/new-import.ts';
import { checkMeant } from '../imports/target.ts';
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
    act: bulk((id, wanted) => actOn(coordinator, id, wanted), coordinator.lookUp),
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
    ...importReading({ page, transitions, find: coordinator.find, view: views.of }),
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

/** Does one thing with several imports. @param find the record of one, unless it is not there or is deleted by now */
function bulk(
  act: (id: string, wanted: BulkAct) => Promise<unknown>,
  find: (id: string) => ImportRecord | undefined,
): Required<HandlersOf<typeof importOperations>>['act'] {
  return async ({ ids, ...wanted }, { audited }) => {
    const results: BulkAnswer['results'] = [];
    // One after the other, so that each waits for what is running.
    for (const id of new Set(ids)) {
      let problem: ProblemDocument | undefined;
      try {
        await act(id, wanted);
        audited(wanted.tags === undefined ? '' : inShort(wanted.tags), id, `import.${wanted.action}`);
      } catch (error) {
        const refused = problemOf(error);
        if (refused === undefined) throw error;
        problem = problemDocument(refused);
      }
      results.push({ id, state: find(id)?.state ?? null, ...(problem && { problem }) });
    }
    return { results };
  };
}

/** Tags imports that no process runs: nothing else can be done with those at once. */
export function tagging({ get, find, setTags }: Pick<Catalog, 'get' | 'find' | 'setTags'>) {
  const tag = async (id: string, { tags = {} }: BulkAct) =>
    setTags(id, JSON.stringify(tagsAfter(tagsOf(get(id)), tags)));
  return { act: bulk(tag, find) };
}

async function actOn(coordinator: ImportActs['coordinator'], id: string, { action, tags = {} }: BulkAct) {
  if (action === 'tag') coordinator.tag(id, tags);
  else await coordinator[action === 'delete' ? 'remove' : action](id);
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
