import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DataDir } from '../../platform/data-dir.ts';
import { PACKAGE_FOLDER } from '../../platform/package-folder.ts';

const SAMPLE = new URL('samples/first-import/members.csv', PACKAGE_FOLDER);

/** The folder that schedules may read where no setting names one and calls go to a sandbox. It is made with a sample; what people do in it stays. */
export async function sandboxSources({ sources }: Pick<DataDir, 'sources'>): Promise<string> {
  const made = await mkdir(sources, { recursive: true, mode: 0o700 });
  if (made !== undefined) await writeFile(join(sources, 'members.csv'), await readFile(SAMPLE), { mode: 0o600 });
  return sources;
}
