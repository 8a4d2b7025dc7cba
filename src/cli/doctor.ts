import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command } from 'commander';
import { createChatClient } from '../chat/client.ts';
import { judge } from '../chat/error-policy.ts';
import { readConfig } from '../config.ts';
import type { Region } from '../membership/membership.ts';
import { wrap } from '../report/terminal-text.ts';
import { type Service, serviceOf } from './compose.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { type CommonFlags, withDataDir, withJson } from './flags.ts';
import { type Io, say } from './io.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** What to do, when it is not well. */
  readonly remedy?: string;
}

/** Bytes that ought to be free: an import needs some 400 a row, reports included. */
const FREE_BYTES = 1_000_000_000;

/** `rollcall doctor`: whether an import would work, and how to mend what would not. Adds nobody anywhere. */
export function doctorCommand(io: Io, end: (code: Promise<ExitCode>) => Promise<void>): Command {
  const command = new Command('doctor');
  return withDataDir(withJson(command)).action((flags: CommonFlags) => end(doctor(io, flags)));
}

async function doctor(io: Io, flags: CommonFlags): Promise<ExitCode> {
  const config = readConfig(flags);
  const findings: Finding[] = [await checkDisk(config.dataDir)];
  findings.push(checkQueue());
  try {
    const service = serviceOf(config);
    findings.push({
      check: 'settings',
      ok: true,
      detail: `host ${service.host}, apps in ${Object.keys(service.apps).join(', ')}`,
    });
    findings.push(
      ...(await Promise.all((Object.keys(service.apps) as Region[]).map((region) => checkRegion(service, region)))),
    );
  } catch (error) {
    const [detail, remedy] = messageOf(error).split(/: (?=set )/);
    findings.push({ check: 'settings', ok: false, detail: detail ?? '', ...(remedy !== undefined && { remedy }) });
  }
  const ok = findings.every((finding) => finding.ok);
  if (flags.json) io.out.write(`${JSON.stringify({ ok, findings })}\n`);
  else {
    const width = Math.max(...findings.map(({ check }) => check.length));
    const indent = ' '.repeat(width + 9);
    const room = io.live ? io.width - indent.length : Number.POSITIVE_INFINITY;
    for (const { check, ok: well, detail, remedy = '' } of findings) {
      const texts = [detail, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}`].filter((text) => text !== '');
      const lines = texts.flatMap((text) => wrap(text, room));
      io.out.write(`${well ? 'ok   ' : 'WRONG'}  ${check.padEnd(width)}  ${lines.join(`\n${indent}`)}\n`);
    }
    say(io, '', ok ? 'Everything is well.' : 'Mend what is marked WRONG and run it again.');
  }
  return ok ? EXIT.ok : EXIT.usage;
}

async function checkDisk(folder: string): Promise<Finding> {
  const check = 'data directory';
  const probe = join(folder, `.doctor-${process.pid}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(probe, 'x');
    await rm(probe);
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const detail = `${folder}, ${(free / 1e9).toFixed(1)} GB free`;
    if (free >= FREE_BYTES) return { check, ok: true, detail };
    return { check, ok: false, detail, remedy: 'Free some disk, or name another directory with --data-dir' };
  } catch (error) {
    return {
      check,
      ok: false,
      detail: messageOf(error),
      remedy: 'Make it writable, or name another one with --data-dir',
    };
  }
}

function checkQueue(): Finding {
  return { check: 'queue', ok: true, detail: 'embedded: in the memory of the process that runs the import' };
}

/** Asks for the list of users: it needs the same address and key as adding members, and changes nothing. */
async function checkRegion(service: Service, region: Region): Promise<Finding> {
  const check = `region ${region}`;
  const { appId, apiKey } = service.apps[region] ?? { appId: '', apiKey: undefined };
  const name = `ROLLCALL_${region.toUpperCase()}`;
  try {
    const chat = createChatClient({
      region,
      appId,
      apiKey: apiKey ?? '',
      host: service.host,
      ...(service.ca !== undefined && { ca: service.ca }),
    });
    try {
      const startedAt = performance.now();
      await chat.listUsers();
      const ms = Math.round(performance.now() - startedAt);
      return { check, ok: true, detail: `app ${appId} answers in ${ms} ms and takes the key` };
    } catch (error) {
      const { code, message, kind, httpStatus } = judge(error, 1);
      const remedy =
        httpStatus === null
          ? `Check ROLLCALL_HOST (${service.host}), ${name}_APP_ID (${appId}), the network, and ROLLCALL_CA_FILE for a sandbox`
          : kind === 'stop-region'
            ? `Check ${name}_API_KEY (it needs the scope fullAccess) and ${name}_APP_ID (${appId})`
            : 'Try again; if it stays, ask the chat service';
      return { check, ok: false, detail: `${code}: ${message}`, remedy };
    } finally {
      await chat.close();
    }
  } catch (error) {
    return {
      check,
      ok: false,
      detail: messageOf(error),
      remedy: `Check ROLLCALL_HOST, ${name}_APP_ID and ${name}_API_KEY`,
    };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
