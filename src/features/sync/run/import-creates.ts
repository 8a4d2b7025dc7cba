import { CREATE_FIELDS, type CreateOptions } from '../../../options/create-options.ts';
import { creationColumn } from '../plan/plan-csv.ts';
import { openPlanReader } from '../plan/plan-reading.ts';
import { planTotals } from '../plan/plan-totals.ts';

/**
 * Returns the users and groups that the import of a plan may create: as many as the plan names or its guards let pass,
 * so that more need another question. Its file has the fields in columns of their own. Undefined: nothing.
 * @param path of the plan
 */
export function importCreates(path: string, options: CreateOptions): CreateOptions | undefined {
  const plan = openPlanReader(path);
  try {
    const creating = plan.creating();
    const groups = planTotals(plan.groups(), creating).create?.groups ?? 0;
    if (creating === undefined || (groups === 0 && !options.users && !options.reactivate)) return undefined;
    const { limits, fields, missing } = creating;
    const found = missing === null ? 0 : missing.unknown + missing.deactivated;
    return {
      ...options,
      // Looking for groups takes a call each: none, where all of them were just listed.
      groups: groups > 0,
      columns: Object.fromEntries(
        CREATE_FIELDS.map((field) => [field, fields.includes(field) ? creationColumn(field) : '']),
      ),
      max: {
        users: { count: Math.max(limits.users, found) },
        groups: { count: Math.max(limits.groups, groups) },
      },
    };
  } finally {
    plan.close();
  }
}
