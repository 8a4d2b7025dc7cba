import type { ImportSummary } from '../../api/import-summary.ts';
import type { GroupCount, ProblemCount } from '../../api/rows.ts';
import { asFlag } from '../../errors/named-options.ts';
import { FULFILLED, OUTCOMES, type RowCounts } from '../../membership/outcome.ts';
import { html, type Markup, NOTHING } from '../../text/markup.ts';
import { counted, grouped, OUTCOME_LABELS } from '../../text/wording.ts';
import { adviceFor } from './advice.ts';
import { legend, stackedBar, swatch } from './html-bars.ts';
import type { ReportRow } from './report-row.ts';
import { rowsWithoutRegion } from './summary-counts.ts';

/** Groups that are shown at once; the others are behind a fold, so that the page stays readable. */
const GROUPS_SHOWN = 20;

/** Longest piece of the input that is shown of a row or value, in characters. */
const ORIGINAL_SHOWN = 160;

/** Problems by code, each with its count, examples and what to do. */
export function problemsSection(problems: readonly ProblemCount[]): Markup {
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
export function regionsSection(summary: ImportSummary): Markup {
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
export function groupsSection(groups: readonly GroupCount[], groupsTotal: number): Markup {
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
export function sampleSection(sample: readonly ReportRow[], total: number): Markup {
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
