import type { ImportView } from '../../api/imports.ts';
import { addressName } from '../../text/address-text.ts';
import type { CatalogReader, ImportRecord } from '../catalog.ts';

/**
 * Returns the place where the reports of an import were written or wait to be; undefined if they have no destination.
 */
export function deliveryOf(
  catalog: Pick<CatalogReader, 'delivery'>,
  { id }: Pick<ImportRecord, 'id'>,
): ImportView['delivery'] {
  const found = catalog.delivery(id);
  if (found === undefined) return undefined;
  const { place, since, arrivedAt, error } = found;
  const iso = (at: number) => new Date(at).toISOString();
  return {
    to: `${addressName(place).replace(/\/+$/, '')}/${id}/`,
    since: iso(since),
    arrivedAt: arrivedAt === null ? null : iso(arrivedAt),
    error,
  };
}
