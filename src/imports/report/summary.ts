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
  problemsShown,
  waysSentences,
} from '../../membership/outcome-words.ts';
import { cut, drawTable, widthOf, wrap } from '../../text/terminal-text.ts';
import { grouped, printable } from '../../text/wording.ts';
import { equationOf, pace, summaryTable } from './summary-counts.ts';
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

function painter(color: boolean): Paint {
  return (style, text) => (color ? styleText(style, text, { validateStream: false }) : text);
}

/**
 * The result of an import, for a terminal: the verdict, rows by outcome and region, the sum, calls, time and rate, and
 * every kind of problem with one example. No line is wider than `width`, ends with a line end. Texts from the file and
 * from the service are shown without control characters.
 */
export function summaryText(summary: ImportSummary, options: SummaryOptions) {
  const { color, width, limits, problems } = options;
  const paint = painter(color);
  const { tone, sentence, pending } = verdictOf(summary, options.interrupted);
  // A file that was refused or is still being read has none: zeros say nothing that the sentence does not.
  const hasNumbers = summary.rows.read + summary.calls > 0;
  const texts = [
    hasNumbers && equationOf(summary, pending),
    hasNumbers && pace(summary),
    summary.state === 'staged' && writingSentences(summary, limits),
    summary.created !== undefined && `${createdText(summary.created)}.`,
  ].filter((text) => text !== false);
  const blocks = [
    [importTitle(summary, options), ...wrap(sentence, width).map((line) => paint(TONE_STYLES[tone], line))],
    hasNumbers ? table(summary, width, paint) : [],
    ...texts.map((text) => wrap(text, width, '  ')),
    (summary.notes ?? []).flatMap(({ text }) => wrap(`Note: ${printable(text)}.`, width, '  ')),
    problemsShown(problems, summary.state).flatMap((problem) => problemLines(problem, width, paint)),
  ];
  return `${blocks
    .map((block) => block.join('\n'))
    .filter((block) => block !== '')
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
  return painter(color)('dim', title);
}

/** The table of an import. A terminal that is too narrow for all columns gets the last one alone. */
function table(summary: ImportSummary, width: number, paint: Paint) {
  const { heads, outcomes, sums } = summaryTable(summary);
  const lines = [...outcomes, ...sums];
  const draw = (from: number) => {
    const rows = lines.map(({ label, cells }) => [label, ...cells.slice(from)]);
    return drawTable(['', ...heads.slice(from)], rows, Number.POSITIVE_INFINITY, '   ').split('\n');
  };
  const all = draw(0);
  const [head = '', ...rows] = widthOf(all[0] ?? '') <= width ? all : draw(-1);
  const painted = lines.map(({ key }, at) => paint(styleOf(key), rows[at] ?? ''));
  painted.splice(-sums.length, 0, paint('dim', '─'.repeat(head.length)));
  return [paint('dim', head), ...painted];
}

function styleOf(key: Outcome | 'read' | 'calls') {
  if (key === 'read') return 'bold';
  if (key === 'calls') return 'dim';
  if (FULFILLED.has(key)) return 'green';
  return key === 'duplicate' || key === 'unprocessed' || key === 'skipped' ? 'dim' : 'red';
}

/** Longest piece of a value that is shown, in characters: it leaves room for the reason, which may have the value again. */
const VALUE_SHOWN = 40;

function problemLines(problem: ProblemCount, width: number, paint: Paint) {
  const { status, code, column, count, examples } = problem;
  const title = `${grouped(count)} ${OUTCOME_LABELS[status]}${code === '' ? '' : `, ${printable(code)}`}${column === undefined ? '' : ` in ${printable(column)}`}`;
  const [example = '', like = ''] = exampleWords(problem, VALUE_SHOWN);
  const advice = adviceForCode(code, asFlag);
  // Texts of the service may be long: three lines at most.
  const shown = wrap(cut(example, 3 * (width - 4)), width - 2, '  ');
  return [
    paint(styleOf(status), cut(title, width)),
    ...[...shown, ...(examples[0]?.rows === undefined ? [] : [like])].map((line) => cut(`  ${line}`, width)),
    ...(advice === '' ? [] : wrap(advice, width - 2)).map((line) => paint('dim', `  ${line}`)),
  ];
}
