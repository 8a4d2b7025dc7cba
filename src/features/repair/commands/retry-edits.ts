import { readFile } from 'node:fs/promises';
import { noteCommand } from '../../../cli/audit.ts';
import type { Editing } from '../../../cli/feature.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UsageError } from '../../../cli/usage-error.ts';
import { refuseAddress } from '../../../imports/read/intake-error.ts';
import { counted } from '../../../text/wording.ts';
import type { RepairTaken } from '../api.ts';
import { repairOperations } from '../operations.ts';
import { Repairs } from '../repairs.ts';

/** Corrected rows in place of those that failed. */
export const editing: Editing = {
  read: async (path) => {
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      refuseAddress(path);
      throw new UsageError(`--edits ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    }
  },
  send: async (of, id, text, io, by) => {
    const repairs = new Repairs(of);
    if (!hasToSend(io, await repairs.change(id, 'takeFile', text, by))) return undefined;
    const made = await repairs.send(id, by);
    noteCommand<typeof repairOperations>(of.dir, 'import.repair', made, `of ${id}`, of.coordinator.sendsTo);
    return made;
  },
  sendTo: async (server, id, text, io) => {
    if (!hasToSend(io, await server.call(repairOperations.takeFile, { id, csv: text }))) return undefined;
    return (await server.call(repairOperations.send, { id })).id;
  },
};

/** Says what was taken of the file, and whether a row can be sent now. @throws UsageError where the rows are all still wrong */
function hasToSend(io: Io, { rows, cells, same, freed, wrong, counts }: RepairTaken): boolean {
  say(io, `${counted(cells, 'cell')} edited in ${counted(rows, 'row')}; ${counted(same, 'row')} as before.`);
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
  if (counts.wrong > 0) say(io, 'Rows that are still wrong are not sent. Correct them and give the file again.');
  return counts.ready > 0;
}
