import { createReadStream, existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileState, fileStateOf } from '../../../imports/read/byte-source.ts';
import { notReadable } from '../../../imports/read/intake-error.ts';
import { lookupCopy } from '../../../imports/stage/lookup-copies.ts';
import type { StagingTask } from '../../../imports/stage/stage-file.ts';
import { mapLookupsInTurn } from '../../../options/lookups.ts';
import { writeWhole } from '../../../platform/files.ts';
import type { SyncReading } from '../kept-sync.ts';

export const planFiles = (folder: string) => ({
  input: join(folder, 'input'),
  desired: join(folder, 'desired.sqlite'),
  plan: join(folder, 'plan.sqlite'),
  changes: join(folder, 'changes.csv'),
  /** The earlier members of the groups that lose a member; absent if no group does. */
  before: join(folder, 'before.csv'),
});

/** Removes a plan that is made again. */
export async function removePlan(folder: string) {
  const { desired, plan } = planFiles(folder);
  for (const path of [desired, plan]) {
    for (const ending of ['', '-wal', '-shm']) await rm(`${path}${ending}`, { force: true });
  }
}

export interface PlannedFile {
  /** Its name, as the user has it. */
  readonly file: string;
  readonly source: string;
  readonly reading: SyncReading;
}

/** A file that is copied into the folder of a plan, and staged there. */
export interface CopyTask {
  /** The folder in which the plan is made, with everything that it is made from. Files of an earlier try are overwritten. */
  readonly folder: string;
  /** Rows of the file of the last run; undefined: there was none, or it does not matter. */
  readonly rowsBefore?: number | undefined;
  readonly signal: AbortSignal;
}

/** The plan's own copy of the file is staged: the plan stays what it is, even if the file changes. Returns the ledger's path. */
export async function stageFile(
  { folder, rowsBefore, signal }: CopyTask,
  { file, source, reading }: PlannedFile,
  stage: (task: StagingTask) => Promise<unknown>,
) {
  const { input, desired } = planFiles(folder);
  const { identities, groups, ...read } = reading;
  await keepCopy(source, input, file, { ...read, signal });
  const lookups = await mapLookupsInTurn({ identities, groups }, async ({ path, name }, lookup) => {
    const copy = lookupCopy(folder, lookup);
    await keepCopy(path, copy, name, { signal });
    return { path: copy, name };
  });
  const task = {
    source: input,
    name: file,
    options: { ...read, mayBeOver: true },
    ledger: desired,
    signal,
    lookups,
    rowsBefore,
  };
  await stage(task);
  return desired;
}

/** Copies a file that must not change meanwhile, unless there is a copy. A copy that is there counts as whole, also after a power cut. */
async function keepCopy(source: string, copy: string, name: string, options: Parameters<typeof fileStateOf>[2]) {
  if (existsSync(copy)) return;
  const before = await fileStateOf(source, name, options);
  await writeWhole(copy, unchanged(source, name, before));
}

async function* unchanged(source: string, name: string, before: FileState) {
  let last = 0;
  try {
    for await (const piece of createReadStream(source)) {
      last = piece.at(-1);
      yield piece;
    }
  } catch (cause) {
    throw notReadable(name, 'be read', cause);
  }
  await before.checkUnchanged(last);
}
