import { pageRoute } from '../../server/console-files.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import { numberCursor } from '../../server/cursors.ts';
import { serve } from '../../server/serve.ts';
import { inShort } from '../../text/wording.ts';
import { NOT_SENT } from './edit.ts';
import { repairOperations } from './operations.ts';

/** Bytes of a request with edits, and of one with a corrected report. */
const EDITS_BYTES = 12 * 1024 * 1024;
const FILE_BYTES = 32 * 1024 * 1024;

/** Rows that are invalid or failed: corrected and sent as a new import. */
export function repairRoutes(app: Api, { coordinator, repairs, views }: ServerContext): void {
  pageRoute(app, '/imports/:id/repair');
  serve(app, repairOperations.overview, async ({ params: { id }, who }) => repairs.overview(id, who.name));

  serve(
    app,
    repairOperations.rows,
    async ({ params: { id }, query: { status, code, problemColumn, state, limit, cursor } }) => {
      const filter = { status, code, problemColumn, states: state ?? NOT_SENT };
      const { rows, next } = await repairs.page(id, filter, numberCursor(cursor) ?? 0, limit);
      return { rows, nextCursor: next === undefined ? null : String(next) };
    },
  );

  serve(
    app,
    { ...repairOperations.edit, bodyLimit: EDITS_BYTES },
    async ({ params: { id }, body: { edits }, who }, _reply, audited) => {
      const edited = await repairs.change(id, 'edit', edits, who.name);
      audited(inShort({ rows: new Set(edits.map(({ row }) => row)).size, cells: edits.length }));
      return edited;
    },
  );

  serve(app, repairOperations.restore, async ({ params: { id, row }, query: { column }, who }, _reply, audited) => {
    const edited = await repairs.change(id, 'restore', row, column, who.name);
    audited(inShort({ row, restored: column ?? 'all cells' }));
    return edited;
  });

  serve(app, repairOperations.replace, async ({ params: { id }, body, who }, _reply, audited) => {
    const { rows, cells, ...replaced } = await repairs.change(id, 'replace', body, who.name);
    const { column, as, from, to, preview } = body;
    audited(preview ? null : inShort({ did: 'replace', rows, cells, column, as, from, to }));
    return { rows, cells, ...replaced };
  });

  serve(
    app,
    { ...repairOperations.paste, bodyLimit: EDITS_BYTES },
    async ({ params: { id }, body, who }, _reply, audited) => {
      const { rows, cells, leftOut, ...pasted } = await repairs.change(id, 'paste', body, who.name);
      const {
        fill,
        columns,
        lines,
        preview,
        rows: [from],
      } = body;
      const given = { lines: lines.length, linesLeftOut: leftOut.lines, cellsLeftOut: leftOut.cells };
      const detail = { did: fill ? 'fill' : 'paste', rows, cells, columns: columns.join(', '), from, ...given };
      audited(preview ? null : inShort(detail));
      return { rows, cells, leftOut, ...pasted };
    },
  );

  serve(app, repairOperations.undo, async ({ params: { id }, body, who }, _reply, audited) => {
    const { rows, cells, ...undone } = await repairs.change(id, 'undo', body, who.name);
    audited(inShort({ did: 'undo', of: body.action, rows, cells }));
    return { rows, cells, ...undone };
  });

  serve(
    app,
    { ...repairOperations.takeFile, bodyLimit: FILE_BYTES },
    async ({ params: { id }, body: { csv }, who }, _reply, audited) => {
      const taken = await repairs.change(id, 'takeFile', csv, who.name);
      audited(inShort({ rows: taken.rows, cells: taken.cells, by: 'file' }));
      return taken;
    },
  );

  serve(app, repairOperations.send, async ({ params: { id }, who }, reply, audited) => {
    const made = await repairs.send(id, who.name);
    audited(`of ${id}`, made);
    reply.header('location', `/v1/imports/${made}`);
    return views.of(coordinator.find(made));
  });
}
