import { styleText } from 'node:util';
import type { ImportSummary } from '../../api/import-summary.ts';
import type { ProblemCount } from '../../api/rows.ts';
import type { Settings } from '../../api/service.ts';
import { asFlag } from '../../errors/named-options.ts';
import { FULFILLED, type Outcome } from '../../membership/outcome.ts';
import {
  createdText,
  exampleWords,
  messagesSentence,
  OUTCOME_LABELS,
  sumEquation,
  waysSentences,
} from '../../membership/outcome-words.ts';
import { cut, wrap } from '../../text/terminal-text.ts';
import { grouped, printable } from '../../text/wording.ts';
import { hasManyMemberships, pace, summaryTable } from './summary-counts.ts';
import { adviceForCode, type Tone, verdictOf } from './verdict.ts';

interface SummaryOptions {
  readonly color: boolean;
  /** Columns of the terminal. */
  readonly width: number;
  readonly problems: readonly ProblemCount[];
  /** Calls a minute of the process that sends it; undefined where they are not known. */
  readonly limits?: CallLimits | undefined;
  /** No process runs it, although it has neither finished nor waits: it was stopped or killed, and can be resumed. */
  readonly interrupted?: boolean;
}

type Style = Parameters<typeof styleText>[0];
type Paint = (style: Style, text: string) => string;

const TONE_STYLES: Readonly<Record<Tone, Style>> = {
  good: ['bold', 'green'],
  attention: ['bold', 'yellow'],
  pending: 'bold',
  fault: ['bold', 'red'],
};

/**
 * The result of an import, for a terminal: the verdict, rows by outcome and region, the sum, calls, time and rate, and
 * every kind of problem with one example. No line is wider than `width`, ends with a line end. Texts from the file and
 * from the service are shown without control characters.
 */
export function summaryText(summary: ImportSummary, options: SummaryOptions) {
  const paint: Paint = (style, text) => (options.color ? styleText(style, text, { validateStream: false }) : text);
  const { tone, sentence, pending } = verdictOf(summary);
  const { width } = options;
  const blocks = [
    [importTitle(summary, options), ...wrap(sentence, width).map((line) => paint(TONE_STYLES[tone], line))],
    ...(summary.rows.read + summary.calls === 0 ? [] : numbers(summary, pending, width, paint)),
    summary.state === 'staged' ? wrap(writingSentences(summary, options.limits), width, '  ') : [],
    summary.created === undefined ? [] : wrap(`${createdText(summary.created)}.`, width, '  '),
    (summary.notes ?? []).flatMap(({ text }) => wrap(`Note: ${printable(text)}.`, width, '  ')),
    options.problems.flatMap((problem) => problemLines(problem, width, paint)),
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}

/** Calls a minute of both ways to add members. */
type CallLimits = Pick<Settings, 'callsPerMinute' | 'importsPerMinute'>;

function writingSentences({ ways, writes }: Pick<ImportSummary, 'ways' | 'writes'>, limits: CallLimits | undefined) {
  if (ways === undefined || limits === undefined) return writes === undefined ? '' : messagesSentence(writes);
  const { added, silent } = ways;
  const limited = {
    added: { ...added, callsPerMinute: limits.callsPerMinute },
    silent: { ...silent, callsPerMinute: limits.importsPerMinute },
  };
  return waysSentences(limited, writes?.groups);
}

/** "import 20261122-195221-2mm, staged: members.csv" */
export function importTitle(
  { id, state, file }: Pick<ImportSummary, 'id' | 'state' | 'file'>,
  { color, width, interrupted }: Pick<SummaryOptions, 'color' | 'width' | 'interrupted'>,
) {
  const title = cut(`import ${printable(id)}, ${interrupted ? 'interrupted' : state}: ${printable(file)}`, width);
  return color ? styleText('dim', title, { validateStream: false }) : title;
}

/** None of a file that was refused or is still being read: zeros say nothing that its sentence does not. */
function numbers(summary: ImportSummary, pending: number, width: number, paint: Paint) {
  const { rows, inputRows } = summary;
  return [
    table(summary, width, paint),
    wrap(sumEquation(rows, pending, hasManyMemberships(summary) ? inputRows : undefined), width, '  '),
    wrap(pace(summary), width, '  '),
  ];
}

function table(summary: ImportSummary, width: number, paint: Paint) {
  const { columns, outcomes, sums } = summaryTable(summary);
  const lines = [...outcomes, ...sums];
  const labelWidth = Math.max(...lines.map(({ label }) => label.length));
  const draw = (columns: ReturnType<typeof summaryTable>['columns']) => {
    const widths = columns.map((column) =>
      Math.max(column.head.length, ...lines.map(({ shown }) => shown(column).length)),
    );
    const row = (label: string, cells: readonly string[]) =>
      label.padEnd(labelWidth) + cells.map((cell, index) => `   ${cell.padStart(widths[index] ?? 0)}`).join('');
    const head = row(
      '',
      columns.map(({ head }) => head),
    );
    const drawn = lines.map(({ key, label, shown }) => paint(lineStyle(key), row(label, columns.map(shown))));
    drawn.splice(-2, 0, paint('dim', '─'.repeat(head.length)));
    return { width: head.length, lines: [paint('dim', head), ...drawn] };
  };
  const full = draw(columns);
  return full.width <= width ? full.lines : draw(columns.slice(-1)).lines;
}

function lineStyle(key: Outcome | 'read' | 'calls') {
  if (key === 'read' || key === 'calls') return key === 'read' ? 'bold' : 'dim';
  return outcomeStyle(key);
}

function outcomeStyle(outcome: Outcome) {
  if (FULFILLED.has(outcome)) return 'green';
  return outcome === 'duplicate' || outcome === 'unprocessed' || outcome === 'skipped' ? 'dim' : 'red';
}

function problemLines(problem: ProblemCount, width: number, paint: Paint) {
  const { status, code, column, count, examples } = problem;
  const title = `${grouped(count)} ${OUTCOME_LABELS[status]}${code === '' ? '' : `, ${printable(code)}`}${column === undefined ? '' : ` in ${printable(column)}`}`;
  const [example = '', like = ''] = exampleWords(problem);
  return [
    paint(outcomeStyle(status), cut(title, width)),
    ...exampleLines(example, width),
    ...(examples[0]?.rows === undefined ? [] : [cut(`  ${like}`, width)]),
    ...adviceLines(code, width).map((line) => paint('dim', line)),
  ];
}

/** Texts of the service may be long: three lines at most. */
function exampleLines(text: string, width: number) {
  return wrap(cut(text, 3 * (width - 4)), width - 2, '  ').map((line) => cut(`  ${line}`, width));
}

function adviceLines(code: string, width: number) {
  const advice = adviceForCode(code, asFlag);
  return advice === '' ? [] : wrap(advice, width - 2).map((line) => `  ${line}`);
}
