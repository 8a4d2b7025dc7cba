import { resolve } from 'node:path';
import type { ImportView } from '../../../api/imports.ts';
import { correcting, type Imports } from '../../../cli/client/imports.ts';
import { fileUpload } from '../../../cli/client/send-file.ts';
import type { Server } from '../../../cli/client/server-client.ts';
import { ownImports, shownBy } from '../../../cli/owner.ts';
import type { Doing, Here } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { badUsage, messageOf } from '../../../errors/rollcall-error.ts';
import { fileStateOf } from '../../../imports/read/byte-source.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import { isFinal } from '../../../membership/import-state.ts';
import { counted } from '../../../text/wording.ts';
import { Corrections } from '../corrections.ts';
import { correctionOperations, type TakenEdits } from '../operations.ts';
import { correctedFileOperations, correctionsFor } from '../routes.ts';
import { takenWords } from '../taken-words.ts';

export async function checkEdits(path: string) {
  try {
    await fileStateOf(path, path);
  } catch (error) {
    refuseAddress(path);
    throw badUsage(`--edits ${path} cannot be read: ${messageOf(error)}`);
  }
}

export function correctionsHere(here: Here) {
  const parts = { ...here, corrections: new Corrections(here), views: { of: shownBy(here) } };
  return ownImports(here, correctionsFor(parts));
}

/**
 * Keeps the edits of a corrected report and sends what can be sent, as a new import.
 * @throws CANNOT_CORRECT, WRONG_STATE, NOTHING_TO_SEND; BAD_USAGE where no row is sent although some are corrected
 */
export async function sendEdits(
  { client, imports, signal }: Doing,
  path: string,
  { id, followUps }: ImportView,
  io: Io,
) {
  const { server } = imports;
  const taken = await (server === undefined
    ? client.call(correctedFileOperations.takeFile, { id, path: resolve(path) })
    : upload(server, id, path, signal));
  say(io, ...takenWords(taken));
  for (const other of new Set(taken.refused.flatMap(({ sentIn }) => sentIn))) {
    // It may have been deleted since.
    if (followUps.some((followUp) => followUp.id === other)) say(io, ...(await howToCorrectIn(imports, other)));
  }
  sayWrong(io, taken);
  return client.call(correctionOperations.send, { id, revision: taken.revision });
}

async function upload(server: Server, id: string, path: string, signal: AbortSignal) {
  const address = correctionOperations.takeFile.path.replace(':id', encodeURIComponent(id));
  const file = await fileUpload(path, {}, signal);
  return server.upload({ ...correctionOperations.takeFile, path: address }, new URLSearchParams(), file);
}

/** @throws BAD_USAGE where those that are corrected are all still wrong, or were sent in another import */
function sayWrong(io: Io, { refusedRows, wrong, counts }: TakenEdits) {
  if (counts.wrong > wrong.length) say(io, `In all, ${counted(counts.wrong, 'row')} are edited and still wrong.`);
  if (counts.ready === 0 && counts.wrong > 0) {
    throw badUsage('no row was sent: those that are edited are still wrong; correct them and give the file again');
  }
  if (counts.ready === 0 && refusedRows > 0) throw badUsage('no row was sent: no correction was taken');
  if (counts.wrong > 0) say(io, 'Rows that are still wrong are not sent. Correct them and give the file again.');
}

/** Rows that another import has sent are corrected there, where they have other numbers. */
async function howToCorrectIn(imports: Imports, id: string) {
  const found = await imports.one(id);
  if (!isFinal(found.state)) return [`Correct them when import ${id} is over.`];
  const how = correcting(
    imports,
    found,
    (file) => `Rows that failed there too are in ${file}, with other row numbers. Correct them in that file, then:`,
  );
  return how.length > 0 ? how : [`None of the rows of import ${id} needs attention.`];
}
