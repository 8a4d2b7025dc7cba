/** What can be done with an import now: the buttons follow what the server says is possible. */
import { useEffect } from 'preact/hooks';
import type { Action, ImportView } from '../../answers.ts';
import { call } from '../../api.ts';
import { confirmed, type Question } from '../../dialog.tsx';
import { foreign, importHref, repairHref, syncHref } from '../../element.tsx';
import { counted, grouped } from '../../format.ts';
import { ErrorPlace } from '../../notice.tsx';
import { PARTS } from '../../parts.ts';
import { usePlace } from '../../place.ts';
import { actionLabel, BANS_UNKNOWN, fileName, isUndone, settled, withoutFailing } from '../../words.ts';
import { useKeptFocus, useWork, WorkButton } from '../../work.tsx';
import { isToBeAsked, mayBeSent, type ResumeQuery } from './before-sending.tsx';
import type { LiveImport } from './live-import.ts';

/** Those that cannot be undone are asked for twice. */
const QUESTIONS: Readonly<Partial<Record<Action, (view: ImportView, live: LiveImport) => Question>>> = {
  cancel: (view, live) => ({
    question: 'Cancel this import?',
    explanation: (
      <>
        Rows that are still open then, now <OpenRows live={live} /> of {foreign(fileName(view.file))}, will not be sent.
        What was already sent stays. A cancelled import cannot be resumed; its rows can be retried.
      </>
    ),
    yes: 'Cancel import',
    no: 'Keep running',
  }),
  delete: (view) => ({
    question: 'Delete this import?',
    explanation: (
      <>
        The file {foreign(fileName(view.file))} and all records of its rows will be deleted. Memberships do not change.
      </>
    ),
    yes: 'Delete import',
    no: 'Keep it',
  }),
};

/** The number moves while the question is asked. */
function OpenRows({ live }: { live: LiveImport }) {
  const rows = live.view.value?.rows;
  return grouped(rows === undefined ? 0 : Math.max(0, rows.read - settled(rows)));
}

const KINDS: Readonly<Partial<Record<Action, string>>> = {
  resume: 'main',
  retry: 'main',
  cancel: 'danger quiet',
  delete: 'danger quiet',
};

export function ImportActions({ live }: { live: LiveImport }) {
  const view = live.view.value;
  return view === undefined ? null : <Actions live={live} view={view} />;
}

function Actions({ live, view }: { live: LiveImport; view: ImportView }) {
  const { go } = usePlace();
  const work = useWork();
  const buttons = useKeptFocus();

  interface ActHow {
    yes?: string;
    choices?: ResumeQuery;
    agreed?: Decision['agreed'];
  }

  const act = async (
    action: Action,
    { yes = action === 'retry' ? 'Retry' : actionLabel(view, action), choices, agreed }: ActHow = {},
  ) => {
    const question = QUESTIONS[action]?.(view, live);
    if (question !== undefined && !(await confirmed(question))) return;
    const rows = rowsSentBy(action, view);
    await work.start(async (signal) => {
      if (!(await mayBeSent(view, { rows, yes, signal, ...(choices && { choices }), ...(agreed && { agreed }) })))
        return;
      if (action === 'delete') {
        await call('DELETE /v1/imports/:id', { id: view.id }, signal);
        return go('/imports');
      }
      const after = await call(
        `POST /v1/imports/:id/${action}`,
        { id: view.id, ...(action === 'resume' && { query: choices }) },
        signal,
      );
      if (after.id === view.id) void live.load(signal);
      else go(importHref(after.id));
    });
  };
  const isRead = view.state === 'staged' && view.actions.includes('resume');
  useEffect(() => {
    if (isRead && isToBeAsked(view.id)) void act('resume');
  }, [isRead]);
  const decision = decisionOf(view);
  const undo = async () => {
    const plan = await PARTS.undo?.(false);
    if (plan === undefined) return;
    await work.start(async (signal) => go(syncHref(await plan(view.id, signal))));
  };
  const without = withoutFailing(view);
  const button = (action: Action) => {
    const kind = action === 'resume' && without !== undefined ? '' : (KINDS[action] ?? '');
    return (
      <WorkButton key={action} busy={work.busy} kind={kind} onClick={() => void act(action)}>
        {actionLabel(view, action)}
      </WorkButton>
    );
  };
  return (
    <div class="actions">
      <div class="buttons" ref={buttons}>
        {decision !== undefined && (
          <WorkButton
            busy={work.busy}
            kind={decision.isRisky ? '' : 'main'}
            onClick={() => void act('resume', decision)}
          >
            {decision.yes}…
          </WorkButton>
        )}
        {without !== undefined && (
          <WorkButton
            busy={work.busy}
            kind="main"
            onClick={() => void act('resume', { yes: without, choices: { leaveOutFailing: 'true' } })}
          >
            {without} that would fail…
          </WorkButton>
        )}
        {canBeRepaired(view) && (
          <a class="button" href={repairHref(view.id)}>
            Repair rows…
          </a>
        )}
        {view.actions
          // To go on as before would only end here again, unless the service answers now.
          .filter(
            (action) =>
              action !== 'delete' && !(action === 'resume' && decision !== undefined && decision.isRisky !== true),
          )
          .map(button)}
        {PARTS.undo !== undefined && canBeUndone(view) && (
          <WorkButton busy={work.busy} onClick={() => void undo()}>
            Undo import…
          </WorkButton>
        )}
        {view.actions.includes('delete') && button('delete')}
      </div>
      <ErrorPlace error={work.error} />
    </div>
  );
}

function rowsSentBy(action: Action, { rows, retryable }: ImportView) {
  if (action === 'retry') return retryable;
  return action === 'resume' ? rows.read - settled(rows) : 0;
}

/** What a person can agree to, so that an import that waits for it continues. */
interface Decision {
  yes: string;
  agreed: NonNullable<Parameters<typeof mayBeSent>[1]['agreed']>;
  choices: ResumeQuery;
  isRisky?: true;
}

const WAITING = { no: 'Keep waiting', tone: 'danger' } as const;

function decisionOf({ code, maxCreate, maxRemovals }: ImportView): Decision | undefined {
  if (code === BANS_UNKNOWN) {
    const yes = 'Add everyone without asking';
    const explanation = 'Whoever is banned from a group is added as well, which lifts the ban without notice.';
    const agreed = { ...WAITING, question: `${yes}?`, explanation };
    return { yes, agreed, choices: { banCheck: 'false' }, isRisky: true };
  }
  if (maxCreate !== undefined) {
    const what = missingText(maxCreate);
    const explanation =
      'They become part of your app, and undoing this import does not delete them. Check first that the columns of the file are right.';
    const agreed = { ...WAITING, question: `Create ${what}?`, explanation };
    return { yes: `Create ${what}`, agreed, choices: { maxCreate } };
  }
  if (maxRemovals === undefined) return undefined;
  const rows = counted(Number(maxRemovals), 'row');
  return {
    yes: `Send ${rows} that remove or ban`,
    agreed: {
      ...WAITING,
      question: `Send ${rows} that remove or ban members?`,
      explanation:
        'These members leave their groups as soon as it is sent. Look at the rows first: filter them by what they do.',
    },
    choices: { maxRemovals },
  };
}

/** Invalid rows can be edited once the file was read, failed ones when the import is over. */
function canBeRepaired({ state, finishedAt, rows: { read, invalid, failed } }: ImportView) {
  return state !== 'staging' && read > 0 && (invalid > 0 || (finishedAt !== null && failed > 0));
}

/** Something is left to undo, and nothing is about to. */
function canBeUndone({ finishedAt, followUps, rows: { added, banned, changed, removed, unconfirmed } }: ImportView) {
  const isTaken = followUps.some((followUp) => isUndone(followUp) || (followUp.kind === 'undo' && followUp.isOpen));
  return finishedAt !== null && added + banned + changed + removed + unconfirmed > 0 && !isTaken;
}

/** "users=2,groups=11" → "2 users and 11 groups". */
function missingText(maxCreate: string) {
  return maxCreate
    .split(',')
    .map((part) => {
      const [kind = '', number = ''] = part.split('=');
      return counted(Number(number), kind.replace(/s$/, ''));
    })
    .join(' and ');
}
