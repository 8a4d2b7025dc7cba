import { z } from 'zod';
import type { ControlHandler } from '../../imports/life/control-socket.ts';
import type { Schedules } from './compose-schedules.ts';
import type { ScheduleBook } from './schedule-book.ts';
import { type ScheduleRecord, type ScheduleRequest, scheduleRequest } from './schedule-catalog.ts';

/** Messages about schedules between commands and the server, over the control socket. */

const editMessage = z.object({ request: scheduleRequest, version: z.int(), who: z.string() });

/** The changes that commands make to schedules. */
export type ScheduleChange =
  | { readonly verb: 'add'; readonly request: ScheduleRequest }
  | { readonly verb: 'edit'; readonly request: ScheduleRequest; readonly version: number; readonly who: string }
  | { readonly verb: 'pause' | 'resume' | 'remove'; readonly name: string };

/** Returns the handler with which a server answers commands about schedules. */
export function scheduleControl(schedules: Schedules): ControlHandler {
  return (method, [first, name, verb], body) => {
    if (method !== 'POST' || first !== 'schedules') return undefined;
    if (name === undefined) return changeBook(schedules, { verb: 'add', request: scheduleRequest.parse(body) });
    if (verb === 'edit') return changeBook(schedules, { verb, ...editMessage.parse(body) });
    if (verb === 'pause' || verb === 'resume' || verb === 'remove') return changeBook(schedules, { verb, name });
    if (verb === 'run') return Promise.resolve().then(() => schedules.run(name, z.string().parse(body)));
    return undefined;
  };
}

export async function changeBook(book: ScheduleBook, wanted: ScheduleChange): Promise<ScheduleRecord> {
  switch (wanted.verb) {
    case 'add':
      return book.add(wanted.request);
    case 'edit':
      return book.edit(wanted.request, wanted.version, wanted.who);
    case 'pause':
    case 'resume':
      return book[wanted.verb](wanted.name);
    case 'remove': {
      const record = book.find(wanted.name);
      await book.remove(wanted.name);
      return record;
    }
  }
}
