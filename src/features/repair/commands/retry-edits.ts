import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import type { ImportView } from '../../../api/imports.ts';
import { currentUser, noteCommand } from '../../../cli/audit.ts';
import type { Imports } from '../../../cli/client/import-place.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import type { Doing } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { messageOf } from '../../../errors/message-of.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import { fileStateOf } from '../../../imports/read/file-state.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import { isFinal } from '../../../membership/import-state.ts';
import { isAddress } from '../../../text/address-text.ts';
import { counted } from '../../../text/wording.ts';
import { type RepairFileTaken, repairOperations } from '../operations.ts';
import { Repairs } from '../repairs.ts';
import type { CorrectedFile } from '../take-file.ts';
import { takenWords } from '../taken-words.ts';

/** A corrected report, and the import whose rows it corrects. */
interface Edits {
  readonly file: CorrectedFile;
  readonly found: ImportView;
}

/** Reads a corrected report. @throws BAD_USAGE */
export async function readEdits(path: string): Promise<CorrectedFile> {
  try {
    await fileStateOf(path, path);
    return { bytes: await readFile(path), name: basename(path) };
  } catch (error) {
    refuseAddress(path);
    throw badUsage(`--edits ${path} cannot be read: ${messageOf(error)}`);
  }
}

/**
 * Keeps the edits and sends what can be sent: at a server, or in this process. The new import, or undefined where there is nothing to send.
 * @throws CannotRepair, WRONG_STATE
 */
export async function sendEdits(
  { imports, here }: Pick<Doing, 'imports' | 'here'>,
  { file, found: { id, followUps } }: Edits,
  io: Io,
): Promise<{ readonly id: string } | undefined> {
  const { server } = imports;
  const repairs = here && new Repairs(here);
  const taken = await (repairs?.do(id, 'takeFile', file, currentUser()) ?? (server && upload(server, id, file)));
  if (taken === undefined) return undefined;
  say(io, ...takenWords(taken));
  for (const other of new Set(taken.refused.flatMap(({ sentIn }) => sentIn))) {
    // It may have been deleted since.
    if (followUps.some((followUp) => followUp.id === other)) say(io, ...(await howToCorrectIn(imports, other)));
  }
  if (!hasToSend(io, taken)) return undefined;
  const { revision } = taken;
  if (here === undefined || repairs === undefined) return server?.call(repairOperations.send, { id, revision });
  const made = await repairs.send(id, currentUser(), revision);
  noteCommand<typeof repairOperations>(here, 'import.repair', made, `of ${id}`);
  return { id: made };
}

function upload(server: Server, id: string, { bytes }: CorrectedFile) {
  const path = repairOperations.takeFile.path.replace(':id', encodeURIComponent(id));
  return server.upload({ ...repairOperations.takeFile, path }, new URLSearchParams(), {
    size: bytes.length,
    open: () => Readable.from([bytes]),
    repeatable: true,
    signal: new AbortController().signal,
  });
}

/**
 * Whether a row can be sent now.
 * @throws BAD_USAGE where no row is sent although some are corrected: they are all still wrong, or sent in another import
 */
function hasToSend(io: Io, { refusedRows, wrong, counts }: RepairFileTaken) {
  if (counts.wrong > wrong.length) say(io, `In all, ${counted(counts.wrong, 'row')} are edited and still wrong.`);
  if (counts.ready === 0 && counts.wrong > 0) {
    throw badUsage('no row was sent: those that are edited are still wrong; correct them and give the file again');
  }
  if (counts.ready === 0 && refusedRows > 0) throw badUsage('no row was sent: no correction was taken');
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
