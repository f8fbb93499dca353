import { describeSecret } from '../../secrets/index.js';
import type { DoctorCheck } from '../check.js';
import type { Finding } from '../finding.js';
import { configuredSecrets, isRouteSecret, resolveConfigured } from '../secrets-in-config.js';
import { isWeak, weakness } from '../weak-secret.js';

/** Whether every reference leads to a value. Those of webhook routes are a check of their own. */
export const secrets: DoctorCheck = {
  name: 'secrets',
  needs: 'configuration',
  run: async (world) => {
    const all = configuredSecrets(world).filter((secret) => !isRouteSecret(secret));
    const references = all.filter(({ input }) => input.kind === 'reference');
    const outcomes = await resolveConfigured(references, world);
    const findings = references.flatMap((secret, at): readonly Finding[] => {
      const outcome = outcomes[at];
      const place = secret.place === undefined ? {} : { place: secret.place };
      if (outcome === undefined) return [];
      if (!outcome.ok) {
        const { message, hint } = outcome.error;
        return [
          {
            code: 'secret-unresolved',
            severity: 'fault',
            message: `${secret.name}: ${message}`,
            ...place,
            ...(hint === undefined ? {} : { hint }),
          },
        ];
      }
      // Keys are as long as their vendors make them; this one people make up.
      if (secret.name !== 'flows.notify.secret' || !isWeak(outcome.value)) return [];
      return [{ ...weakness(`${secret.name} (${describeSecret(secret.input)})`), ...place }];
    });
    const plain = all.length - references.length;
    const aside = plain === 0 ? '' : `, ${plain} in plain text`;
    const summary = `${references.length} reference${references.length === 1 ? '' : 's'}${aside}`;
    return { summary, findings, off: all.length === 0 };
  },
};
