import { loadConfig } from '../engine/config/index.js';
import type { SecretMask } from '../engine/masking/index.js';
import { type HttpFlags, httpSettings } from '../engine/mcp/http/http-settings.js';
import { listenHttp } from '../engine/mcp/http/listen-http.js';
import { loadToken, localHolder } from '../engine/mcp/http/token.js';
import type {
  DescribedSession,
  McpContext,
  McpLog,
  McpOutput,
  McpWrite,
} from '../engine/mcp/index.js';
import { readTokens } from '../engine/mcp/tokens/token-store.js';
import { closing } from '../engine/support/async.js';
import type { EngineContext } from '../engine/support/context.js';
import { mcpAuditFile, openMcpAudit } from './mcp-audit.js';
import { writeStderr } from './stderr.js';

/** How the server runs over HTTP. */
export interface McpHttpOptions {
  readonly context: EngineContext;
  readonly mask: SecretMask;
  readonly session: DescribedSession;
  readonly http: HttpFlags;
  /** From `--config`. */
  readonly configFile: string | undefined;
  /** Prints neither the addresses nor warnings. */
  readonly quiet: boolean;
  readonly log: McpLog;
  /** The context of clients of an agent; null is the memory that the flags name. */
  readonly contextFor: (agent: string | null, session: DescribedSession) => McpContext;
  /** The signal that ended the process. */
  readonly stopped: Promise<McpOutput['reason']>;
  readonly abort: AbortSignal;
}

/** Serves MCP over HTTP until a signal arrives. */
export async function serveHttp(options: McpHttpOptions): Promise<McpOutput> {
  const { context, configFile, http, mask, log, quiet, session, contextFor } = options;
  const { clock } = context;
  const { stateDir } = context.state;
  const loaded = await loadConfig(context, { configFile });
  for (const { message } of loaded.warnings) log.warn(message);
  const settings = httpSettings(loaded, http, context);
  const isRemote = settings.publicOrigin !== undefined;
  const token = isRemote ? undefined : await loadToken(stateDir, options.abort);
  if (token !== undefined) mask.learn(token.value);
  const auditLog = mcpAuditFile(context);
  using audit = closing(openMcpAudit(context, mask, log));
  const local = token === undefined ? undefined : localHolder(token);
  const listener = await listenHttp({
    settings,
    stateDir,
    clock,
    local,
    log,
    audit: audit.logger,
    contextOf: (holder, onCall) => {
      const holderSession = {
        sessionKey: holder.sessionKey ?? undefined,
        chatType: holder.chatType ?? undefined,
        channel: holder.channel ?? undefined,
      };
      const isBound = Object.values(holderSession).some((value) => value !== undefined);
      const mcpContext = contextFor(holder.agent, isBound ? holderSession : session);
      const writing = mcpContext.writing && {
        ...mcpContext.writing,
        onWrite: async (write: McpWrite) =>
          audit.logger.info({ token: holder.name, ...write }, 'written'),
      };
      return { ...mcpContext, scopes: holder.scopes, onCall, writing };
    },
  });
  try {
    const { publicUrl } = listener;
    if (!quiet) {
      const lines = [
        `listening on ${listener.url}`,
        ...(publicUrl === null ? [] : [`address for clients: ${publicUrl}`]),
        `audit log: ${auditLog}`,
        ...(token === undefined ? [] : [`token file: ${token.file}`]),
      ];
      writeStderr(`${lines.join('\n')}\n`);
    }
    const holders = local === undefined ? readTokens(stateDir) : [local];
    for (const agent of new Set(holders.map((holder) => holder.agent))) {
      contextFor(agent, session).memory.warmUp();
    }
    const reason = await options.stopped;
    return {
      transport: 'http',
      url: listener.url,
      publicUrl,
      tokenFile: token?.file ?? null,
      auditLog,
      reason,
    };
  } finally {
    await listener.close();
  }
}
