import { failure, filled, refusal, type Said } from './entry.ts';
import { option, words } from './named-options.ts';

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Flags and settings, the machine and its data directory, and the process that owns it. */
export const MACHINE_ERRORS = {
  BAD_USAGE: failure({
    title: 'Flags or arguments that cannot be used together, or not here',
  }),
  FLAG_NEEDS: failure({
    title: 'A flag has no effect without another one',
    sentence: '{flag} needs {needs}',
  }),
  FLAG_FOR_ADDRESS: failure({
    title: 'A flag for reading an address, where there is none',
    sentence: '{flag} is for addresses, and {place} is not one',
    remedy: 'leave it out',
  }),
  OUTPUT_EXISTS: failure({
    title: 'The file in `--output` exists',
    sentence: '{place} exists already',
    remedy: 'name another file with --output, or replace it with --overwrite',
  }),
  OUTPUT_FAILED: failure({
    title: 'The file in `--output` cannot be written',
    sentence: '{document} cannot be written: {why}',
    remedy: 'name another file with --output',
  }),
  BAD_SETTING: failure({
    title: 'An environment variable, an app id, a key, a host or a CA file cannot be used',
    sentence: (facts: Readonly<Record<string, string | undefined>>) => {
      if ('missing' in facts) return filled('{set} is set and {missing} is not: set both', facts);
      if ('path' in facts) return filled('{name} names {path}, which cannot be read: {why}', facts);
      if ('value' in facts) return filled('{name} is {"value"}; allowed {allowed}', facts);
      return filled('allowed' in facts ? '{name} holds a user name or password; allowed {allowed}' : '{what}', facts);
    },
  }),
  BAD_QUEUE_ADDRESS: failure({
    title: 'The address in `--queue` or `ROLLCALL_QUEUE` cannot be used',
  }),
  BAD_FAULT: failure({
    title: '`--faults` of the sandbox cannot be used',
    sentence: 'fault "{text}": {problem}',
  }),
  BAD_BEHAVIOUR: failure({ title: '`--behaviour` of the sandbox cannot be used' }),
  BAD_SEED: failure({ title: 'The seed file of the sandbox cannot be used' }),
  BAD_RECEIVER: failure({ title: 'The address in `--notify` cannot be used' }),
  BAD_SOURCE: failure({
    title: 'A source gives no file, or a place cannot be written to',
  }),
  PACKAGE_MISSING: refusal({
    title: 'A package is not installed',
    cause:
      'An address, mail or traces need it; the message has the command ([install](install.md#packages-for-some-uses)).',
    status: 400,
    advice: 'Install the package.',
    sentence: ({
      use,
      packages,
    }: {
      readonly use: string;
      readonly packages: readonly string[];
      /** The command that installs them. */
      readonly install: string;
    }) => {
      const [noun, are] = packages.length === 1 ? ['package', 'is'] : ['packages', 'are'];
      return `${use} need the ${noun} ${packages.join(', ')}, which ${are} not installed`;
    },
    remedy: 'install with `{install}`',
  }),
  DATA_DIR_COPIED: failure({
    title: 'The data directory is a copy, or was restored',
    cause: '`rollcall doctor --adopt` says that it is the one to go on ([backup](backup.md)).',
    sentence: ({ root, place }: Record<'root' | 'place' | 'adopt', string>) =>
      place === root
        ? `${root} was restored from a backup, or replaced by a copy: what was sent since is not in it. Nothing was sent`
        : `${root} is a copy of a data directory that was last used at ${place}: both would send the rest of its imports. Nothing was sent`,
    remedy: 'if this one is to go on, and no other copy, run `{adopt}`',
  }),
  DATA_DIR_IN_USE: failure({
    title: 'Another process uses the data directory',
    sentence: ({ root, address }: Record<'root', string> & { readonly address?: string | undefined }) =>
      `${root} is in use by ${address === undefined ? 'another rollcall process' : `the rollcall server at ${address}`}`,
    remedy: ({ address }) =>
      words`${address === undefined ? 'wait for it' : words`use it with ${option('server', address)}`}, or name another directory with ${option('dataDir')}`,
  }),
  AWAY: failure({
    title: 'The rollcall server that a command asks does not answer',
    exit: 4,
    sentence: 'the rollcall server at {url} does not answer: {why}',
    remedy: ({ why }) =>
      words`check that it runs, and its address in ${option('server')} or ROLLCALL_SERVER${/certificate/i.test(String(why)) ? '; ROLLCALL_CA_FILE names a certificate authority to trust' : ''}`,
  }),
  NO_ROLLCALL: failure({
    title: 'Something else than a rollcall server of this version answers at the address',
    exit: 4,
    sentence: 'what answers at {url} is not a rollcall server: {why}',
    remedy: 'check the address, and any proxy in front of the server',
  }),
  MOVED: failure({
    title: 'The address of the server leads to another one',
    sentence: '{url} sends elsewhere: to {"location"}',
    remedy: 'use the address there',
  }),
  DATA_DIR_UNUSABLE: failure({
    title: 'The data directory cannot be made or opened',
    sentence: '{root} cannot be used as data directory: {why}',
    remedy: words`name another directory with ${option('dataDir')}`,
  }),
  UNKNOWN_LEDGER: failure({
    title: 'Another version of rollcall has written the data directory',
    cause: 'Nothing in it was changed.',
    sentence: '{path} was written by another version of rollcall',
    remedy: words`nothing was changed: use that version, or another ${option('dataDir')} with this one`,
  }),
  DAMAGED_LEDGER: refusal<Said & { readonly path?: string }>({
    title: 'A file of the data directory is damaged',
    cause:
      'The disk, or another program that wrote into it. Other imports work; what `GET /v1/members` finds names imports that cannot be read in `unread`.',
    status: 500,
    exit: 4,
    advice:
      'Put the file that `detail` names back from a [backup](backup.md), or import the input again: members who were added before are reported as already members.',
  }),
  LEDGER_MISSING: refusal({
    title: 'The file with the rows of the import is gone',
    cause: 'It was deleted, or emptied by a crash of the system. Nothing is counted or sent without it.',
    status: 500,
    exit: 4,
    advice:
      'Put the file that `detail` names back from a [backup](backup.md), or import the input again: members who were added before are reported as already members.',
    sentence: '{path} is not there, or empty',
  }),
  CATALOG_INTACT: failure({
    title: '`doctor --rebuild-catalog` found nothing to repair',
    cause: 'Nothing was changed.',
    sentence: '{catalog} is intact, and a new one would be without its syncs and schedules: nothing was rebuilt',
    remedy: 'to make a new one all the same, move {catalog} away first',
  }),
  DATABASE_BUSY: refusal({
    title: 'Another program holds the data directory',
    cause:
      '`sqlite3` with an open transaction, a backup or an antivirus holds the file that is named. rollcall stands still for a quarter of a second at most: commands that send wait for the file as long as it takes, others for ten seconds, and imports that need it are `blocked` with `DATABASE_BUSY` and continue by themselves.',
    status: 503,
    exit: 4,
    sentence: 'another program holds {path}, such as sqlite3, a backup or an antivirus',
    advice: 'Send it again after the seconds in Retry-After; close what holds the file that `detail` names.',
    command: 'close it, and try again',
    page: 'Close what holds the file, and try again.',
  }),
  INTERRUPTED: failure({
    title: 'Ctrl-C came while the command waited for a file that another program holds',
    cause: 'Nothing was begun, and nothing was sent.',
    exit: 5,
    sentence: 'interrupted while another program held {path}; nothing was begun, and nothing was sent',
    remedy: 'run it again when that program lets go',
  }),
  DISK_FULL: refusal({
    title: "The server's disk is full",
    cause: 'Uploads, ledgers and reports have filled it. Deleting old imports, or `--keep`, makes room.',
    status: 507,
    exit: 4,
    sentence: ({ needed, free }: { readonly needed?: number; readonly free?: number }) =>
      needed === undefined || free === undefined
        ? 'the disk of the data directory has no room left'
        : `this file needs about ${megabytes(needed)} on the disk of the data directory, and ${megabytes(free)} are free`,
    advice: 'Make room on the disk of the data directory and send it again; nothing of it was kept.',
  }),
  TOO_FEW_FILES: failure({
    title: 'The system lets a process open fewer files than an import needs',
    cause: 'The limit is that of `ulimit -n`; nothing was begun.',
    sentence: 'this process may have {limit} files open, and it needs {needed}',
    remedy: 'raise the limit, such as with `ulimit -n {enough}`',
  }),
  READING_STOPPED: failure<Said & { readonly reason: 'busy' | 'deadline' | 'memory' | 'left' }>({
    title: 'Reading the rows took too much time or memory',
    exit: 4,
  }),
  OWNER_REFUSED: failure({
    title: 'The process that uses the data directory refuses the request',
  }),
  NO_OWNER: failure({
    title: 'The process that used the data directory has ended',
    sentence: 'the process that used the data directory has just ended',
    remedy: 'see how far it came with `rollcall list` or `rollcall sync list`, and give the command again',
  }),
  UNEXPECTED_ERROR: failure({
    title: 'An error that rollcall did not expect',
    cause:
      'Its stack is in the log, or in the file that the message names. Nothing is lost: `rollcall resume` continues an import.',
    exit: 4,
  }),
};
