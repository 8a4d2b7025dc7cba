import { parentPort } from 'node:worker_threads';
import { watchConversions } from '../../platform/conversions.ts';
import { namingDamage } from '../../platform/sqlite.ts';
import type { ImportOptions } from '../import-options.ts';
import { packError } from '../read/thread-error.ts';
import { openImportLedger } from '../record/import-ledger.ts';
import { type ImportReader, openImportReader } from './reading.ts';
import type { NumberedTask, ReadingReply, ReadingTask, ReportsRequest, ReportsWritten } from './reading-task.ts';
import { writeReportFiles } from './report-files.ts';
import { filesFormat, reportInput, reportPaths, writtenReports } from './report-paths.ts';
import { type ReportRequest, reportPieces } from './report-text.ts';
import { rowDetailJson, rowsPageJson } from './rows-page.ts';
import { summaryOf, totalsOf } from './summarize.ts';

/** A thread that reads imports' files, so that the coordinator's thread does not wait for SQLite. */

/** Files kept open, each with its page cache; those not asked for longest are closed. */
const MOST_OPEN = 8;

interface OpenReport {
  readonly path: string;
  readonly reader: ImportReader;
  readonly chunks: Iterator<string | Uint8Array>;
}

const readers = new Map<string, ImportReader>();
const reports = new Map<number, OpenReport>();
const encoder = new TextEncoder();

parentPort?.on('message', async (task: NumberedTask) => {
  const { id } = task;
  try {
    const result = await answer(task);
    const transfer = result instanceof Uint8Array ? [result.buffer as ArrayBuffer] : [];
    parentPort?.postMessage({ id, result } satisfies ReadingReply, transfer);
  } catch (error) {
    parentPort?.postMessage({ id, error: packError(error) } satisfies ReadingReply);
  }
});

watchConversions((conversion) => {
  parentPort?.postMessage({ id: 0, conversion: conversion ?? null } satisfies ReadingReply);
});

// It has loaded: from now on, deadlines run.
parentPort?.postMessage({ id: 0, result: undefined } satisfies ReadingReply);

function answer(task: ReadingTask): unknown {
  switch (task.kind) {
    case 'query': {
      const { path, question, given } = task;
      return namingDamage(path, () =>
        (readerOf(path)[question] as (...given: readonly unknown[]) => unknown)(...given),
      );
    }
    case 'rows-page':
      return rowsPage(task);
    case 'row-detail':
      return oneRow(task);
    case 'preview':
      return previewOf(task);
    case 'use-recipe':
      return usingRecipe(task);
    case 'inspect':
      return inspected(task);
    case 'report':
      return beginReport(task.path, task.report, task.request);
    case 'chunk':
      return nextChunk(task.report);
    case 'end-report':
      return endReport(task.report);
    case 'check':
      return namingDamage(task.path, () => readerOf(task.path).check());
    case 'index-uids':
      return indexUids(task.path);
    case 'write-reports':
      return writeReports(task);
    case 'forget':
      return forget(task.path);
    case 'leave':
      for (const path of [...readers.keys()]) forget(path);
      for (const report of [...reports.keys()]) endReport(report);
      return parentPort?.close();
  }
}

/** Characters of a page of rows, at most. */
const MOST_OF_A_PAGE = 4 * 1024 * 1024;

function rowsPage({ path, filter, order, after, limit }: Extract<ReadingTask, { kind: 'rows-page' }>): Uint8Array {
  return namingDamage(path, () => {
    const reader = readerOf(path);
    const page = reader.rowsPage(filter, limit, order, after);
    const counted = () => (page.more ? reader.countRows(filter) : page.rows.length);
    const total = after === undefined ? counted() : null;
    return encoder.encode(rowsPageJson(reportInput(reader), page, order, total, MOST_OF_A_PAGE));
  });
}

function oneRow({ path, row }: Extract<ReadingTask, { kind: 'row-detail' }>): Uint8Array | undefined {
  return namingDamage(path, () => {
    const reader = readerOf(path);
    const found = reader.rowDetail(row);
    return found && encoder.encode(rowDetailJson(reportInput(reader), found));
  });
}

/** Loaded on demand: threads that read ledgers do not need the file readers. */
async function previewOf(task: Extract<ReadingTask, { kind: 'preview' }>): Promise<Uint8Array> {
  const { preview } = await import('./preview.ts');
  return encoder.encode(JSON.stringify(await preview(task)));
}

async function usingRecipe(use: Extract<ReadingTask, { kind: 'use-recipe' }>): Promise<ImportOptions> {
  const { useRecipe } = await import('../inspect/use-recipe.ts');
  return useRecipe(use);
}

async function inspected(request: Extract<ReadingTask, { kind: 'inspect' }>): Promise<Uint8Array> {
  const { inspectHead } = await import('./inspect-head.ts');
  return encoder.encode(JSON.stringify(await inspectHead(request)));
}

function readerOf(path: string): ImportReader {
  const reader = readers.get(path) ?? openImportReader(path);
  // The order of the map is that of the latest use.
  readers.delete(path);
  readers.set(path, reader);
  const [oldest] = readers.keys();
  if (readers.size > MOST_OPEN && oldest !== undefined) forget(oldest);
  return reader;
}

function forget(path: string): void {
  readers.get(path)?.close();
  readers.delete(path);
}

/** With a reader of its own: a report shows one moment, for as long as it is being read. */
function beginReport(path: string, report: number, request: ReportRequest): void {
  const reader = openImportReader(path);
  reports.set(report, { path, reader, chunks: whenAsked(() => reportPieces(reader, request)) });
}

function* whenAsked<Piece>(make: () => Iterable<Piece>): Generator<Piece> {
  yield* make();
}

/** Undefined when there is no more. */
function nextChunk(report: number): Uint8Array | undefined {
  const open = reports.get(report);
  if (open === undefined) throw new Error('the thread that made this report has ended in the middle of it');
  const next = namingDamage(open.path, () => open.chunks.next());
  if (next.done === true) return undefined;
  return typeof next.value === 'string' ? encoder.encode(next.value) : next.value.slice();
}

function endReport(report: number): void {
  reports.get(report)?.chunks.return?.();
  reports.get(report)?.reader.close();
  reports.delete(report);
}

function indexUids(path: string): void {
  const ledger = openImportLedger(path);
  try {
    ledger.indexUids();
  } finally {
    ledger.close();
  }
}

async function writeReports({ path, folder, record }: ReportsRequest): Promise<ReportsWritten> {
  const reader = openImportReader(path);
  try {
    const input = reader.input();
    const paths = reportPaths(folder, filesFormat(input));
    const grown = reader.growthNote();
    const notes = grown === undefined ? input.notes : [...input.notes, grown];
    const totals = totalsOf(reader.counters(), true, { ...input, notes });
    const summary = () => summaryOf({ ...record, finishedAt: Date.now() }, totals, writtenReports(folder));
    const problems = await writeReportFiles(reader, paths, summary);
    return { totals, problems };
  } finally {
    reader.close();
  }
}
