import type { LifeFeature } from '../imports/life/feature.ts';
import type { OpenBeside } from './beside-imports.ts';

/** The features that take part in the life of imports: the only file below the doors that names features. */
export const FEATURES: readonly LifeFeature[] = [
  { repairing: async () => (await import('../features/repair/repairing.ts')).repairing },
  { foreseen: async () => (await import('../features/check/foreseen.ts')).foreseen },
];

/** The features that work beside imports. */
export const BESIDE: readonly (() => Promise<OpenBeside>)[] = [
  async () => (await import('../features/deliver/deliver-beside.ts')).openDelivering,
];
