import { createHash } from 'node:crypto';
import type { ImportSummary } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import { asFlag } from '../../errors/named-options.ts';
import { messagesText, OUTCOME_LABELS, outcomesShown, sumEquation } from '../../membership/outcome-words.ts';
import { html, Markup, NOTHING } from '../../text/markup.ts';
import { counted, duration, grouped, utcTime } from '../../text/wording.ts';
import { adviceFor } from './advice.ts';
import { STYLE } from './html-style.ts';
import {
  createdText,
  hasManyMemberships,
  type RegionColumn,
  rateLimitedCalls,
  ratesOf,
  regionColumns,
  shownCount,
  tookMs,
} from './summary-counts.ts';
import { verdictOf } from './verdict.ts';

export interface HtmlReport {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
  /** Milliseconds since 1970. */
  readonly generatedAt: number;
  readonly version: string;
}

/** Nothing may be loaded or run but this stylesheet, named by its hash: even an injected `<style>` would not work. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/**
 * The report as one self-contained HTML page: no script, nothing loaded, light and dark, for small and wide screens
 * and for paper. Every text from the file or the service is escaped and shown as text. Times are UTC.
 */
export function htmlReport(report: HtmlReport): string {
  const { summary } = report;
  const { tone, sentence, pending } = verdictOf(summary);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${summary.file}: import report</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<header>
<p class="kicker">Import report, <bdi>${summary.file}</bdi>, ${summary.state}</p>
<h1 class="${tone}">${numbersHeldToWords(sentence)}</h1>
</header>
<main>
${summary.rows.read + summary.calls === 0 ? NOTHING : counts(summary, pending)}
${(summary.notes ?? []).map(({ text }) => html`<p class="soft">Note: <bdi>${text}</bdi>.</p>`)}
${facts(summary)}
${problemsTable(report.problems)}
</main>
<footer><p>Written ${utcTime(report.generatedAt)} by rollcall ${report.version}.</p></footer>
</body>
</html>
`;
  return page.text;
}

/** Outcomes down, regions across, and a total where there is more than one column to add up. */
function counts(summary: ImportSummary, pending: number): Markup {
  const parts = regionColumns(summary);
  const total = { head: 'total', rows: summary.rows, calls: summary.calls };
  const columns = parts.length === 1 ? parts : [...parts, total];
  const line = (label: string, cellOf: (column: RegionColumn) => number | null) =>
    html`<tr><th scope="row">${label}</th>${columns.map((column) => html`<td class="n">${shownCount(cellOf(column))}</td>`)}</tr>
`;
  const isShaped = hasManyMemberships(summary);
  return html`<table class="counts"><thead><tr><td></td>${columns.map(({ head }) => html`<th scope="col" class="n"><bdi>${head}</bdi></th>`)}</tr></thead><tbody>
${outcomesShown(summary.rows).map((outcome) => line(OUTCOME_LABELS[outcome], ({ rows }) => rows[outcome]))}
</tbody><tbody>${line(isShaped ? 'in all' : 'rows read', ({ rows }) => rows.read)}
${line('calls', ({ calls }) => calls)}</tbody></table>
<p class="soft">${sumEquation(summary.rows, pending, isShaped ? summary.inputRows : undefined)}</p>`;
}

function facts(summary: ImportSummary): Markup {
  const { startedAt, finishedAt } = summary;
  const list: (readonly [string, string])[] = [
    ['File', summary.file],
    ['Import', summary.id],
    ['Started', startedAt === null ? 'not started' : utcTime(startedAt)],
    ['Finished', finishedAt === null ? 'not finished' : utcTime(finishedAt)],
  ];
  const ms = tookMs(summary);
  if (ms !== undefined) list.push(['Took', duration(ms)]);
  const { writes, created, banQuestions } = summary;
  if (created !== undefined) list.push(['Users and groups', createdText(created)]);
  if (writes !== undefined) list.push(['Messages in groups', messagesText({ ...summary, writes })]);
  const rates = ratesOf(summary);
  if (rates.length > 0) list.push(['Rate', rates.join(', ')]);
  if (banQuestions !== undefined) list.push(['Asked who is banned', counted(banQuestions, 'group')]);
  list.push(['Retries', grouped(summary.retries)], ['Rate-limited', grouped(rateLimitedCalls(summary))]);
  return html`<dl>${list.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`;
}

/** No line ends between a number and what it counts. */
function numbersHeldToWords(sentence: string): string {
  return sentence.replace(/(\d) /g, '$1\u00a0');
}

/** Longest piece of a value that is shown, in characters. */
const VALUE_SHOWN = 160;

/** Problems by code, each with its count, examples and what to do. */
function problemsTable(problems: readonly ProblemCount[]): Markup {
  if (problems.length === 0) return NOTHING;
  return html`<section aria-labelledby="problems"><h2 id="problems">Problems</h2>
<table class="problems"><thead><tr><th scope="col" class="n">Rows</th><th scope="col">Problem</th></tr></thead><tbody>
${problems.map(problemRow)}</tbody></table></section>`;
}

function problemRow({ status, code, column, count, examined, examples }: ProblemCount): Markup {
  const advice = adviceFor(status, code, asFlag);
  const shown = examples.map(
    ({ line, value, message, rows }, at) =>
      html`${at === 0 ? 'For example row' : '; row'} ${line}${value === '' ? NOTHING : html` <code>${shortened(value)}</code>`}${rows === undefined ? NOTHING : ` (${grouped(rows)} like this)`}${at > 0 || message === '' ? NOTHING : html`: <bdi>${message}</bdi>`}`,
  );
  return html`<tr><td class="n">${grouped(count)}</td><th scope="row"><div class="problem"><div>
<p class="what">${OUTCOME_LABELS[status]}${code === '' ? NOTHING : html` <code>${code}</code>`}${column === undefined ? NOTHING : html` in <bdi>${column}</bdi>`}</p>
<p class="soft">${shown}${examined === undefined ? NOTHING : `; counted in the first ${grouped(examined)}`}</p></div>
${advice === '' ? NOTHING : html`<p class="advice"><b>What to do.</b> ${advice}</p>`}</div></th></tr>
`;
}

function shortened(text: string): string {
  if (text.length <= VALUE_SHOWN) return text;
  // Half a character would be shown as a replacement for one.
  return `${text.slice(0, VALUE_SHOWN).replace(/[\ud800-\udbff]$/, '')}…`;
}
