import { z } from 'zod';
import { sentTo } from '../../api/fields.ts';
import { REGIONS } from '../../membership/membership.ts';

/** Scope of an export. Stored with it, so that it continues in the same way after an interruption. */
export const exportOptions = z.strictObject({
  /** Not given: all groups of the regions. */
  groups: z.array(z.string().min(1)).min(1).optional(),
  regions: z.array(z.enum(REGIONS)).min(1),
  /** Users with their fields, as a list of their own. */
  users: z.boolean().default(false),
  /** Groups with their fields, and no members. */
  groupsOnly: z.boolean().default(false),
  /** Read from a sandbox: it must not continue against the service itself. */
  sandbox: z.boolean().default(false),
  /** The target that is read. */
  target: sentTo.optional(),
});
export type ExportOptions = z.infer<typeof exportOptions>;

const EXPORT_STATES = [
  'running', // being read; after an interruption it can continue
  'completed', // everything that was asked for has been read
  'incomplete', // some groups could not be read
  'stopped', // a region refused every call, or a list could not be trusted; it can continue
] as const;
export type ExportState = (typeof EXPORT_STATES)[number];
