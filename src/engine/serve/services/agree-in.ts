import { isDeepStrictEqual } from 'node:util';
import type { ResolvedConfig } from '../../config/index.js';
import type { ServeSetup } from '../service.js';

/** Whether two setups have the same in these parts of the configuration. */
export function agreeIn(
  { loaded: a }: ServeSetup,
  { loaded: b }: ServeSetup,
  parts: readonly (keyof ResolvedConfig)[],
): boolean {
  return parts.every((part) => isDeepStrictEqual(a.resolved[part], b.resolved[part]));
}
