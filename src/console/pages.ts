/** The pages of the console, in the order of the navigation. */
import { ExportsPage } from '../features/export/page.tsx';
import { RepairPage } from '../features/repair/pages/repair.tsx';
import { ScheduleFormPage } from '../features/schedule/pages/schedule-form.tsx';
import { SchedulesPage } from '../features/schedule/pages/schedules.tsx';
import { SyncPage } from '../features/sync/pages/sync.tsx';
import { SyncsPage } from '../features/sync/pages/syncs.tsx';
import type { Page } from './place.ts';
import { AuditPage } from './view/audit-page.tsx';
import { ImportPage } from './view/import-page.tsx';
import { ImportsPage } from './view/imports-page.tsx';
import { LoginPage } from './view/login-page.tsx';
import { MemberPage } from './view/member-page.tsx';
import { SettingsPage } from './view/settings-page.tsx';
import { NowPage } from './view/start-page.tsx';

interface PageEntry {
  /** Matches its path. */
  pattern: RegExp;
  title: string;
  page: Page;
  /** Its link in the navigation; without one, other pages lead to it. */
  entry?: readonly [path: string, name: string];
}

export const PAGES: readonly PageEntry[] = [
  { pattern: /^\/$/, title: 'Now', page: NowPage, entry: ['/', 'Now'] },
  { pattern: /^\/imports$/, title: 'Imports', page: ImportsPage, entry: ['/imports', 'Imports'] },
  { pattern: /^\/imports\/([^/]+)$/, title: 'Import', page: ImportPage },
  { pattern: /^\/imports\/([^/]+)\/repair$/, title: 'Repair rows', page: RepairPage },
  { pattern: /^\/syncs$/, title: 'Syncs', page: SyncsPage, entry: ['/syncs', 'Syncs'] },
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
