import {
  certificatePaths,
  type ListenAddress,
  type LoadedConfig,
  type ResolvedConfig,
} from '../../config/index.js';
import { SvcError } from '../../errors/index.js';
import type { EngineContext } from '../../support/context.js';
import { isLoopback, isWildcard, urlHost } from '../../support/network.js';

/** Where the server listens, and for whom. */
export interface HttpSettings
  extends Pick<ResolvedConfig['mcp']['http'], 'allowedOrigins' | 'limits'> {
  readonly address: ListenAddress;
  /** Origin that clients on other machines use; undefined if only programs on this machine can connect. */
  readonly publicOrigin: string | undefined;
}

/** `mcp.http`, as flags override it. */
export interface HttpFlags {
  readonly host: string | undefined;
  readonly port: number | undefined;
}

/**
 * The settings of `svc mcp --http`. An address that other machines can reach needs TLS, or a proxy
 * that serves it.
 * @throws SvcError MCP_HTTP_INSECURE
 */
export function httpSettings(
  loaded: LoadedConfig,
  flags: HttpFlags,
  context: EngineContext,
): HttpSettings {
  const { http } = loaded.resolved.mcp;
  const { allowedOrigins, limits, trustedProxies, publicUrl } = http;
  const host = flags.host ?? http.host;
  const tls = certificatePaths(http.tls, loaded, context);
  const address = { host, port: flags.port ?? http.port, tls, trustedProxies };
  const settings = { address, allowedOrigins, limits };
  if (isLoopback(host) && publicUrl === undefined) return { ...settings, publicOrigin: undefined };
  if (tls === undefined && trustedProxies.length === 0) {
    throw new SvcError(
      'MCP_HTTP_INSECURE',
      `tokens and notes would be sent unencrypted to ${urlHost(host)}: neither TLS nor a proxy is configured`,
      {
        hint: 'set mcp.http.tls, or mcp.http.trustedProxies and mcp.http.publicUrl if a proxy serves HTTPS; 127.0.0.1 accepts local programs only',
      },
    );
  }
  if (publicUrl !== undefined) return { ...settings, publicOrigin: new URL(publicUrl).origin };
  const origin = `https://${urlHost(host)}:${address.port}`;
  // No URL contains the zone of an IPv6 address.
  if (tls === undefined || isWildcard(host) || address.port === 0 || !URL.canParse(origin)) {
    throw new SvcError('MCP_HTTP_INSECURE', 'the address that clients use is unknown', {
      hint: 'run "svc config set mcp.http.publicUrl https://memory.example.com"',
    });
  }
  return { ...settings, publicOrigin: new URL(origin).origin };
}
