/** Whether there is as little room as on a phone: as table.css has it. */
export function isNarrow() {
  return matchMedia('(max-width: 52rem)').matches;
}
