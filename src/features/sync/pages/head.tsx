/** The head of a sync: its state in a sentence, its plan in numbers, the flags that decided it. */
import type { ComponentChildren } from 'preact';
import { useAnswer } from '../../../console/answer.ts';
import type { ImportView, RegionStatus } from '../../../console/answers.ts';
import { importPath } from '../../../console/api.ts';
import { Badge, Facts, FileNotes, foreign, importHref } from '../../../console/element.tsx';
import { counted, grouped } from '../../../console/format.ts';
import { Legend, swatch } from '../../../console/outcome-bar.tsx';
import { useListNews } from '../../../console/overview.ts';
import { targetFacts } from '../../../console/sends-to.tsx';
import type { PlanTotals } from '../../../console/sync-answers.ts';
import {
  ACTION_COLOURS,
  ACTION_LABELS,
  createdWords,
  mayCreateWords,
  modeWords,
  PLAN_ACTIONS,
  REASONED,
  SYNC_TONES,
  standsStill,
  syncSentence,
} from '../../../console/sync-words.ts';
import { Time } from '../../../console/time.tsx';
import { FollowUpList } from '../../../console/view/import/follow-ups.tsx';
import { CREATE_LIMIT, createLimitSentence, isUndo, stateSentence } from '../../../console/words.ts';
import type { SyncView } from '../api.ts';

export function SyncHead({ view }: { view: SyncView }) {
  const { state, code, reason, approved, importId, totals, planning, left } = view;
  const isBlocked = standsStill({ state, code });
  const done = planning === null || planning.groups === 0 ? undefined : planning.done / planning.groups;
  return (
    <div>
      <div class="standing">
        <Badge tone={isBlocked ? 'attention' : SYNC_TONES[state]}>{isBlocked ? 'blocked' : state}</Badge>
        <p class="sentence" id="state">
          {syncSentence(view)}
        </p>
      </div>
      <p class="note">{(isBlocked || REASONED.includes(state)) && foreign(reason)}</p>
      <p class="note">
        {approved !== null && (
          <>
            Approved by <b>{foreign(approved.by)}</b>: {foreign(approved.reason)}
          </>
        )}
      </p>
      <p class="note">
        {importId !== null && (
          <>
            <a href={importHref(importId)}>The import that carries it out</a> has the outcome of every change.
          </>
        )}
      </p>
      {left !== null && <p class="notice attention">{foreign(left.sentence)}</p>}
      {(state === 'planning' || (state === 'applying' && importId === null)) && <SilentService />}
      <div class="reading">
        {state === 'planning' && !isBlocked && <progress max={1} value={done} aria-label="Creating the plan" />}
      </div>
      {importId !== null ? (
        <ItsImport id={importId} state={state} totals={totals} />
      ) : (
        totals !== null && <PlanLegend totals={totals} />
      )}
      <FileNotes notes={view.notes} />
      <Facts list={factsOf(view)} />
    </div>
  );
}

const ASK_EVERY_MS = 2_000;

/** Shown while the service does not answer the planning. */
function SilentService() {
  const { data } = useAnswer<{ regions: readonly RegionStatus[] }>('/v1/regions', { everyMs: ASK_EVERY_MS });
  const silent = (data?.regions ?? []).filter(
    ({ circuit, waiting, active, delayed }) => circuit.state !== 'closed' && waiting + active + delayed > 0,
  );
  return (
    <div role="status">
      {silent.length > 0 && (
        <div class="notice attention">
          <p>
            <b>The service does not answer in {silent.map(({ region }) => region).join(' and ')}.</b> The planning
            waits, and continues by itself when it answers again.
          </p>
        </div>
      )}
    </div>
  );
}

interface ItsImportProperties {
  id: string;
  state: SyncView['state'];
  totals: PlanTotals | null;
}

/** The result of the changes, whether they were taken back, and the wait of the import for a person. */
function ItsImport({ id, state, totals }: ItsImportProperties) {
  const { data: view, error, reload } = useAnswer<ImportView>(importPath(id));
  const ask = () => void reload();
  useListNews(['imports'], ask, ({ imports }) => imports.some((one) => one.id === id && one.state !== view?.state));
  useListNews(['sync'], ask, isUndo);
  if (view === undefined) return error === undefined || totals === null ? null : <PlanLegend totals={totals} />;
  const isOver = state !== 'applying';
  return (
    <>
      {view.state === 'blocked' && (
        <div class="notice attention" role="alert">
          <p>
            <b>Its import waits for you. </b>
            {view.code === CREATE_LIMIT ? foreign(createLimitSentence(view)) : stateSentence(view)}
          </p>
          <a class="button" href={importHref(id)}>
            Decide in the import
          </a>
        </div>
      )}
      <FollowUpList followUps={view.followUps} />
      {isOver && <Legend rows={view.rows} over />}
      {totals !== null && <PlanLegend totals={totals} which={isOver ? NOT_SENT : PLAN_ACTIONS} />}
    </>
  );
}

/** Actions of a plan of which its import knows nothing. */
const NOT_SENT: typeof PLAN_ACTIONS = ['report', 'keep'];

function PlanLegend({
  totals: { actions },
  which = PLAN_ACTIONS,
}: {
  totals: PlanTotals;
  which?: typeof PLAN_ACTIONS;
}) {
  return (
    <ul class="legend">
      {which
        .filter((action) => actions[action] > 0)
        .map((action) => (
          <li key={action}>
            {swatch(ACTION_COLOURS[action])}
            <b>{grouped(actions[action])}</b> {ACTION_LABELS[action]}
          </li>
        ))}
    </ul>
  );
}

function factsOf(view: SyncView): (readonly [string, ComponentChildren])[] {
  const { totals, flags, limits, finishedAt } = view;
  const changed = Object.entries(limits).map(([name, value]) => `${name} ${grouped(value)}`);
  return [
    ['Started', <Time iso={view.createdAt} />],
    ['Finished', finishedAt !== null && <Time iso={finishedAt} />],
    ['How', modeWords(view)],
    ['Groups', totals !== null && grouped(totals.groups)],
    ['Not listed', totals !== null && totals.unlisted > 0 && counted(totals.unlisted, 'group')],
    ['Members', totals !== null && grouped(totals.members)],
    ['Already correct', totals !== null && grouped(totals.right)],
    ['Rows that cannot be used', totals?.invalid !== undefined && grouped(totals.invalid)],
    ['Scopes may be lowered', flags.allowDemotion && 'yes'],
    ['Uncertain ones are taken back too', flags.includeUncertain === true && 'yes'],
    ['Bans may be lifted', flags.allowUnban && 'yes'],
    ['Protected', flags.protect.length > 0 && counted(flags.protect.length, 'UID')],
    ['UIDs that may be removed', flags.removeByName.length > 0 && foreign(flags.removeByName.join(', '))],
    ['Created first', totals !== null && (createdWords(totals) || null)],
    ['May create', view.create !== null && mayCreateWords(view.create)],
    ['Guard limits', changed.length > 0 && changed.join(', ')],
    ...targetFacts(view.target),
  ];
}
