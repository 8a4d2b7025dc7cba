import type { Command } from 'commander';
import { READING, type ReadingChoices } from '../../options/reading-options.ts';
import { EXPECTING, type ExpectingChoices, STOPPING } from '../../options/sending-options.ts';
import { withOptions } from './option-flags.ts';

/** Flags for reading an input. */
export type ReadingFlags = ReadingChoices;
export type ExpectRowsFlags = ExpectingChoices;

export function withReading(command: Command): Command {
  return withOptions(command, READING);
}

export function withExpectRows(command: Command): Command {
  return withOptions(command, EXPECTING);
}

export function withMaxErrors(command: Command): Command {
  return withOptions(command, STOPPING);
}
