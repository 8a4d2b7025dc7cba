import { isAbsolute } from 'node:path';
import type { ImportOptions } from '../imports/import-options.ts';
import { allowedFolder, checkAllowed } from '../sources/allowed-sources.ts';
import { checkedAddress, settingsToWrite } from '../sources/schemes.ts';
import { SourceNotAllowed } from '../sources/source-errors.ts';
import { isAddress, isRemote } from '../text/address-text.ts';
import { Problem } from './problem.ts';
import { optionProblem } from './refusals.ts';

type ReportTo = NonNullable<ImportOptions['reportTo']>;

/**
 * Returns the destination of reports that the API may use: only in or below the places of the setting
 * ROLLCALL_REPORT_TARGETS. Sources have another list, so that no one who may name a source can write there.
 * @throws Problem BAD_OPTION
 */
export async function allowedTarget(
  given: Pick<ReportTo, 'place'> | undefined,
  targets: readonly string[] = [],
): Promise<{ readonly reportTo?: ReportTo }> {
  if (given === undefined) return {};
  const place = given.place.trim();
  try {
    if (!isRemote(place)) return { reportTo: { place: await folderFor(place, targets), settings: {} } };
    if (isAddress(place)) checkedAddress(place, settingsToWrite(place, {}));
    await checkAllowed(`${place.replace(/\/+$/, '')}/`, targets);
    return { reportTo: { place, settings: {} } };
  } catch (error) {
    if (error instanceof SourceNotAllowed) throw refused(targets);
    throw optionProblem('reportTo', error);
  }
}

/** @throws SourceNotAllowed also where it is not there, so that the answer does not reveal what there is */
async function folderFor(path: string, targets: readonly string[]): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) throw refused(targets);
  return allowedFolder(path, targets).catch((error: unknown) => {
    if (error instanceof SourceNotAllowed) throw error;
    throw new Problem('BAD_OPTION', `There is no folder ${JSON.stringify(path)} on the server.`, { field: 'reportTo' });
  });
}

function refused(targets: readonly string[]): Problem {
  return targets.length === 0
    ? new Problem('BAD_OPTION', 'This server writes no reports elsewhere for those who ask over the API.', {
        field: 'reportTo',
        remedy: 'Set ROLLCALL_REPORT_TARGETS to folders, buckets and hosts where it is started.',
      })
    : new Problem('BAD_OPTION', 'Reports may not be written there.', {
        field: 'reportTo',
        possible: targets,
        remedy: `Name a place in or below ${targets.join(', ')}.`,
      });
}
