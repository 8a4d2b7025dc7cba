/**
 * Data centers of the service; each is part of the base address (docs/chat-service.md, 2). Everything about regions comes from
 * this list; ledgers keep its order as numbers, so a new one goes to the end (CONTRIBUTING.md says what else it takes).
 */
export const REGIONS = ['us', 'eu', 'in'] as const;
export type Region = (typeof REGIONS)[number];

/** Region of an app or a row that does not say. */
export const DEFAULT_REGION: Region = REGIONS[0];

export function isRegion(text: string): text is Region {
  return (REGIONS as readonly string[]).includes(text);
}

/** The same for each region. */
export function byRegion<Value>(of: (region: Region) => Value): Record<Region, Value> {
  return Object.fromEntries(REGIONS.map((region) => [region, of(region)])) as Record<Region, Value>;
}
