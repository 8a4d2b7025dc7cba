import { Command } from 'commander';
import { adoptDirectory } from '../../imports/life/copied-directory.ts';
import { rebuiltSentence } from '../../imports/rebuild-catalog.ts';
import { readConfig } from '../../platform/config.ts';
import { emptyPlace, hasCatalog } from '../../platform/data-dir.ts';
import { withFullStop } from '../../text/wording.ts';
import { noImports, rebuild } from '../client/kept-imports.ts';
import { catalogFault, checkCatalog, checkDisk, checkKeyFiles } from '../doctor-machine.ts';
import { checkService, checkTheQueue } from '../doctor-network.ts';
import { type Action, EXIT } from '../exit-codes.ts';
import { printFindings } from '../findings.ts';
import { type CommonFlags, withDataDir, withJson, withQueue } from '../flags/flags.ts';
import { type Io, printJson, say } from '../screen/io.ts';
import { showSteps } from '../screen/show-progress.ts';
import { sourceFindings, triedSources } from './sources-command.ts';

interface Flags extends CommonFlags {
  readonly rebuildCatalog?: boolean;
  readonly adopt?: boolean;
  readonly trySilent?: boolean;
}

/** `rollcall doctor`: whether an import would work, and how to fix what would not. Adds no one, but the test user of `--try-silent`. */
export function doctorCommand(action: Action) {
  const command = new Command('doctor')
    .option('--rebuild-catalog', 'make a new list of imports from their folders, where the old one is lost or damaged')
    .option('--adopt', 'let this data directory go on, where it is a copy or was restored from a backup')
    .option(
      '--try-silent',
      'import a new test user into a new test group in silence in each region, name both, and remove neither',
    );
  return withQueue(withDataDir(withJson(command))).action(action(doctor));
}

async function doctor(io: Io, flags: Flags) {
  const config = readConfig(flags);
  const { dir } = config;
  if (flags.rebuildCatalog) {
    const fault = catalogFault(dir);
    if (fault !== undefined && fault.code !== 'DAMAGED_LEDGER') throw fault;
    say(io, withFullStop(rebuiltSentence(dir, rebuild(dir))), '');
  }
  if (flags.adopt) {
    if (!hasCatalog(dir)) throw noImports(emptyPlace(dir));
    adoptDirectory(dir);
    say(io, `${dir.root} goes on from here: do not use its original or another copy any more.`, '');
  }
  if (config.hostCorrection !== undefined) say(io, `${config.hostCorrection}.`, '');
  const progress = showSteps(io, () => [], { begins: 'the queue and the service to answer' });
  const [disk, queue, service, sources] = await Promise.all([
    checkDisk(config.dataDir),
    checkTheQueue(config),
    checkService(config, flags.trySilent),
    triedSources(config),
  ]).finally(progress.stop);
  const findings = [
    disk,
    ...checkCatalog(dir),
    ...checkKeyFiles(),
    ...queue,
    ...service,
    ...sourceFindings(sources, 'source '),
  ];
  const ok = findings.every((finding) => finding.ok);
  if (flags.json) printJson(io, { ok, findings });
  else {
    printFindings(io, findings);
    say(io, '', ok ? 'Everything is fine.' : 'Fix what is marked WRONG, then run it again.');
  }
  return ok ? EXIT.ok : EXIT.usage;
}
