/** The pages of the console, in the order of the navigation. Each is loaded when it is opened. */
import type { Page } from './place.ts';

interface PageEntry {
  /** With the name of what the page is about, if it is about one: `/imports/:id`. */
  path: string;
  title: string;
  load: () => Promise<{ Page: Page }>;
  /** Whether the navigation has it in its menu, for what is opened now and then; without it, other pages lead to it. */
  inMenu?: boolean;
}

export const PAGES: readonly PageEntry[] = [
  { path: '/', title: 'Now', inMenu: false, load: () => import('./view/start-page.tsx') },
  { path: '/imports', title: 'Imports', inMenu: false, load: () => import('./view/imports-page.tsx') },
  { path: '/imports/new', title: 'New import', load: () => import('./view/upload/new-file.tsx') },
  { path: '/imports/:id', title: 'Import', load: () => import('./view/import-page.tsx') },
  { path: '/syncs', title: 'Syncs', inMenu: false, load: () => import('../features/sync/pages/syncs.tsx') },
  { path: '/syncs/new', title: 'New sync', load: () => import('../features/sync/pages/new-sync.tsx') },
  { path: '/syncs/:id', title: 'Sync', load: () => import('../features/sync/pages/sync.tsx') },
  { path: '/ending', title: 'Ending soon', load: () => import('../features/sync/pages/ending.tsx') },
  { path: '/schedules/new', title: 'New schedule', load: () => import('../features/schedule/pages/schedule-form.tsx') },
  {
    path: '/schedules/:name/edit',
    title: 'Edit schedule',
    load: () => import('../features/schedule/pages/schedule-form.tsx'),
  },
  {
    path: '/schedules',
    title: 'Schedules',
    inMenu: false,
    load: () => import('../features/schedule/pages/schedules.tsx'),
  },
  { path: '/exports', title: 'Exports', inMenu: true, load: () => import('../features/export/page.tsx') },
  { path: '/members', title: 'Members', inMenu: true, load: () => import('./view/member-page.tsx') },
  { path: '/members/:uid', title: 'Members', load: () => import('./view/member-page.tsx') },
  { path: '/audit', title: 'Audit log', inMenu: true, load: () => import('./view/audit-page.tsx') },
  { path: '/settings', title: 'Settings', inMenu: true, load: () => import('./view/settings-page.tsx') },
  { path: '/login', title: 'Log in', load: () => import('./view/login-page.tsx') },
];
