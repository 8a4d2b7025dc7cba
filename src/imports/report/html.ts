import { createHash } from 'node:crypto';
import type { ImportSummary, Writes } from '../../api/import-summary.ts';
import type { GroupCount, ProblemCount } from '../../api/rows.ts';
import { asFlag } from '../../errors/named-options.ts';
import { FULFILLED, OUTCOMES, type RowCounts } from '../../membership/outcome.ts';
import { html, Markup, NOTHING } from '../../text/markup.ts';
import { counted, duration, grouped, OUTCOME_LABELS, sumEquation, utcTime } from '../../text/wording.ts';
import { adviceFor } from './advice.ts';
import type { CallBucket } from './call-bucket.ts';
import { callsSection, legend, stackedBar, swatch, textures } from './html-bars.ts';
import { STYLE } from './html-style.ts';
import type { ReportRow } from './report-row.ts';
import {
  createdText,
  hasManyMemberships,
  rateLimitedCalls,
  ratesOf,
  rowsWithoutRegion,
  tookMs,
} from './summary-counts.ts';
import { verdictOf } from './verdict.ts';

export interface HtmlReport {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
  /** The largest or worst groups, in the order in which they are shown; the caller bounds them. */
  readonly groups: readonly GroupCount[];
  readonly groupsTotal: number;
  /** In any number and order; the drawing merges them into as many bars as a narrow screen can show. */
  readonly calls: readonly CallBucket[];
  /** The first rows that are not fulfilled, in the order of the input; the caller bounds them. */
  readonly sample: readonly ReportRow[];
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
  const notFulfilled = OUTCOMES.reduce(
    (sum, outcome) => sum + (FULFILLED.has(outcome) || outcome === 'skipped' ? 0 : summary.rows[outcome]),
    0,
  );
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
${textures()}
<header>
<p class="kicker">Import report, <bdi>${summary.file}</bdi>, ${summary.state}</p>
<h1 class="${tone}">${numbersHeldToWords(sentence)}</h1>
</header>
<main>
${stackedBar('all', hasManyMemberships(summary) ? 'All memberships by outcome' : 'All rows by outcome', summary.rows, 28)}
${legend(summary.rows)}
<p class="equation">${sumEquation(summary.rows, pending, hasManyMemberships(summary) ? summary.inputRows : undefined)}</p>
${(summary.notes ?? []).map(({ text }) => html`<p class="note">Note: <bdi>${text}</bdi>.</p>`)}
${problemsSection(report.problems)}
${regionsSection(summary)}
${groupsSection(report.groups, report.groupsTotal)}
${callsSection(report.calls)}
${sampleSection(report.sample, notFulfilled)}
${factsSection(summary)}
</main>
<footer><p>Written ${utcTime(report.generatedAt)} by rollcall ${report.version}.</p></footer>
</body>
</html>
`;
  return page.text;
}

function factsSection(summary: ImportSummary): Markup {
  const { startedAt, finishedAt } = summary;
  const facts: (readonly [string, string])[] = [
    ['File', summary.file],
    ['Import', summary.id],
    ['Started', startedAt === null ? 'not started' : utcTime(startedAt)],
    ['Finished', finishedAt === null ? 'not finished' : utcTime(finishedAt)],
  ];
  const ms = tookMs(summary);
  if (ms !== undefined) facts.push(['Took', duration(ms)]);
  const { writes, created, banQuestions } = summary;
  if (created !== undefined) facts.push(['Users and groups', createdText(created)]);
  if (writes !== undefined) {
    facts.push(['Messages in groups', messagesText(summary, writes)]);
  }
  const rates = ratesOf(summary);
  if (rates.length > 0) facts.push(['Rate', rates.join(', ')]);
  facts.push(['Calls', grouped(summary.calls)]);
  if (banQuestions !== undefined) facts.push(['Asked who is banned', counted(banQuestions, 'group')]);
  facts.push(['Retries', grouped(summary.retries)], ['Rate-limited', grouped(rateLimitedCalls(summary))]);
  return html`<section aria-labelledby="facts"><h2 id="facts">The run</h2>
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl></section>`;
}

/** Each addition writes one; in how many groups is known of the plan only. */
function messagesText({ rows, finishedAt }: ImportSummary, writes: Writes): string {
  const planned = `${grouped(writes.messages)} in ${counted(writes.groups, 'group')}`;
  if (finishedAt === null) return `up to ${planned}`;
  return rows.added === writes.messages ? planned : grouped(rows.added);
}

/** No line ends between a number and what it counts. */
function numbersHeldToWords(sentence: string): string {
  return sentence.replace(/(\d) /g, '$1\u00a0');
}

/** Groups that are shown at once; the others are behind a fold, so that the page stays readable. */
const GROUPS_SHOWN = 20;

/** Longest piece of the input that is shown of a row or value, in characters. */
const ORIGINAL_SHOWN = 160;

/** Problems by code, each with its count, examples and what to do. */
function problemsSection(problems: readonly ProblemCount[]): Markup {
  if (problems.length === 0) return NOTHING;
  return html`<section aria-labelledby="problems"><h2 id="problems">Problems</h2>
<table><thead><tr><th scope="col" class="n">Rows</th><th scope="col">Problem</th></tr></thead><tbody>
${problems.map(problemRow)}</tbody></table></section>`;
}

function problemRow({ status, code, column, count, examined, examples }: ProblemCount): Markup {
  const advice = adviceFor(status, code, asFlag);
  const shown = examples.map(
    ({ line, value, message, rows }, at) =>
      html`${at === 0 ? 'For example row' : '; row'} ${line}${value === '' ? NOTHING : html` <code>${shortened(value)}</code>`}${rows === undefined ? NOTHING : ` (${grouped(rows)} like this)`}${at > 0 || message === '' ? NOTHING : html`: <bdi>${message}</bdi>`}`,
  );
  return html`<tr><td class="n">${grouped(count)}</td><th scope="row"><div class="problem"><div>
<p class="what">${swatch(status)} ${OUTCOME_LABELS[status]}${code === '' ? NOTHING : html` <code>${code}</code>`}${column === undefined ? NOTHING : html` in <bdi>${column}</bdi>`}</p>
<p class="example">${shown}${examined === undefined ? NOTHING : `; counted in the first ${grouped(examined)}`}</p></div>
${advice === '' ? NOTHING : html`<p class="advice"><b>What to do.</b> ${advice}</p>`}</div></th></tr>
`;
}

/** Outcomes by region, and the rows that belong to none because their region could not be read. */
function regionsSection(summary: ImportSummary): Markup {
  const regions = Object.entries(summary.regions);
  if (regions.length === 0) return NOTHING;
  const rows = rowsWithoutRegion(summary);
  const withoutRegion =
    rows.read > 0 ? barRow('region-none', html`no region`, 'Rows without a readable region', rows) : NOTHING;
  return html`<section aria-labelledby="regions"><h2 id="regions">By region</h2>
${legend(summary.rows)}
${barTable('Region', [
  ...regions.map(([region, counts], index) =>
    barRow(
      `region-${index}`,
      html`<b>${region}</b> <span>${callsNote(counts)}</span>`,
      `Region ${region}`,
      counts.rows,
    ),
  ),
  withoutRegion,
])}</section>`;
}

function callsNote(region: ImportSummary['regions'][string]): string {
  const notes = [counted(region.calls, 'call')];
  if (region.retries > 0) notes.push(region.retries === 1 ? '1 retry' : `${grouped(region.retries)} retries`);
  if (region.rateLimited > 0) notes.push(`${grouped(region.rateLimited)} rate-limited`);
  const asked = region.banQuestions?.asked ?? 0;
  if (asked > 0) notes.push(`${counted(asked, 'question')} who is banned`);
  return notes.join(', ');
}

/** Outcomes by group, in the order given; `groupsTotal` says of how many these are. */
function groupsSection(groups: readonly GroupCount[], groupsTotal: number): Markup {
  if (groups.length === 0) return NOTHING;
  const lines = groups.map(({ region, guid, rows }, index) =>
    barRow(
      `group-${index}`,
      html`<b><bdi>${guid}</bdi></b> <span>${region}</span>`,
      `Group ${guid}, region ${region}`,
      rows,
    ),
  );
  const folded = lines.slice(GROUPS_SHOWN);
  const shown =
    groupsTotal > groups.length
      ? `${grouped(groups.length)} of ${counted(groupsTotal, 'group')}`
      : counted(groupsTotal, 'group');
  return html`<section aria-labelledby="groups"><h2 id="groups">By group</h2>
<p class="note">${shown}${groupsTotal > groups.length ? '; the report files name the group of every row' : ''}.</p>
${barTable('Group', lines.slice(0, GROUPS_SHOWN))}
${folded.length === 0 ? NOTHING : html`<details><summary>${folded.length === 1 ? '1 more group' : `${grouped(folded.length)} more groups`}</summary>${barTable('Group', folded)}</details>`}</section>`;
}

function barTable(head: string, lines: readonly Markup[]): Markup {
  return html`<table class="bars"><thead><tr><th scope="col">${head}</th><th scope="col" class="n">Succeeded</th><th scope="col" class="n">Rows</th></tr></thead><tbody>
${lines}</tbody></table>`;
}

function barRow(id: string, label: Markup, name: string, rows: RowCounts): Markup {
  const inPlace = OUTCOMES.reduce((sum, outcome) => sum + (FULFILLED.has(outcome) ? rows[outcome] : 0), 0);
  return html`<tr><th scope="row"><div class="label">${label}</div>${stackedBar(id, name, rows, 12)}</th><td class="n">${grouped(inPlace)}</td><td class="n">${grouped(rows.read)}</td></tr>
`;
}

/** The first rows that need attention; `total` says of how many these are. */
function sampleSection(sample: readonly ReportRow[], total: number): Markup {
  if (sample.length === 0) return NOTHING;
  const first =
    sample.length < total ? `The first ${grouped(sample.length)} of ${counted(total, 'row')}` : counted(total, 'row');
  return html`<section aria-labelledby="sample"><h2 id="sample">Rows that did not succeed</h2>
<p class="note">${first}, in the order of the file.</p>
<table class="sample"><thead><tr><th scope="col" class="n">Row</th><th scope="col">Membership</th><th scope="col">What happened</th></tr></thead><tbody>
${sample.map(sampleRow)}</tbody></table></section>`;
}

function sampleRow(row: ReportRow): Markup {
  const details = [
    row.attempts > 0 ? counted(row.attempts, 'call') : '',
    row.httpStatus === null ? '' : `HTTP ${row.httpStatus}`,
    row.batch === null ? '' : `batch ${row.batch}`,
  ].filter((detail) => detail !== '');
  return html`<tr><th scope="row" class="n">${row.line}</th><td>${membership(row)}${row.value ? html`<br><span><bdi>${shortened(row.value)}</bdi></span>` : NOTHING}</td>
<td>${swatch(row.status)} ${OUTCOME_LABELS[row.status]}${row.code === '' ? NOTHING : html` <code>${row.code}</code>`}${row.message === '' ? NOTHING : html`<br><bdi>${row.message}</bdi>`}${details.length === 0 ? NOTHING : html`<br><span>${details.join(', ')}</span>`}</td></tr>
`;
}

/** An invalid row has no reliable membership: its input is shown instead. */
function membership(row: ReportRow): Markup {
  if (row.status === 'invalid') {
    return html`<code>${shortened(row.original)}</code>`;
  }
  return html`<b><bdi>${row.uid}</bdi></b> ${requestWords(row.scope)} <b><bdi>${row.guid}</bdi></b> <span>${row.region}</span>`;
}

function shortened(text: string): string {
  if (text.length <= ORIGINAL_SHOWN) return text;
  // Half a character would be shown as a replacement for one.
  return `${text.slice(0, ORIGINAL_SHOWN).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A row without a scope asks for a removal. */
function requestWords(scope: string): string {
  if (scope === '') return 'removed from';
  return scope === 'ban' ? 'banned from' : `as ${scope} in`;
}
