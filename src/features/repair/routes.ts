import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { importView } from '../../api/imports.ts';
import { inShort, noting } from '../../server/access/noting.ts';
import { pageRoute } from '../../server/console-files.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { numberCursor } from '../../server/paging.ts';
import { refusals } from '../../server/problem-schema.ts';
import {
  repairEdited,
  repairEdits,
  repairFileBody,
  repairPaste,
  repairQuery,
  repairReplace,
  repairReplaced,
  repairRows,
  repairTaken,
  repairUndo,
  repairView,
} from './api.ts';
import { NOT_SENT } from './edit.ts';

/** Bytes of a request with edits, and of one with a corrected report. */
const EDITS_BYTES = 12 * 1024 * 1024;
const FILE_BYTES = 32 * 1024 * 1024;

const params = z.object({ id: z.string() });
const tags = ['repair'];
const refused = refusals('BAD_OPTION', 'BAD_BODY', 'TOO_LARGE', 'UNKNOWN_IMPORT', 'WRONG_STATE');

/** Rows that are invalid or failed: corrected and sent as a new import. */
export function repairRoutes(app: Api, { coordinator, access, views }: ServerContext): void {
  const { repairs } = coordinator;
  const note = noting(access);
  const noteEdits = (request: Pick<FastifyRequest, 'who' | 'ip'>, id: string, detail: object) =>
    note(request, 'import.edit', id, inShort(detail));

  pageRoute(app, '/imports/:id/repair');
  app.get(
    '/v1/imports/:id/repair',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'What there is to repair: invalid and failed rows by problem',
        params,
        response: { 200: repairView, ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE') },
      },
    },
    async ({ params: { id }, who }) => repairs.overview(id, who.name),
  );

  app.get(
    '/v1/imports/:id/repair/rows',
    {
      config: { role: 'viewer' },
      schema: {
        tags,
        summary: 'Rows to repair: as the file had them, with their problems and edits',
        params,
        querystring: repairQuery,
        response: { 200: repairRows, ...refusals('BAD_OPTION', 'BAD_CURSOR', 'UNKNOWN_IMPORT', 'WRONG_STATE') },
      },
    },
    async ({ params: { id }, query: { status, code, problemColumn, state, limit, cursor } }) => {
      const filter = { status, code, problemColumn, states: state ?? NOT_SENT };
      const { rows, next } = await repairs.page(id, { filter, after: numberCursor(cursor) ?? 0, limit });
      return { rows, nextCursor: next === undefined ? null : String(next) };
    },
  );

  app.patch(
    '/v1/imports/:id/repair/rows',
    {
      config: { role: 'operator' },
      bodyLimit: EDITS_BYTES,
      schema: {
        tags,
        summary: 'Edit cells; each row is checked as a row of a file is, and nothing is sent',
        description: 'All edits or none are kept. The rows stay as the file had them; every edit is kept beside them.',
        params,
        body: repairEdits,
        response: { 200: repairEdited, ...refused },
      },
    },
    async ({ params: { id }, body: { edits }, who, ip }) => {
      const edited = await repairs.edit(id, edits, who.name);
      noteEdits({ who, ip }, id, { rows: new Set(edits.map(({ row }) => row)).size, cells: edits.length });
      return edited;
    },
  );

  app.delete(
    '/v1/imports/:id/repair/rows/:row',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Take back the edits of a row, or of one of its cells',
        params: z.object({
          id: z.string(),
          row: z
            .string()
            .regex(/^\d{1,12}$/, 'a row is a number')
            .transform(Number),
        }),
        querystring: z.strictObject({ column: z.string().max(1_000).optional() }),
        response: { 200: repairEdited, ...refused },
      },
    },
    async ({ params: { id, row }, query: { column }, who, ip }) => {
      const edited = await repairs.restore(id, row, column, who.name);
      noteEdits({ who, ip }, id, { row, restored: column ?? 'all cells' });
      return edited;
    },
  );

  app.post(
    '/v1/imports/:id/repair/replace',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Find and replace in a column of the rows to repair that pass the filter, up to 100,000',
        params,
        body: repairReplace,
        response: { 200: repairReplaced, ...refused },
      },
    },
    async ({ params: { id }, body, who, ip }) => {
      const { rows, cells, ...replaced } = await repairs.replace(id, body, who.name);
      const { column, as, from, to, preview } = body;
      if (!preview) noteEdits({ who, ip }, id, { did: 'replace', rows, cells, column, as, from, to });
      return { rows, cells, ...replaced };
    },
  );

  app.post(
    '/v1/imports/:id/repair/paste',
    {
      config: { role: 'operator' },
      bodyLimit: EDITS_BYTES,
      schema: {
        tags,
        summary: 'Enter lines of cells in rows, one line in each row from a row on, or the same lines in all of them',
        params,
        body: repairPaste,
        response: { 200: repairReplaced, ...refused },
      },
    },
    async ({ params: { id }, body, who, ip }) => {
      const { rows, cells, leftOut, ...pasted } = await repairs.paste(id, body, who.name);
      const {
        fill,
        columns,
        lines,
        preview,
        rows: [from],
      } = body;
      const given = { lines: lines.length, linesLeftOut: leftOut.lines, cellsLeftOut: leftOut.cells };
      const detail = { did: fill ? 'fill' : 'paste', rows, cells, columns: columns.join(', '), from, ...given };
      if (!preview) noteEdits({ who, ip }, id, detail);
      return { rows, cells, leftOut, ...pasted };
    },
  );

  app.post(
    '/v1/imports/:id/repair/undo',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Take back your last action: an edit, a paste, a replacement or the edits of a file',
        params,
        body: repairUndo,
        response: { 200: repairReplaced, ...refused },
      },
    },
    async ({ params: { id }, body, who, ip }) => {
      const { rows, cells, ...undone } = await repairs.undo(id, body, who.name);
      noteEdits({ who, ip }, id, { did: 'undo', of: body.action, rows, cells });
      return { rows, cells, ...undone };
    },
  );

  app.post(
    '/v1/imports/:id/repair/file',
    {
      config: { role: 'operator' },
      bodyLimit: FILE_BYTES,
      schema: {
        tags,
        summary: 'Take edits from a corrected report (CSV with the column `_row`); cells that differ become edits',
        params,
        body: repairFileBody,
        response: { 200: repairTaken, ...refused },
      },
    },
    async ({ params: { id }, body: { csv }, who, ip }) => {
      const taken = await repairs.takeFile(id, csv, who.name);
      noteEdits({ who, ip }, id, { rows: taken.rows, cells: taken.cells, by: 'file' });
      return taken;
    },
  );

  app.post(
    '/v1/imports/:id/repair/send',
    {
      config: { role: 'operator' },
      schema: {
        tags,
        summary: 'Send the repaired rows, each once, as a new import',
        params,
        response: { 202: importView, ...refusals('UNKNOWN_IMPORT', 'WRONG_STATE', 'WRONG_TARGET') },
      },
    },
    async ({ params: { id }, who, ip }, reply) => {
      const made = await repairs.send(id, who.name);
      note({ who, ip }, 'import.repair', made, `of ${id}`);
      reply.header('location', `/v1/imports/${made}`);
      return reply.code(202).send(await views.of(coordinator.find(made)));
    },
  );
}
