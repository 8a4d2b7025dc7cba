import { readFile } from 'node:fs/promises';
import { type RepairTaken, repairTaken } from '../../api/repair.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { counted } from '../../text/wording.ts';
import { UsageError } from '../errors.ts';
import { type Io, say } from '../screen/io.ts';
import { importAddress } from '../target/imports.ts';
import type { Server } from '../target/server-client.ts';

/** The text of a corrected report. @throws UsageError */
export async function readEdits(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--edits ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Keeps the edits and sends what can be sent; the id of the new import. @throws CannotRepair, WrongState */
export async function sendEdits(
  coordinator: Coordinator,
  id: string,
  text: string,
  io: Io,
  by: string,
): Promise<string> {
  sayTaken(io, await coordinator.repairs.takeFile(id, text, by));
  return coordinator.repairs.send(id, by);
}

/** The same at a server. @throws ServerRefused */
export async function sendEditsThere(server: Server, id: string, text: string, io: Io): Promise<string> {
  const path = `${importAddress(id)}/repair`;
  sayTaken(io, await server.begin(`${path}/file`, repairTaken, { csv: text }));
  return (await server.post(`${path}/send`)).id;
}

function sayTaken(io: Io, { rows, cells, same, wrong, counts }: RepairTaken): void {
  say(io, `${counted(cells, 'cell')} edited in ${counted(rows, 'row')}; ${counted(same, 'row')} as before.`);
  for (const { line, problems } of wrong) {
    say(io, `Row ${line} is still wrong: ${problems.map(({ column, reason }) => `${column}: ${reason}`).join('; ')}`);
  }
  if (counts.wrong > wrong.length) say(io, `In all, ${counted(counts.wrong, 'row')} are edited and still wrong.`);
  if (counts.wrong > 0) say(io, 'Rows that are still wrong are not sent. Correct them and give the file again.');
}
