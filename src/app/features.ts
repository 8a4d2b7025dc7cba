import type { LifeFeature } from '../imports/life/feature.ts';

/** The features that take part in the life of imports: the only file below the doors that names features. */
export const FEATURES: readonly LifeFeature[] = [
  { repairing: async () => (await import('../features/repair/repairing.ts')).repairing },
  { foreseen: async () => (await import('../features/check/foreseen.ts')).foreseen },
];
