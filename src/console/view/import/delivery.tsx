/** The places of an import's reports, written or still to be written. */
import { foreign } from '../../element.tsx';
import { RelativeTime } from '../../relative-time.tsx';
import type { LiveImport } from './live-import.ts';

export function ImportDelivery({ live }: { live: LiveImport }) {
  const delivery = live.view.value?.delivery;
  if (delivery === undefined) return null;
  const { to, since, arrivedAt, error } = delivery;
  if (arrivedAt !== null) {
    return (
      <p class="note">
        Reports delivered to {foreign(to)} <RelativeTime iso={arrivedAt} />
      </p>
    );
  }
  if (error === null) return <p class="note">Reports are being delivered to {foreign(to)}</p>;
  return (
    <p class="notice attention">
      The reports wait to be delivered to {foreign(to)} since <RelativeTime iso={since} />, and are tried again by
      themselves. The last attempt: {foreign(error)}
    </p>
  );
}
