/** The pages of the console, in the order of the navigation: the only file of the console that names features. */
import { ExportsPage } from '../features/export/page.js';
import { RepairPage } from '../features/repair/pages/repair.js';
import { ScheduleFormPage } from '../features/schedule/pages/schedule-form.js';
import { SchedulesPage } from '../features/schedule/pages/schedules.js';
import { ComparePage } from '../features/sync/pages/compare.js';
import { SyncPage } from '../features/sync/pages/sync.js';
import { SyncsPage } from '../features/sync/pages/syncs.js';
import { AuditPage } from './view/audit.js';
import { ImportPage } from './view/import.js';
import { ImportsPage } from './view/imports.js';
import { LoginPage } from './view/login.js';
import { MemberPage } from './view/member.js';
import { NowPage } from './view/now.js';
import { SettingsPage } from './view/settings.js';

/** @import { Page } from './place.js' */

/**
 * @typedef {object} PageEntry
 * @property {RegExp} pattern of its path
 * @property {string} title
 * @property {Page} page
 * @property {readonly [path: string, name: string]} [entry] its link in the navigation; without one, other pages lead to it
 */

/** @type {readonly PageEntry[]} */
export const PAGES = [
  { pattern: /^\/$/, title: 'Now', page: NowPage, entry: ['/', 'Now'] },
  { pattern: /^\/imports$/, title: 'Imports', page: ImportsPage, entry: ['/imports', 'Imports'] },
  { pattern: /^\/imports\/([^/]+)$/, title: 'Import', page: ImportPage },
  { pattern: /^\/imports\/([^/]+)\/repair$/, title: 'Repair rows', page: RepairPage },
  { pattern: /^\/syncs$/, title: 'Syncs', page: SyncsPage, entry: ['/syncs', 'Syncs'] },
  { pattern: /^\/syncs\/compare$/, title: 'Compare two syncs', page: ComparePage },
  { pattern: /^\/syncs\/([^/]+)$/, title: 'Sync', page: SyncPage },
  { pattern: /^\/schedules\/new$/, title: 'New schedule', page: ScheduleFormPage },
  { pattern: /^\/schedules\/([^/]+)\/edit$/, title: 'Edit schedule', page: ScheduleFormPage },
  { pattern: /^\/schedules$/, title: 'Schedules', page: SchedulesPage, entry: ['/schedules', 'Schedules'] },
  { pattern: /^\/exports$/, title: 'Exports', page: ExportsPage, entry: ['/exports', 'Exports'] },
  { pattern: /^\/members(?:\/([^/]+))?$/, title: 'Members', page: MemberPage, entry: ['/members', 'Members'] },
  { pattern: /^\/audit$/, title: 'Audit log', page: AuditPage, entry: ['/audit', 'Audit'] },
  { pattern: /^\/settings$/, title: 'Settings', page: SettingsPage, entry: ['/settings', 'Settings'] },
  { pattern: /^\/login$/, title: 'Log in', page: LoginPage },
];
