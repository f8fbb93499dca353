import { accessSync, constants, existsSync } from 'node:fs';
import { adminAddress, gatewayAddress, isRouteSecret, listAgents } from '../../config/index.js';
import { SvcError, systemReason } from '../../errors/index.js';
import { readCertificate } from '../../listener/listen.js';
import { httpSettings } from '../../mcp/http/http-settings.js';
import { isExpired, readTokens } from '../../mcp/tokens/token-store.js';
import { closing } from '../../support/async.js';
import { formatCountOf } from '../../support/format.js';
import { isLoopback } from '../../support/network.js';
import { DeliveryFile, deliveriesFile } from '../../webhooks/deliveries/delivery-file.js';
import { routeKey } from '../../webhooks/index.js';
import {
  type CheckReport,
  type ConfiguredWorld,
  configuredCheck,
  type Finding,
  faultOf,
  finding,
} from '../check.js';
import {
  type ConfiguredSecret,
  configuredSecrets,
  isWeak,
  resolveConfigured,
  weakness,
} from './secrets.js';

const PLUGIN = ['plugins', 'entries', 'webhooks'] as const;
/** Where the id of a route is in a path. */
const ROUTE_ID = 5;

/** Whether the webhook listener can serve its routes. */
export const webhooks = configuredCheck('webhooks', async (world) => {
  const { enabled, config } = world.loaded.resolved.plugins.entries.webhooks;
  const served = Object.values(config.routes).filter((route) => route.enabled);
  const findings = [
    enabled && served.length === 0 ? withoutRoutes(world) : undefined,
    ...(enabled ? await secretFindings(world) : []),
    ...gatewayFindings(world, enabled),
    enabled && config.deliveries.keep > 0 ? deliveryFinding(world) : undefined,
  ];
  const summary = enabled ? formatCountOf(served.length, 'route') : 'off';
  return { summary, findings, off: !enabled };
});

/** Whether what routes receive can be recorded. */
function deliveryFinding({ context }: ConfiguredWorld): Finding | undefined {
  const file = deliveriesFile(context.state.stateDir);
  try {
    const existing = DeliveryFile.openExisting(file);
    if (existing === undefined) return undefined;
    using record = closing(existing);
    const fault = record.fault();
    if (fault !== undefined) return unusableRecord(`${file} is damaged: ${fault}`, DAMAGED_HINT);
    accessSync(file, constants.W_OK);
    return undefined;
  } catch (error) {
    if (error instanceof SvcError) return unusableRecord(error.message, error.hint);
    const why = `${file} cannot be written: ${systemReason(error)}`;
    return unusableRecord(why, 'check the permissions of the file and its folder');
  }
}

const DAMAGED_HINT = 'stop the listener and move the file away; a new one is started';

function unusableRecord(message: string, hint: string | undefined): Finding {
  return finding('deliveries-unusable', 'warning', { message, hint });
}

function withoutRoutes({ placeOf }: ConfiguredWorld): Finding {
  return finding('webhooks-without-routes', 'warning', {
    message: 'webhooks are enabled, but no route is',
    place: placeOf([...PLUGIN, 'enabled']),
    hint: 'add a route to plugins.entries.webhooks.config.routes, or disable webhooks',
  });
}

async function secretFindings(world: ConfiguredWorld): Promise<CheckReport['findings']> {
  const { routes } = world.loaded.resolved.plugins.entries.webhooks.config;
  const served = configuredSecrets(world).filter(
    (secret) => isRouteSecret(secret.path) && routes[idOf(secret)]?.enabled === true,
  );
  const secrets = (await resolveConfigured(served, world)).map((secret) => {
    const outcome = routeKey(routes[idOf(secret)]?.verify, secret.outcome);
    return { ...secret, outcome };
  });
  const usable = new Set(secrets.filter(({ outcome }) => outcome.ok).map(idOf));
  const owners = new Map<string, string>();
  return secrets.flatMap((secret) => {
    const { outcome } = secret;
    const id = idOf(secret);
    if (!outcome.ok) return [unresolved(secret, outcome.error, usable.has(id))];
    const { value } = outcome;
    const isPair = routes[id]?.verify?.scheme === 'basic';
    const owner = owners.get(value);
    owners.set(value, owner ?? id);
    return [
      // The check of the configuration covers plain text.
      ...(isWeak(value) && secret.input.kind === 'reference'
        ? [{ ...weakness(`the secret of route ${id}`, isPair), place: secret.place }]
        : []),
      ...(owner === undefined || owner === id ? [] : [shared(secret, owner, id)]),
    ];
  });
}

function idOf({ path }: ConfiguredSecret): string {
  return String(path[ROUTE_ID]);
}

/** @param hasOther whether the route has another secret that can be used */
function unresolved(secret: ConfiguredSecret, error: SvcError, hasOther: boolean): Finding {
  const effect = hasOther ? 'does not accept one of its secrets' : 'cannot be served';
  return finding('secret-unresolved', hasOther ? 'warning' : 'fault', {
    message: `route ${idOf(secret)} ${effect}: ${error.message}`,
    place: secret.place,
    hint: error.hint,
  });
}

function shared({ place }: ConfiguredSecret, owner: string, id: string): Finding {
  return finding('secret-shared', 'warning', {
    message: `routes ${owner} and ${id} share a secret`,
    cause: 'whoever can call one can call the other',
    place,
    hint: 'generate one for each route: "svc webhook secret generate"',
  });
}

/** @param enabled without webhooks, only health checks are answered, which contain no secrets */
function gatewayFindings(world: ConfiguredWorld, enabled: boolean): CheckReport['findings'] {
  if (!enabled && adminAddress(world.loaded) !== undefined) return [];
  const { host, tls } = gatewayAddress(world.loaded, world.context);
  if (!enabled || isLoopback(host) || tls !== undefined)
    return tlsFindings(world, ['gateway'], tls);
  return [
    finding('gateway-open', 'warning', {
      message: `the listener at ${host} accepts connections from other machines without TLS`,
      cause: 'route secrets would be sent unencrypted',
      place: world.placeOf(['gateway', 'host']),
      hint: 'set gateway.tls, or listen on 127.0.0.1 behind a proxy with TLS',
    }),
  ];
}

/**
 * Why a certificate and its key cannot be used.
 *
 * @param base where `tls` is in the configuration
 * @param tls absolute paths
 */
function tlsFindings(
  { placeOf }: ConfiguredWorld,
  base: readonly string[],
  tls: { readonly cert: string; readonly key: string } | undefined,
): readonly Finding[] {
  if (tls === undefined) return [];
  const missing = (['cert', 'key'] as const)
    .filter((name) => !existsSync(tls[name]))
    .map((name) => {
      const setting = [...base, 'tls', name].join('.');
      return finding('tls-file-missing', 'fault', {
        message: `${tls[name]}, named in ${setting}, does not exist`,
        place: placeOf([...base, 'tls', name]),
        hint: `create it, or fix ${setting}`,
      });
    });
  if (missing.length > 0) return missing;
  try {
    readCertificate(tls);
    return [];
  } catch (error) {
    return [faultOf('tls-unusable', error, { place: placeOf([...base, 'tls']) })];
  }
}

const HTTP = ['mcp', 'http'] as const;

/** Whether `svc mcp --http` can serve clients on other machines. */
export const mcp = configuredCheck('mcp', async (world) => {
  const { stateDir } = world.context.state;
  try {
    const nowMs = world.context.clock.now();
    const tokens = readTokens(stateDir);
    const expired = tokens.filter((token) => isExpired(token, nowMs));
    const known = listAgents(world.loaded.resolved);
    const { address, publicOrigin } = httpSettings(world.loaded, NO_FLAGS, world.context);
    const findings = [
      ...expired.map(({ name }) => expiredFinding(name)),
      ...tokens.map(({ name, agent }) =>
        agent === null || known.some((id) => id === agent)
          ? undefined
          : unknownAgentFinding(name, agent),
      ),
      ...(publicOrigin !== undefined && expired.length === tokens.length ? [noToken(world)] : []),
      ...tlsFindings(world, HTTP, address.tls),
    ];
    const off = tokens.length === 0 && publicOrigin === undefined;
    const summary = off ? 'local programs only' : formatCountOf(tokens.length, 'token');
    return { summary, findings, off };
  } catch (error) {
    // The check of permissions covers the token file.
    const isInsecure = error instanceof SvcError && error.code === 'MCP_HTTP_INSECURE';
    const code = isInsecure ? 'mcp-insecure' : 'mcp-tokens-unusable';
    const place = isInsecure ? world.placeOf(HTTP) : undefined;
    return { summary: 'not usable', findings: [faultOf(code, error, { place })] };
  }
});

const NO_FLAGS = { host: undefined, port: undefined };

function expiredFinding(name: string): Finding {
  return finding('mcp-token-expired', 'note', {
    message: `the MCP token ${name} has expired`,
    cause: 'its client is refused',
    hint: `run "svc mcp token revoke ${name}"`,
  });
}

/** A note, because the server can have another configuration. */
function unknownAgentFinding(name: string, agent: string): Finding {
  return finding('mcp-token-agent-unknown', 'note', {
    message: `the MCP token ${name} is for the agent ${agent}, which is not configured`,
    cause: 'its client gets an error instead of an answer',
    hint: `add the agent to agents.list again, or run "svc mcp token revoke ${name}"`,
  });
}

function noToken({ placeOf }: ConfiguredWorld): Finding {
  return finding('mcp-without-token', 'warning', {
    message: 'mcp.http is open to other machines, but there is no valid token',
    place: placeOf(HTTP),
    hint: 'create one: "svc mcp token create NAME"',
  });
}
