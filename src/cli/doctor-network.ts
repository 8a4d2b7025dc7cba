import { randomBytes } from 'node:crypto';
import { caOf } from '../app/ca-file.ts';
import {
  clientOf,
  dispatchOnly,
  managementClientOf,
  type Service,
  serviceOf,
  serviceTarget,
} from '../app/chat-service.ts';
import type { ChatClient } from '../chat/chat-client.ts';
import { judge } from '../chat/error-policy.ts';
import { BARE_404, NOT_THE_SERVICE } from '../chat/service/codes.ts';
import { messageOf } from '../errors/message-of.ts';
import { isError, RollcallError } from '../errors/rollcall-error.ts';
import type { Region } from '../membership/membership.ts';
import type { Config } from '../platform/config.ts';
import { SERVICE_HOST } from '../platform/hosts.ts';
import { checkQueue } from '../queue/open-backend.ts';
import { counted } from '../text/wording.ts';
import { triedSources } from './commands/sources-command.ts';

/** Checks of `rollcall doctor` that ask others: the queue, sources and the chat service. */

export interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
  /** Advice if the check failed. */
  readonly remedy?: string;
}

export async function checkTheQueue(config: Config): Promise<Finding[]> {
  const check = 'queue';
  if (config.queue === undefined) return [{ check, ok: true, detail: 'embedded in the process that runs imports' }];
  const remedy = 'Check ROLLCALL_QUEUE or --queue, and that its server runs and can be reached from here';
  try {
    const risks = await checkQueue(config.queue, caOf(config));
    const severe = risks.filter((risk) => risk.severe).map(({ text }) => text);
    const others = risks.filter((risk) => !risk.severe).map(({ text }) => `, but ${text}`);
    if (severe.length === 0) return [{ check, ok: true, detail: `redis answers${others.join('')}` }];
    return severe.map((text) => {
      const [detail = text, todo] = text.split('; ');
      return { check, ok: false, detail, remedy: todo ?? remedy };
    });
  } catch (error) {
    const why = isError(error, 'BAD_QUEUE_ADDRESS') ? error.message : `it cannot be reached: ${messageOf(error)}`;
    return [{ check, ok: false, detail: why, remedy }];
  }
}

export async function checkSources(config: Config): Promise<Finding[]> {
  const tried = await triedSources(config);
  return tried.map(({ name, address, detail, ...result }) => ({
    check: `source ${name}`,
    detail: `${address}: ${detail}`,
    ...result,
  }));
}

/** The role of this machine, by its queue and keys. @param triesSilence imports a test user into a test group in each region */
export async function checkService(config: Config, triesSilence = false): Promise<Finding[]> {
  const check = 'settings';
  const regions = Object.keys(config.apps) as Region[];
  const keyed = regions.filter((region) => config.apps[region]?.apiKey !== undefined);
  try {
    if (config.queue !== undefined && keyed.length === 0) {
      const { apps } = dispatchOnly(config);
      const host = config.host === undefined ? '' : `, for workers of host ${config.host}`;
      const detail = `coordinator without keys: workers in other processes send for ${Object.keys(apps).join(', ')}${host}`;
      return [{ check, ok: true, detail }];
    }
    // With a queue, regions without a key here are for other workers.
    const service = serviceOf(config, config.queue === undefined || keyed.length === 0 ? undefined : keyed);
    const remote = config.queue === undefined ? [] : regions.filter((region) => !keyed.includes(region));
    const detail = [
      `host ${serviceTarget(service)?.host}${service.host === SERVICE_HOST ? ' (the service itself)' : ''}`,
      `apps in ${(config.queue === undefined ? regions : keyed).join(', ')}`,
      ...(remote.length === 0 ? [] : [`no key here for ${remote.join(', ')}`]),
      ...(service.proxy === undefined ? [] : [`through the proxy ${new URL(service.proxy.url).host}`]),
    ].join(', ');
    const asked = config.queue === undefined ? regions : keyed;
    return [
      { check, ok: true, detail },
      ...(await Promise.all(asked.map((region) => checkRegion(service, region, triesSilence)))).flat(),
      ...(config.management === undefined || service.host === '' ? [] : [await checkApps(config, asked)]),
    ];
  } catch (error) {
    if (!(error instanceof RollcallError)) return [{ check, ok: false, detail: messageOf(error) }];
    const { what, remedy } = error;
    return [{ check, ok: false, detail: what, ...(remedy !== undefined && { remedy }) }];
  }
}

/** Asks for the list of users: it needs the same address and key as adding members, and changes nothing. */
async function checkRegion(service: Service, region: Region, triesSilence: boolean) {
  const check = `region ${region}`;
  const { appId = '', url } = service.apps[region] ?? {};
  const name = `ROLLCALL_${region.toUpperCase()}`;
  const address =
    url === undefined
      ? `ROLLCALL_HOST (${service.host}; the service itself is ${SERVICE_HOST})`
      : `${name}_URL (${url})`;
  try {
    const chat = clientOf(service, region, 1);
    try {
      const startedAt = performance.now();
      await chat.listUsers();
      const ms = Math.round(performance.now() - startedAt);
      const detail = `app ${appId} answers in ${ms} ms and takes key ${chat.keyFingerprint()}`;
      const silence = triesSilence ? [await trySilence(chat, region)] : [];
      return [{ check, ok: true, detail }, await checkLists(chat, region), ...silence];
    } catch (error) {
      const { code, message, kind, httpStatus } = judge(error, 1);
      const remedy =
        code === NOT_THE_SERVICE || code === BARE_404
          ? `Check the network, HTTPS_PROXY and NO_PROXY, then ${address} and ${name}_APP_ID (${appId})`
          : httpStatus === null
            ? `Check ${address}, ${name}_APP_ID (${appId}), the network and HTTPS_PROXY, and ROLLCALL_CA_FILE for a sandbox`
            : kind === 'stop-region'
              ? `Check ${name}_API_KEY (it needs the scope fullAccess) and ${name}_APP_ID (${appId})`
              : 'Try again; if it happens again, ask the chat service';
      return [{ check, ok: false, detail: `${code}: ${message}`, remedy }];
    } finally {
      await chat.close();
    }
  } catch (error) {
    const remedy = `Check ${address}, ${name}_APP_ID and ${name}_API_KEY`;
    return [{ check, ok: false, detail: messageOf(error), remedy }];
  }
}

/** Whether the account has the apps of the settings, in these regions. */
async function checkApps(config: Config, regions: readonly Region[]) {
  const check = 'management';
  const management = managementClientOf(config);
  try {
    const apps = await management.listApps();
    const ledgerIsThere = (region: Region) =>
      apps.some((app) => app.id === config.apps[region]?.appId && (app.region ?? region) === region);
    const missing = regions.filter((region) => !ledgerIsThere(region));
    const detail = `the account has ${counted(apps.length, 'app')}`;
    if (missing.length === 0) return { check, ok: true, detail: `${detail}, and the apps above are among them` };
    const names = missing.map((region) => `${config.apps[region]?.appId} in ${region}`).join(', ');
    const remedy = 'See `rollcall apps`; correct the app id or its region, or the management key';
    return { check, ok: false, detail: `${detail}, and not ${names}`, remedy };
  } catch (error) {
    const { code, message } = judge(error, 1);
    const remedy =
      'Check ROLLCALL_MANAGEMENT_KEY and ROLLCALL_MANAGEMENT_SECRET, or unset them: imports do not need them';
    return { check, ok: false, detail: `${code}: ${message}`, remedy };
  } finally {
    await management.close();
  }
}

/** Asks for a page of each list that protects members, with one entry. */
async function checkLists(chat: ChatClient, region: Region) {
  const check = `lists of ${region}`;
  const one = { perPage: 1 };
  let list = 'groups';
  try {
    const [group] = (await chat.listPage('groups', '', 1, one)).entries;
    if (group === undefined) return { check, ok: true, detail: 'there is no group yet to list members of' };
    list = 'members of a group';
    await chat.listPage('members', group.guid, 1, one);
    list = 'banned users of a group';
    await chat.listPage('banned', group.guid, 1, one);
    return { check, ok: true, detail: 'groups, members and banned users can be listed' };
  } catch (error) {
    const { code, message } = judge(error, 1);
    const detail = `the ${list} cannot be listed: ${code}, ${message}`;
    return { check, ok: false, detail, remedy: WITHOUT_LIST[list] ?? '' };
  }
}

/** Imports a new user as a member of a new group. Both stay: only a person can see what else that has done. */
async function trySilence(chat: ChatClient, region: Region): Promise<Finding> {
  const check = `silence in ${region}`;
  const id = `rollcall-try-${randomBytes(4).toString('hex')}`;
  const now = Math.floor(Date.now() / 1_000);
  const joinedAt = now - 3_600;
  const memberId = `${id}_member_${id}`;
  const member = { memberId, guid: id, uid: id, scope: 'participant', joinedAt };
  const imported = async (what: 'users' | 'groups' | 'members', key: string, entity: object) => {
    const { success, error } = (await chat.importEntities(what, new Map([[key, entity]]))).entries.get(key) ?? {};
    return success === true ? 'no difference' : (error?.code ?? error?.message ?? 'nothing');
  };
  try {
    const said = [
      await imported('users', id, { uid: id, name: id }),
      await imported('groups', id, { guid: id, name: id, type: 'private', createdAt: now - 86_400 }),
      await imported('members', memberId, member),
    ];
    const repeat = await imported('members', memberId, member);
    const found = (await chat.listPage('members', id, 1)).entries.find(({ uid }) => uid === id);
    if (found === undefined) {
      const detail = `no import in silence: the user, the group and the member ${id} got ${said.join(', ')}`;
      return { check, ok: false, detail, remedy: ASK_SERVICE };
    }
    const time = found.joinedAt === joinedAt ? 'joined when it was asked' : 'did not join when it was asked';
    const detail = `user ${id} is in group ${id} and ${time}; a repeat says ${repeat}. Nothing was removed: see in your app whether the group has a message, and whether webhooks and notifications were sent; then delete both`;
    return { check, ok: true, detail };
  } catch (error) {
    const { code, message } = judge(error, 1);
    return { check, ok: false, detail: `no import in silence of ${id}: ${code}, ${message}`, remedy: ASK_SERVICE };
  }
}

const ASK_SERVICE = 'Ask the chat service whether plan and key include it';
const WITHOUT_LIST: Readonly<Record<string, string>> = {
  groups: `Checks of groups and exports fail. ${ASK_SERVICE}`,
  'members of a group': `Checks, syncs and exports fail, and imports cannot compare before they repeat. ${ASK_SERVICE}`,
  'banned users of a group': `Imports stop with BANS_UNKNOWN, because additions could lift bans; --no-ban-check sends without this protection. ${ASK_SERVICE}`,
};
