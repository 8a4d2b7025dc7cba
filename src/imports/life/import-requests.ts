import { isDeepStrictEqual } from 'node:util';
import { actionsOf, isFinal, needsPerson, nextStates } from '../../membership/import-state.ts';
import { isLedgerError } from '../../platform/database-errors.ts';
import { counted } from '../../text/wording.ts';
import type { Catalog, ImportRecord } from '../catalog.ts';
import { findEdited, inTurn } from '../corrected-rows.ts';
import { wrongState } from '../import-errors.ts';
import { readOptions } from '../import-options.ts';
import { ledgerIsThere } from '../lost-ledger.ts';
import { isMachineWait } from '../reason-codes.ts';
import { retryFile } from '../report/report-paths.ts';
import type { OpenImport } from '../send/open-imports.ts';
import { tooManyErrors } from '../send/sendable.ts';
import { type FindLeftOut, findFailing, holdBack, leaveOut } from '../stage/leave-out.ts';
import { type Aimed, isSameTarget, joinedTarget, wrongTarget } from '../target.ts';
import { held, overAsForeseen, type ResumeChanges, withChanges } from './creating-step.ts';
import { afterDeaths } from './faults.ts';
import type { StepParts, Steps } from './steps.ts';

interface RequestsOptions extends StepParts {
  readonly catalog: Catalog;
  /** The target of this process. */
  readonly sendsTo: Aimed;
  readonly steps: Steps;
  /** Failed imports that are being cancelled. */
  readonly lastResort: Set<string>;
}

/** Returns the reason why an import starts with fewer rows than its file has; undefined if it has all of them. */
function startedWithout(failing: number, edited: number) {
  const without = [
    failing > 0 && `${counted(failing, 'row')} that would fail, as its check says`,
    edited > 0 && `${counted(edited, 'row')} that ${edited === 1 ? 'was' : 'were'} edited`,
  ].filter((part) => part !== false);
  return without.length === 0 ? undefined : `started without ${without.join(', and without ')}`;
}

/** A start of sending as a person wants it. */
interface Start {
  /** Rows that were left out now. */
  readonly failing?: number;
  /** The rows to send first; absent: all. */
  readonly trial?: Parameters<typeof holdBack>[1] | undefined;
}

function refusalsOf({ catalog, dir }: RequestsOptions) {
  return (id: string, refused: string): never => {
    const record = catalog.get(id);
    throw wrongState(record, refused, actionsOf(record.state, retryFile(dir.folder(id)) !== undefined));
  };
}

function goingOf(options: RequestsOptions) {
  const { dir, catalog, states, sending, closings, target, sendsTo, steps } = options;
  const refuse = refusalsOf(options);

  /** Keeps an import to the target of this process: a dry run without settings has none, and a region may have got its app since. */
  const keepTarget = (id: string, opened: Pick<OpenImport, 'options'>) => {
    const known = joinedTarget(opened.options.target, sendsTo.target);
    if (known === undefined || isDeepStrictEqual(known, opened.options.target)) return;
    opened.options = { ...opened.options, target: known };
    catalog.setOptions(id, JSON.stringify(opened.options));
  };

  const hold = async (id: string) => {
    if (await sending.pause(id)) steps.idle(id, 'paused');
  };

  const leaveOutFailing = async (id: string, options: string): Promise<number> => {
    // Without a pause, so that nothing of it is sent and no check of it begins meanwhile.
    if (states.of(id) !== 'staged' || closings.isUnderWay(id))
      refuse(id, 'no rows can be left out: only before anything is sent');
    const opened = sending.open(id);
    opened.options = readOptions({ options });
    // The options may change what it creates. Where it was to create nothing, no check fits them: `leaveOut` says so, and no
    // names are looked for.
    if (opened.ledger.creating !== undefined) opened.ledger.setCreate(opened.options.create);
    target.check(id, opened);
    return leaveOut({ id, folder: dir.folder(id), options: opened.options }, findFailing);
  };

  const goOn = async (id: string, { failing = 0, trial }: Start, edited?: FindLeftOut) => {
    await sending.dropped(id);
    const opened = sending.open(id);
    const { ledger } = opened;
    opened.options = readOptions(catalog.get(id));
    ledger.setCreate(opened.options.create);
    const over = await overAsForeseen(dir.folder(id), opened);
    const { state } = catalog.get(id);
    if (state === 'cancelling') opened.ending ??= 'cancelled';
    if (opened.ending !== undefined) return hold(id);
    target.check(id, opened);
    keepTarget(id, opened);
    if (over.length > 0) {
      if (state !== 'staged' && state !== 'running') states.move(id, 'running');
      return steps.waitForLeave(id, held(over, 'check'));
    }
    const unsent = { id, folder: dir.folder(id), options: opened.options };
    const without = startedWithout(failing, edited === undefined ? 0 : leaveOut(unsent, edited));
    if (trial !== undefined && !holdBack(dir.ledger(id), trial)) refuse(id, 'has no row that is chosen');
    ledger.startRegions();
    // An import that was paused before the first rows were sent continues with these.
    const isThrough = ledger.openRegions().size === 0 && (ledger.creating?.waiting() ?? 0) === 0;
    if (state === 'paused' && isThrough) ledger.releaseLater();
    if (state !== 'running') states.move(id, 'running', without);
    if (tooManyErrors(opened) === undefined) return sending.run(id);
    opened.ending = 'aborted';
    await hold(id);
  };

  return {
    hold,
    leaveOutFailing,
    go: async (id: string, start: Start = {}) =>
      catalog.get(id).startedAt === null ? inTurn(id, () => goOn(id, start, findEdited)) : goOn(id, start),
  };
}

/** Takes imports up again that a stop or crash interrupted, or whose input was not read. */
function takingUp(options: RequestsOptions, { hold, go }: ReturnType<typeof goingOf>) {
  const { dir, catalog, sendsTo, states, sending, target, steps } = options;

  /** Whether it failed, or had to wait, before its input was in the ledger: only then may the input be read again. */
  const isUnread = (id: string) => {
    const { state, code } = catalog.get(id);
    const isWaiting = state === 'blocked' && (isMachineWait(code) || code === 'WRONG_TARGET');
    if (state === 'failed' ? ledgerIsThere(dir.ledger(id)) : !isWaiting) return false;
    return !catalog.transitions(id).some((move) => move.state === 'staged');
  };

  /** Reads its input again, if it is not in the ledger. */
  const readAgain = (id: string) => {
    const again = isUnread(id);
    if (again) {
      states.move(id, 'staging');
      steps.begin(id);
    }
    return again;
  };

  /** Returns the time from which an import waits after deaths, in ms since 1970; 0: a person asked for its next step. */
  const leftAloneSince = ({ id, state, code }: ImportRecord) => {
    if (state === 'pausing' || state === 'cancelling') return 0;
    const waits = state === 'blocked' && code === 'PROCESS_DIED';
    return (waits ? catalog.transitions(id).at(-1)?.at : undefined) ?? Date.now();
  };

  /** An import of another target waits for a process that sends there; a pause or a cancellation stays one. @throws WRONG_TARGET */
  const waitForTarget = (record: ImportRecord) => {
    const { id, state } = record;
    const meant = readOptions(record);
    if (isSameTarget(meant, sendsTo)) return;
    const error = wrongTarget(`import ${id}`, meant, sendsTo);
    if (state === 'staging' || state === 'running')
      states.move(id, 'blocked', error.what, 'WRONG_TARGET', error.remedy);
    throw error;
  };

  return {
    readAgain,
    /** Continues an import from its last state, after a stop or crash. */
    takeUp: async (id: string) => {
      const record = catalog.get(id);
      waitForTarget(record);
      const { reason, later } = afterDeaths('import', catalog.deaths(id), leftAloneSince(record));
      if (reason !== undefined) return states.move(id, 'failed', reason, 'PROCESS_DIED');
      if (later !== undefined) throw later;
      if (record.state === 'staging') return steps.begin(id);
      if (readAgain(id)) return;
      target.check(id, sending.open(id));
      await (record.state === 'pausing' ? hold(id) : go(id));
    },
  };
}

/** Requests of people for an import, and what the start of a process does with it. */
export function requestsOf(options: RequestsOptions) {
  const { dir, catalog, states, stagings, sending, closings, fault, steps, lastResort } = options;
  const refuse = refusalsOf(options);
  const going = goingOf(options);
  const { hold, leaveOutFailing, go } = going;
  const { takeUp, readAgain } = takingUp(options, going);

  /** A request for an import without a usable ledger is refused, and the import does not look as if it could go on. */
  const unusable = (id: string) => (error: unknown) => {
    if (isLedgerError(error)) fault(id, 'SENDING_FAILED', error);
    throw error;
  };

  const endBeforeAll = async (id: string) => {
    await sending.dropped(id);
    const opened = sending.open(id);
    if (states.of(id) === 'staged') return steps.end(id, 'cancelled');
    if (states.of(id) !== 'cancelling') states.move(id, 'cancelling');
    opened.ending = 'cancelled';
    await hold(id);
  };

  return {
    takeUp,
    pause: async (id: string) => {
      const state = states.of(id);
      if (state === 'pausing' || state === 'paused') return;
      if (state !== 'running') refuse(id, 'cannot be paused');
      states.move(id, 'pausing');
      await hold(id);
    },
    resume: async (id: string, changes: ResumeChanges) => {
      const record = catalog.get(id);
      const options = withChanges(record, changes);
      const { first, only } = changes;
      const trial = first === undefined && only === undefined ? undefined : { first, only };
      if (trial !== undefined && (record.state !== 'staged' || record.startedAt !== null))
        refuse(id, 'no rows can be tried first: only before anything is sent');
      const failing = changes.leaveOutFailing === true ? await leaveOutFailing(id, options).catch(unusable(id)) : 0;
      if (isFinal(record.state) || (record.state === 'staged' && closings.isUnderWay(id)))
        refuse(id, 'cannot be resumed');
      catalog.setOptions(id, options);
      // A person asks for it: earlier deaths of the process no longer count.
      catalog.progressed(id);
      try {
        if (readAgain(id)) return;
        if (record.state === 'staging') steps.begin(id);
        else await go(id, { failing, trial }).catch(unusable(id));
      } catch (error) {
        const now = catalog.get(id);
        // A refused request changes nothing.
        if (now.state === record.state && now.options === options) catalog.setOptions(id, record.options);
        throw error;
      }
    },
    cancel: async (id: string) => {
      if (states.of(id) === 'staging') await stagings.abort(id);
      const state = states.of(id);
      if (state === 'staging' || (needsPerson(state) && !ledgerIsThere(dir.ledger(id))))
        return states.move(id, 'cancelled');
      if (state === 'failed') lastResort.add(id);
      // It may have been staged, and even started, in the meantime.
      const next = nextStates(state);
      if (!next.includes('cancelling') && !next.includes('cancelled')) refuse(id, 'cannot be cancelled');
      try {
        await endBeforeAll(id);
      } catch (error) {
        if (!lastResort.has(id)) throw error;
        fault(id, 'RECORDING_FAILED', error);
      }
    },
  };
}
