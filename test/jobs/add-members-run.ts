import { onTestFinished } from 'vitest';
import { type AddMembersPayload, addMembers } from '../../jobs/add-members.ts';
import type { BatchPayload } from '../../jobs/batch-payload.ts';
import { ATTEMPTS } from '../../jobs/batch-policy.ts';
import type { BatchPorts } from '../../jobs/send-batch.ts';
import { type ChatClient, type ChatClientOptions, createChatClient } from '../../src/chat/chat-client.ts';
import type { BatchResult } from '../../src/imports/record/batch-result.ts';
import type { JobDefinition, JobRun } from '../../src/queue/job-definition.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The result of one start of the job. */
export interface Ran<Payload = AddMembersPayload> {
  /** The result that was handed back, if any. */
  readonly delivered: BatchResult | undefined;
  /** The error that the queue would see: a failure, or a wait. */
  readonly thrown: unknown;
  /** The payload that the next start would find. */
  readonly payload: Payload;
  /** `stopped`, `slowed` and `delivered`, in the order in which they were asked for. */
  readonly asked: readonly string[];
}

/** A batch for the group `g` of region us; rows are numbered in the order of the lists, from 1. */
export function batchOf(
  lists: Partial<Record<keyof AddMembersPayload['lists'], readonly string[]>>,
  changes: Partial<AddMembersPayload> = {},
): AddMembersPayload {
  let row = 0;
  const numbered = Object.entries(lists).map(([list, uids]) => [list, uids.map((uid) => [++row, uid])]);
  return addMembers.payload.parse({
    version: 1,
    importId: 'imp-1',
    batch: 7,
    region: 'us',
    guid: 'g',
    onBehalfOf: '',
    uncertainty: null,
    lists: Object.fromEntries(numbered),
    calls: [],
    handedBack: 0,
    replyTo: null,
    ...changes,
  });
}

/** A batch whose next call is its last: its calls and its time are over. */
export function atLast<Payload extends BatchPayload>(payload: Payload): Payload {
  return { ...payload, standing: { tries: ATTEMPTS - 1, since: 0 } };
}

/** One start of add-members, as the queue makes it. */
export function run(
  chat: Pick<ChatClient, 'addMembers'>,
  payload: AddMembersPayload,
  given: Partial<JobRun<AddMembersPayload>> = {},
  unanswered?: BatchPorts['unanswered'],
): Promise<Ran> {
  return start(addMembers, chat, payload, given, unanswered);
}

/** One start of a job that sends a batch, as the queue makes it. */
export async function start<Payload extends BatchPayload>(
  definition: JobDefinition<Payload, BatchPorts>,
  chat: Partial<ChatClient>,
  payload: Payload,
  { starts = payload.calls.length + 1, ...given }: Partial<JobRun<Payload>> = {},
  unanswered?: BatchPorts['unanswered'],
): Promise<Ran<Payload>> {
  let delivered: BatchResult | undefined;
  let next = payload;
  const asked: string[] = [];
  const ports: BatchPorts = {
    chat: chat as ChatClient,
    ...(unanswered !== undefined && { unanswered }),
    deliver: async ({ importId }, result) => {
      asked.push('delivered');
      if (importId !== payload.importId || delivered !== undefined) throw new Error(`delivered wrongly: ${importId}`);
      delivered = result;
    },
    stopRegion: async () => {
      asked.push('stopped');
    },
    slowDown: async () => void asked.push('slowed'),
  };
  const job: JobRun<Payload> = {
    id: 'imp-1-7',
    payload,
    attemptsMade: 0,
    starts,
    isLastAttempt: false,
    signal: new AbortController().signal,
    update: async (changed) => {
      // The payload comes out of a queue as JSON.
      next = definition.payload.parse(JSON.parse(JSON.stringify(changed)));
    },
    ...given,
  };
  let thrown: unknown;
  try {
    await definition.process(job, ports);
  } catch (error) {
    thrown = error;
  }
  return { delivered, thrown, payload: next, asked };
}

export interface Service {
  readonly sandbox: Sandbox;
  readonly chat: ChatClient;
}

/** A sandbox with the group `g` and whatever users are asked for, and a client of its region us; gone after the test. */
export async function openService(
  options: SandboxOptions = {},
  client: (sandbox: Sandbox) => Partial<ChatClientOptions> = () => ({}),
): Promise<Service> {
  const sandbox = await startSandbox({ users: 'any', seed: { groups: ['g'] }, randomSeed: 1, ...options });
  onTestFinished(() => sandbox.close());
  return { sandbox, chat: connect(sandbox, client(sandbox)) };
}

/** A client of this sandbox until the test is over. */
export function connect({ apps, host, caPem: ca }: Sandbox, options: Partial<ChatClientOptions> = {}): ChatClient {
  const chat = createChatClient({ region: 'us', ...apps.us, host, ca, ...options });
  onTestFinished(() => chat.close());
  return chat;
}
