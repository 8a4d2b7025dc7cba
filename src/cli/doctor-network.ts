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
import { isError, messageOf, RollcallError } from '../errors/rollcall-error.ts';
import type { Region } from '../membership/membership.ts';
import type { Config } from '../platform/config.ts';
import { SERVICE_HOST } from '../platform/hosts.ts';
import { checkQueue } from '../queue/open-backend.ts';
import { counted } from '../text/wording.ts';
import { type Finding, failedCall, good, wrong } from './findings.ts';

/** Checks of `rollcall doctor` that ask others: the queue and the chat service. */

export async function checkTheQueue({ queue, caFile }: Config): Promise<Finding[]> {
  const check = 'queue';
  if (queue === undefined) return [good(check, 'embedded in the process that runs imports')];
  const remedy = 'Check ROLLCALL_QUEUE or --queue, and that its server runs and can be reached from here';
  try {
    const risks = await checkQueue(queue, caOf({ caFile }));
    const severe = risks.filter((risk) => risk.severe);
    if (severe.length === 0) return [good(check, ['redis answers', ...risks.map(({ text }) => text)].join(', but '))];
    return severe.map(({ text }) => {
      const [detail = text, todo] = text.split('; ');
      return wrong(check, detail, todo ?? remedy);
    });
  } catch (error) {
    const why = isError(error, 'BAD_QUEUE_ADDRESS') ? error.message : `it cannot be reached: ${messageOf(error)}`;
    return [wrong(check, why, remedy)];
  }
}

/** The role of this machine, by its queue and keys. @param triesSilence imports a test user into a test group in each region */
export async function checkService(config: Config, triesSilence = false): Promise<Finding[]> {
  const check = 'settings';
  const all = Object.keys(config.apps) as Region[];
  // With a queue, regions without a key here are for other workers.
  const asked = config.queue === undefined ? all : all.filter((region) => config.apps[region]?.apiKey !== undefined);
  try {
    if (config.queue !== undefined && asked.length === 0) {
      const regions = Object.keys(dispatchOnly(config).apps).join(', ');
      const host = config.host === undefined ? '' : `, for workers of host ${config.host}`;
      return [good(check, `coordinator without keys: workers in other processes send for ${regions}${host}`)];
    }
    const service = serviceOf(config, asked);
    const others = all.filter((region) => !asked.includes(region));
    const detail = [
      `host ${serviceTarget(service)?.host}${service.host === SERVICE_HOST ? ' (the service itself)' : ''}`,
      `apps in ${asked.join(', ')}`,
      ...(others.length === 0 ? [] : [`no key here for ${others.join(', ')}`]),
      ...(service.proxy === undefined ? [] : [`through the proxy ${new URL(service.proxy.url).host}`]),
    ];
    return [
      good(check, detail.join(', ')),
      ...(await Promise.all(asked.map((region) => checkRegion(service, region, triesSilence)))).flat(),
      ...(config.management === undefined || service.host === '' ? [] : [await checkApps(config, asked)]),
    ];
  } catch (error) {
    return [error instanceof RollcallError ? wrong(check, error.what, error.remedy) : wrong(check, messageOf(error))];
  }
}

/** Asks for the list of users: it needs the same address and key as adding members, and changes nothing. */
async function checkRegion(service: Service, region: Region, triesSilence: boolean) {
  const check = `region ${region}`;
  const { appId = '', url } = service.apps[region] ?? {};
  const name = `ROLLCALL_${region.toUpperCase()}`;
  const chat = clientOf(service, region, 1);
  try {
    const startedAt = performance.now();
    await chat.listUsers();
    const ms = Math.round(performance.now() - startedAt);
    return [
      good(check, `app ${appId} answers in ${ms} ms and takes key ${chat.keyFingerprint()}`),
      await checkLists(chat, region),
      ...(triesSilence ? [await trySilence(chat, region)] : []),
    ];
  } catch (error) {
    const app = `${name}_APP_ID (${appId})`;
    const address =
      url === undefined
        ? `ROLLCALL_HOST (${service.host}; the service itself is ${SERVICE_HOST})`
        : `${name}_URL (${url})`;
    const { code, kind, httpStatus } = judge(error, 1);
    const remedy =
      code === NOT_THE_SERVICE || code === BARE_404
        ? `Check the network, HTTPS_PROXY and NO_PROXY, then ${address} and ${app}`
        : httpStatus === null
          ? `Check ${address}, ${app}, the network and HTTPS_PROXY, and ROLLCALL_CA_FILE for a sandbox`
          : kind === 'stop-region'
            ? `Check ${name}_API_KEY (it needs the scope fullAccess) and ${app}`
            : 'Try again; if it happens again, ask the chat service';
    return [failedCall(check, error, remedy)];
  } finally {
    await chat.close();
  }
}

/** Whether the account has the apps of the settings, in these regions. */
async function checkApps(config: Config, regions: readonly Region[]) {
  const check = 'management';
  const management = managementClientOf(config);
  try {
    const apps = await management.listApps();
    const missing = regions.filter(
      (region) => !apps.some((app) => app.id === config.apps[region]?.appId && (app.region ?? region) === region),
    );
    const detail = `the account has ${counted(apps.length, 'app')}`;
    if (missing.length === 0) return good(check, `${detail}, and the apps above are among them`);
    const names = missing.map((region) => `${config.apps[region]?.appId} in ${region}`).join(', ');
    const remedy = 'See `rollcall apps`; correct the app id or its region, or the management key';
    return wrong(check, `${detail}, and not ${names}`, remedy);
  } catch (error) {
    const remedy =
      'Check ROLLCALL_MANAGEMENT_KEY and ROLLCALL_MANAGEMENT_SECRET, or unset them: imports do not need them';
    return failedCall(check, error, remedy);
  } finally {
    await management.close();
  }
}

const ASK_SERVICE = 'Ask the chat service whether plan and key include it';
const WITHOUT_LIST = {
  groups: `Checks of groups and exports fail. ${ASK_SERVICE}`,
  'members of a group': `Checks, syncs and exports fail, and imports cannot compare before they repeat. ${ASK_SERVICE}`,
  'banned users of a group': `Imports stop with BANS_UNKNOWN, because additions could lift bans; --no-ban-check sends without this protection. ${ASK_SERVICE}`,
};

/** Asks for a page of each list that protects members, with one entry. */
async function checkLists(chat: ChatClient, region: Region) {
  const check = `lists of ${region}`;
  const one = { perPage: 1 };
  let list: keyof typeof WITHOUT_LIST = 'groups';
  try {
    const [group] = (await chat.listPage('groups', '', 1, one)).entries;
    if (group === undefined) return good(check, 'there is no group yet to list members of');
    list = 'members of a group';
    await chat.listPage('members', group.guid, 1, one);
    list = 'banned users of a group';
    await chat.listPage('banned', group.guid, 1, one);
    return good(check, 'groups, members and banned users can be listed');
  } catch (error) {
    return failedCall(check, error, WITHOUT_LIST[list], `the ${list} cannot be listed: `);
  }
}

/** Imports a new user as a member of a new group. Both stay: only a person can see what else that has done. */
async function trySilence(chat: ChatClient, region: Region) {
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
      return wrong(check, detail, ASK_SERVICE);
    }
    const time = found.joinedAt === joinedAt ? 'joined when it was asked' : 'did not join when it was asked';
    return good(
      check,
      `user ${id} is in group ${id} and ${time}; a repeat says ${repeat}. Nothing was removed: see in your app whether the group has a message, and whether webhooks and notifications were sent; then delete both`,
    );
  } catch (error) {
    return failedCall(check, error, ASK_SERVICE, `no import in silence of ${id}: `);
  }
}
