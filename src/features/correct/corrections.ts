import { existsSync, statSync } from 'node:fs';
import type { ProblemCount, ProblemView } from '../../api/rows.ts';
import type { CatalogReader, ImportRecord } from '../../imports/catalog.ts';
import { correctionsFile, inTurn } from '../../imports/corrected-rows.ts';
import { nothingToSend, wrongState } from '../../imports/import-errors.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { followUp } from '../../imports/life/new-import.ts';
import { hasLedger, ledgerIsThere } from '../../imports/lost-ledger.ts';
import type { Unsaid } from '../../imports/report/import-view.ts';
import { checkTarget } from '../../imports/target.ts';
import { isFinal } from '../../membership/import-state.ts';
import { type DataDir, ledgerFile } from '../../platform/data-dir.ts';
import { type Answer, openThread } from '../../platform/threads.ts';
import { type Given, type Tasks, tasks } from './correction-tasks.ts';
import type { Subject } from './corrections-ledger.ts';

/** Maximum size of a ledger whose answers take less time than starting a thread, in bytes. */
const MAX_INLINE_BYTES = 16 * 1024 * 1024;

/** Does a piece of work on the corrections of an import; in a thread where it may take long. @throws CANNOT_CORRECT */
export function doCorrecting<Name extends keyof Tasks>(
  subject: Subject,
  name: Name,
  ...given: Given<Name>
): Promise<Answer<Tasks, Name>> {
  const asked = { subject, given } as never;
  // A corrected file may take long however few rows there are.
  const isLong = name === 'takeFile' || statSync(ledgerFile(subject.folder)).size > MAX_INLINE_BYTES;
  if (isLong) return openThread<Tasks>(import.meta.url, './correction-thread').askOnce(name, asked);
  // As a thread would get it: a value that cannot be sent fails with few rows too.
  return tasks[name](structuredClone(asked)) as Promise<Answer<Tasks, Name>>;
}

interface CorrectionsOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'find' | 'lookUp' | 'retries' | 'create' | 'sendsTo'>;
}

/**
 * Rows of an import that people correct, and the imports that send them. One for each coordinator: the work on an import is
 * done in turn. Each method rejects with CANNOT_CORRECT or WRONG_STATE.
 */
export class Corrections {
  readonly #of: CorrectionsOptions;

  constructor(of: CorrectionsOptions) {
    this.#of = of;
  }

  do<Name extends keyof Tasks>(id: string, name: Name, ...given: Given<Name>) {
    return this.#inTurn(id, (subject) => doCorrecting(subject, name, ...given));
  }

  /**
   * Sends all rows that are ready as a new import, and returns its id. A row is sent once. @throws WRONG_TARGET
   * @param seen the revision that was looked at: refused if a cell was edited since
   */
  send(id: string, createdBy: string, seen?: number): Promise<string> {
    const { coordinator, dir } = this.#of;
    return this.#inTurn(id, async (subject, earlier) => {
      checkTarget(`import ${id}`, subject.options, coordinator.sendsTo);
      if (!subject.isOver) {
        throw wrongState(earlier, 'its corrected rows can be sent when it has finished; the edits are kept');
      }
      try {
        return await followUp(coordinator, dir, earlier, { kind: 'corrected', createdBy }, async (source, made) => {
          const options = await doCorrecting(subject, 'claim', made, source, seen);
          if (options !== undefined) return options;
          throw nothingToSend(earlier, 'has no corrected rows to send: none is corrected, or they were sent before');
        });
      } finally {
        await doCorrecting({ ...subject, sends: this.#sendsOf(id) }, 'edited');
      }
    });
  }

  /** Returns what was done about the rows of a problem; nothing if nobody has looked at its rows here. */
  async progress(id: string): Promise<(problem: ProblemCount) => Pick<ProblemView, 'corrected'>> {
    if (!existsSync(correctionsFile(this.#of.dir.folder(id)))) return () => ({});
    const { problems } = await this.do(id, 'overview');
    return ({ status, code, column = '' }) => {
      const own = problems.find((one) => one.status === status && one.code === code && one.column === column);
      if (own === undefined) return {};
      const { total, ready, sent } = own;
      return { corrected: { left: total - ready - sent, ready, sent } };
    };
  }

  /** Runs the work of each import one after the other, so that no later work takes it for what a crash left. @throws WRONG_STATE */
  #inTurn<Result>(id: string, work: (subject: Subject, record: ImportRecord) => Promise<Result>) {
    return inTurn(id, async () => {
      const { coordinator, dir } = this.#of;
      const record = coordinator.find(id);
      if (!hasLedger(record, dir.ledger(id))) throw wrongState(record, 'has no rows to correct', []);
      return work({ ...subjectOf(dir, coordinator, record), sends: this.#sendsOf(id) }, record);
    });
  }

  #sendsOf(id: string) {
    const { coordinator, dir } = this.#of;
    const isThere = coordinator
      .retries(id)
      .map((record) => [record.id, !isFinal(record.state) || ledgerIsThere(dir.ledger(record.id))]);
    return Object.fromEntries(isThere);
  }
}

type Retries = Pick<CatalogReader, 'retries'>;

function subjectOf(dir: DataDir, catalog: Retries, record: ImportRecord) {
  const { id, retryOf } = record;
  return {
    id,
    retryOf,
    folder: dir.folder(id),
    options: readOptions(record),
    takenBy: catalog
      .retries(id)
      .filter((retry) => retry.state !== 'rejected' && readOptions(retry).corrected !== true)
      .map((retry) => retry.id),
    isUnsent: record.startedAt === null,
    isOver: isFinal(record.state),
  };
}

/**
 * An import with what was done about its rows; as it is, if nobody has looked at them here.
 * @param refused rows that are not sent because they would fail, as its check says
 */
export async function viewWithCorrections(
  dir: DataDir,
  catalog: Retries,
  record: ImportRecord,
  own: Unsaid,
  refused: number,
) {
  const isThere = existsSync(correctionsFile(dir.folder(record.id))) && hasLedger(record, dir.ledger(record.id));
  const edited = isThere ? await doCorrecting(subjectOf(dir, catalog, record), 'edited') : undefined;
  const { invalid = 0, failed = 0, others = 0, retryable = 0, ready = 0, wrong = 0 } = edited ?? {};
  const failures = Math.max(0, own.toCorrect - own.rows.invalid - failed);
  return {
    ...own,
    corrected: invalid + failed,
    retryable: Math.max(0, own.retryable - retryable),
    ready,
    toCorrect: Math.max(ready + wrong, own.rows.invalid + refused - invalid - others + failures),
    ...(ready + wrong > 0 && { edited: ready + wrong }),
  };
}
