import { createHash } from 'node:crypto';
import type { ImportSummary } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import { asFlag } from '../../errors/named-options.ts';
import {
  createdText,
  exampleWords,
  messagesText,
  OUTCOME_LABELS,
  problemsShown,
} from '../../membership/outcome-words.ts';
import { VERSION } from '../../platform/packages.ts';
import { html, Markup, NOTHING } from '../../text/markup.ts';
import { grouped, utcTime } from '../../text/wording.ts';
import { equationOf, pace, summaryTable } from './summary-counts.ts';
import { adviceFor, verdictOf } from './verdict.ts';

export interface HtmlReport {
  readonly summary: ImportSummary;
  readonly problems: readonly ProblemCount[];
  /** Milliseconds since 1970. */
  readonly generatedAt: number;
}

/** Texts reach a contrast of 4.5:1 against the paper, in both schemes (test/imports/report/html-colours.test.ts). */
export const LIGHT: Readonly<Record<string, string>> = {
  paper: '#fcfbf8',
  ink: '#1d232a',
  soft: '#565e67',
  rule: '#d9d5cc',
  good: '#1f5f8b',
  attention: '#9a3d08',
  fault: '#a3123a',
};

export const DARK: Readonly<Record<string, string>> = {
  paper: '#14181c',
  ink: '#e9e6df',
  soft: '#a5acb4',
  rule: '#363d45',
  good: '#86bfe6',
  attention: '#f2a36b',
  fault: '#ff8fa8',
};

function variables(scheme: Readonly<Record<string, string>>) {
  return Object.entries(scheme)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';');
}

const STYLE = `
:root{color-scheme:light dark;${variables(LIGHT)}}
@media (prefers-color-scheme:dark){:root{${variables(DARK)}}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:62.5rem;padding:2.5rem 1.25rem;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums lining-nums;overflow-wrap:anywhere}
.kicker,.soft,dt,thead th,footer{color:var(--soft);font-size:.875rem}
.kicker{margin:0}
h1{margin:.4rem 0 1.5rem;font:400 clamp(1.45rem,1rem + 2vw,2.15rem)/1.25 Charter,"Bitstream Charter","Iowan Old Style",Georgia,"Liberation Serif",serif;text-wrap:balance}
h1.good{color:var(--good)}
h1.attention{color:var(--attention)}
h1.fault{color:var(--fault)}
h2{margin:0 0 .75rem;padding-top:.6rem;border-top:2px solid var(--ink);font-size:1.0625rem;line-height:1.3}
section{margin:2.75rem 0 0}
p{margin:0 0 .75rem}
code{font:.875em/1.4 ui-monospace,"SF Mono",Menlo,Consolas,"Liberation Mono",monospace}
b{font-weight:600}
table{width:100%;border-collapse:collapse}
th,td{padding:.6rem 0 .6rem 1rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top;font-weight:400}
th:first-child,td:first-child{padding-left:0}
thead th{padding-top:0;vertical-align:bottom}
.n{text-align:right;white-space:nowrap;overflow-wrap:normal}
.counts{width:auto;min-width:min(100%,30rem);margin-bottom:1.25rem}
.counts th,.counts td{padding-top:.35rem;padding-bottom:.35rem;overflow-wrap:normal}
.counts .n{min-width:5rem}
.counts tbody+tbody th,.counts tbody+tbody td{border-bottom:0}
.counts tbody+tbody tr:first-child>*{font-weight:600}
.problems .n{width:1%}
.problem{display:grid;grid-template-columns:3fr 2fr;gap:.25rem 2rem}
.problem p{margin:0}
.what{font-weight:600}
.advice{font-size:.9375rem}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(11.5rem,1fr));gap:1rem 1.5rem;margin:1.5rem 0 0}
dd{margin:0}
footer{margin-top:3rem}
@media (max-width:40rem){
body{padding:1.5rem 1rem}
.problem{grid-template-columns:1fr}
.counts .n{min-width:0;white-space:normal}
.counts{font-size:.9375rem}
dl{grid-template-columns:repeat(auto-fill,minmax(9.5rem,1fr))}
th,td{padding-left:.6rem}
}
@media print{
:root{${variables(LIGHT)};--paper:#fff}
body{max-width:none;padding:0;font-size:10.5pt}
tr,h2,dl>div{break-inside:avoid}
h2{break-after:avoid}
thead{display:table-header-group}
}
`;

/** Nothing may be loaded or run but this stylesheet, named by its hash: even an injected `<style>` would not work. */
const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'`;

/**
 * The report as one self-contained HTML page: no script, nothing loaded, light and dark, for small and wide screens
 * and for paper. Every text from the file or the service is escaped and shown as text. Times are UTC.
 */
export function htmlReport(report: HtmlReport) {
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
${problemsTable(problemsShown(report.problems, summary.state))}
</main>
<footer><p>Written ${utcTime(report.generatedAt)} by rollcall ${VERSION}.</p></footer>
</body>
</html>
`;
  return page.text;
}

function counts(summary: ImportSummary, pending: number) {
  const { heads, outcomes, sums } = summaryTable(summary);
  const lines = (shown: typeof outcomes | typeof sums) =>
    shown.map(
      ({ label, cells }) =>
        html`<tr><th scope="row">${label}</th>${cells.map((cell) => html`<td class="n">${cell}</td>`)}</tr>
`,
    );
  return html`<table class="counts"><thead><tr><td></td>${heads.map((head) => html`<th scope="col" class="n"><bdi>${head}</bdi></th>`)}</tr></thead><tbody>
${lines(outcomes)}
</tbody><tbody>${lines(sums)}</tbody></table>
<p class="soft">${equationOf(summary, pending)}</p>`;
}

function facts(summary: ImportSummary) {
  const { id, file, startedAt, finishedAt, writes, created } = summary;
  const list: (readonly [string, string])[] = [
    ['File', file],
    ['Import', id],
    ['Started', startedAt === null ? 'not started' : utcTime(startedAt)],
    ['Finished', finishedAt === null ? 'not finished' : utcTime(finishedAt)],
    ['Calls', pace(summary)],
  ];
  if (created !== undefined) list.push(['Users and groups', createdText(created)]);
  if (writes !== undefined) list.push(['Messages in groups', messagesText({ ...summary, writes })]);
  return html`<dl>${list.map(([name, value]) => html`<div><dt>${name}</dt><dd><bdi>${value}</bdi></dd></div>`)}</dl>`;
}

/** No line ends between a number and what it counts. */
function numbersHeldToWords(sentence: string) {
  return sentence.replace(/(\d) /g, '$1\u00a0');
}

/** Problems by code, each with its count, examples and what to do. */
function problemsTable(problems: readonly ProblemCount[]) {
  if (problems.length === 0) return NOTHING;
  return html`<section aria-labelledby="problems"><h2 id="problems">Problems</h2>
<table class="problems"><thead><tr><th scope="col" class="n">Rows</th><th scope="col">Problem</th></tr></thead><tbody>
${problems.map(problemRow)}</tbody></table></section>`;
}

function problemRow(problem: ProblemCount) {
  const { status, code, column, count } = problem;
  const advice = adviceFor(status, code, asFlag);
  const shown = exampleWords(problem).map(
    (words, at) => html`<p class="soft">${at === 0 ? 'For example ' : NOTHING}<bdi>${words}</bdi></p>`,
  );
  return html`<tr><td class="n">${grouped(count)}</td><th scope="row"><div class="problem"><div>
<p class="what">${OUTCOME_LABELS[status]}${code === '' ? NOTHING : html` <code>${code}</code>`}${column === undefined ? NOTHING : html` in <bdi>${column}</bdi>`}</p>
${shown}</div>
${advice === '' ? NOTHING : html`<p class="advice"><b>What to do.</b> ${advice}</p>`}</div></th></tr>
`;
}
