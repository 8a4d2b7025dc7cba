import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import type { Region } from '../../membership/membership.ts';
import { type DataDir, ownDataDir } from '../../platform/data-dir.ts';
import { shortenBusyTimeout, whenFree } from '../../platform/database-errors.ts';
import type { Backend } from '../../queue/backend.ts';
import { utcTime } from '../../text/wording.ts';
import { isCatalogLost, rebuildCatalog, rebuiltSentence, straysSentence } from '../rebuild-catalog.ts';
import { type LedgerThreads, openLedgerThreads } from '../report/ledger-threads.ts';
import type { RegionOpener } from '../send/region.ts';
import type { SendingConfig } from '../send/sending.ts';
import type { StageFile } from '../stage/staging.ts';
import type { Target } from '../target.ts';
import { type Asked, coordinatorOf } from './coordinator.ts';
import { openClaimed } from './copied-directory.ts';
import { type LifeEvents, openLife } from './life.ts';
import { sweepRemoved, sweepUnbegun } from './removal.ts';
import type { Wait } from './waits.ts';

/** A coordinator: its data directory, its queue and its regions. */
export interface CoordinatorOptions {
  readonly dir: DataDir;
  readonly backend: () => Promise<Backend>;
  /** Regions that have an app. */
  readonly regions: ReadonlySet<Region>;
  readonly openRegion: RegionOpener;
  /** Whether it sends to a sandbox. Imports for the service are not sent to a sandbox, nor the reverse. Default false. */
  readonly sandbox?: boolean;
  /** The target in the service; stored with each import. Default: not known. */
  readonly target?: Target | undefined;
  readonly config: SendingConfig;
  /** The time that imports are kept after they have finished, in ms. Default: until they are removed. */
  readonly keepMs?: number | undefined;
  /** Reads files into ledgers. Default: each in a thread of its own. */
  readonly stage?: StageFile | undefined;
  /** Bytes that are free on the disk of the data directory. Default: what the system says. */
  readonly free?: (() => Promise<number>) | undefined;
  /** Reads ledgers. Default: threads of this coordinator. */
  readonly openReading?: (() => LedgerThreads) | undefined;
  /** Whether requests wait, however long, while another program holds a database. Default: they are refused. */
  readonly patient?: boolean;
  /** Ends these waits. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
  /** Gets for what it waits, in a sentence. */
  readonly onWait?: ((sentence: string) => void) | undefined;
  /** Gets troubles that the queue recovers from by itself. */
  readonly onError: (error: Error) => void;
}

export async function openCoordinator(options: CoordinatorOptions) {
  const { dir, onError, onWait = () => {}, sandbox = false, openReading = openLedgerThreads } = options;
  // If the start fails, what was opened until then is closed.
  await using taken = new AsyncDisposableStack();
  taken.use(ownDataDir(dir));
  if (isCatalogLost(dir)) onError(new Error(rebuiltSentence(dir, rebuildCatalog(dir))));
  shortenBusyTimeout();
  const tell = ({ reason }: Pick<Wait, 'reason'>) => onWait(`Waiting since ${utcTime(Date.now())}: ${reason}.`);
  const patiently: Asked = (work) =>
    whenFree(work, { waits: ({ what: reason }) => tell({ reason }), signal: options.signal });
  const asked: Asked = options.patient === true ? patiently : async (work) => work();
  const catalog = await patiently(() => openClaimed(dir));
  taken.defer(() => catalog.close());
  await sweepRemoved(dir);
  const strays = sweepUnbegun(join(dir.root, 'imports'), (id) => catalog.find(id) !== undefined);
  if (strays.length > 0) onError(new Error(straysSentence(dir, strays)));
  // Any number of callers may wait for an import.
  const events = new EventEmitter<LifeEvents>().setMaxListeners(0);
  const backend = await options.backend();
  taken.defer(() => backend.close());
  const reading = openReading();
  taken.defer(() => reading.close());
  await patiently(catalog.countDeaths);
  const { regions, openRegion, config, stage, target, free } = options;
  const sendsTo = { sandbox, target };
  const life = openLife({
    dir,
    catalog,
    reading,
    events,
    sendsTo,
    stage,
    sending: { dir, catalog, backend, regions, openRegion, config, onError },
    waits: { free, tell },
  });
  const parts = {
    dir,
    catalog,
    life,
    events,
    reading,
    sendsTo,
    asked,
    strays,
    keepMs: options.keepMs,
    onError,
  };
  return coordinatorOf({ ...parts, resources: taken.move() });
}
