import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import type { Call, HandlersOf } from '../../api/operation.ts';
import { numberCursor } from '../../platform/cursors.ts';
import type { Api, ServerContext } from '../../server/context.ts';
import type { ImportActs } from '../../server/import-handlers.ts';
import { handled } from '../../server/perform.ts';
import { serveAll } from '../../server/serve.ts';
import { takeHead, type Uploads } from '../../server/uploads/accept.ts';
import { labelOf } from '../../server/uploads/receive.ts';
import { inShort } from '../../text/wording.ts';
import type { Corrections } from './corrections.ts';
import type { CorrectedFile } from './edit.ts';
import { correctionOperations, type TakenEdits } from './operations.ts';

/** Bytes of a request with edits, and of a corrected report. */
const EDITS_BYTES = 12 * 1024 * 1024;
const FILE_BYTES = 32 * 1024 * 1024;

export function correctionRoutes(app: Api, context: ServerContext): void {
  const edit = { ...correctionOperations.edit, bodyLimit: EDITS_BYTES };
  serveAll(app, { ...correctionOperations, edit }, correctionHandlers(context));
}

type Correcting = Pick<ImportActs, 'coordinator' | 'views'> & { readonly corrections: Corrections };

/** `POST /v1/imports/:id/corrections/file` of a file on this machine, as commands ask for it. */
export const correctedFileOperations = {
  takeFile: { ...correctionOperations.takeFile, body: z.strictObject({ path: z.string() }) },
};

export function correctionsFor(parts: Correcting) {
  return [
    handled(correctionOperations, correctionHandlers(parts)),
    handled(correctedFileOperations, {
      takeFile: async ({ id, path }, call) =>
        taken(parts.corrections, id, { bytes: await readFile(path), name: basename(path) }, call),
    }),
  ];
}

function correctionHandlers({ coordinator, corrections, views }: Correcting) {
  return {
    overview: ({ id }) => corrections.do(id, 'overview'),
    rows: ({ id, state: states, limit, cursor, ...filter }) =>
      corrections.do(id, 'page', { ...filter, states }, numberCursor(cursor) ?? 0, limit),
    edit: async ({ id, edits }, { who, audited }) => noted(await corrections.do(id, 'edit', edits, who), audited),
    replace: async ({ id, ...request }, { who, audited }) => {
      const replaced = await corrections.do(id, 'replace', request, who);
      const { column, as, from, to, preview } = request;
      return noted(replaced, audited, preview ? null : { did: 'replace', column, as, from, to });
    },
    send: async ({ id, revision }, { who, audited }) => {
      const made = await corrections.send(id, who, revision);
      audited(`of ${id}`, made);
      return views.of(coordinator.find(made));
    },
  } satisfies HandlersOf<typeof correctionOperations>;
}

async function taken(corrections: Corrections, id: string, file: CorrectedFile, { who, audited }: Call) {
  return noted(await corrections.do(id, 'takeFile', file, who), audited, { by: 'file' });
}

/** @param how they came; null: they were only looked at */
function noted(taken: TakenEdits, audited: Call['audited'], how: object | null = {}) {
  const { rows, cells, refusedRows } = taken;
  audited(how && inShort({ rows, cells, refused: refusedRows || undefined, ...how }));
  return taken;
}

/** A corrected report is the body of a request. @param scope leaves bodies to its routes */
export function correctedFileRoute(scope: Api, { corrections }: ServerContext, { limits }: Uploads): void {
  const takeFile = { ...correctionOperations.takeFile, takesFile: true };
  serveAll(
    scope,
    { takeFile },
    {
      takeFile: async ({ id }, call) => {
        const sent = await takeHead(call.request, { ...limits, maxBytes: FILE_BYTES, maxZipBytes: FILE_BYTES });
        const file = { bytes: sent.head, name: sent.name === undefined ? 'the file' : labelOf(sent.name) };
        return taken(corrections, id, file, call);
      },
    },
  );
}
