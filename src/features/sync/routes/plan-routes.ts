import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Api, ServerContext } from '../../../server/context.ts';
import { badCursor, cursorContent, cursorText, numberCursor } from '../../../server/cursors.ts';
import { attachment } from '../../../server/http-answers.ts';
import { Problem } from '../../../server/problem.ts';
import { serve } from '../../../server/serve.ts';
import { syncOperations } from '../operations.ts';
import { type FindingPlace, openFindings } from '../plan/findings.ts';
import { planBytes } from '../plan/plan-download.ts';
import { openPlanPages, type PlanPages } from '../plan/plan-pages.ts';
import { planFiles } from '../plan/prepare.ts';
import { hasBefore, modeOf } from '../plan/sync-view.ts';

const TYPES = { csv: 'text/csv', json: 'application/json', markdown: 'text/markdown', text: 'text/plain' } as const;

/** Serves the plan of a sync: each group, each of its members, and the plan as a file. */
export function planRoutes(app: Api, { syncs, dir }: ServerContext): void {
  /** @throws UnknownSync; Problem NO_PLAN_YET */
  const planOf = (id: string): string => {
    const { state, totals } = syncs.find(id);
    if (totals === null) throw new Problem('NO_PLAN_YET', `Sync ${id} is ${state} and has no plan.`);
    return planFiles(dir.sync(id)).plan;
  };
  const reading = async <Result>(id: string, read: (pages: PlanPages) => Promise<Result>): Promise<Result> => {
    const pages = openPlanPages(planOf(id));
    try {
      return await read(pages);
    } finally {
      pages.close();
    }
  };

  serve(app, syncOperations.groups, async ({ params: { id }, query: { action, limit, cursor } }) =>
    reading(id, async (pages) => {
      const only = { ...(action !== undefined && { actions: new Set(action) }) };
      const { groups, next } = await pages.groups(only, numberCursor(cursor) ?? 0, limit);
      return { groups, nextCursor: next === undefined ? null : String(next) };
    }),
  );

  serve(app, syncOperations.findings, async ({ params: { id }, query: { guard, search = '', limit, cursor } }) => {
    const findings = openFindings(planOf(id), modeOf(syncs.find(id)));
    try {
      const page = findings.page({ guard, search }, placeOf(cursor), limit);
      return {
        findings: page.findings,
        nextCursor: page.next === undefined ? null : `${page.next.value}:${page.next.id}`,
      };
    } finally {
      findings.close();
    }
  });

  serve(app, syncOperations.actions, async ({ params: { id }, query: { action, region, guid, limit, cursor } }) =>
    reading(id, async (pages) => {
      const filter = {
        ...(action !== undefined && { actions: new Set(action) }),
        ...(region !== undefined && { region }),
        ...(guid !== undefined && { guid }),
      };
      const [group, uid] = cursorContent(memberPlace, cursor) ?? [];
      const after = group === undefined || uid === undefined ? undefined : { group, uid };
      const { actions, next } = await pages.actions(filter, after, limit);
      return { actions, nextCursor: next === undefined ? null : cursorText([next.group, next.uid]) };
    }),
  );

  serve(app, syncOperations.plan, async ({ params: { id }, query: { format = 'csv', width, color } }, reply) => {
    const path = planOf(id);
    reply.type(`${TYPES[format]}; charset=utf-8`);
    reply.header(
      'content-disposition',
      attachment(syncs.find(id).file, `${id}-plan.${format === 'markdown' ? 'md' : format}`),
    );
    // A plan holds people's ids: no cache on the way keeps it.
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(
      Readable.from(planBytes({ path, format, text: { width, color: color === 'true' } }), { objectMode: false }),
    );
  });

  serve(app, syncOperations.before, async ({ params: { id } }, reply) => {
    const record = syncs.find(id);
    if (!hasBefore(dir, record)) {
      throw new Problem('NOT_FOUND', `Sync ${id} was not carried out, or it takes nothing from anyone.`);
    }
    reply.type('text/csv; charset=utf-8');
    reply.header('content-disposition', attachment(record.file, `${id}-before.csv`));
    reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
    return reply.send(createReadStream(planFiles(dir.sync(id)).before));
  });
}

function placeOf(cursor: string | undefined): FindingPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, value, id] = /^(\d+(?:\.\d+)?):(\d+)$/.exec(cursor) ?? [];
  if (value === undefined || id === undefined) throw badCursor(cursor);
  return { value: Number(value), id: Number(id) };
}

const memberPlace = z.tuple([z.int().nonnegative(), z.string()]);
