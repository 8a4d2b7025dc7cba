import type { Coordinator } from '../../src/imports/life/coordinator.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { csv, openPipeline, type Pipeline, participants, type QueuePlace, reached } from './pipeline-harness.ts';

/** 12 batches of 25. */
export const ROWS = participants(300);

/** An import of ROWS that is stopped in the middle: its first calls wait at the door. */
export interface RunningImport extends Pipeline {
  readonly pipeline: Pipeline;
  readonly coordinator: Coordinator;
  readonly door: Doorkeeper;
  readonly id: string;
}

export async function runningImport(place: QueuePlace, concurrency = 2): Promise<RunningImport> {
  const door = new Doorkeeper();
  const pipeline = await openPipeline({ place, concurrency, chat: door.chat });
  const id = await pipeline.send(csv(ROWS));
  await door.until(concurrency);
  return { ...pipeline, pipeline, door, id, coordinator: pipeline.coordinator };
}

/** The same, paused: two calls have answered, nothing is out. */
export async function pausedImport(place: QueuePlace): Promise<RunningImport> {
  const running = await runningImport(place);
  const paused = reached(running.coordinator, running.id, 'paused');
  await running.coordinator.pause(running.id);
  running.door.letIn(2);
  await paused;
  return running;
}
