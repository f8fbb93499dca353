import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { createServer } from '../create-server.js';
import { CLIENT, type McpWorld } from '../mcp-world.js';
import type { Holder } from './gate.js';
import { LegacySessions } from './legacy-sessions.js';

/** Far more than a request needs. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The protocol as the holder of one token sees it. Sessions of one holder are unknown to all others,
 * and closing it ends their streams.
 */
export class HolderEndpoint {
  private readonly modern: ReturnType<typeof createMcpHandler>;
  private readonly legacy: LegacySessions;
  private readonly quietly: () => void;

  private readonly holder: Holder;

  constructor(holder: Holder, world: McpWorld) {
    this.holder = holder;
    const onError = (error: Error): void => world.log.warn(`protocol: ${error.message}`);
    const modern = createMcpHandler(() => createServer(world, false), {
      legacy: 'reject',
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: onError,
    });
    this.modern = modern;
    this.legacy = new LegacySessions({
      createServer: () => createServer(world, true),
      maxRequestBodySize: MAX_BODY_BYTES,
      onError,
    });
    this.quietly = world.memory.onListChange(() => modern.notify.resourcesChanged());
  }

  /** @param client address of the client, for the audit log */
  async answer(request: Request, client: string): Promise<Response> {
    const { name, scopes } = this.holder;
    // The token itself is of no use to handlers.
    const authInfo = {
      token: '',
      clientId: name,
      scopes: [...scopes],
      extra: { [CLIENT]: client },
    };
    const isLegacy = await isLegacyRequest(request, undefined, {
      maxRequestBodySize: MAX_BODY_BYTES,
    });
    return isLegacy
      ? this.legacy.answer(request, authInfo)
      : this.modern.fetch(request, { authInfo });
  }

  async close(): Promise<void> {
    this.quietly();
    await Promise.all([this.modern.close(), this.legacy.close()]);
  }
}
