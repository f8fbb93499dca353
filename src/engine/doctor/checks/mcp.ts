import { SvcError } from '../../errors/index.js';
import { httpSettings } from '../../mcp/http/http-settings.js';
import { isExpired, readTokens } from '../../mcp/tokens/token-store.js';
import { formatCountOf } from '../../support/format.js';
import { type DoctorCheck, type Finding, finding } from '../check.js';
import type { ConfiguredWorld } from '../world.js';
import { missingTlsFiles } from './tls-files.js';

const HTTP = ['mcp', 'http'] as const;

/** Whether `svc mcp --http` can serve clients on other machines. */
export const mcp: DoctorCheck = {
  name: 'mcp',
  needs: 'configuration',
  run: async (world) => {
    const { stateDir } = world.context.state;
    try {
      const nowMs = world.context.clock.now();
      const tokens = readTokens(stateDir);
      const expired = tokens.filter((token) => isExpired(token, nowMs));
      const { address, publicOrigin } = httpSettings(world.loaded, NO_FLAGS, world.context);
      const findings = [
        ...expired.map(({ name }) => expiredFinding(name)),
        ...(publicOrigin !== undefined && expired.length === tokens.length ? [noToken(world)] : []),
        ...missingTlsFiles(world, HTTP, address.tls),
      ];
      const off = tokens.length === 0 && publicOrigin === undefined;
      const summary = off ? 'local programs only' : formatCountOf(tokens.length, 'token');
      return { summary, findings, off };
    } catch (error) {
      if (!(error instanceof SvcError)) throw error;
      // The check of permissions covers the token file.
      return { summary: 'not usable', findings: [unusable(world, error)] };
    }
  },
};

const NO_FLAGS = { host: undefined, port: undefined };

function unusable(world: ConfiguredWorld, { code, message, hint }: SvcError): Finding {
  const isInsecure = code === 'MCP_HTTP_INSECURE';
  return finding(isInsecure ? 'mcp-insecure' : 'mcp-tokens-unusable', 'fault', {
    message,
    ...(isInsecure ? { place: world.placeOf([...HTTP]) } : {}),
    hint,
  });
}

function expiredFinding(name: string): Finding {
  return finding('mcp-token-expired', 'note', {
    message: `the MCP token ${name} has expired`,
    cause: 'its client is refused',
    hint: `svc mcp token revoke ${name}`,
  });
}

function noToken({ placeOf }: ConfiguredWorld): Finding {
  return finding('mcp-without-token', 'warning', {
    message: 'mcp.http is open to other machines, but there is no valid token',
    place: placeOf([...HTTP]),
    hint: 'create one: svc mcp token create NAME',
  });
}
