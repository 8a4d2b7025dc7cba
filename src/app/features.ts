import type { LifeFeature } from '../imports/life/feature.ts';
import type { OpenBeside } from './beside.ts';

/** What features do in the life of imports: the only file below the doors that names features. */
export const FEATURES: readonly LifeFeature[] = [
  { repairing: async () => (await import('../features/repair/repairing.ts')).repairing },
  { foreseen: async () => (await import('../features/check/foreseen.ts')).foreseen },
];

/** What features do beside imports. */
export const BESIDE: readonly (() => Promise<OpenBeside>)[] = [
  async () => (await import('../features/deliver/beside.ts')).openDelivering,
];
