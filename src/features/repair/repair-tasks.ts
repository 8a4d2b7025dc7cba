import { edit, replace } from './edit.ts';
import { type OpenRepair, type Subject, withRepair } from './repair-ledger.ts';
import { claim, sentRepaired, settle, writeSent } from './send.ts';
import { overview, pageOf } from './show.ts';
import { takeFile } from './take-file.ts';

/** The work on an import's repair, by name. */
const TASKS = {
  overview,
  page: pageOf,
  edit,
  replace,
  takeFile,
  settle,
  claim,
  write: writeSent,
  sent: sentRepaired,
};
type Tasks = typeof TASKS;
export type TaskName = keyof Tasks;
export type Given<Name extends TaskName> =
  Parameters<Tasks[Name]> extends [repair: unknown, ...given: infer Rest] ? Rest : never;
export type Result<Name extends TaskName> = Awaited<ReturnType<Tasks[Name]>>;

/** A piece of work on the repairs of an import. */
export interface Asked {
  readonly subject: Subject;
  readonly name: TaskName;
  readonly given: readonly unknown[];
}
/** The thread that does one on a big import. */
export type RepairThread = { work: typeof work };

/** Does it in this thread, however long it takes. @throws CannotRepair */
export function work({ subject, name, given }: Asked): Promise<unknown> {
  const task = TASKS[name] as (repair: OpenRepair, ...given: readonly unknown[]) => unknown;
  return withRepair(subject, (repair) => task(repair, ...given));
}
