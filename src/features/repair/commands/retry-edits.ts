import { readFile } from 'node:fs/promises';
import type { ImportView } from '../../../api/imports.ts';
import { noteCommand } from '../../../cli/audit.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import type { Imports } from '../../../cli/target/import-place.ts';
import type { Server } from '../../../cli/target/server-client.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { messageOf } from '../../../errors/message-of.ts';
import type { Coordinator } from '../../../imports/life/coordinator.ts';
import { fileOf } from '../../../imports/read/file-state.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import { isFinal } from '../../../membership/import-state.ts';
import type { DataDir } from '../../../platform/data-dir.ts';
import { isAddress } from '../../../text/address-text.ts';
import { counted } from '../../../text/wording.ts';
import type { RepairTaken } from '../api.ts';
import { repairOperations } from '../operations.ts';
import { Repairs } from '../repairs.ts';

/** The text of a corrected report, the import whose rows it corrects, and the imports that its retry is one of. */
export interface Edits {
  readonly text: string;
  readonly found: ImportView;
  readonly imports: Imports;
}

/** Returns the text of a corrected report. @throws UsageError */
export async function readEdits(path: string): Promise<string> {
  try {
    await fileOf(path, path);
    return await readFile(path, 'utf8');
  } catch (error) {
    refuseAddress(path);
    throw new UsageError(`--edits ${path} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Keeps the edits and sends what can be sent; the id of the new import, or undefined where there is nothing to send.
 * @throws CannotRepair, WrongState
 */
export async function sendEdits(
  of: { readonly coordinator: Coordinator; readonly dir: DataDir },
  edits: Edits,
  io: Io,
  by: string,
): Promise<string | undefined> {
  const { id } = edits.found;
  const repairs = new Repairs(of);
  if (!(await hasToSend(io, edits, await repairs.change(id, 'takeFile', edits.text, by)))) return undefined;
  const made = await repairs.send(id, by);
  noteCommand<typeof repairOperations>(of.dir, 'import.repair', made, `of ${id}`, of.coordinator.sendsTo);
  return made;
}

/** The same at a server. @throws ServerRefused */
export async function sendEditsTo(server: Server, edits: Edits, io: Io): Promise<string | undefined> {
  const { id } = edits.found;
  const taken = await server.call(repairOperations.takeFile, { id, csv: edits.text });
  if (!(await hasToSend(io, edits, taken))) return undefined;
  return (await server.call(repairOperations.send, { id })).id;
}

/**
 * Says what was taken of the file, and whether a row can be sent now.
 * @throws UsageError where no row is sent although some are corrected: they are all still wrong, or sent in another import
 */
async function hasToSend(io: Io, { found, imports }: Edits, taken: RepairTaken): Promise<boolean> {
  const { rows, cells, same, freed, wrong, retried = 0, sent = [], counts } = taken;
  const before = sent.reduce((sum, { rows: all, changed }) => sum + all - changed, 0);
  say(io, `${counted(cells, 'cell')} edited in ${counted(rows, 'row')}; ${counted(same - before, 'row')} as before.`);
  for (const { importId, rows: all, changed } of sent) {
    say(io, `${counted(all, 'corrected row')} of the file had been sent before, in import ${importId}.`);
    if (changed > 0) {
      say(io, `For ${counted(changed, 'row')} of these, the file has a further correction, which is not sent.`);
    }
    // It may have been deleted since.
    if (changed === 0 || !found.followUps.some(({ id }) => id === importId)) continue;
    say(io, ...(await howToCorrectIn(imports, importId)));
  }
  if (retried > 0) {
    const retries = found.followUps.filter(({ kind, state }) => kind === 'retry' && state !== 'rejected');
    const ids = retries.map(({ id }) => id).join(' and ');
    say(
      io,
      `${counted(retried, 'corrected row')} of the file had been sent before without the correction, in import ${ids}.`,
    );
    for (const { id } of retries) say(io, ...(await howToCorrectIn(imports, id)));
  }
  if (freed > 0) say(io, `${counted(freed, 'row')} that only an edited row made invalid can be sent too.`);
  for (const { line, problems } of wrong) {
    say(io, `Row ${line} is still wrong: ${problems.map(({ column, reason }) => `${column}: ${reason}`).join('; ')}`);
  }
  if (counts.wrong > wrong.length) say(io, `In all, ${counted(counts.wrong, 'row')} are edited and still wrong.`);
  if (counts.ready === 0 && counts.wrong > 0) {
    throw new UsageError(
      'no row was sent: those that are edited are still wrong; correct them and give the file again',
    );
  }
  const corrected = retried + sent.reduce((sum, { changed }) => sum + changed, 0);
  if (counts.ready === 0 && corrected > 0) {
    throw new UsageError('no row was sent: those that are corrected were sent before, in another import');
  }
  if (counts.wrong > 0) say(io, 'Rows that are still wrong are not sent. Correct them and give the file again.');
  return counts.ready > 0;
}

/** Rows that another import has sent are corrected there, where they have other numbers. */
async function howToCorrectIn(imports: Imports, id: string): Promise<string[]> {
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
