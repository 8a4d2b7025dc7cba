import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { ImportView } from '../../../api/imports.ts';
import { noteCommand } from '../../../cli/audit.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { Coordinator } from '../../../imports/life/coordinator.ts';
import { fileStateOf } from '../../../imports/read/file-state.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import { isFinal } from '../../../membership/import-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { isAddress } from '../../../text/address-text.ts';
import { counted } from '../../../text/wording.ts';
import { type RepairTaken, repairOperations } from '../operations.ts';
import { Repairs } from '../repairs.ts';
import type { CorrectedFile } from '../take-file.ts';

/** A corrected report, the import whose rows it corrects, and the imports that its retry is one of. */
export interface Edits {
  readonly file: CorrectedFile;
  readonly found: ImportView;
  readonly imports: Imports;
}

/** Reads a corrected report. @throws UsageError */
export async function readEdits(path: string): Promise<CorrectedFile> {
  try {
    await fileStateOf(path, path);
    return { bytes: await readFile(path), name: basename(path) };
  } catch (error) {
    refuseAddress(path);
    throw new UsageError(`--edits ${path} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Keeps the edits and sends what can be sent; the id of the new import, or undefined where there is nothing to send.
 * @throws CannotRepair, WRONG_STATE
 */
export async function sendEdits(
  of: { readonly coordinator: Coordinator; readonly dir: DataDir },
  edits: Edits,
  io: Io,
  by: string,
): Promise<string | undefined> {
  const { id } = edits.found;
  const repairs = new Repairs(of);
  const taken = await repairs.change(id, 'takeFile', edits.file, by);
  if (!(await hasToSend(io, edits, taken))) return undefined;
  const made = await repairs.send(id, by, taken.revision);
  noteCommand<typeof repairOperations>(of.dir, 'import.repair', made, `of ${id}`, of.coordinator.sendsTo);
  return made;
}

/** The same at a server. @throws ServerRefused */
export async function sendEditsTo(server: Server, edits: Edits, io: Io): Promise<string | undefined> {
  const { id } = edits.found;
  const { bytes } = edits.file;
  const path = repairOperations.takeFile.path.replace(':id', encodeURIComponent(id));
  const taken = await server.upload({ ...repairOperations.takeFile, path }, new URLSearchParams(), {
    size: bytes.length,
    open: () => Readable.from([bytes]),
    repeatable: true,
    signal: new AbortController().signal,
  });
  if (!(await hasToSend(io, edits, taken))) return undefined;
  return (await server.call(repairOperations.send, { id, revision: taken.revision })).id;
}

/**
 * Says what was taken of the file, and whether a row can be sent now.
 * @throws UsageError where no row is sent although some are corrected: they are all still wrong, or sent in another import
 */
async function hasToSend(io: Io, { found, imports }: Edits, taken: RepairTaken) {
  const { rows, cells, same, refused, refusedRows, wrong, counts } = taken;
  const left = refusedRows === 0 ? '' : `; ${counted(refusedRows, 'row')} refused`;
  say(io, `${counted(cells, 'cell')} edited in ${counted(rows, 'row')}; ${counted(same, 'row')} as before${left}.`);
  for (const { line, column, reason } of refused) say(io, `Row ${line}: ${column} is not taken: ${reason}.`);
  for (const id of new Set(refused.flatMap(({ sentIn }) => sentIn))) {
    // It may have been deleted since.
    if (found.followUps.some((followUp) => followUp.id === id)) say(io, ...(await howToCorrectIn(imports, id)));
  }
  for (const { line, problems } of wrong) {
    say(io, `Row ${line} is still wrong: ${problems.map(({ column, reason }) => `${column}: ${reason}`).join('; ')}`);
  }
  if (counts.wrong > wrong.length) say(io, `In all, ${counted(counts.wrong, 'row')} are edited and still wrong.`);
  if (counts.ready === 0 && counts.wrong > 0) {
    throw new UsageError(
      'no row was sent: those that are edited are still wrong; correct them and give the file again',
    );
  }
  if (counts.ready === 0 && refusedRows > 0) throw new UsageError('no row was sent: no correction was taken');
  if (counts.wrong > 0) say(io, 'Rows that are still wrong are not sent. Correct them and give the file again.');
  return counts.ready > 0;
}

/** Rows that another import has sent are corrected there, where they have other numbers. */
async function howToCorrectIn(imports: Imports, id: string) {
  const found = await imports.one(id);
  if (!isFinal(found.state)) return [`Correct them when import ${id} is over.`];
  const [, file = null] = imports.files(found).find(([what]) => what === 'needs attention') ?? [];
  if (file === null) return [`None of the rows of import ${id} needs attention.`];
  const command = imports.command('retry', id, '--edits', isAddress(file) ? 'FILE' : file);
  return [
    `Rows that failed there too are in ${file}, with other row numbers. Correct them in that file, then:`,
    `  ${command}`,
  ];
}
