import { join } from 'node:path';

/** Files of a check, in the folder of its import. */
export const checkFiles = (folder: string) => ({
  ledger: join(folder, 'ledger.sqlite'),
  check: join(folder, 'check.sqlite'),
  rows: join(folder, 'check.csv'),
  groups: join(folder, 'check-groups.csv'),
  summary: join(folder, 'check.json'),
});
