import { type KeptSettings, keptSettings } from '../../src/features/schedule/operations.ts';

/** The settings of a schedule that applies what its file says, every night, at the service. */
export function keptSchedule(changes: Partial<KeptSettings> & Pick<KeptSettings, 'file'>): KeptSettings {
  const plain = { cron: '30 2 * * *', tz: 'Europe/Rome', region: 'us' as const, apply: true };
  return keptSettings.parse({ ...plain, sandbox: false, restricted: false, ...changes });
}
