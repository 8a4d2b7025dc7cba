import type { Names } from '../../../cli/names.ts';
import { readCatalog } from '../../../platform/data-dir.ts';
import { openScheduleCatalogReader } from '../schedule-catalog.ts';

export const scheduleNames: Names = {
  wants: (command) => command.name() !== 'add',
  local: async (dataDir) =>
    readCatalog(dataDir, openScheduleCatalogReader, (reader) =>
      (reader?.list() ?? []).map(({ name, file }) => [name, file] as const),
    ),
};
