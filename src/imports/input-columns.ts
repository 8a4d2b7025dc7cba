import { isTexts, storedJson } from '../platform/stored-json.ts';

/** The original columns of an input in order. @param input its row in the ledger; undefined before it was read */
export function columnsOfInput(input: Readonly<Record<string, unknown>> | undefined): string[] {
  return storedJson(String(input?.['columns'] ?? '[]'), 'the columns of a file', isTexts);
}
