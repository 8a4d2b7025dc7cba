/** Files beside the input, in which its keys are looked up, with all that differs between the two. */
export const LOOKUPS = {
  identities: {
    field: 'uid',
    file: 'identity file',
    /** Options that name its columns. */
    columns: { keys: 'identityKey', id: 'identityUid' },
    /** Codes: `code` of a file that cannot be used, `unknownCode` of an invalid row. */
    code: 'BAD_IDENTITIES',
    unknownCode: 'UNKNOWN_IDENTITY',
    /** File in the folder of an import: keys that it does not have, each once. */
    unknown: 'unknown-identities.csv',
    example: 'people.csv',
    exampleKey: 'email',
    keyNames: [
      'login',
      'username',
      'userprincipalname',
      'upn',
      'employeenumber',
      'employeeid',
      'personnelnumber',
      'slackid',
    ],
    /** A key may have several, each with a scope and a region of its own. */
    isMany: false,
  },
  groups: {
    field: 'guid',
    file: 'group file',
    columns: { keys: 'groupKey', id: 'groupGuid' },
    code: 'BAD_GROUPS',
    unknownCode: 'UNKNOWN_GROUP',
    unknown: 'unknown-groups.csv',
    example: 'groups.csv',
    exampleKey: 'code',
    keyNames: ['code', 'name', 'groupcode', 'groupname', 'groupemail', 'source', 'sourcegroup'],
    isMany: true,
  },
} as const;

export type LookupName = keyof typeof LOOKUPS;
export const LOOKUP_NAMES = Object.keys(LOOKUPS) as readonly LookupName[];

/** Something for each of these files that is given. */
export type ByLookup<Value> = { readonly [Name in LookupName]?: Value };

/** The same for each that there is, made of another. */
export function mapLookups<Value, Made>(
  given: { readonly [Name in LookupName]?: Value | undefined },
  make: (value: Value, name: LookupName) => Made | undefined,
): ByLookup<Made> {
  return Object.fromEntries(
    LOOKUP_NAMES.flatMap((name) => {
      const value = given[name];
      const made = value === undefined ? undefined : make(value, name);
      return made === undefined ? [] : [[name, made]];
    }),
  );
}

/** Like `mapLookups`, but one after the other. */
export async function mapLookupsInTurn<Value, Made>(
  given: { readonly [Name in LookupName]?: Value | undefined },
  make: (value: Value, name: LookupName) => Promise<Made | undefined>,
): Promise<ByLookup<Made>> {
  const all: { [Name in LookupName]?: Made } = {};
  for (const name of LOOKUP_NAMES) {
    const value = given[name];
    const made = value === undefined ? undefined : await make(value, name);
    if (made !== undefined) all[name] = made;
  }
  return all;
}
