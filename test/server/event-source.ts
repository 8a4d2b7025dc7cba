/** Server-sent events as they come over the wire. */
interface ServerEvent {
  readonly name: string;
  readonly id: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: events have data of many shapes, and tests say which they expect
  readonly data: any;
}

export interface EventReader {
  /** Resolves with the first event from here on that passes, skipping others; rejects when the stream ends before. */
  next(passes: (event: ServerEvent) => boolean): Promise<ServerEvent>;
  /** All that come until the stream ends. */
  rest(): Promise<ServerEvent[]>;
  close(): void;
}

export async function readEvents(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
  const controller = new AbortController();
  const response = await fetch(url, { headers, signal: controller.signal });
  const type = response.headers.get('content-type');
  if (response.body === null || type !== 'text/event-stream') throw new Error(`${response.status} ${type}`);
  const events = eventsOf(response.body.pipeThrough(new TextDecoderStream()));
  return {
    next: async (passes) => {
      for (;;) {
        const { value, done } = await events.next();
        if (done) throw new Error('the stream ended');
        if (passes(value)) return value;
      }
    },
    rest: async () => {
      const all: ServerEvent[] = [];
      for await (const event of events) all.push(event);
      return all;
    },
    close: () => controller.abort(),
  };
}

async function* eventsOf(text: ReadableStream<string>): AsyncGenerator<ServerEvent, void, undefined> {
  let buffer = '';
  for await (const piece of text) {
    buffer += piece;
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const data = field('data');
      if (data !== undefined) yield { name: field('event') ?? 'message', id: field('id'), data: JSON.parse(data) };
    }
  }
}
