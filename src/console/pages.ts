/** The pages of the console, in the order of the navigation. Each is loaded when it is opened. */
import type { Page } from './place.ts';

interface PageEntry {
  /** Matches its path. */
  pattern: RegExp;
  title: string;
  load: () => Promise<Page>;
  /** Its link in the navigation; without one, other pages lead to it. */
  entry?: readonly [path: string, name: string];
}

const now = () => import('./view/start-page.tsx').then(({ NowPage }) => NowPage);
const imports = () => import('./view/imports-page.tsx').then(({ ImportsPage }) => ImportsPage);
const oneImport = () => import('./view/import-page.tsx').then(({ ImportPage }) => ImportPage);
const repair = () => import('../features/repair/pages/repair.tsx').then(({ RepairPage }) => RepairPage);
const syncs = () => import('../features/sync/pages/syncs.tsx').then(({ SyncsPage }) => SyncsPage);
const sync = () => import('../features/sync/pages/sync.tsx').then(({ SyncPage }) => SyncPage);
const scheduleForm = () =>
  import('../features/schedule/pages/schedule-form.tsx').then(({ ScheduleFormPage }) => ScheduleFormPage);
const schedules = () => import('../features/schedule/pages/schedules.tsx').then(({ SchedulesPage }) => SchedulesPage);
const exports = () => import('../features/export/page.tsx').then(({ ExportsPage }) => ExportsPage);
const member = () => import('./view/member-page.tsx').then(({ MemberPage }) => MemberPage);
const audit = () => import('./view/audit-page.tsx').then(({ AuditPage }) => AuditPage);
const settings = () => import('./view/settings-page.tsx').then(({ SettingsPage }) => SettingsPage);
const login = () => import('./view/login-page.tsx').then(({ LoginPage }) => LoginPage);

export const PAGES: readonly PageEntry[] = [
  { pattern: /^\/$/, title: 'Now', load: now, entry: ['/', 'Now'] },
  { pattern: /^\/imports$/, title: 'Imports', load: imports, entry: ['/imports', 'Imports'] },
  { pattern: /^\/imports\/([^/]+)$/, title: 'Import', load: oneImport },
  { pattern: /^\/imports\/([^/]+)\/repair$/, title: 'Repair rows', load: repair },
  { pattern: /^\/syncs$/, title: 'Syncs', load: syncs, entry: ['/syncs', 'Syncs'] },
  { pattern: /^\/syncs\/([^/]+)$/, title: 'Sync', load: sync },
  { pattern: /^\/schedules\/new$/, title: 'New schedule', load: scheduleForm },
  { pattern: /^\/schedules\/([^/]+)\/edit$/, title: 'Edit schedule', load: scheduleForm },
  { pattern: /^\/schedules$/, title: 'Schedules', load: schedules, entry: ['/schedules', 'Schedules'] },
  { pattern: /^\/exports$/, title: 'Exports', load: exports, entry: ['/exports', 'Exports'] },
  { pattern: /^\/members(?:\/([^/]+))?$/, title: 'Members', load: member, entry: ['/members', 'Members'] },
  { pattern: /^\/audit$/, title: 'Audit log', load: audit, entry: ['/audit', 'Audit'] },
  { pattern: /^\/settings$/, title: 'Settings', load: settings, entry: ['/settings', 'Settings'] },
  { pattern: /^\/login$/, title: 'Log in', load: login },
];
