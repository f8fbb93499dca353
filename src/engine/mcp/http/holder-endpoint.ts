import { randomUUID } from 'node:crypto';
import {
  type AuthInfo,
  createMcpHandler,
  isLegacyRequest,
  type McpServer,
  WebStandardStreamableHTTPServerTransport as Transport,
} from '@modelcontextprotocol/server';
import { createServer } from '../create-server.js';
import { CLIENT, type McpContext } from '../mcp-context.js';
import type { Holder } from './gate.js';

/** Far more than a request needs. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * The protocol as the holder of one token sees it. Sessions of one holder are unknown to all others,
 * and closing it ends their streams.
 */
export class HolderEndpoint {
  private readonly modern: ReturnType<typeof createMcpHandler>;
  private readonly legacy: LegacySessions;
  private readonly unsubscribe: () => void;
  private readonly holder: Holder;

  constructor(holder: Holder, context: McpContext) {
    this.holder = holder;
    const onError = (error: Error): void => context.log.warn(`protocol: ${error.message}`);
    const modern = createMcpHandler(() => createServer(context, false), {
      legacy: 'reject',
      maxRequestBodySize: MAX_BODY_BYTES,
      onerror: onError,
    });
    this.modern = modern;
    this.legacy = new LegacySessions(() => createServer(context, true), onError);
    this.unsubscribe = context.memory.onListChange(() => modern.notify.resourcesChanged());
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
    this.unsubscribe();
    await Promise.all([this.modern.close(), this.legacy.close()]);
  }
}

interface Session {
  readonly transport: Transport;
  readonly server: McpServer;
}

/** More than one machine's clients. The least recently used session is dropped; its client starts a new one. */
const MAX_SESSIONS = 64;

const SESSION_HEADER = 'mcp-session-id';

/**
 * Sessions for clients of the 2025 revisions, whose cancellations and notifications refer to
 * earlier requests. The SDK's stateless mode cannot cancel.
 */
class LegacySessions {
  private readonly createServer: () => McpServer;
  private readonly onError: (error: Error) => void;
  /** In order of last use. */
  private readonly sessions = new Map<string, Session>();

  constructor(createServer: () => McpServer, onError: (error: Error) => void) {
    this.createServer = createServer;
    this.onError = onError;
  }

  async answer(request: Request, authInfo: AuthInfo): Promise<Response> {
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return this.begin(request, authInfo);
    const session = this.sessions.get(id);
    if (session === undefined) return unknownSession();
    this.sessions.delete(id);
    this.sessions.set(id, session);
    return session.transport.handleRequest(request, { authInfo });
  }

  async close(): Promise<void> {
    const open = [...this.sessions.values()];
    this.sessions.clear();
    await Promise.all(open.map(({ server }) => server.close()));
  }

  private async begin(request: Request, authInfo: AuthInfo): Promise<Response> {
    const server = this.createServer();
    const transport: Transport = new Transport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY_BYTES,
      onsessioninitialized: (id: string): void => this.keep(id, { server, transport }),
      onsessionclosed: (id) => this.drop(id),
    });
    await server.connect(transport);
    const response = await transport.handleRequest(request, { authInfo });
    // Not an initialization; the response is an error.
    if (transport.sessionId === undefined) await server.close();
    return response;
  }

  private keep(id: string, session: Session): void {
    this.sessions.set(id, session);
    const [leastRecent] = this.sessions.keys();
    if (this.sessions.size > MAX_SESSIONS && leastRecent !== undefined) this.drop(leastRecent);
  }

  private drop(id: string): void {
    const session = this.sessions.get(id);
    this.sessions.delete(id);
    session?.server.close().catch(this.onError);
  }
}

/** 404 makes clients start a new session (streamable HTTP, 2025-06-18, "Session Management"). */
function unknownSession(): Response {
  const error = { code: -32_001, message: 'this session has ended; start a new one' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
