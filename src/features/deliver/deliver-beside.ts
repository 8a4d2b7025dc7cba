import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenBeside } from '../../app/beside-imports.ts';
import type { ImportRecord } from '../../imports/catalog.ts';
import { isFinal } from '../../membership/import-state.ts';
import { addressName } from '../../text/address-text.ts';
import { Deliverer } from './deliverer.ts';
import { openDeliveryBook } from './delivery-book.ts';

/** The time that a command waits for reports that cannot be delivered, in ms. Writing that has begun is finished. */
const PATIENCE_MS = 30_000;

/** Delivers reports in this process: of imports that end in it, and those that an earlier one has left. */
export const openDelivering: OpenBeside = (parts) => {
  const { coordinator, dir } = parts;
  const book = openDeliveryBook(dir.catalog);
  const attempts = new EventEmitter<{ end: [] }>().setMaxListeners(0);
  const deliverer = new Deliverer({ ...parts, book, onAttempt: () => attempts.emit('end') });
  /** Imports that someone waits for in this process. */
  const own = new Set<string>();
  const onState = ({ id, state }: ImportRecord) => {
    if (!isFinal(state) || book.find(id) === undefined) return;
    own.add(id);
    deliverer.begin();
  };
  coordinator.events.on('state', onState);
  if (book.waiting().length > 0) deliverer.begin();

  const waits = () => [...own].filter((id) => book.find(id)?.arrivedAt === null);
  return {
    expect: (id) => own.add(id),
    lines: () =>
      waits().map((id) => {
        const { place = '', error = null } = book.find(id) ?? {};
        return `delivering the reports to ${addressName(place)}${error === null ? '' : `: ${error}`}`;
      }),
    leave: async (signal) => {
      const until = performance.now() + PATIENCE_MS;
      const over = new AbortController();
      const end = AbortSignal.any([signal, over.signal]);
      // Ends the wait for an attempt that is not under way.
      const late = sleep(PATIENCE_MS, undefined, { signal: end, ref: false }).catch(() => {});
      while (!signal.aborted && waits().length > 0) {
        const isLate = performance.now() >= until;
        if (isLate && !waits().some((id) => deliverer.isWriting(id))) break;
        const attempt = once(attempts, 'end', { signal: end }).catch(() => {});
        await (isLate ? attempt : Promise.race([attempt, late]));
      }
      over.abort();
      for (const id of waits()) book.lasts(id);
    },
    close: async () => {
      coordinator.events.off('state', onState);
      await deliverer.close();
      book.close();
    },
  };
};
