/** Options to tick, by their labels. */
export const CREATING_CHECKS = {
  createUsers: 'Create users the service does not know',
  createGroups: 'Create groups the service does not know',
  reactivate: 'Reactivate users who are deactivated',
};
export const BAN_CHECKS = { allowUnban: 'Add users who are banned, which lifts their ban' };
const SILENT_CHECK = { silent: 'Without messages in groups: slower, and keeps when people joined' };
export const PLAN_CHECKS = {
  allowDemotion: 'Allow demotions',
  ...BAN_CHECKS,
  apply: 'Apply the plan at once, unless a guard objects',
};

export const WAIT_LABELS = { giveUpAfter: 'Wait for the service at most' };
/** Options of an import that say how much of it is sent. */
export const AMOUNT_LABELS = { maxErrors: 'Stop after errors', first: 'Send only the first rows' };
/** Options of the runs of a schedule, besides those of their plans. */
const RUN_CHECKS = {
  repair: 'Check the groups even if the file is unchanged',
  catchUp: 'Run once when the server starts, if a run was missed',
};
export const RUN_LABELS = {
  ...RUN_CHECKS,
  ...WAIT_LABELS,
  expectRows: 'Rows that the file must have',
  minRows: 'Fewest rows that the file may have',
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

/** Options by the labels of their controls, apart from their declarations: the browser loads none that check values. */
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
  ...AMOUNT_LABELS,
  only: 'Send only these groups',
  ...RUN_LABELS,
  mode: 'Mode',
  missing: 'Members not in the file',
  syncName: 'Name of the sync',
  adopt: 'Imports that it adopts',
  whose: 'Of these',
  left: 'Users who have left',
  changed: 'Members whom others changed',
  protect: 'Protected UIDs',
  removeNamed: 'UIDs that may be removed',
  ...PLAN_CHECKS,
  cron: 'Cron expression',
  tz: 'Time zone',
};

/** Options that are ticked. */
export const TICKED: readonly string[] = Object.keys({
  ...CREATING_CHECKS,
  ...PLAN_CHECKS,
  ...SILENT_CHECK,
  ...RUN_CHECKS,
});

/** Examples and notes of controls, where an option needs any. */
export const HINTS: Readonly<Record<string, { placeholder?: string; note?: string }>> = {
  onBehalfOf: { note: 'Leave empty to let the service itself act.' },
  until: { note: 'A date, or 90d from now. Leave empty for memberships that do not end.' },
  files: { placeholder: 'members*.csv', note: 'Leave empty for all that can be read.' },
  first: { placeholder: '10' },
  maxErrors: { placeholder: '100 or 5%' },
  only: { placeholder: 'choir, team', note: 'The others wait until you resume.' },
  giveUpAfter: { placeholder: '30m or 12h', note: 'Leave empty to wait as long as it takes.' },
  expectRows: { placeholder: '1200', note: 'With another number nothing is sent.' },
  minRows: {
    placeholder: '90% or 1000',
    note: 'With fewer nothing is sent. A share is one of the rows of the last run.',
  },
  mode: {
    note: 'Add adds and raises members, and never removes any. Mirror also looks at members who are not in the file.',
  },
  left: { note: 'Users in the file whom this sync made members, and who are gone.' },
  changed: { note: 'Members of this sync whom others have banned or given another scope.' },
  syncName: {
    placeholder: 'nightly',
    note: 'With a name, the sync remembers its runs, for guards to compare, and whom it makes members. That of a schedule continues what the schedule remembers.',
  },
  adopt: { note: 'The id of a finished import: whom it added counts as added by this sync.' },
  protect: { placeholder: 'ann, ben', note: 'Never removed, banned or lowered.' },
  removeNamed: { placeholder: 'ann, ben', note: 'Even if they are owner, admin or protected.' },
};

/** Values of these options whose own word says too little. */
export const VALUE_LABELS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  scope: { ban: 'ban (refuse entry)' },
  whose: { ours: 'only those whom this sync made members' },
  left: { 're-add': 'add again', 'keep-out': 'keep out', ask: 'hold the plan, and ask' },
  changed: { restore: 'do as the file says', keep: 'leave as they are' },
};
