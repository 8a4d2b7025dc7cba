import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  findingsPage,
  findingsQuery,
  memberActionsPage,
  memberActionsQuery,
  syncGroupsPage,
  syncGroupsQuery,
} from '../../api/syncs.ts';
import { type FindingPlace, openFindings } from '../../syncs/plan/findings.ts';
import { openPlanPages, type PlanPages } from '../../syncs/plan/plan-pages.ts';
import { planFiles } from '../../syncs/plan/prepare.ts';
import { attachment } from '../attachment.ts';
import type { Api, ServerContext } from '../context.ts';
import { badCursor, cursorContent, cursorText, numberCursor } from '../paging.ts';
import { Problem } from '../problem.ts';
import { refusals } from '../problem-schema.ts';
import { PLAN_FORMATS, planBytes } from './plan-download.ts';
import { hasBefore, modeOf } from './views.ts';

const TYPES = { csv: 'text/csv', json: 'application/json', text: 'text/plain' } as const;

export const params = z.object({ id: z.string() });
const tags = ['syncs'];
const config = { role: 'viewer' } as const;

/** What the plan of a sync says: of each group, of each of its members, and as a file. */
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

  app.get(
    '/v1/syncs/:id/groups',
    {
      config,
      schema: {
        tags,
        summary: 'The groups that a sync concerns, in the order of its file, with what will be done in each',
        params,
        querystring: syncGroupsQuery,
        response: {
          200: syncGroupsPage,
          ...refusals('BAD_OPTION', 'BAD_CURSOR', 'UNKNOWN_SYNC', 'NO_PLAN_YET'),
        },
      },
    },
    async ({ params: { id }, query: { action, limit, cursor } }) =>
      reading(id, async (pages) => {
        const only = { ...(action !== undefined && { actions: new Set(action) }) };
        const { groups, next } = await pages.groups(only, numberCursor(cursor) ?? 0, limit);
        return { groups, nextCursor: next === undefined ? null : String(next) };
      }),
  );

  app.get(
    '/v1/syncs/:id/findings',
    {
      config,
      schema: {
        tags,
        summary: 'What one guard objects to, the worst first',
        params,
        querystring: findingsQuery,
        response: { 200: findingsPage, ...refusals('BAD_OPTION', 'BAD_CURSOR', 'UNKNOWN_SYNC', 'NO_PLAN_YET') },
      },
    },
    async ({ params: { id }, query: { guard, search = '', limit, cursor } }) => {
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
    },
  );

  app.get(
    '/v1/syncs/:id/actions',
    {
      config,
      schema: {
        tags,
        summary: 'What a plan does about each member, and why, by group',
        params,
        querystring: memberActionsQuery,
        response: {
          200: memberActionsPage,
          ...refusals('BAD_OPTION', 'BAD_CURSOR', 'UNKNOWN_SYNC', 'NO_PLAN_YET'),
        },
      },
    },
    async ({ params: { id }, query: { action, region, guid, limit, cursor } }) =>
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

  app.get(
    '/v1/syncs/:id/plan',
    {
      config,
      schema: {
        tags,
        summary: 'Download a plan: every action with its reason, or as text: a summary',
        params,
        querystring: z.strictObject({
          format: z.enum(PLAN_FORMATS).optional().meta({ description: 'Default: csv.' }),
          width: z.coerce.number().int().min(40).max(1_000).default(120).meta({
            description: 'Of the format text: characters in a line.',
          }),
          color: z.enum(['true', 'false']).optional().meta({ description: 'Of the format text: for a terminal.' }),
        }),
        response: {
          200: {
            description: 'The plan, streamed.',
            content: Object.fromEntries(Object.values(TYPES).map((type) => [type, { schema: z.string() }])),
          },
          ...refusals('BAD_OPTION', 'UNKNOWN_SYNC', 'NO_PLAN_YET'),
        },
      },
    },
    async ({ params: { id }, query: { format = 'csv', width, color } }, reply) => {
      const path = planOf(id);
      reply.type(`${TYPES[format]}; charset=utf-8`);
      reply.header('content-disposition', attachment(syncs.find(id).file, `${id}-plan.${format}`));
      // A plan holds people's ids: no cache on the way keeps it.
      reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
      return reply.send(
        Readable.from(planBytes({ path, format, text: { width, color: color === 'true' } }), { objectMode: false }),
      );
    },
  );

  app.get(
    '/v1/syncs/:id/before',
    {
      config,
      schema: {
        tags,
        summary: 'Download who was in the groups that a sync takes something from, as rows that imports and syncs read',
        params,
        response: {
          200: { description: 'The rows, streamed.', content: { 'text/csv': { schema: z.string() } } },
          ...refusals('UNKNOWN_SYNC', 'NOT_FOUND'),
        },
      },
    },
    async ({ params: { id } }, reply) => {
      const record = syncs.find(id);
      if (!hasBefore(dir, record)) {
        throw new Problem('NOT_FOUND', `Sync ${id} was not carried out, or it takes nothing from anyone.`);
      }
      reply.type('text/csv; charset=utf-8');
      reply.header('content-disposition', attachment(record.file, `${id}-before.csv`));
      reply.header('cache-control', 'private, no-cache').header('accept-ranges', 'none');
      return reply.send(createReadStream(planFiles(dir.sync(id)).before));
    },
  );
}

function placeOf(cursor: string | undefined): FindingPlace | undefined {
  if (cursor === undefined) return undefined;
  const [, value, id] = /^(\d+(?:\.\d+)?):(\d+)$/.exec(cursor) ?? [];
  if (value === undefined || id === undefined) throw badCursor(cursor);
  return { value: Number(value), id: Number(id) };
}

const memberPlace = z.tuple([z.int().nonnegative(), z.string()]);
