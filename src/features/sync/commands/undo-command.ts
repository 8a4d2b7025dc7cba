import { Command } from 'commander';
import type { Action } from '../../../cli/exit-codes.ts';
import { type RunningFlags, withRunning } from '../../../cli/flags/flags.ts';
import { withOptions } from '../../../cli/flags/option-flags.ts';
import { checkTarget, openRunning } from '../../../cli/run.ts';
import { type Io, say } from '../../../cli/screen/io.ts';
import { UNDOING } from '../../../options/deciding-options.ts';
import { LIFTING } from '../../../options/sending-options.ts';
import { syncOperations } from '../operations.ts';
import { type DecidingFlags, decidingQuery, type PlanningFlags, withDeciding, withPlan } from './sync-flags.ts';
import { doneHereOrThere } from './sync-work.ts';

type Flags = RunningFlags & DecidingFlags & PlanningFlags;

/** `rollcall undo`: plans how to undo an import, and carries it out with `--apply`. */
export function undoCommand(action: Action) {
  const command = new Command('undo').argument('<import>', 'a finished import, as `list` shows it');
  withRunning(withOptions(withPlan(withDeciding(command)), { ...LIFTING, ...UNDOING }));
  return command.action(action(undo));
}

async function undo(io: Io, id: string, flags: Flags) {
  const running = await openRunning(io, flags);
  const { imports } = running;
  const found = await imports.find(id);
  const { fileOfChanges, sandbox } = found;
  const query = await decidingQuery(flags, imports.server !== undefined);
  const input = { ...Object.fromEntries(query), id };
  const code = await doneHereOrThere(running, flags, syncOperations.undo, input, () =>
    checkTarget(imports.command('undo', id), id, sandbox, flags.sandbox === true),
  );
  const [, created = null] = imports.files(found).find(([what]) => what === 'created') ?? [];
  say(io, ...(fileOfChanges ? NOT_RESTORED : []), ...(created === null ? [] : createdStay(created)));
  return code;
}

/** Only the additions of a file of changes are known well enough to be undone. */
const NOT_RESTORED = [
  '',
  'The import read a file of changes. Undo takes back what it added or banned. Members that it removed or unbanned, and',
  'scopes that it changed, are not restored: what they were is not known. Its report has them, to import by hand.',
];

/** An undo reverses memberships. */
function createdStay(file: string) {
  return [
    '',
    'The users and groups that the import created stay. Delete them in the dashboard of the chat service:',
    `  ${file}`,
  ];
}
