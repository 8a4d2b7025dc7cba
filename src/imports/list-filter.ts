import type { ImportFilterQuery } from '../api/imports.ts';
import type { ImportFilter } from './catalog.ts';

/** A filter for the catalog, as the API and the command line give it. */
export function filterOf(query: ImportFilterQuery): ImportFilter {
  const { state, kind, search, from, to, createdBy, tags, problems } = query;
  return {
    ...(state !== undefined && { states: state }),
    ...(kind !== undefined && { kinds: kind }),
    ...(search !== undefined && search !== '' && { search }),
    ...(from !== undefined && { since: from }),
    ...(to !== undefined && { until: to }),
    ...(createdBy !== undefined && createdBy !== '' && { createdBy }),
    ...(tags !== undefined && tags.length > 0 && { tags }),
    ...(problems === 'true' && { problems: true }),
  };
}
