import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImportRecord, tagsOf } from '../../imports/catalog.ts';
import { NothingToSend, WrongState } from '../../imports/import-errors.ts';
import { newImportId } from '../../imports/import-id.ts';
import { readOptions } from '../../imports/import-options.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import { retryName } from '../../imports/life/retry-import.ts';
import { hasLedger, isThere } from '../../imports/lost-ledger.ts';
import { inTurn, repairFile } from '../../imports/repaired-rows.ts';
import { checkTarget } from '../../imports/target.ts';
import { actionsOf } from '../../membership/import-actions.ts';
import { isFinal } from '../../membership/import-state.ts';
import type { DataDir } from '../../platform/data-dir.ts';
import type { RepairView } from './api.ts';
import type { Given, Result } from './repair-tasks.ts';
import { doRepair } from './repair-work.ts';
import type { Fate, SentRepaired } from './send.ts';
import type { Subject } from './show.ts';

/** The work that changes edits. */
type Change = 'edit' | 'restore' | 'replace' | 'paste' | 'undo' | 'takeFile';

interface RepairsOptions {
  readonly dir: DataDir;
  readonly coordinator: Pick<Coordinator, 'find' | 'lookUp' | 'retries' | 'create' | 'sendsTo'>;
}

/**
 * Rows of an import that people correct, and the imports that send them. One for each coordinator: the work on an import is
 * done in turn. Each method rejects with CannotRepair or WrongState.
 */
export class Repairs {
  readonly #dir: DataDir;
  readonly #coordinator: RepairsOptions['coordinator'];

  constructor({ dir, coordinator }: RepairsOptions) {
    this.#dir = dir;
    this.#coordinator = coordinator;
  }

  overview(id: string, by: string): Promise<RepairView> {
    return this.#inTurn(id, async (subject) => ({
      ...(await doRepair(subject, 'overview', by)),
      maySend: isFinal(this.#coordinator.find(id).state),
      failedTaken: subject.isTaken,
    }));
  }

  async page(id: string, ...given: Given<'page'>): Promise<Result<'page'>> {
    return doRepair(this.#subjectOf(id), 'page', ...given);
  }

  /** Edits rows, or takes edits back. */
  change<Name extends Change>(id: string, name: Name, ...given: Given<Name>): Promise<Result<Name>> {
    return this.#inTurn(id, (subject) => doRepair(subject, name, ...given));
  }

  /** Sends all rows that are ready as a new import, and returns its id. A row is sent once. @throws WrongTarget */
  send(id: string, by: string): Promise<string> {
    return this.#inTurn(id, (subject) => {
      const record = this.#coordinator.find(id);
      checkTarget(`import ${id}`, subject.options, this.#coordinator.sendsTo);
      if (!isFinal(record.state)) {
        throw new WrongState(
          record,
          'its repaired rows can be sent when it has finished; the edits are kept',
          actionsOf(record.state, false),
        );
      }
      return this.#sendReady(subject, record, by);
    });
  }

  /** Undefined if nobody has looked at its rows here. */
  async sent(id: string): Promise<SentRepaired | undefined> {
    if (!existsSync(repairFile(this.#dir.folder(id)))) return undefined;
    return doRepair(this.#subjectOf(id), 'sent');
  }

  /** @throws WrongState */
  #subjectOf(id: string): Subject {
    const record = this.#coordinator.find(id);
    if (!hasLedger(record, this.#dir.ledger(id))) throw new WrongState(record, 'has no rows to repair', []);
    return {
      folder: this.#dir.folder(id),
      options: readOptions(record),
      isTaken: isRetried(this.#coordinator.retries(id)),
      isUnsent: record.startedAt === null,
    };
  }

  #fateOf(id: string): Fate {
    const record = this.#coordinator.lookUp(id);
    if (record === undefined) return 'absent';
    return isFinal(record.state) && !isThere(this.#dir.ledger(id)) ? 'unread' : 'there';
  }

  /** Releases rows that a crash, or an import that never read them, still claims. */
  async #settle(subject: Subject): Promise<void> {
    if (!existsSync(repairFile(subject.folder))) return;
    const sends = await doRepair(subject, 'sends');
    const fates = Object.fromEntries(sends.map(({ importId }) => [importId, this.#fateOf(importId)]));
    const isOpen = sends.some(({ importId, created }) => fates[importId] === 'unread' || !created);
    if (isOpen) await doRepair(subject, 'settle', fates);
  }

  /** Runs the work of each import one after the other, so that no later work takes it for what a crash left. */
  #inTurn<Result>(id: string, work: (subject: Subject) => Promise<Result>): Promise<Result> {
    return inTurn(id, async () => {
      const subject = this.#subjectOf(id);
      await this.#settle(subject);
      return work(subject);
    });
  }

  async #sendReady(subject: Subject, earlier: ImportRecord, by: string): Promise<string> {
    const id = newImportId();
    const rows = await doRepair(subject, 'claim', id, by);
    if (rows === 0) throw new NothingToSend(earlier, 'has no repaired rows to send', actionsOf(earlier.state, false));
    const folder = this.#dir.folder(id);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const source = join(folder, 'input');
      const options = await doRepair(subject, 'write', id, source);
      const file = retryName(earlier.file, options.format === 'csv' ? '.csv' : '.ndjson', 'repaired');
      await this.#coordinator.create({
        id,
        file,
        source,
        retryOf: earlier.id,
        options,
        createdBy: by,
        tags: tagsOf(earlier),
      });
    } catch (error) {
      if (this.#coordinator.lookUp(id) === undefined) {
        await doRepair(subject, 'settle', { [id]: 'unread' });
        await rm(folder, { recursive: true, force: true });
      }
      throw error;
    }
    await doRepair(subject, 'created', id);
    return id;
  }
}

/** Whether a plain retry has taken the rows that can be sent again. */
function isRetried(retries: readonly ImportRecord[]): boolean {
  return retries.some((retry) => retry.state !== 'rejected' && readOptions(retry).repaired !== true);
}
