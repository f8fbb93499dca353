import { join } from 'node:path';
import { resolveConfig } from '../engine/config/index.js';
import type { SecretMask } from '../engine/masking/index.js';
import type { McpLog } from '../engine/mcp/index.js';
import { createLog, type ServeLog } from '../engine/serve/log/log.js';
import type { EngineContext } from '../engine/support/context.js';

/** Where calls over HTTP and writes are logged. */
export function mcpAuditFile({ state }: Pick<EngineContext, 'state'>): string {
  return join(state.stateDir, 'logs', 'mcp.log');
}

/** Opens the audit log of the MCP server. */
export function openMcpAudit(
  context: Pick<EngineContext, 'clock' | 'state'>,
  mask: SecretMask,
  log: McpLog,
): ServeLog {
  return createLog(
    { level: 'info', file: mcpAuditFile(context), logging: resolveConfig({}).logging },
    {
      clock: context.clock,
      pid: process.pid,
      mask,
      onProblem: (why) => log.warn(`calls are not logged: ${why}`),
    },
  );
}
