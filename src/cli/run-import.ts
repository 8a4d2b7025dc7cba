import { statSync } from 'node:fs';
import type { ImportRecord } from '../imports/catalog.ts';
import type { Coordinator } from '../imports/life/coordinator.ts';
import { ledgerIsThere } from '../imports/lost-ledger.ts';
import { type ImportReader, openImportReader } from '../imports/report/import-reader.ts';
import { writtenBy } from '../imports/report/summarize.ts';
import type { StagingProgress } from '../imports/stage/stage-file.ts';
import { isFinal } from '../membership/import-state.ts';
import { messagesSentence } from '../membership/outcome-words.ts';
import type { DataDir } from '../platform/data-dir.ts';
import { intoOneFile } from '../platform/sqlite.ts';
import { type Io, say } from './screen/io.ts';
import { type Progress, showProgress } from './screen/show-progress.ts';

export function followImport(io: Io, dir: DataDir, coordinator: Coordinator, id: string): Progress {
  let staging: StagingProgress | undefined;
  let reader: ImportReader | undefined;
  const onStaging = (staged: string, progress: StagingProgress) => {
    if (staged === id) staging = progress;
  };
  coordinator.events.on('staging', onStaging);
  const onStart = ({ id: started, state }: Pick<ImportRecord, 'id' | 'state'>) => {
    if (started !== id || state !== 'running') return;
    coordinator.events.off('state', onStart);
    announce(io, dir.ledger(id));
  };
  coordinator.events.on('state', onStart);
  const totalBytes = sizeOf(coordinator.find(id).source);
  const progress = showProgress(io, {
    counters: () => {
      // There is no ledger while the input is read, or if it was refused.
      if (reader === undefined && ledgerIsThere(dir.ledger(id))) reader = openImportReader(dir.ledger(id));
      return reader?.counters();
    },
    staging: () => (staging === undefined ? undefined : { ...staging, totalBytes }),
    regions: () => coordinator.regions.status(),
  });
  return {
    stop: () => {
      progress.stop();
      coordinator.events.off('staging', onStaging);
      coordinator.events.off('state', onStart);
      reader?.close();
      if (isFinal(coordinator.find(id).state)) intoOneFile(dir.ledger(id));
    },
  };
}

/** Says before the first call what other users will see of it. */
function announce(io: Io, ledger: string): void {
  let reader: ImportReader;
  try {
    reader = openImportReader(ledger);
  } catch {
    // Such as for want of a file handle: what is only shown does not end an import.
    return;
  }
  const { writes } = writtenBy(reader.counters());
  reader.close();
  if (writes !== undefined) say(io, messagesSentence(writes));
}

function sizeOf(path: string): number | undefined {
  const status = statSync(path, { throwIfNoEntry: false });
  return status?.isFile() ? status.size : undefined;
}
