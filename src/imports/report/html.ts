import { createHash } from 'node:crypto';
import type { ImportSummary, Writes } from '../../api/import-summary.ts';
import type { GroupCount, ProblemCount } from '../../api/rows.ts';
import { FULFILLED, OUTCOMES } from '../../membership/outcome.ts';
import { html, Markup } from '../../text/markup.ts';
import { counted, duration, grouped, sumEquation, utcTime } from '../../text/wording.ts';
import type { CallBucket } from './call-bucket.ts';
import { legend, stackedBar, textures } from './html-bars.ts';
import { callsSection } from './html-calls.ts';
import { STYLE } from './html-style.ts';
import { groupsSection, problemsSection, regionsSection, sampleSection } from './html-tables.ts';
import type { ReportRow } from './report-row.ts';
import { createdText, hasManyMemberships, rateLimitedCalls, ratesOf, tookMs } from './summary-counts.ts';
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
