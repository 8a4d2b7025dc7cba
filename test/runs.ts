/**
 * The number of inputs that a property is tried with: a tenth of them, which differ each time, and all of them with the long
 * tests (`laws` in vitest.config.ts).
 */
export function runs(all: number): number {
  return process.env['ALL_RUNS'] === undefined ? Math.ceil(all / 10) : all;
}
