/** Where an import stands: its state in a sentence, its rows by outcome, and what needs a person. */
import { connection } from '../../connection.js';
import { Badge, foreign, h } from '../../element.js';
import { counted, estimate, size, timeOfDay } from '../../format.js';
import { withControls } from '../../option-words.js';
import { Legend, OutcomeBar } from '../../outcome-bar.js';
import { RelativeTime } from '../../relative-time.js';
import {
  CREATE_LIMIT,
  createLimitSentence,
  settled,
  stateLabel,
  stateSentence,
  stateTone,
  waiting,
} from '../../words.js';
import { FollowUps } from './follow-ups.js';

/** @import { ImportView, Progress } from '../../answers.d.ts' */
/** @import { LiveImport } from './live-import.js' */

/** States whose reason says more than the state. @type {readonly ImportView['state'][]} */
const REASONED = ['blocked', 'aborted', 'rejected', 'failed'];

/** @param {{ live: LiveImport }} properties */
export function ImportHead({ live }) {
  const view = live.view.value;
  if (view === undefined) return null;
  const isAsked = (view.maxCreate ?? view.maxRemovals) !== undefined;
  const hasReason = !isAsked && (view.state === 'staged' ? !view.dryRun : REASONED.includes(view.state));
  const asOf = connection.asOf.value;
  const eta = live.progress.value?.etaSeconds ?? null;
  return h(
    'div',
    null,
    h(
      'div',
      { class: 'standing' },
      h(Badge, { tone: stateTone(view) }, stateLabel(view)),
      h('p', { class: 'sentence', id: 'state' }, stateSentence(view)),
    ),
    h('p', { class: 'note' }, hasReason && foreign(withControls(view.reason))),
    view.code === CREATE_LIMIT && h(Held, { view }),
    h(StoppedRegions, { view, progress: live.progress.value }),
    h(SilentRegions, { view, progress: live.progress.value }),
    h(FollowUps, { live }),
    h('div', { class: 'reading' }, view.staging !== null && h(ReadingProgress, { staging: view.staging })),
    view.rows.read > 0 && [
      h(OutcomeBar, { key: 'bar', name: 'All rows by outcome', rows: view.rows }),
      h(Legend, { key: 'legend', rows: view.rows, over: view.finishedAt !== null }),
    ],
    h(
      'p',
      { class: 'pace' },
      asOf !== null && view.finishedAt === null
        ? `As of ${timeOfDay(asOf)}.`
        : view.state === 'running' && eta !== null && eta > 0 && estimate(eta),
    ),
    view.notes !== undefined &&
      h(
        'ul',
        { class: 'file-notes', 'aria-label': 'Notes about the file' },
        view.notes.map(({ code, text }, index) => h('li', { key: `${index} ${code}` }, foreign(text))),
      ),
  );
}

/**
 * Regions whose rows wait for a person, said at once: others may go on for an hour.
 * @param {{ view: ImportView, progress: Progress | undefined }} properties
 */
function StoppedRegions({ view, progress }) {
  const stopped = Object.entries(view.state === 'running' ? (progress?.regions ?? {}) : {}).filter(
    ([, region]) => region.stopped && settled(region.rows) < region.rows.read,
  );
  if (stopped.length === 0) return null;
  const names = stopped.map(([name]) => name).join(' and ');
  const rows = stopped.reduce((sum, [, region]) => sum + region.rows.read - settled(region.rows), 0);
  return h(
    'div',
    { class: 'notice attention', role: 'alert' },
    h(
      'p',
      null,
      h('b', null, `Region ${names} is stopped: the service refused its key or plan.`),
      ` ${waiting(rows)} for it, and no attempts were used. Fix the key or the plan now; other regions continue.`,
    ),
  );
}

/**
 * Where the service does not answer: it may be over in a minute, and a person can pause the import until then.
 * @param {{ view: ImportView, progress: Progress | undefined }} properties
 */
function SilentRegions({ view, progress }) {
  const silent = Object.entries(view.state === 'running' ? (progress?.regions ?? {}) : {}).flatMap(
    ([region, { unanswered, rows }]) =>
      unanswered === null || settled(rows) === rows.read ? [] : [{ region, ...unanswered }],
  );
  const [first] = silent;
  return h(
    'div',
    { role: 'status' },
    first !== undefined &&
      h(
        'div',
        { class: 'notice attention' },
        h(
          'p',
          null,
          h('b', null, `The service does not answer in ${silent.map(({ region }) => region).join(' and ')}`),
          ', for the first time ',
          h(RelativeTime, { iso: first.since }),
          first.message === '' ? [': ', h('code', null, first.code)] : [': ', foreign(first.message)],
          '.',
        ),
        h(
          'p',
          null,
          'Its rows wait and use no attempts. One call at a time tries whether the service answers again, at most a minute apart; then the import continues by itself.',
        ),
      ),
  );
}

/** Why nothing more is created, and what to look at. @param {{ view: ImportView }} properties */
function Held({ view }) {
  if (view.state !== 'blocked') return null;
  return h(
    'div',
    { class: 'notice attention' },
    h('p', null, h('b', null, foreign(createLimitSentence(view)))),
    h(
      'p',
      null,
      'Check the columns of the file first: a wrong column would create users or groups that should not exist. Then create them, or cancel.',
    ),
  );
}

/** @param {{ staging: NonNullable<ImportView['staging']> }} properties */
function ReadingProgress({ staging: { rows, bytes, totalBytes, cutting } }) {
  const done = totalBytes === null ? undefined : Math.min(1, bytes / Math.max(1, totalBytes));
  const read = `${counted(rows, 'row')} read, ${size(bytes)}${totalBytes === null ? '' : ` of ${size(totalBytes)}`}`;
  return [
    h('progress', { key: 'bar', max: 1, value: cutting ? undefined : done, 'aria-label': 'Reading the file' }),
    h('p', { key: 'text', class: 'note' }, cutting ? `${counted(rows, 'row')} read, sorting` : read),
  ];
}
