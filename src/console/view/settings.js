/** How this server is set up, what its regions are doing, and who did what. Nothing can be changed here. */
import { request } from '../api.js';
import { connection } from '../connection.js';
import { fill, foreign, h, section } from '../element.js';
import { counted, grouped, size, time } from '../format.js';
import { errorNotice } from '../notice.js';
import { dataTable } from '../table.js';
import { regionSentence } from '../words.js';

/** @import { AuditPage, RegionStatus, Settings } from '../answers.d.ts' */
/** @import { Place } from '../place.d.ts' */

const REGIONS_EVERY_MS = 2000;
const AUDIT_SHOWN = 50;

/** @param {Place} place */
export function settingsPage({ session, signal }) {
  const facts = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const regions = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const audit = h('div', {}, h('p', { class: 'empty' }, 'Loading …'));
  const load = () => {
    void showFacts(facts, session.role, signal);
    if (session.role === 'operator') void showAudit(audit, signal);
  };
  load();
  connection.addEventListener('back', load, { signal });
  followRegions(regions, signal);
  return [
    h('h1', {}, 'Settings'),
    h(
      'p',
      { class: 'lead' },
      'Set when the server starts: by flags, the environment or ',
      h('code', {}, 'rollcall.config.json'),
      '. Keys are never shown.',
    ),
    section('server', 'This server', facts),
    section('regions', 'Regions', regions),
    ...(session.role === 'operator' ? [section('audit', 'Audit log', audit)] : []),
  ];
}

/**
 * @param {HTMLElement} place
 * @param {string} role
 * @param {AbortSignal} signal
 */
async function showFacts(place, role, signal) {
  try {
    /** @type {Settings} */
    const settings = await request('/v1/settings', { signal });
    const apps = Object.entries(settings.apps);
    /** @type {[string, import('../element.js').Child | import('../element.js').Child[]][]} */
    const list = [
      [
        'Sends to',
        settings.sandbox
          ? 'a sandbox in this process; nothing reaches the service'
          : foreign(settings.host ?? 'no host is set'),
      ],
      [
        'Apps',
        apps.length === 0
          ? 'none is set: nothing can be sent'
          : h(
              'ul',
              { class: 'plain' },
              apps.map(([region, app]) =>
                h('li', {}, h('b', {}, region), ' ', foreign(app.appId), app.keySet ? ', key set' : ', no key here'),
              ),
            ),
      ],
      ['Default region', settings.defaultRegion],
      ['Calls a minute', `${grouped(settings.callsPerMinute)} for each app`],
      ['Concurrent calls', `${grouped(settings.concurrency)} in each region`],
      [
        'Queue',
        h(
          'span',
          {},
          settings.queue === 'embedded' ? 'embedded (in memory)' : settings.queue,
          role === 'operator' && h('a', { href: '/queues' }, ' – open the queues'),
        ),
      ],
      [
        'Sent by',
        settings.queue === 'embedded' || settings.withWorkers ? 'this process' : 'worker processes elsewhere',
      ],
      ['Largest upload', size(settings.maxUploadBytes)],
      [
        'Finished imports are kept',
        settings.keepDays === null ? 'until someone deletes them' : counted(settings.keepDays, 'day'),
      ],
      ['Webhook', settings.notifyHost === null ? 'none' : foreign(settings.notifyHost)],
      ['Version', settings.version],
    ];
    fill(
      place,
      h(
        'dl',
        { class: 'facts roomy' },
        list.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value))),
      ),
    );
  } catch (error) {
    if (!signal.aborted) fill(place, errorNotice(error));
  }
}

/**
 * Asks again and again while the page is looked at.
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
function followRegions(place, signal) {
  const table = dataTable({
    caption: 'What each region is doing',
    key: ({ region }) => region,
    /** @type {import('../table.js').Column<RegionStatus>[]} */
    columns: [
      { label: 'Region', kind: 'main', cell: ({ region }) => region },
      { label: 'Now', kind: 'wide', cell: (status) => regionSentence(status) || 'Idle' },
      { label: 'In flight', kind: 'number', cell: ({ active }) => grouped(active) },
      { label: 'Waiting', kind: 'number', cell: ({ waiting }) => grouped(waiting) },
      { label: 'To retry', kind: 'number', cell: ({ delayed }) => grouped(delayed) },
      { label: 'Workers', kind: 'number', cell: ({ workers }) => grouped(workers) },
    ],
  });
  const ask = async () => {
    try {
      if (document.hidden || connection.away) return;
      /** @type {{ regions: RegionStatus[] }} */
      const { regions } = await request('/v1/regions', { signal });
      table.show(regions);
      if (regions.length > 0) fill(place, table.element);
      else
        fill(place, h('p', { class: 'empty' }, 'No region is in use yet. An import starts the regions that it needs.'));
    } catch (error) {
      if (!signal.aborted && !connection.away) fill(place, errorNotice(error));
    } finally {
      if (!signal.aborted) timer = setTimeout(ask, REGIONS_EVERY_MS);
    }
  };
  /** @type {number | undefined} */
  let timer;
  signal.addEventListener('abort', () => clearTimeout(timer));
  void ask();
}

/**
 * @param {HTMLElement} place
 * @param {AbortSignal} signal
 */
async function showAudit(place, signal) {
  const table = dataTable({
    caption: 'What operators did, newest first',
    key: (_, index) => index,
    /** @type {import('../table.js').Column<AuditPage['entries'][number]>[]} */
    columns: [
      { label: 'When', cell: ({ at }) => time(at, { seconds: true }) },
      { label: 'Who', kind: 'main', cell: ({ who }) => foreign(who) },
      { label: 'From', cell: ({ address }) => foreign(address) },
      { label: 'What', cell: ({ action }) => h('code', {}, action) },
      { label: 'Target', cell: ({ target }) => foreign(target) },
      { label: 'Detail', kind: 'wide', cell: ({ detail }) => foreign(detail) },
    ],
  });
  try {
    /** @type {AuditPage} */
    const { entries } = await request(`/v1/audit?limit=${AUDIT_SHOWN}`, { signal });
    table.show(entries);
    if (entries.length > 0) fill(place, table.element);
    else
      fill(
        place,
        h('p', { class: 'empty' }, 'Nothing yet. Uploads, pauses, cancellations and so on will be listed here.'),
      );
  } catch (error) {
    if (!signal.aborted) fill(place, errorNotice(error));
  }
}
