/**
 * Until the next address of a host is tried, in milliseconds. Node's own 250 are less than a connection to another continent
 * may take, and less than a process may be busy; the next address, such as ::1, may be one at which nothing answers.
 */
export const NEXT_ADDRESS_MS = 2_000;
