/** Elements of every view, the steps of a task, and rows by outcome as a bar, a legend and a mark. Values become text and attributes, never markup. */
import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { OUTCOMES, sumOfOutcomes } from '../../membership/outcome.ts';
import { grouped } from '../../text/wording.ts';
import type { Outcome, RowCounts, Tone } from '../answers.ts';
import { ago, dayAndTimeIn, exactTime, timeToTheSecond } from '../format.ts';
import { OUTCOME_LABELS, outcomeLabel } from '../import-words.ts';
import { ApiError } from '../requests.ts';

/** A value from a file or the service: its direction of writing stays its own. Nothing for ''. */
export function foreign(value: string) {
  return value === '' ? null : <bdi>{value}</bdi>;
}

/** A value from a file or the service, or a dash where there is none. */
export function foreignOrDash(value: string) {
  return foreign(value) ?? <span class="soft">–</span>;
}

/** A code, if there is one, before its text. With neither, a cell stays empty, and is hidden where rows are cards. */
export function Coded({ code, text }: { code: string; text: ComponentChildren }) {
  if (code === '') return <>{text}</>;
  return (
    <>
      <code>{code}</code> {text}
    </>
  );
}

/** A part of the page under its heading, to which links lead by the id. */
export function Card({ id, title, children }: { id: string; title: string; children?: ComponentChildren }) {
  return (
    <section aria-labelledby={id} class="card col">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

export function FileNotes({ notes }: { notes: readonly { code: string; text: string }[] }) {
  if (notes.length === 0) return null;
  return (
    <ul class="file-notes" aria-label="Notes about the file">
      {notes.map(({ code, text }, index) => (
        <li key={`${index} ${code}`}>{foreign(text)}</li>
      ))}
    </ul>
  );
}

/** Names and values; what is nothing, false or 0 is left out. */
export function Facts({ list }: { list: readonly (readonly [name: string, value: ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {list.map(([name, value], index) =>
        !value ? null : (
          <div key={`${index} ${name}`}>
            <dt>{foreign(name)}</dt>
            <dd>{typeof value === 'number' ? grouped(value) : value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}

interface JournalProperties<State extends string> {
  turns: readonly { at: string; state: State; reason: string; who?: string }[];
  tones: Readonly<Record<State, Tone>>;
}

/** The states that something was in, with reasons, and who brought them about. */
export function Journal<State extends string>({ turns, tones }: JournalProperties<State>) {
  return (
    <ol class="journal plain col">
      {turns.map(({ at, state, reason, who = '' }, index) => (
        <li key={index} class="row baseline">
          <Time iso={at} seconds />
          <Badge tone={tones[state]}>{state}</Badge>
          <span>
            {foreign(reason)}
            {who !== '' && <> ({foreign(who)})</>}
          </span>
        </li>
      ))}
    </ol>
  );
}

export function Empty({ children }: { children?: ComponentChildren }) {
  return <p class="empty soft">{children}</p>;
}

export function Tag({ children }: { children?: ComponentChildren }) {
  return <span class="tag">{children}</span>;
}

export function Badge({ tone, children }: { tone: Tone; children?: string | false }) {
  return <span class={`badge ${tone}`}>{children}</span>;
}

export function importHref(id: string) {
  return `/imports/${encodeURIComponent(id)}`;
}

export function syncHref(id: string) {
  return `/syncs/${encodeURIComponent(id)}`;
}

export function scheduleHref(name: string) {
  return `/schedules?name=${encodeURIComponent(name)}`;
}

export function memberHref(uid: string) {
  return `/members/${encodeURIComponent(uid)}`;
}

export function ErrorNotice({ error }: { error: unknown }) {
  const problem = error instanceof ApiError ? error.problem : undefined;
  return (
    <div class="notice attention">
      <p>
        <b>{problem?.detail ?? (error instanceof Error ? error.message : String(error))}</b>
      </p>
      {problem?.remedy && <p>{problem.remedy}</p>}
    </div>
  );
}

/** A place for one error or none (undefined); what is shown in it is read out. */
export function ErrorPlace({ error }: { error: unknown }) {
  return <div role="alert">{error !== undefined && <ErrorNotice error={error} />}</div>;
}

/** Stands in for what is not there: the error of asking for it, or that it is being asked for. */
export function Pending({ error, children = 'Loading …' }: { error: unknown; children?: ComponentChildren }) {
  return error === undefined ? <Empty>{children}</Empty> : <ErrorNotice error={error} />;
}

interface TimeProperties {
  iso: string | null;
  /** To the second, in place of its age. */
  seconds?: boolean;
  /** By the clocks of this time zone, in place of its age. */
  tz?: string;
}

/** Shows the age of a time, with the exact one on hovering; a dash for none. */
export function Time({ iso, seconds = false, tz }: TimeProperties) {
  if (iso === null) return '–';
  return (
    <time dateTime={iso} title={exactTime(iso)}>
      {tz !== undefined ? dayAndTimeIn(iso, tz) : seconds ? timeToTheSecond(iso) : <Age iso={iso} />}
    </time>
  );
}

/** The clock of all ages that are shown. */
const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 10_000);

function Age({ iso }: { iso: string }) {
  return ago(iso, Math.max(now.value, Date.now()));
}

/**
 * A bar that says its counts to those who do not see it, with its subject as its name. Its parts stay the same elements, so
 * that they grow smoothly; what is still open stays empty.
 */
export function OutcomeBar({ name, rows }: { name: string; rows: RowCounts }) {
  const present = OUTCOMES.filter((outcome) => rows[outcome] > 0);
  const counts = present.map((outcome) => `${grouped(rows[outcome])} ${OUTCOME_LABELS[outcome]}`);
  return (
    <div class="bar" role="img" aria-label={`${name}: ${counts.join(', ') || 'no outcomes yet'}`}>
      {present.map((outcome) => (
        <span
          key={outcome}
          class={`part ${outcome}`}
          style={{ 'flex-grow': rows[outcome], 'background-color': `var(--${outcome})` }}
        />
      ))}
      <span style={{ 'flex-grow': Math.max(0, rows.read - sumOfOutcomes(rows)) }} />
    </div>
  );
}

interface CountsProperties {
  list: readonly (readonly [colour: string, count: number, label: string])[];
  children?: ComponentChildren;
}

/** Numbers with the colours by which drawings show them; 0 is left out. */
export function Counts({ list, children }: CountsProperties) {
  return (
    <ul class="legend row plain">
      {list.map(
        ([colour, count, label]) =>
          count > 0 && (
            <li key={label}>
              {swatch(colour)}
              <b>{grouped(count)}</b> {label}
            </li>
          ),
      )}
      {children}
    </ul>
  );
}

/** The outcomes that occur; rows without one come last. */
export function Legend({ rows, over }: { rows: RowCounts; over: boolean }) {
  const outcomes = OUTCOMES.map((outcome) => [outcome, rows[outcome], OUTCOME_LABELS[outcome]] as const);
  return <Counts list={[...outcomes, ['open', over ? 0 : rows.read - sumOfOutcomes(rows), 'pending']]} />;
}

export function swatch(colour: string) {
  return <span class={`swatch ${colour}`} style={{ 'background-color': `var(--${colour})` }} />;
}

/** An outcome as a coloured mark with its name. `scope`: that of the row, if it is one. */
export function OutcomeMark({ outcome, scope }: { outcome: Outcome | '' | null; scope?: string }) {
  if (outcome === '' || outcome === null) return <span class="mark">pending</span>;
  const label = scope === undefined ? OUTCOME_LABELS[outcome] : outcomeLabel(outcome, scope);
  return (
    <span class="mark">
      {swatch(outcome)}
      {label}
    </span>
  );
}

interface StepsProperties {
  names: readonly string[];
  /** The number of the present one, from 0. */
  at: number;
  /** Addresses of those before it; a missing one cannot be gone back to. */
  hrefs: readonly (string | undefined)[];
}

export function Steps({ names, at, hrefs }: StepsProperties) {
  return (
    <nav class="steps" aria-label="Steps">
      <ol class="plain row note">
        {names.map((name, index) => {
          const href = index < at ? hrefs[index] : undefined;
          return (
            <li key={name} aria-current={index === at ? 'step' : undefined}>
              <span class="tag" aria-hidden>
                {index < at ? '✓' : index + 1}
              </span>
              {href === undefined ? <span>{name}</span> : <a href={href}>{name}</a>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
