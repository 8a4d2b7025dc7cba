/** The head of an import: its state in a sentence, its rows by outcome, and open issues. */

import { sumOfOutcomes } from '../../../membership/outcome.ts';
import { addressAdvice } from '../../../text/no-answer.ts';
import { bansAsked, limitWords } from '../../../text/pace-words.ts';
import { asSentence, counted, grouped, sumOf } from '../../../text/wording.ts';
import type { FollowUp, ImportView } from '../../answers.ts';
import { estimate, rate, size, timeOfDay } from '../../format.ts';
import { SandboxTag } from '../../frame.tsx';
import { badgeOf, inPlace, isDryRun, isUndone, waiting } from '../../import-words.ts';
import { Badge, FileNotes, foreign, importHref, Legend, OutcomeBar, syncHref, Tag, Time } from '../../kit/elements.tsx';
import { withControls } from '../../option-words.ts';
import { usePlace } from '../../place.ts';
import { connection, query } from '../../requests.ts';
import type { ImportParts } from './live-import.ts';

/** Shows the origin of an import, and its fate, in words beside its name. */
export function KindTag({ view }: { view: ImportView }) {
  return (
    <>
      {view.kind !== 'file' && <Tag>{view.kind}</Tag>}
      {isDryRun(view) && <Tag>dry run</Tag>}
      {view.followUps.some(isUndone) && <Tag>undone</Tag>}
      <SandboxTag of={view} />
    </>
  );
}

/** The words that people gave an import, each a link to all that have it. */
export function TagLinks({ tags }: Pick<ImportView, 'tags'>) {
  return tags.map((tag) => (
    <a key={tag} class="tag own" href={`/imports${query({ tags: tag })}`}>
      {foreign(tag)}
    </a>
  ));
}

export function StateBadge({ view }: { view: ImportView }) {
  const [tone, label] = badgeOf(view);
  return <Badge tone={tone}>{label}</Badge>;
}

/** Codes of imports that wait because they were only to be read. */
const ONLY_READ = ['DRY_RUN', 'AWAITS_AGREEMENT'];

/** The sentence of the state, the reason for it where there is one, and the next step. */
export function Standing({ view }: { view: ImportView }) {
  const { isOperator } = usePlace();
  const [step] = view.next;
  return (
    <div class="row baseline">
      <p class="sentence">{view.sentence}</p>
      <p class="note">{reasonOf(view)}</p>
      <p class="note">{isOperator && step && withCode(asSentence(step.why))}</p>
    </div>
  );
}

/** A text with commands between backticks. */
function withCode(text: string) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}

/** The reason for the state, where the state alone does not say it. A button does what a person may agree to. */
export function reasonOf({ code, reason, maxCreate, maxRemovals }: ImportView) {
  if (code === undefined || ONLY_READ.includes(code)) return null;
  const [because = ''] = (maxCreate ?? maxRemovals) === undefined ? [reason] : reason.split('. ');
  return foreign(asSentence(withControls(because)));
}

export function ImportHead({ view, queues }: ImportParts) {
  return (
    <>
      <Standing view={view} />
      {view.state === 'running' && <Troubles view={view} queues={queues} />}
      <FollowUpList followUps={view.followUps} />
      <div class="reading col">{view.staging !== null && <ReadingProgress {...view.staging} />}</div>
      {view.rows.read > 0 && (
        <div class="row">
          <div class="grow">
            <OutcomeBar name="All rows by outcome" rows={view.rows} />
          </div>
          <Legend rows={view.rows} over={view.finishedAt !== null} />
        </div>
      )}
      <p>{paceOf(view, queues)}</p>
      <FileNotes notes={view.notes ?? []} />
    </>
  );
}

/** "12 rows a second, at the rate limit, about 40 s left" */
function paceOf(
  { state, finishedAt, regions, etaSeconds, rowsPerSecond }: ImportParts['view'],
  queues: ImportParts['queues'],
) {
  const { asOf } = connection;
  if (finishedAt === null && asOf !== undefined) return `As of ${timeOfDay(asOf)}.`;
  if (state !== 'running') return '';
  const limits = Object.entries(regions).flatMap(([region, { banQuestions }]) => {
    const queue = queues[region];
    return [bansAsked(banQuestions), queue === undefined ? '' : limitWords(queue.pace)];
  });
  const rows = rowsPerSecond && `${rate(rowsPerSecond)} rows a second`;
  return [rows, ...new Set(limits), etaSeconds && estimate(etaSeconds)].filter(Boolean).join(', ');
}

/** Regions whose rows wait for a person, while others may go on for an hour; and those in which the service does not answer. */
function Troubles({ view, queues }: Pick<ImportParts, 'view' | 'queues'>) {
  const open = Object.entries(view.regions).flatMap(([region, { rows }]) => {
    const [queue, left] = [queues[region], rows.read - sumOfOutcomes(rows)];
    return queue === undefined || left === 0 ? [] : [{ ...queue, left }];
  });
  const stopped = open.filter((queue) => queue.stopped);
  const rows = sumOf(stopped.map(({ left }) => left));
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

const FOLLOW_UPS: Readonly<Record<FollowUp['kind'], string>> = {
  retry: 'Retry',
  correction: 'Corrected rows',
  undo: 'Undo',
};

export function FollowUpList({ followUps }: { followUps: readonly FollowUp[] }) {
  return (
    <ul class="plain">
      {followUps.map(({ kind, id, state, rows, isPart }) => (
        <li key={id}>
          {isPart ? 'Retry of some rows' : FOLLOW_UPS[kind]}{' '}
          <a href={kind === 'undo' ? syncHref(id) : importHref(id)}>{id}</a>: {state}
          {(state === 'planned' || state === 'held') && ', waits for a decision'}
          {rows !== null && `, ${grouped(inPlace(rows))} of ${grouped(rows.read)} rows succeeded`}.
        </li>
      ))}
    </ul>
  );
}
