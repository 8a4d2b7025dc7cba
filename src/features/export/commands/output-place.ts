import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sourceContextOf } from '../../../app/ca-file.ts';
import { existsAlready, refuseExisting } from '../../../cli/flags/output-flags.ts';
import { addressFlagOf, sourceSettingsOf } from '../../../cli/flags/source-flags.ts';
import { badUsage } from '../../../errors/rollcall-error.ts';
import type { Config } from '../../../platform/config.ts';
import { writeWhole } from '../../../platform/files.ts';
import { isAddress, sourceName } from '../../../text/address-text.ts';
import type { ExportFlags } from './export-flags.ts';

/** The place of an export's files. */
export interface OutputPlace {
  /** The place of the main file: a whole path or an address. */
  readonly path: string;
  /** Writes one, whole or not at all. */
  put(path: string, bytes: AsyncIterable<Uint8Array | string>): Promise<void>;
  /** @throws BAD_USAGE where one is there, unless it may be replaced */
  refuseExisting(paths: readonly string[]): Promise<void>;
}

/** Undefined for standard output. @throws BAD_USAGE, BAD_SOURCE */
export async function outputPlace(config: Config, flags: ExportFlags): Promise<OutputPlace | undefined> {
  const { output } = flags;
  const remote = output === undefined ? undefined : await placeAtAddress(config, output, flags);
  if (remote !== undefined) return remote;
  const flag = addressFlagOf(flags);
  if (flag !== undefined) throw badUsage(`${flag} is for addresses, and --output is not one; leave it out`);
  if (output === undefined) return undefined;
  return { path: resolve(output), put: writeWhole, refuseExisting: async (paths) => refuseExisting(paths, flags) };
}

async function placeAtAddress(config: Config, output: string, flags: ExportFlags): Promise<OutputPlace | undefined> {
  if (!isAddress(output) && sourceName(output) === undefined) return undefined;
  // Loaded for those alone who need them.
  const [{ isAddressOrName, requestOf }, { writerTo }, { sourceAt }] = await Promise.all([
    import('../../../sources/named.ts'),
    import('../../../sources/spool.ts'),
    import('../../../sources/schemes.ts'),
  ]);
  if (!isAddressOrName(output, config.namedSources)) return undefined;
  const settings = await sourceSettingsOf(flags);
  const context = sourceContextOf(config);
  const { signal } = new AbortController();
  const at = (place: string) => sourceAt(requestOf(place, settings, context));
  const path = output.trim();
  // Refuses what can never be written, before anything is read.
  writerTo(await at(path));
  const isThere = async (place: string) => {
    const source = await at(place);
    const opened = await source.open(signal).catch(() => undefined);
    await opened?.close();
    return opened !== undefined;
  };
  return {
    path,
    put: async (place, bytes) => {
      // A file first: its size must be known, and a part of it may have to be sent again.
      const folder = await mkdtemp(join(tmpdir(), 'rollcall-export-'));
      try {
        const whole = join(folder, 'whole');
        await pipeline(bytes, createWriteStream(whole, { mode: 0o600 }));
        await writerTo(await at(place))(whole, signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    refuseExisting: async (places) => {
      if (flags.overwrite) return;
      for (const place of places) {
        if (await isThere(place)) throw existsAlready(place);
      }
    },
  };
}
