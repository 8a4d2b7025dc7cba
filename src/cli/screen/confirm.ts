import { createInterface } from 'node:readline/promises';
import type { Io } from './io.ts';

/** Asks a yes-or-no question. Without a terminal, and after Ctrl-C, the answer is no. */
export async function confirm(io: Io, question: string, signal: AbortSignal): Promise<boolean> {
  if (!io.live || !process.stdin.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `, { signal })).trim());
  } catch (error) {
    if (signal.aborted) return false;
    throw error;
  } finally {
    terminal.close();
  }
}
