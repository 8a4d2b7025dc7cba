import { badUsage } from '../errors/rollcall-error.ts';

/** Imports for the sandbox must not reach the service, and the reverse. */
export function checkTarget(command: string, id: string, wasSandbox: boolean, sandbox: boolean) {
  if (wasSandbox && !sandbox) {
    throw badUsage(`import ${id} was meant for the sandbox; type: ${command} --sandbox`);
  }
  if (!wasSandbox && sandbox) {
    throw badUsage(`import ${id} was not meant for the sandbox; leave out --sandbox, or import its file again with it`);
  }
}
