/** Options to tick, by their labels. */
export const CREATING_CHECKS = {
  createUsers: 'Create users the service does not know',
  createGroups: 'Create groups the service does not know',
  reactivate: 'Reactivate users who are deactivated',
};
export const BAN_CHECKS = { allowUnban: 'Add users who are banned, which lifts their ban' };
export const SILENT_CHECK = { silent: 'Without messages in groups: slower, and keeps when people joined' };
export const PLAN_CHECKS = {
  allowDemotion: 'Allow demotions',
  ...BAN_CHECKS,
  apply: 'Apply the plan at once, unless a guard objects',
};

/** Names for those that have none. */
export const NAME_LABELS = {
  userNameFrom: 'Use the UID as the name where there is none',
  groupNameFrom: 'Use the GUID as the name where there is none',
};

/** Values of options that forms offer, each first one being the default. */
export const CHOICES = {
  scope: ['participant', 'moderator', 'admin', 'ban'],
  groupType: ['public', 'private'],
  mode: ['add', 'mirror'],
  missing: ['report', 'remove', 'ban'],
  whose: ['all', 'ours'],
  left: ['re-add', 'keep-out', 'ask'],
  changed: ['restore', 'keep'],
} as const satisfies Record<string, readonly string[]>;

/**
 * Options by the labels of their controls: of the forms, and of texts about them on pages. They stand apart from the declarations,
 * because the browser loads nothing that checks values.
 */
export const LABELS: Readonly<Record<string, string>> = {
  guid: 'Group',
  scope: 'Scope',
  region: 'Region',
  onBehalfOf: 'Acting user',
  until: 'End',
  map: 'Use of column',
  sheet: 'Sheet',
  files: 'Files of the archive',
  format: 'Format',
  encoding: 'Encoding',
  delimiter: 'Delimiter',
  headerRow: 'Row of the header',
  skipLines: 'Lines to skip',
  scopeWords: 'Words of the scope column',
  identities: 'Identity file',
  groups: 'Group file',
  recipe: 'Recipe',
  tags: 'Tags',
  ...CREATING_CHECKS,
  createMap: 'Columns of new users and groups',
  groupType: 'Type of a new group',
  ...SILENT_CHECK,
  dryRun: 'Only check the file, send nothing yet (dry run)',
  first: 'Send only the first rows',
  maxErrors: 'Stop after errors',
  giveUpAfter: 'Wait for the service at most',
  expectRows: 'Rows that the file must have',
  minRows: 'Fewest rows that the file may have',
  mode: 'Mode',
  missing: 'Members not in the file',
  syncName: 'Name of the sync',
  whose: 'Of these',
  left: 'Users who have left',
  changed: 'Members whom others changed',
  protect: 'Protected UIDs',
  removeNamed: 'UIDs that may be removed',
  ...PLAN_CHECKS,
  cron: 'Cron expression',
  tz: 'Time zone',
  repair: 'Check the groups even if the file is unchanged',
  catchUp: 'Run once when the server starts, if a run was missed',
};
