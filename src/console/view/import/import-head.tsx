/** The head of an import: its state in a sentence, its rows by outcome, and open issues. */

import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { addressAdvice } from '../../../text/no-answer.ts';
import { counted, grouped } from '../../../text/wording.ts';
import type { FollowUp, ImportView, RunningImport } from '../../answers.ts';
import { estimate, rate, size, timeOfDay } from '../../format.ts';
import { settings } from '../../frame.tsx';
import {
  AWAITS_AGREEMENT,
  CREATE_LIMIT,
  inPlace,
  isDryRun,
  isUndone,
  stateLabel,
  stateSentence,
  stateTone,
  waiting,
} from '../../import-words.ts';
import { useLeaving } from '../../kit/actions.tsx';
import { Badge, FileNotes, foreign, importHref, Legend, OutcomeBar, syncHref, Tag, Time } from '../../kit/elements.tsx';
import { useListNews } from '../../live.ts';
import { withControls } from '../../option-words.ts';
import { connection } from '../../requests.ts';
import type { ImportParts } from './live-import.ts';

/** Shows the origin of an import, and its fate, in words beside its name. */
export function KindTag({ view }: { view: ImportView }) {
  return (
    <>
      {view.kind !== 'file' && <Tag>{view.kind}</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
      {view.followUps.some(isUndone) && <Tag>undone</Tag>}
      {/* If the whole server sends to a sandbox, the head says so once. */}
      {view.sandbox && settings.value?.sandbox !== true && <Tag>sandbox</Tag>}
    </>
  );
}

/** States whose reason says more than the state. */
const REASONED: readonly ImportView['state'][] = ['aborted', 'rejected', 'failed'];

export function ImportHead({ live, view, queues }: ImportParts) {
  const asOf = connection.asOf.value;
  return (
    <div>
      <div class="standing row">
        <Badge tone={stateTone(view)}>{stateLabel(view)}</Badge>
        <p class="sentence" id="state">
          {stateSentence(view)}
        </p>
      </div>
      <Reason view={view} />
      {view.state === 'blocked' && view.code === CREATE_LIMIT && (
        <p class="notice attention">
          Check the columns of the file first: a wrong column would create users or groups that should not exist. Then
          create them, or cancel.
        </p>
      )}
      {view.state === 'running' && <Troubles queues={queues} view={view} />}
      <FollowUps live={live} view={view} />
      <div class="reading col">{view.staging !== null && <ReadingProgress {...view.staging} />}</div>
      {view.rows.read > 0 && (
        <>
          <OutcomeBar name="All rows by outcome" rows={view.rows} />
          <Legend rows={view.rows} over={view.finishedAt !== null} />
        </>
      )}
      <p class="pace">{asOf !== null && view.finishedAt === null ? `As of ${timeOfDay(asOf)}.` : paceOf(view)}</p>
      <FileNotes notes={view.notes ?? []} />
    </div>
  );
}

/** "12 rows a second, about 40 s left" */
function paceOf({ etaSeconds = null, rowsPerSecond = null }: Partial<RunningImport>) {
  const parts = [
    rowsPerSecond !== null && rowsPerSecond > 0 && `${rate(rowsPerSecond)} rows a second`,
    etaSeconds !== null && etaSeconds > 0 && estimate(etaSeconds),
  ];
  return parts.filter((part) => part !== false).join(', ');
}

/** The reason why it stands where it stands, where the sentence of its state does not say it. */
export function Reason({ view }: { view: ImportView }) {
  const isAsked = (view.maxCreate ?? view.maxRemovals) !== undefined;
  const hasReason =
    !isAsked &&
    (view.state === 'staged' ? !view.dryRun && view.code !== AWAITS_AGREEMENT : REASONED.includes(view.state));
  return <p class="note">{hasReason && foreign(withControls(view.reason))}</p>;
}

/**
 * Regions whose rows wait for a person, said at once, since others may go on for an hour; and those in which the service does
 * not answer: it may be over in a minute, and a person can pause the import until then.
 */
function Troubles({ queues, view }: Pick<ImportParts, 'queues' | 'view'>) {
  const open = Object.entries(view.regions).flatMap(([region, { rows }]) => {
    const [queue, left] = [queues[region], rows.read - sumOfOutcomes(rows)];
    return queue === undefined || left === 0 ? [] : [{ ...queue, left }];
  });
  const stopped = open.filter((queue) => queue.stopped);
  const rows = stopped.reduce((sum, { left }) => sum + left, 0);
  const silent = open.flatMap(({ region, unanswered }) => (unanswered === null ? [] : [{ region, ...unanswered }]));
  const [first] = silent;
  const advice = first === undefined ? '' : addressAdvice(first);
  return (
    <>
      {stopped.length > 0 && (
        <div class="notice attention" role="alert">
          <p>
            <b>
              Region {stopped.map(({ region }) => region).join(' and ')} is stopped: the service refused its key or
              plan.
            </b>{' '}
            {waiting(rows)} for it, and no attempts were used. Fix the key or the plan now; other regions continue.
          </p>
        </div>
      )}
      <div role="status">
        {first !== undefined && (
          <div class="notice attention">
            <p>
              <b>No call gets a usable answer in {silent.map(({ region }) => region).join(' and ')}</b>, for the first
              time <Time iso={first.since} />:{' '}
              {first.message === '' ? <code>{first.code}</code> : foreign(first.message)}.
              {advice !== '' && ` The reason may be the address: ${advice}.`}
            </p>
            <p>
              Its rows wait and use no attempts. One call at a time tries whether the service answers again, at most a
              minute apart; then the import continues by itself.
            </p>
          </div>
        )}
      </div>
    </>
  );
}

function ReadingProgress({ rows, bytes, totalBytes, cutting }: NonNullable<ImportView['staging']>) {
  const done = totalBytes === null ? undefined : Math.min(1, bytes / Math.max(1, totalBytes));
  const read = `${counted(rows, 'row')} read, ${size(bytes)}${totalBytes === null ? '' : ` of ${size(totalBytes)}`}`;
  return (
    <>
      <progress max={1} value={cutting ? undefined : done} aria-label="Reading the file" />
      <p class="note">{cutting ? `${counted(rows, 'row')} read, sorting` : read}</p>
    </>
  );
}

function FollowUps({ live, view }: Pick<ImportParts, 'live' | 'view'>) {
  const leaving = useLeaving();
  // The view of an import that is over changes with what follows it up, and has no event for that.
  const isConcerned = (id: string) =>
    live.over.peek() && (id === view.id || view.followUps.some((followUp) => followUp.id === id));
  const ask = () => live.over.peek() && live.load(leaving());
  useListNews(['sync'], ask, ({ id }) => isConcerned(id));
  useListNews(['imports'], ask, ({ imports }) =>
    imports.some(({ id, retryOf }) => isConcerned(id) || isConcerned(retryOf ?? '')),
  );
  return <FollowUpList followUps={view.followUps} />;
}

export function FollowUpList({ followUps }: { followUps: readonly FollowUp[] }) {
  if (followUps.length === 0) return null;
  return (
    <ul class="plain">
      {followUps.map((followUp) => (
        <li key={followUp.id}>{followUpSentence(followUp)}</li>
      ))}
    </ul>
  );
}

function followUpSentence({ kind, id, state, rows, isPart }: FollowUp) {
  const succeeded = rows === null ? '' : `: ${grouped(inPlace(rows))} of ${grouped(rows.read)} rows succeeded`;
  if (kind !== 'undo') {
    const sentAgain = isPart ? 'Some rows' : 'Rows that could be sent again';
    return (
      <>
        {kind === 'retry' ? sentAgain : 'Rows that were repaired'} were{' '}
        <a href={importHref(id)}>{kind === 'retry' ? 'retried' : 'sent'}</a> ({state}){succeeded}.
      </>
    );
  }
  const link = (text: string) => <a href={syncHref(id)}>{text}</a>;
  if (state === 'applied') return ['This import was ', link('undone'), `${succeeded}.`];
  if (state === 'planned' || state === 'held') return [link('A plan to undo it'), ` waits for a decision (${state}).`];
  return [link('Undo'), `: ${state}${succeeded}.`];
}
