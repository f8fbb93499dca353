import { isDeepStrictEqual } from 'node:util';
import { changeConfigValue, type ValueEdit } from '../config/authoring.js';
import {
  ENV_NAME,
  formatPath,
  type LoadedConfig,
  loadConfig,
  type ResolvedRoute,
  referencedVariable,
  type SecretInput,
} from '../config/index.js';
import { SvcError, type Warning } from '../errors/index.js';
import { describeSecret } from '../secrets/index.js';
import type { EngineContext } from '../support/context.js';
import { parsedJson, shellWord } from '../support/text.js';
import type { RotateOutput } from './output-schemas.js';
import { secretsOf } from './routes.js';
import { configuredRoute, openVerifier, routeIn } from './signed-request.js';

/** A step of replacing the secret of a route. */
export interface Rotation {
  readonly routeId: string;
  /** `add` makes another secret valid, a reference as in a configuration; `finish` leaves only the newest. */
  readonly step:
    | { readonly type: 'show' }
    | { readonly type: 'add'; readonly secret: string }
    | { readonly type: 'finish' };
  readonly configFile: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * Replaces the secret of a route without an outage: the old and the new one are valid until the sender uses the new
 * one. Changes nothing but the configuration file, and shows what to do next.
 *
 * @throws SvcError WEBHOOK_ROUTE_UNKNOWN, USAGE, SECRET_UNRESOLVED, and errors of editing the configuration
 */
export async function rotateSecret(
  { routeId, step, configFile, signal }: Rotation,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<{ readonly output: RotateOutput; readonly warnings: readonly Warning[] }> {
  const route = configuredRoute(routeId, loaded);
  if (step.type === 'show') return { output: outputOf(routeId, loaded, null), warnings: [] };
  const [newest, ...old] = secretsOf(route);
  const isLast = step.type === 'finish' && newest !== undefined && old.length > 0;
  const warnings = isLast
    ? await checkNewest({ route, routeId, signal }, newest, loaded, context)
    : [];
  const edit = (input: LoadedConfig['input']): ValueEdit => editOf(routeId, step, input);
  const changed = await changeConfigValue(context, edit, { configFile, signal });
  const output = outputOf(routeId, await loadConfig(context, { configFile }), changed.file);
  return { output, warnings: [...warnings, ...changed.warnings] };
}

/**
 * Checks that a route can be served with the secret that stays. The listener may have variables that this shell lacks,
 * so one in a variable only gets a warning.
 *
 * @throws SvcError SECRET_UNRESOLVED and others of an unusable secret
 */
async function checkNewest(
  {
    route,
    routeId,
    signal,
  }: { readonly route: ResolvedRoute } & Pick<Rotation, 'routeId' | 'signal'>,
  newest: SecretInput,
  loaded: LoadedConfig,
  context: EngineContext,
): Promise<readonly Warning[]> {
  const verify = route.verify && { verify: { ...route.verify, secrets: [newest] } };
  try {
    await openVerifier({ ...route, ...verify }, loaded, context, signal);
    return [];
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const message = `the newest secret of route ${routeId} cannot be used here: ${error.message}`;
    const { code, hint, details } = error;
    if (newest.kind === 'plain' || newest.source !== 'env') {
      throw new SvcError(code, message, { hint, ...(details && { details }), cause: error });
    }
    return [
      {
        code: 'SECRET_UNCHECKED',
        message,
        hint: 'make sure that the listener has it: "svc status" reports a route that is skipped',
      },
    ];
  }
}

function editOf(
  routeId: string,
  step: Exclude<Rotation['step'], { type: 'show' }>,
  input: LoadedConfig['input'],
): ValueEdit {
  // It may have been removed since it was resolved.
  const routes = input.plugins?.entries?.webhooks?.config?.routes ?? {};
  const { secret, verify, ...route } = routeIn(routes, routeId);
  const path = ['plugins', 'entries', 'webhooks', 'config', 'routes', routeId];
  const before = verify?.secrets ?? (secret === undefined ? [] : [secret]);
  if (step.type === 'finish' && before.length < 2) {
    throw new SvcError('USAGE', `only one secret of route ${routeId} is valid`, {
      hint: `add a new one first: "svc webhook secret rotate ${shellWord(routeId)} --add env:NAME"`,
    });
  }
  const secrets =
    step.type === 'finish'
      ? before.slice(0, 1)
      : [addedSecret(routeId, step.secret, before), ...before];
  // The key `secret` can contain only one.
  return verify === undefined
    ? {
        path: formatPath(path),
        value: JSON.stringify({ ...route, verify: { scheme: 'bearer', secrets } }),
      }
    : { path: formatPath([...path, 'verify', 'secrets']), value: JSON.stringify(secrets) };
}

/** A reference as it is written in a configuration. @throws SvcError USAGE if it is valid already, or no reference */
function addedSecret(routeId: string, argument: string, before: readonly unknown[]): unknown {
  const added = argument.startsWith('{') ? parsedJson(argument) : referenceIn(argument);
  if (!before.some((one) => isDeepStrictEqual(one, added))) return added;
  throw new SvcError('USAGE', `this secret of route ${routeId} is already valid`, {
    hint: `see what to do next: "svc webhook secret rotate ${shellWord(routeId)}"`,
  });
}

/** The name of a variable without `env:` would be a valid secret itself, and one that can be guessed. */
function referenceIn(argument: string): string {
  if (referencedVariable(argument) !== undefined) return argument;
  throw new SvcError('USAGE', '--add must be a reference to a secret, not the secret itself', {
    hint: ENV_NAME.test(argument)
      ? `for the variable, pass env:${argument}`
      : `store it in a variable, a file or a program, and pass a reference: env:NAME, or '{"source": "file", "provider": "ALIAS", "id": "value"}'`,
  });
}

function outputOf(routeId: string, loaded: LoadedConfig, file: string | null): RotateOutput {
  const route = configuredRoute(routeId, loaded);
  const secrets = secretsOf(route).map(describeSecret);
  return { route: routeId, file, secrets, next: stepsAfter(routeId, route, file) };
}

type Scheme = NonNullable<ResolvedRoute['verify']>['scheme'];

/** How to get a new secret, where any text is not one. */
const GENERATE: Partial<Record<Scheme, string>> = {
  basic:
    'generate a password, and store it with the user name, as in "user:password": svc webhook secret generate',
  'standard-webhooks':
    'let the sender generate a secret, or generate one, and store it: echo "whsec_$(openssl rand -base64 32)"',
};

function stepsAfter(routeId: string, route: ResolvedRoute, file: string | null): readonly string[] {
  const rotate = `svc webhook secret rotate ${shellWord(routeId)}`;
  const reload =
    'reload the listener with SIGHUP, or restart it if the secret is in a new variable';
  if (secretsOf(route).length > 1) {
    const change =
      'change the secret at the sender, and check its next requests: svc webhook routes';
    return [reload, change, `make the old secret invalid: ${rotate} --finish`];
  }
  if (file !== null) return [reload, 'delete the old secret where it is stored'];
  return [
    (route.verify && GENERATE[route.verify.scheme]) ??
      'generate a secret, or let the sender generate one, and store it: svc webhook secret generate',
    `make it valid in addition: ${rotate} --add env:NAME`,
  ];
}
