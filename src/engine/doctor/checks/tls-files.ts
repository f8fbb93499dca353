import { existsSync } from 'node:fs';
import { type Finding, finding } from '../check.js';
import type { ConfiguredWorld } from '../world.js';

/**
 * Which files of a certificate do not exist.
 *
 * @param base where `tls` is in the configuration
 * @param tls absolute paths
 */
export function missingTlsFiles(
  { placeOf }: ConfiguredWorld,
  base: readonly string[],
  tls: { readonly cert: string; readonly key: string } | undefined,
): readonly Finding[] {
  if (tls === undefined) return [];
  return (['cert', 'key'] as const)
    .filter((name) => !existsSync(tls[name]))
    .map((name) => {
      const setting = [...base, 'tls', name].join('.');
      return finding('tls-file-missing', 'fault', {
        message: `${tls[name]}, named in ${setting}, does not exist`,
        place: placeOf([...base, 'tls', name]),
        hint: `create it, or fix ${setting}`,
      });
    });
}
