/** The pages of the console, in the order of the navigation. Each is loaded when it is opened. */
import type { Page } from './place.ts';

interface PageEntry {
  /** With the name of what the page is about, if it is about one: `/imports/:id`. */
  path: string;
  title: string;
  load: () => Promise<Page>;
  /** Whether the navigation has it in its menu, for what is opened now and then; without it, other pages lead to it. */
  inMenu?: boolean;
}

export const PAGES: readonly PageEntry[] = [
  { path: '/', title: 'Now', inMenu: false, load: async () => (await import('./view/start-page.tsx')).NowPage },
  {
    path: '/imports',
    title: 'Imports',
    inMenu: false,
    load: async () => (await import('./view/imports-page.tsx')).ImportsPage,
  },
  {
    path: '/imports/new',
    title: 'New import',
    load: async () => (await import('./view/upload/columns-step.tsx')).NewImportFile,
  },
  {
    path: '/imports/new/columns',
    title: 'Columns',
    load: async () => (await import('./view/upload/columns-step.tsx')).NewImportColumns,
  },
  { path: '/imports/:id', title: 'Import', load: async () => (await import('./view/import-page.tsx')).ImportPage },
  {
    path: '/syncs',
    title: 'Syncs',
    inMenu: false,
    load: async () => (await import('../features/sync/pages/syncs.tsx')).SyncsPage,
  },
  {
    path: '/syncs/new',
    title: 'New sync',
    load: async () => (await import('../features/sync/pages/syncs.tsx')).NewSyncFile,
  },
  {
    path: '/syncs/new/columns',
    title: 'Columns',
    load: async () => (await import('../features/sync/pages/syncs.tsx')).NewSyncColumns,
  },
  { path: '/syncs/:id', title: 'Sync', load: async () => (await import('../features/sync/pages/sync.tsx')).SyncPage },
  {
    path: '/ending',
    title: 'Ending soon',
    load: async () => (await import('../features/sync/pages/ending.tsx')).EndingPage,
  },
  {
    path: '/schedules/new',
    title: 'New schedule',
    load: async () => (await import('../features/schedule/pages/schedule-form.tsx')).ScheduleFormPage,
  },
  {
    path: '/schedules/:name/edit',
    title: 'Edit schedule',
    load: async () => (await import('../features/schedule/pages/schedule-form.tsx')).ScheduleFormPage,
  },
  {
    path: '/schedules',
    title: 'Schedules',
    inMenu: false,
    load: async () => (await import('../features/schedule/pages/schedules.tsx')).SchedulesPage,
  },
  {
    path: '/exports',
    title: 'Exports',
    inMenu: true,
    load: async () => (await import('../features/export/page.tsx')).ExportsPage,
  },
  {
    path: '/members',
    title: 'Members',
    inMenu: true,
    load: async () => (await import('./view/member-page.tsx')).MemberPage,
  },
  { path: '/members/:uid', title: 'Members', load: async () => (await import('./view/member-page.tsx')).MemberPage },
  {
    path: '/audit',
    title: 'Audit log',
    inMenu: true,
    load: async () => (await import('./view/audit-page.tsx')).AuditPage,
  },
  {
    path: '/settings',
    title: 'Settings',
    inMenu: true,
    load: async () => (await import('./view/settings-page.tsx')).SettingsPage,
  },
  { path: '/login', title: 'Log in', load: async () => (await import('./view/login-page.tsx')).LoginPage },
];
