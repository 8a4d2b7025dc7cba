import type { ServerResponse } from 'node:http';
import type { RegionStatus } from '../../api/region-status.ts';
import type { Coordinator } from '../../imports/life/coordinator.ts';
import type { Logger } from '../../platform/log.ts';
import type { DataReader } from '../data-reader.ts';
import type { ImportViews } from '../import-views.ts';
import type { RunningImports } from '../running-imports.ts';

/** One browser or program that follows events. */
export interface Watcher {
  readonly response: ServerResponse;
  /** Whether its token is still valid; asked at each heartbeat. */
  readonly isStillAllowed: () => boolean;
}

/** The watchers of one thing. The text of an event is made once; each watcher costs one write. */
export interface Channel {
  readonly watchers: Set<Watcher>;
  /** Writes to all. */
  send(text: string): void;
  close(): void;
}

/** The parts from which channels are made. */
export interface EventSources {
  readonly coordinator: Coordinator;
  readonly reading: DataReader;
  readonly views: ImportViews;
  readonly running: RunningImports;
  /** Returns the status of the regions, at most a second old. */
  readonly regions: () => readonly RegionStatus[];
  /** The rate limit of an app. */
  readonly callsPerMinute: number;
  readonly log: Logger;
}

export const TICK_MS = 1_000;
/** A watcher with this many unsent bytes is disconnected: it reconnects and gets the state at that time. */
const MAX_UNSENT = 1024 * 1024;

export function eventText(name: string, data: unknown, id?: number): string {
  return `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

export function openChannel(onEmpty: () => void): Channel {
  const watchers = new Set<Watcher>();
  return {
    watchers,
    send: (text) => {
      for (const watcher of watchers) write(watcher, text);
    },
    close: () => {
      for (const { response } of watchers) response.end();
      watchers.clear();
      onEmpty();
    },
  };
}

/** Writes to one watcher, or disconnects it when it does not read what it was sent. */
export function write({ response }: Watcher, text: string): void {
  if (response.writableLength > MAX_UNSENT) response.destroy();
  else response.write(text);
}
