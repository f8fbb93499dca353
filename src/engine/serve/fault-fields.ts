import { SvcError } from '../errors/index.js';

/** What the log says of a configuration that could not be used: every fault with its place. */
export function faultFields(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof SvcError)) return { err: error };
  const { code, location, details, hint } = error;
  const faults = details?.['faults'];
  return {
    code,
    ...(location === undefined ? {} : { at: placeOf(location) }),
    ...(Array.isArray(faults) ? { faults: faults.flatMap(faultWords) } : {}),
    ...(hint === undefined ? {} : { mend: hint }),
  };
}

function faultWords(fault: unknown): readonly string[] {
  if (typeof fault !== 'object' || fault === null) return [];
  if (!('message' in fault && 'location' in fault && 'path' in fault)) return [];
  const { location, message, path } = fault;
  return [`${placeOf(location)} ${String(path)}: ${String(message)}`];
}

function placeOf(location: unknown): string {
  if (typeof location !== 'object' || location === null) return '';
  const { file, line, column } = { file: '', line: 0, column: 0, ...location };
  return `${file}:${line}:${column}`;
}
