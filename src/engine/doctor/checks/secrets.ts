import {
  formatPath,
  isRouteSecret,
  LEAST_SECRET_CHARS,
  writtenSecrets,
} from '../../config/index.js';
import { describeSecret, resolveSecrets, type SecretOutcome } from '../../secrets/index.js';
import { formatCountOf } from '../../support/format.js';
import { type ConfiguredWorld, configuredCheck, type Finding, finding } from '../check.js';

/** Whether every reference resolves. The check `webhooks` covers those of routes. */
export const secrets = configuredCheck('secrets', async (world) => {
  const all = configuredSecrets(world).filter(({ path }) => !isRouteSecret(path));
  const references = all.filter(({ input }) => input.kind === 'reference');
  const findings = (await resolveConfigured(references, world)).map((secret) => {
    const { outcome, place } = secret;
    if (!outcome.ok) {
      const { message, hint } = outcome.error;
      return finding('secret-unresolved', 'fault', {
        message: `${secret.name}: ${message}`,
        place,
        hint,
      });
    }
    // Vendors choose the length of keys; people choose this one.
    if (!signsNotifications(secret) || !isWeak(outcome.value)) return undefined;
    return { ...weakness(`${secret.name} (${describeSecret(secret.input)})`), place };
  });
  const plain = all.length - references.length;
  const aside = plain === 0 ? '' : `, ${plain} in plain text`;
  const summary = `${formatCountOf(references.length, 'reference')}${aside}`;
  return { summary, findings, off: all.length === 0 };
});

/** Whether a secret that a person chose is too short. */
export function isWeak(value: string): boolean {
  return value.length < LEAST_SECRET_CHARS;
}

/** The finding for a weak secret. @param name never the value @param isPair whether it is `user:password` */
export function weakness(name: string, isPair = false): Finding {
  return finding('secret-weak', 'warning', {
    message: `${name} has fewer than ${LEAST_SECRET_CHARS} characters`,
    cause: 'it is easy to guess',
    hint: isPair
      ? 'use user:password with a generated password: "svc webhook secret generate"'
      : 'generate a new one: "svc webhook secret generate"',
  });
}

export type ConfiguredSecret = ReturnType<typeof configuredSecrets>[number];

/** Every secret and reference of the configuration, in the order of the file. */
export function configuredSecrets(world: ConfiguredWorld) {
  const { input, resolved } = world.loaded;
  return (
    writtenSecrets(input, resolved.secrets.defaults)
      // Variables of programs and logins in addresses are used as they are written.
      .filter(({ kind, inAddress }) => !inAddress && kind !== 'variable')
      .map(({ path, secret }) => ({
        path,
        // Like `models.providers.corp.apiKey`.
        name: formatPath(path),
        input: secret,
        place: world.placeOf(path),
      }))
  );
}

/** Resolves secrets and masks their values in all findings; see resolveSecrets. */
export async function resolveConfigured<Secret extends Pick<ConfiguredSecret, 'input'>>(
  configured: readonly Secret[],
  { context, loaded, mask, signal }: ConfiguredWorld,
): Promise<readonly (Secret & { readonly outcome: SecretOutcome })[]> {
  const settings = loaded.resolved.secrets;
  const inputs = configured.map(({ input }) => input);
  const onSecret = (value: string): void => {
    mask.learn(value);
    context.onSecret?.(value);
  };
  const outcomes = await resolveSecrets(inputs, { env: context.env, settings, signal, onSecret });
  return outcomes.flatMap((outcome, at) => {
    const secret = configured[at];
    return secret === undefined ? [] : [{ ...secret, outcome }];
  });
}

function signsNotifications({ path }: ConfiguredSecret): boolean {
  return path.at(-1) === 'secret' && (path[1] === 'notify' || path.at(-2) === 'callback');
}
